"""Simulations that break what is asked of them are refused in one line; bounds that are exceeded are refuted."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from instances.valued import Valued

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


@pytest.mark.in_turns(few=True)
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
