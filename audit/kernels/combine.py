"""New mechanisms from old: what an observer is shown of one, and two mechanisms on one stream.

Whatever a part shows, the whole shows: its visible output, what it publishes beside it, and the round in which it
halts.
"""

from collections.abc import Callable, Hashable
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, same, value_of
from dpcert.audit.kernels.border import member
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.hidden import released_by
from dpcert.audit.kernels.published import Publisher, core_of_release, publisher_of
from dpcert.audit.kernels.release import HALT, OVER, Published, Release
from dpcert.audit.kernels.view import View, view_of


@frozen
class Viewed:
    """A mechanism of which the observer is shown `view(visible)` alone. Source: paper.tex, def:view.

    What a mechanism publishes by a `publish` of its own is visible as well: there `view` is handed
    Published(core, value).
    """

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
        own: int | None = member(self.mechanism, "horizon")
        return own

    @property
    def null(self) -> Any:
        """The mechanism's own null input."""
        return member(self.mechanism, "null")

    @property
    def initial(self) -> Any:
        """The mechanism's own."""
        return begun(self.mechanism)

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        """The mechanism's step, seen through `view`; HALT stays HALT."""
        release, after = shown(self.mechanism, state, x, draw)
        return Release(HALT if release.visible is HALT else self.view(release.visible), release.hidden), after


@frozen
class Product:
    """Two mechanisms with independent randomness on one stream of inputs; the observer sees both."""

    first: Any
    second: Any

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """Inputs that both take."""
        other = {held(x, "input") for x in self.second.alphabet}
        return tuple(x for x in self.first.alphabet if held(x, "input") in other)

    @property
    def horizon(self) -> int | None:
        """The shorter one."""
        own = [h for m in (self.first, self.second) if (h := member(m, "horizon")) is not None]
        return min(own) if own else None

    @property
    def null(self) -> Any:
        """The null input of both, or of the one that names any."""
        own = [null for m in (self.first, self.second) if (null := member(m, "null")) is not None]
        return own[0] if own else None

    @property
    def initial(self) -> Any:
        """Both initial states."""
        return begun(self.first), begun(self.second)

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        """Both steps; a mechanism that has halted stays silent, and the pair halts when both have."""
        releases, after = [], []
        for mechanism, own in zip((self.first, self.second), state, strict=True):
            release, following = (Release(HALT), OVER) if own is OVER else shown(mechanism, own, x, draw)
            releases.append(release)
            after.append(OVER if release.visible is HALT else following)
        hidden = tuple(release.hidden for release in releases)
        return Release(joined([release.visible for release in releases]), hidden), tuple(after)


def joined(visible: list[Any]) -> Any:
    """What is seen of several visible outputs at once: their core releases together, beside them all that is published.

    HALT where each is HALT.
    """
    if all(v is HALT for v in visible):
        return HALT
    cores = tuple(map(core_of_release, visible))
    if not any(isinstance(v, Published) for v in visible):
        return cores
    return Published(cores, tuple(v.value if isinstance(v, Published) else None for v in visible))


MOST_REMEMBERED = 64
"""Mechanisms whose checked views are remembered between steps: to look at all members anew takes longer than a step."""
_PARTS: dict[int, tuple[Any, View, Publisher | None]] = {}


def part_of(mechanism: Any) -> tuple[View, Publisher | None]:
    """The checked view of a part, and what puts its published values beside its releases."""
    entry = _PARTS.get(id(mechanism))
    if entry is None or entry[0] is not mechanism:
        view = view_of(mechanism)
        entry = mechanism, view, publisher_of(mechanism, view.name)
        while len(_PARTS) >= MOST_REMEMBERED:
            _PARTS.pop(next(iter(_PARTS)))
        _PARTS[id(mechanism)] = entry
    return entry[1], entry[2]


def begun(mechanism: Any) -> Any:
    """The state before round 1, as `shown` takes it: a token."""
    view = view_of(mechanism)
    return view.initial if publisher_of(mechanism, view.name) is None else (view.initial, ())


def shown(mechanism: Any, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
    """One step of any mechanism, with what its own `publish` puts beside the release; the state after it is a token."""
    _, publisher = part_of(mechanism)
    if publisher is None:
        return stepped(mechanism, state, x, draw)
    own, before = state
    release, after = stepped(mechanism, own, x, draw)
    releases = (*before, held(release.visible, "visible output"))
    return Release(value_of(publisher.beside(releases)), release.hidden), (after, releases)


def stepped(mechanism: Any, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
    """One step of any mechanism: an Interactive's own, or a draw from a core's law. States are tokens."""
    view, _ = part_of(mechanism)
    token = held(state, "state", copying=True)
    if isinstance(view, Core):
        after = view.advance_again(token, held(x, "input", copying=True))
        law: Pmf[Any] = view.law_again(after)
        return Release(draw(law)), after
    release, following = released_by(view.name, mechanism.step(value_of(token), x, draw))
    return release, held(following, "state")


def viewed(mechanism: Any, view: Callable[[Any], Hashable]) -> Viewed:
    """view(v_t), the mechanism as an observer sees it who is shown that alone: a mechanism like any other.

    Args:
        mechanism: Any mechanism but a Seeded.
        view: Visible output -> what is seen of it, hashable; of one that publishes, it is handed
            Published(core, value). HALT stays HALT.
    Returns: An Interactive on the same alphabet.
    Source: paper.tex, def:view; defn:dpi (why it leaks no more).

    >>> from dpcert import examine
    >>> from dpcert.mechanisms.randomized_response import RandomizedResponse
    >>> examine(viewed(RandomizedResponse(), lambda y: "seen"))["vacuous"]
    True
    """
    return Viewed(mechanism, view)


def both(first: Any, second: Any) -> Product:
    """((v_t, v'_t), (y_t, y'_t)), two mechanisms side by side on one stream, with independent randomness.

    Args:
        first, second: Any mechanisms but Seeded ones. One that has halted stays silent; the pair halts when both have.
    Returns: An Interactive on the inputs that both take, for as many rounds as both play.
    Raises: ArgumentError: they name different null inputs, where one stream can have but one.
    Source: paper.tex, defn:tensor (two independent experiments).

    >>> from dpcert import Session
    >>> from dpcert.mechanisms.shared_coin import SharedCoin
    >>> Session(both(SharedCoin(), SharedCoin()), draws=(1, 0)).send(1).visible
    (1, 0)
    """
    nulls = member(first, "null"), member(second, "null")
    if None not in nulls and not same(*nulls):
        raise expected("two mechanisms with the same null input", first_null=nulls[0], second_null=nulls[1])
    return Product(first, second)
