"""Simulations that break what is asked of them are refused in one line; bounds that are exceeded are refuted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import pytest

from dpcert import PowerFunction, Release, bernoulli, examine
from dpcert.audit.budget import Budget, Stopped
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError, DpcertError, MechanismError
from dpcert.audit.finding import Verdict
from dpcert.audit.games.npp import first_output
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.relations.tags import NEW, OTHER, Tag, aged
from dpcert.audit.verdicts.requirements import Requirements
from dpcert.mechanisms.randbin.toy import RandBinToy

npp = partial(examine, game="npp", exp_epsilons=(1, 2))


Hidden = tuple[Any, Any]


def changing(change: Callable[[int, bool, Hidden], tuple[Any, Any]]) -> RandBinToy:
    """The toy with another simulation: `change` gives (visible, hidden) from a branch and what is simulated in it."""

    class Changed(RandBinToy):
        def simulate(self, branch: int, state: Any, pair: tuple[Any, Any], draw: Draw) -> Any:
            release, after = super().simulate(branch, state, pair, draw)
            return Release(*change(branch, bool(release.visible), release.hidden or (None, None))), after

    return Changed()


def lengths_kept(branch: int, visible: bool, hidden: Hidden) -> tuple[Any, Any]:
    """Forgets that bin K is one event longer in one stream."""
    return visible, (hidden[branch], hidden[branch])


def other_bin(_branch: int, visible: bool, hidden: Hidden) -> tuple[Any, Any]:
    """Hands out another real bin than the algorithm does."""
    return visible, tuple(None if b is None else (b[0], b[1] + 1) for b in hidden)


def other_schedule(_branch: int, visible: bool, hidden: Hidden) -> tuple[Any, Any]:
    """Shows another schedule."""
    return not visible, hidden


def one_output(branch: int, visible: bool, hidden: Hidden) -> tuple[Any, Any]:
    """Forgets the other stream."""
    return visible, hidden[branch]


def silent(branch: int, visible: bool, hidden: Hidden) -> tuple[Any, Any]:
    """Bins of the other stream never leave."""
    return visible, (hidden[0], None) if branch == 0 else (None, hidden[1])


class DrawsFirst(RandBinToy):
    """Draws before the algorithm does."""

    def simulate(self, branch: int, state: Any, pair: tuple[Any, Any], draw: Draw) -> Any:
        draw(bernoulli(Fraction(1, 2)))
        return super().simulate(branch, state, pair, draw)


class Strange(RandBinToy):
    """Keeps its state in an object that cannot be looked through."""

    @property
    def simulation(self) -> Any:
        return Box(super().simulation)

    def simulate(self, branch: int, state: Any, pair: tuple[Any, Any], draw: Draw) -> Any:
        release, after = super().simulate(branch, state.held, pair, draw)
        return release, Box(after)


class Box:
    """Holds a value."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and other.held == self.held

    def __hash__(self) -> int:
        return hash(self.held)


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (changing(lengths_kept), "Changed.simulate to keep its hidden outputs neighbours (bin)"),
        (changing(silent), "Changed.simulate to keep its hidden outputs neighbours (bin)"),
        (changing(other_bin), "Changed.simulate to release (True, ("),
        (changing(other_schedule), "Changed.simulate to release (False, None) but got (True, None) in branch"),
        (changing(one_output), "Changed.simulate to return (Release(visible, (hidden, hidden)), state)"),
        (DrawsFirst(), "DrawsFirst.simulate to draw first, and in order, what the algorithm draws"),
        (Strange(), "a simulation with an identity by type and value"),
    ],
)
def test_a_simulation_that_is_none_is_refused(mechanism: Any, words: str) -> None:
    with pytest.raises(DpcertError) as refused:
        npp(mechanism, horizon=11)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


class Anything:
    """Any two outputs are neighbours."""

    name, initial = "anything", 0

    def after(self, *_: Any) -> int:
        return 0


