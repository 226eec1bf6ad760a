"""Modular composition: one mechanism's hidden outputs are another one's inputs; an adversary sees both and adapts."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from dpcert.audit.combine import stepped
from dpcert.audit.draws import Draw
from dpcert.audit.errors import MechanismError
from dpcert.audit.label import label
from dpcert.audit.release import HALT, Release
from dpcert.audit.view import view_of


class Second(Protocol):
    """An Interactive on whatever the first mechanism puts out; it needs no finite alphabet."""

    @property
    def initial(self) -> Hashable:
        """The state before the first input."""
        ...

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Hashable]:
        """One round."""
        ...


@dataclass(frozen=True)
class Fed:
    """first -> second: in every round the first mechanism releases, and the second one if it is fed.

    The visible output is (the first's, the second's or None); the hidden one is the second's. With `slices`, the first
    mechanism's hidden outputs are (start, length) into the inputs so far, as RandBin's are, and the second is fed those
    inputs; else it is fed the hidden outputs themselves. Source: paper.tex, defn:list_comp.

    Attributes:
        first: An Interactive; None as its hidden output feeds nothing.
        second: What is fed.
        alphabet: The inputs of the whole.
        slices: Whether hidden outputs name inputs. Then the inputs not yet taken are part of the state.
    """

    first: Any
    second: Second
    alphabet: tuple[Any, ...]
    slices: bool = True

    @property
    def horizon(self) -> int | None:
        """The first mechanism's."""
        return getattr(self.first, "horizon", None)

    @property
    def initial(self) -> Hashable:
        """(first's state, inputs not yet taken, second's state)."""
        return view_of(self.first).initial, (), self.second.initial

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Hashable]:
        """A step of the first mechanism, and one of the second where it is fed."""
        own, kept, following = state
        release, own = stepped(self.first, own, x, draw)
        if release.visible is HALT:
            return Release(HALT), (own, (), following)
        output = release.hidden
        if self.slices:
            kept = (*kept, x)
            if output is not None:
                output, kept = self._taken(kept, output)
        if output is None:
            return Release((release.visible, None)), (own, kept, following)
        answer, following = self.second.step(following, output, draw)
        if answer.visible is HALT:
            return Release(HALT), (own, kept, following)
        return Release((release.visible, answer.visible), answer.hidden), (own, kept, following)

    def _taken(self, kept: tuple[Any, ...], output: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The inputs that a slice names, and those after it, which are all that a later slice may name."""
        start, length = output
        if not 0 < length <= start <= len(kept):
            raise MechanismError(f"Expected a slice of the {len(kept)} inputs not yet taken but got {label(output)}")
        return kept[-start:][:length], kept[-start:][length:]


def feeding(first: Any, second: Second, alphabet: tuple[Any, ...], *, slices: bool = True) -> Fed:
    """The modular composition first -> second, a mechanism like any other.

    >>> from dpcert.audit.examine import examine
    >>> from dpcert.mechanisms.bin_sum import BinSum
    >>> from dpcert.mechanisms.randbin_toy import RandBinToy
    >>> record = examine(feeding(RandBinToy(), BinSum(), (0, 1)), adjacency="edit", horizon=8)
    >>> record["verdict"]
    'HOLDS'
    """
    return Fed(first, second, alphabet, slices)
