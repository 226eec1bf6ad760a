"""New mechanisms from old: what an observer is shown of one, and two mechanisms on one stream."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from dpcert.audit.draws import Draw
from dpcert.audit.errors import expected
from dpcert.audit.pmf import Pmf
from dpcert.audit.release import HALT, Release
from dpcert.audit.view import Core, released_by, view_of


@dataclass(frozen=True)
class Viewed:
    """A mechanism of which the observer is shown `view(visible)` alone. Source: paper.tex, def:view."""

    mechanism: Any
    view: Callable[[Any], Hashable]

    @property
    def __wrapped__(self) -> Any:
        """What the user wrote: reports give its file, line and digest."""
        return self.mechanism

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The mechanism's own."""
        return tuple(self.mechanism.alphabet)

    @property
    def horizon(self) -> int | None:
        """The mechanism's own."""
        return getattr(self.mechanism, "horizon", None)

    @property
    def null(self) -> Any:
        """The mechanism's own null input."""
        return getattr(self.mechanism, "null", None)

    @property
    def initial(self) -> Any:
        """The mechanism's own."""
        return view_of(self.mechanism).initial

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        """The mechanism's step, seen through `view`; HALT stays HALT."""
        release, after = stepped(self.mechanism, state, x, draw)
        shown = HALT if release.visible is HALT else self.view(release.visible)
        return Release(shown, release.hidden), after


@dataclass(frozen=True)
class Product:
    """Two mechanisms with independent randomness on one stream of inputs; the observer sees both."""

    first: Any
    second: Any

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """Inputs that both take."""
        return tuple(x for x in self.first.alphabet if x in set(self.second.alphabet))

    @property
    def horizon(self) -> int | None:
        """The shorter one."""
        own = [h for m in (self.first, self.second) if (h := getattr(m, "horizon", None)) is not None]
        return min(own) if own else None

    @property
    def null(self) -> Any:
        """The null input of both, or of the one that names any."""
        own = [null for m in (self.first, self.second) if (null := getattr(m, "null", None)) is not None]
        return own[0] if own else None

    @property
    def initial(self) -> Any:
        """Both initial states."""
        return view_of(self.first).initial, view_of(self.second).initial

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        """Both steps; a mechanism that has halted stays silent, and the pair halts when both have."""
        releases, after = [], []
        for mechanism, own in zip((self.first, self.second), state, strict=True):
            release, following = (Release(HALT), HALT) if own is HALT else stepped(mechanism, own, x, draw)
            releases.append(release)
            after.append(HALT if release.visible is HALT else following)
        over = all(release.visible is HALT for release in releases)
        visible = HALT if over else tuple(release.visible for release in releases)
        return Release(visible, tuple(release.hidden for release in releases)), tuple(after)


def stepped(mechanism: Any, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
    """One step of any mechanism: an Interactive's own, or a draw from a core's law."""
    view = view_of(mechanism)
    if isinstance(view, Core):
        after = view.advance(state, x)
        law: Pmf[Any] = view.law(after)
        return Release(draw(law)), after
    return released_by(view.name, mechanism.step(state, x, draw))


def viewed(mechanism: Any, view: Callable[[Any], Hashable]) -> Viewed:
    """The mechanism as an observer sees it who is shown view(visible) alone.

    >>> from dpcert import examine
    >>> from dpcert.mechanisms.randomized_response import RandomizedResponse
    >>> examine(viewed(RandomizedResponse(), lambda y: "seen"))["vacuous"]
    True
    """
    return Viewed(mechanism, view)


def both(first: Any, second: Any) -> Product:
    """The two mechanisms side by side on one stream, with independent randomness.

    Raises: ArgumentError: they name different null inputs, where one stream can have but one.
    """
    nulls = getattr(first, "null", None), getattr(second, "null", None)
    if None not in nulls and nulls[0] != nulls[1]:
        raise expected("two mechanisms with the same null input", first_null=nulls[0], second_null=nulls[1])
    return Product(first, second)