@dataclass(frozen=True)
class Valued:
    """Shows what it makes of an item's value, which items of the game have not."""

    look: Callable[[Any], object]
    alphabet = (0, 1)
    initial = simulation = 0
    outputs = Anything()

    def step(self, state: int, x: Any, draw: Draw) -> tuple[Release[Any, None], int]:
        del draw
        return Release(self.look(x)), state

    def simulate(self, branch: int, state: int, pair: tuple[Any, Any], draw: Draw) -> Any:
        release, after = self.step(state, pair[branch], draw)
        return Release(release.visible, (None, None)), after


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


@dataclass(frozen=True)
class Tabled(Valued):
    """Shows what it makes of an event and the one before."""

    alphabet = tuple(range(8))  # type: ignore[assignment]
    initial = simulation = None  # type: ignore[assignment]

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, None], Any]:
        del draw
        return Release(self.look((state, x))), x


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


@dataclass(frozen=True)
class Gathers(Valued):
    """Shows every third event whether the last three are certain ones."""

    alphabet = tuple(range(5))  # type: ignore[assignment]
    initial = simulation = ()  # type: ignore[assignment]

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, None], Any]:
        del draw
        return (Release(None), (*state, x)) if len(state) < 2 else (Release(self.look((*state, x))), ())


def test_where_there_are_too_many_ways_to_look_events_up_nothing_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.games.npp.MOST_STEPS_TO_OUTPUT", 100)  # it has none
    assert npp(Gathers(lambda three: len(frozenset(three))), horizon=4).verdict is Verdict.HOLDS
    monkeypatch.setattr("dpcert.audit.games.renaming.MOST_NAMINGS", 59)
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
    assert aged(NEW)._replace(age=0) == NEW
    assert NEW != OTHER
    assert NEW not in (None, OTHER)
    assert len({NEW, OTHER, aged(NEW), None, 0}) == 5


def test_a_step_that_fails_on_its_own_alphabet_is_one_line() -> None:
    with pytest.raises(MechanismError, match=r"Valued\.sim.*raised TypeError"):
        npp(Valued(lambda x: x + 1 if isinstance(x, str) else "" if isinstance(x, tuple) else x + ""), horizon=2)


class DrawsMore(RandBinToy):
    """Has a seed of its own, and uses it for nothing."""

    def simulate(self, branch: int, state: Any, pair: tuple[Any, Any], draw: Draw) -> Any:
        answer = super().simulate(branch, state, pair, draw)
        draw(bernoulli(Fraction(1, 2)))
        return answer


@pytest.mark.in_turns
def test_a_simulation_may_draw_after_the_algorithm_has() -> None:
    assert npp(DrawsMore(), horizon=9)["adaptive"]["power"] == npp(RandBinToy(), horizon=9)["adaptive"]["power"]


class Lengthy(RandBinToy):
    """Claims that next to nothing is given away."""

    def bound(self, *_: Any) -> PowerFunction:
        return PowerFunction.from_vertices([(0, 0), (Fraction(0), Fraction(1, 100)), (1, 1)])


class Hurried(RandBinToy):
    """Has no time for its bound."""

    def bound(self, *_: Any) -> PowerFunction:
        raise Stopped("--max-seconds 1 was reached")


class Muddled(RandBinToy):
    """Names something else as its bound."""

    def bound(self, *_: Any) -> Any:
        return 0


@pytest.mark.in_turns
def test_a_bound_that_is_exceeded_is_refuted_with_an_adversary() -> None:
    record = npp(Lengthy(), horizon=9)
    assert record.verdict is Verdict.REFUTED
    witness = record["bound"]["witness"]
    assert witness["reached"] == "5/81"
    assert witness["exp_epsilon"] in {strategy["exp_epsilon"] for strategy in record["adaptive"]["strategies"]}
    assert "an adversary reaches delta 5/81" in record.to_text()
    assert "an adversary reaches delta 5/81" in record.to_html()


