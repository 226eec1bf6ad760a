"""Modular composition: one mechanism's hidden outputs are another one's inputs; an adversary sees both and adapts."""

from collections.abc import Hashable
from functools import cached_property
from typing import Any, Protocol

from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, value_of, values_of
from dpcert.audit.kernels.border import member, name_of
from dpcert.audit.kernels.combine import begun, joined, shown
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.hidden import released_by
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.published import Publisher, publisher_of
from dpcert.audit.kernels.release import HALT, OVER, Release


class Second(Protocol):
    """An Interactive on whatever the first mechanism puts out; it needs no finite alphabet."""

    @property
    def initial(self) -> Hashable:
        """The state before the first input."""
        ...

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Hashable]:
        """One round."""
        ...


@frozen
class Fed:
    """first -> second: in every round the first mechanism releases, and the second one if it is fed.

    The visible output is (the first's, the second's or None), with what either publishes beside it; the hidden one is
    the second's. The round in which one of them halts is seen like any other, and is the last. With `slices`, the first
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
        own: int | None = member(self.first, "horizon")
        return own

    @property
    def initial(self) -> Hashable:
        """(first's state, inputs not yet taken, second's state, which holds its releases where it publishes)."""
        second = held(self.second.initial, "initial")
        return begun(self.first), (), second if self._publisher is None else (second, ())

    @cached_property
    def _publisher(self) -> Publisher | None:
        return publisher_of(self.second, name_of(self.second))

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Hashable]:
        """A step of the first mechanism, and one of the second where it is fed."""
        if state is OVER:
            return Release(HALT), OVER
        own, inputs, following = state
        release, own = shown(self.first, own, x, draw)
        output = release.hidden
        if self.slices:
            inputs = (*inputs, held(x, "input"))
            if output is not None:
                output, inputs = self._taken(inputs, output)
        answer: Release[Any, Any] = Release(None)
        if output is not None:
            answer, following = self._second(following, output, draw)
        over = release.visible is HALT or answer.visible is HALT
        return Release(joined([release.visible, answer.visible]), answer.hidden), OVER if over else (
            own,
            inputs,
            following,
        )

    def _second(self, state: Any, output: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        """A step of the second mechanism, with what it publishes."""
        publisher = self._publisher
        own, before = (state, ()) if publisher is None else state
        name = name_of(self.second)
        release, after = released_by(name, self.second.step(value_of(own), output, draw))
        following = held(after, "state")
        if publisher is None:
            return release, following
        releases = (*before, held(release.visible, "visible output"))
        return Release(value_of(publisher.beside(releases)), release.hidden), (following, releases)

    def _taken(self, inputs: tuple[Any, ...], output: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The inputs that a slice names, and the tokens of those after it: all that a later slice may name."""
        start, length = output
        if not 0 < length <= start <= len(inputs):
            raise MechanismError(f"Expected a slice of the {len(inputs)} inputs not yet taken but got {label(output)}")
        return values_of(inputs[-start:][:length]), inputs[-start:][length:]


def feeding(first: Any, second: Second, alphabet: tuple[Any, ...], *, slices: bool = True) -> Fed:
    """first -> second, the modular composition: one's hidden outputs are the other's inputs. It is a mechanism too.

    The visible output is (the first's, the second's or None), the hidden one the second's.

    Args:
        first: An Interactive; None as its hidden output feeds nothing.
        second: What is fed, an Interactive that needs no alphabet.
        alphabet: The inputs of the whole.
        slices: Whether hidden outputs are (start, length) into the inputs so far, as a RandBin's are, and `second` is
            fed those inputs; else it is fed the hidden outputs themselves.
    Returns: An Interactive. Its steps raise MechanismError for a slice of inputs that were taken before.
    Source: paper.tex, defn:list_comp.

    >>> from dpcert.audit.examine import examine
    >>> from dpcert.mechanisms.randbin.bin_sum import BinSum
    >>> from dpcert.mechanisms.randbin.toy import RandBinToy
    >>> record = examine(feeding(RandBinToy(), BinSum(), (0, 1)), adjacency="edit", horizon=7)
    >>> record["verdict"]
    'HOLDS'
    """
    return Fed(first, second, alphabet, slices)
