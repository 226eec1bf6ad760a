"""What code of the npp game makes of events beyond whether one is another is found, on values in their places."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import pytest
from instances.valued import Anything, Tabled, Valued

from dpcert import Release, examine
from dpcert.audit.errors import MechanismError
from dpcert.audit.finding import Verdict
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.relations.tags import NEW, OTHER, Tag, aged
from dpcert.mechanisms.randbin.toy import RandBinToy

npp = partial(examine, game="npp", exp_epsilons=(1, 2))


@pytest.mark.parametrize(
    "look",
    [
        lambda x: x == 1,
        lambda x: x != "a",
        lambda x: x in (0, 1),
        lambda x: x < (0, 0),
        lambda x: x[2],
        bool,
        lambda x: x > 0,
    ],
)
def test_an_item_with_a_value_is_refused_and_does_not_hold(look: Callable[[Any], object]) -> None:
    with pytest.raises(MechanismError, match="Expected items to be compared"):
        npp(Valued(look), horizon=2)


@pytest.mark.parametrize(
    "look",
    [
        lambda x: x in {0, 1},
        lambda x: {0: "zero"}.get(x),
        lambda x: isinstance(x, int),
        lambda x: type(x).__name__,
        lambda x: str(x)[:1],
        lambda x: hash(x) % 2,
        lambda x: len(repr(x)),
        lambda x: getattr(x, "real", None),
    ],
)
def test_an_item_that_is_looked_up_is_told_from_its_values(look: Callable[[Any], object]) -> None:
    with pytest.raises(MechanismError, match="Expected Valued to do with every event what it does with any other"):
        npp(Valued(look), horizon=2)


@dataclass(frozen=True)
class Remembers:
    """Shows whether an event is one of the last two, and what it makes of the older one."""

    look: Callable[[Any], object]
    alphabet = (0, 1, 2)
    initial = simulation = (None, None)
    outputs = Anything()

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, None], Any]:
        del draw
        return Release((x in state, self.look(state[0]))), (state[1], x)

    def simulate(self, branch: int, state: Any, pair: tuple[Any, Any], draw: Draw) -> Any:
        release, after = self.step(state, pair[branch], draw)
        return Release(release.visible, (None, None)), after


def test_events_are_kept_and_compared_and_looked_up_where_they_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.games.npp.MOST_STEPS_TO_OUTPUT", 100)  # it has none
    assert npp(Remembers(lambda kept: kept is None), horizon=4) is not None
    with pytest.raises(MechanismError, match=r"but it does otherwise where .*#2 is 2"):
        npp(Remembers(lambda kept: kept in {2}), horizon=4)


@pytest.mark.parametrize(
    "look",
    [
        lambda both: both in {(0, 4)},
        lambda both: {(5, 2): 1}.get(both),
        lambda both: {"(0, 4)": 1}.get(repr(both)),
        lambda both: {"6:3": 1}.get("{}:{}".format(*both)),
    ],
)
def test_two_items_that_are_looked_up_together_are_told_from_their_values(look: Callable[[Any], object]) -> None:
    with pytest.raises(MechanismError, match="Expected Tabled to do with every event what it does with any other"):
        npp(Tabled(look), horizon=3)


def caught(both: Any) -> object:
    try:
        return both[0] == 5 and both[1] == 2
    except MechanismError:
        return False


def suppressed(both: Any) -> object:
    with suppress(MechanismError, TypeError):  # nothing came before the first
        return "fedcba98"[both[0]] + "fedcba98"[both[1]] == "ad"
    return False


def matched(both: Any) -> object:
    match both:
        case int(), int():
            return both == (5, 2)
    return False


@pytest.mark.parametrize(
    "look",
    [
        caught,
        suppressed,
        matched,
        lambda both: type(both[0]) is type(both[1]) is int and both == (5, 2),
        lambda both: not any(isinstance(x, tuple | None) for x in both) and both in {(5, 2)},
        lambda both: issubclass(both[1].__class__, int) and both in {(5, 2)},
    ],
)
def test_code_that_asks_values_alone_is_given_them_in_all_ways(look: Callable[[Any], object]) -> None:
    """Events in turn as values of which each follows the one before never are (5, 2), and items are not asked."""
    with pytest.raises(MechanismError, match="Expected Tabled to do with every event what it does with any other"):
        npp(Tabled(look), horizon=3)


def test_code_that_asks_for_types_and_does_nothing_with_them_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.games.npp.MOST_STEPS_TO_OUTPUT", 100)  # it has none
    record = npp(Remembers(lambda kept: isinstance(kept, type(None)) and caught((kept, kept))), horizon=4)
    assert record.verdict is Verdict.HOLDS


@dataclass(frozen=True)
class Gathers(Valued):
    """Shows every third event whether the last three are certain ones."""

    alphabet = tuple(range(5))  # type: ignore[assignment]
    initial = simulation = ()  # type: ignore[assignment]

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, None], Any]:
        del draw
        return (Release(None), (*state, x)) if len(state) < 2 else (Release(self.look((*state, x))), ())


@pytest.mark.in_turns(few=True)
def test_where_there_are_too_many_ways_to_look_events_up_nothing_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.games.npp.MOST_STEPS_TO_OUTPUT", 100)  # it has none
    assert npp(Gathers(lambda three: len(frozenset(three))), horizon=4).verdict is Verdict.HOLDS
    monkeypatch.setattr("dpcert.audit.games.renaming.MOST_NAMINGS", 120)  # values of five for four events
    assert npp(Gathers(lambda three: len(frozenset(three))), horizon=4).verdict is Verdict.HOLDS
    monkeypatch.setattr("dpcert.audit.games.renaming.MOST_NAMINGS", 119)
    assert npp(Gathers(lambda three: three[0] == three[1]), horizon=4).verdict is Verdict.HOLDS
    record = npp(Gathers(lambda three: len(frozenset(three))), horizon=4)
    assert record.verdict is Verdict.UNDECIDED
    assert "MOST_NAMINGS" in record["scope"]["stopped"]


def test_rounds_without_an_event_are_none_of_the_game() -> None:
    class Idle(Valued):
        alphabet = (None, 0)  # type: ignore[assignment]

    with pytest.raises(MechanismError, match=r"Expected every input of Idle to be an event .* got None"):
        npp(Idle(lambda x: x is None), horizon=2)


@dataclass(frozen=True)
class Count:
    """Nothing that it says; what it keeps besides is put there by hand."""

    number: int = 0


class Tuple(NamedTuple):
    """The same as a tuple."""

    number: int = 0


class Keeping(Tuple):
    """Has room for more."""


@pytest.mark.parametrize("kind", [Count, Keeping])
def test_a_state_that_keeps_more_than_it_is_made_from_is_refused(kind: Callable[[], Any]) -> None:
    class Secret(Valued):
        def step(self, state: Any, x: Any, draw: Draw) -> Any:
            del draw
            after = kind()
            object.__setattr__(after, "kept", x)
            return Release(getattr(state, "kept", None)), after

    with pytest.raises(MechanismError, match=f"a state with nothing to {kind.__name__} but what it is made from"):  # type: ignore[attr-defined]
        npp(Secret(bool), horizon=3)


def test_what_a_state_works_out_of_its_parts_is_followed() -> None:
    @dataclass(frozen=True)
    class Both:
        item: Any
        twice: Any = field(init=False, default=None)

    @dataclass(frozen=True)
    class Doubled:
        item: Any

        def __post_init__(self) -> None:
            object.__setattr__(self, "twice", (self.item, self.item))

    assert aged(Doubled(NEW)).twice == (aged(NEW), aged(NEW))
    with pytest.raises(MechanismError, match="so that items can be followed"):
        aged(Both(NEW))


def test_a_step_in_the_place_of_one_of_ours_is_no_step_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    step = RandBinToy.step

    def shown(self: RandBinToy, state: Any, x: Any, draw: Draw) -> Any:
        release, after = step(self, state, x, draw)
        return Release((release.visible, x in {"event"}), release.hidden), after

    monkeypatch.setattr(RandBinToy, "step", shown)
    with pytest.raises(MechanismError, match="Expected RandBinToy to do with every event what it does with any other"):
        npp(RandBinToy(), horizon=2)


class FirstBranch(Valued):
    """Simulates the branch that it was asked for first otherwise than the other one."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        object.__setattr__(self, "seen", {})

    def simulate(self, branch: int, state: int, pair: tuple[Any, Any], draw: Draw) -> Any:
        first = self.seen.setdefault(state, branch)  # type: ignore[attr-defined]
        release, after = self.step(state, pair[branch], draw)
        hidden = [None, None]
        hidden[1 - branch] = first != branch  # type: ignore[call-overload]
        return Release(release.visible, tuple(hidden)), after


def test_what_a_simulation_leaves_behind_is_settled_by_no_live_runs() -> None:
    """All runs of its step go alike in fresh processes: they show nothing of it."""
    record = npp(FirstBranch(), horizon=2)
    assert record.verdict is Verdict.UNDECIDED
    assert "live runs do not show what it hides or simulates" in record.to_text()


def test_an_item_is_compared_with_items_and_with_none() -> None:
    assert aged(NEW) == Tag(1)
    assert NEW != OTHER
    assert NEW not in (None, OTHER)
    assert len({NEW, OTHER, aged(NEW), None, 0}) == 5


def test_a_step_that_fails_on_its_own_alphabet_is_one_line() -> None:
    with pytest.raises(MechanismError, match=r"Valued\.sim.*raised TypeError"):
        npp(Valued(lambda x: x + 1 if isinstance(x, str) else x + "" if isinstance(x, int) else ""), horizon=2)