@pytest.mark.in_turns
def test_without_a_bound_nothing_is_decided() -> None:
    record = npp(Hurried(), horizon=9)
    assert record.verdict is Verdict.UNDECIDED
    assert "--max-seconds 1 was reached" in record["bound"]["detail"]
    assert record["bound"]["power"] is None
    with pytest.raises(MechanismError, match="PowerFunction but got int"):
        npp(Muddled(), horizon=9)


@pytest.mark.in_turns
def test_requirements_take_the_place_of_the_bound() -> None:
    assert (
        run(["audit", "randbin-toy", "--game", "npp", "--horizon", "9", "--require-delta", "1:1/100", "--quiet"]) == 1
    )
    assert run(["audit", "randbin-toy", "--game", "npp", "--horizon", "9", "--require-delta", "1:5/81", "--quiet"]) == 0
    assert run(["audit", "randbin-toy", "--game", "npp", "--horizon", "9", "--require-no-gap", "--quiet"]) == 0


def test_work_that_is_cut_short_leaves_the_bound_open_or_kept() -> None:
    record = npp(RandBinToy(), horizon=13, budget=Budget(max_positions=100))
    assert record.verdict is Verdict.UNDECIDED
    assert record["adaptive"]["tier"] == "enclosed"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["randbin-toy", "--hops", "2"], "one hop, edit"),
        (["randbin-toy", "--adjacency", "hamming"], "adjacency='hamming'"),
        (["randbin-toy", "--require-certified"], "Checklist 1 is about paired games"),
        (["randbin-toy", "--challenge-round", "2"], "no challenge round with edit"),
        (["randbin-toy", "--horizon", "inf"], "horizon=inf"),
        (["two-round"], "a NeighborPreserving for the npp game but got TwoRound without simulation"),
        (["randbin-toy", "--param", "level=3"], "an even level of at least 2 but got level=3"),
        (["randbin-toy", "--param", "level=0"], "an even level of at least 2 but got level=0"),
        (["randbin-toy", "--param", "level=-2"], "an even level of at least 2 but got level=-2"),
        (["randbin-toy", "--param", "exp_epsilon=1"], "an e^epsilon above 1 but got exp_epsilon=1"),
        (["randbin-toy", "--param", "exp_epsilon=1/2"], "an e^epsilon above 1 but got exp_epsilon=1/2"),
        (["randbin-toy", "--param", "error=0"], "an error of at least 1 but got error=0"),
        (["randbin-toy", "--param", "noise=loud"], "a noise (uniform, triangular, none) but got noise='loud'"),
    ],
)
def test_bad_input_is_one_line(capfd: pytest.CaptureFixture[str], options: list[str], words: str) -> None:
    assert run(["audit", *options, "--game", "npp"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words in err


def test_the_first_bin_comes_when_it_must() -> None:
    for level, error in ((2, 1), (4, 3), (6, 2)):
        toy = RandBinToy(level=level, error=error)
        assert first_output(toy, 100, Budget()) == 3 * level + error
    assert first_output(RandBinToy(), 6, Budget()) is None


def test_the_first_output_comes_of_events_that_are_all_different() -> None:
    class Three(Valued):
        def step(self, state: Any, x: Any, draw: Draw) -> Any:
            del draw
            after = {*(state or ()), x}
            return Release(None, len(after) if len(after) > 2 else None), frozenset(after)

    assert first_output(Three(bool), 5, Budget()) == 3


def test_items_grow_older_wherever_they_are() -> None:
    @dataclass(frozen=True)
    class Held:
        item: Tag
        count: int

    state = (NEW, Held(OTHER, 1), frozenset({(0, NEW)}), Fraction(1, 2), "a", None, True)
    older = (Tag(1), Held(Tag(1, other=True), 1), frozenset({(0, Tag(1))}), Fraction(1, 2), "a", None, True)
    assert aged(state) == older
    with pytest.raises(MechanismError, match="so that items can be followed"):
        aged([NEW])


def test_certificates_are_not_asked_of_the_npp_game() -> None:
    with pytest.raises(ArgumentError, match="no --require-certified"):
        npp(RandBinToy(), requirements=Requirements(certified=True))
