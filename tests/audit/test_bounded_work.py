"""Bounds on the work: valid bounds, nothing computed is lost, and no verdict that was not earned."""

import time
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from instances.cut_short import EXACT, audited

from dpcert import Budget, examine
from dpcert.audit import limits
from dpcert.audit.budget import Stopped
from dpcert.audit.commands.cli import run
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import Exploration, explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.audit.solving import analysis
from dpcert.audit.solving.adaptive import Solution, solve
from dpcert.audit.solving.analysis import Analysis, analyse
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

MINE = '''
from fractions import Fraction
from dpcert import bernoulli
from dpcert.mechanisms.two_round import TwoRound

class Growing:
    """Every prefix has a law of its own, so that positions double every round."""

    alphabet = (0, 1)

    def law(self, prefix):
        number = int("1" + "".join(map(str, prefix)), 2)
        return bernoulli(Fraction(number, 2 ** (len(prefix) + 1)))

class Quiet:
    """The two-round mechanism, then rounds that say nothing."""

    alphabet = (0, 1)

    def law(self, prefix):
        return TwoRound().law(prefix) if len(prefix) < 3 else bernoulli(Fraction(1, 2))
'''


@pytest.fixture(autouse=True)
def _no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stalls must not make the clock of `Ticking` move."""
    monkeypatch.setattr(limits, "PATIENCE", 10**18)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, with `mine.py` in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    return tmp_path


# --- valid bounds


def analysed(mechanism: Any, horizon: int, budget: Budget, relation: Any = HAMMING) -> Analysis:
    """The analysis of a built-in mechanism."""
    return analyse(game_of(view_of(mechanism), relation, horizon), budget)


@dataclass
class Ticking(Budget):
    """Time that passes at checks only, so many a second: what fits into a budget does not depend on the machine."""

    rate: int = 20
    _now: ClassVar[int] = 0
    _then: int = field(default_factory=lambda: Ticking._now)

    @property
    def checks(self) -> int:
        """Checks since this budget was made, of any budget."""
        return Ticking._now - self._then

    def nanoseconds(self) -> int:
        return self.checks * 10**9 // self.rate

    def check(self) -> None:
        Ticking._now += 1
        super().check()


# Every case is small enough for its exact answer, and large enough to be stopped in each phase.
SWEEPS = [
    pytest.param(TwoRoundRepeated(), 12, ChallengeAt(HAMMING, 1), id="two-round-repeated"),
    pytest.param(TwoRoundRepeated(), 6, HAMMING, id="two-round-repeated, any round"),
    pytest.param(RandomizedResponse(), 12, HAMMING, id="randomized-response"),
    pytest.param(ClippedSum(), 4, HAMMING, id="clipped-sum"),
    pytest.param(SharedCoin(), 8, HAMMING, id="shared-coin"),
]


def assert_valid(found: Analysis, exact: Analysis) -> None:
    """Both brackets hold the exact curves, and what is called exact is."""
    for bracket, truth in ((found.adaptive, exact.adaptive.lower), (found.fixed, exact.fixed.lower)):
        assert bracket.lower <= truth <= bracket.upper
        assert not bracket.exact or bracket.lower == truth
    assert found.solution.power <= found.adaptive.lower
    assert found.streams is None or found.streams.power <= exact.fixed.lower


@pytest.mark.in_turns
@pytest.mark.parametrize(("mechanism", "horizon", "relation"), SWEEPS)
def test_a_bound_on_positions_gives_valid_bounds_that_only_improve(mechanism: Any, horizon: int, relation: Any) -> None:
    exact = analysed(mechanism, horizon, Budget(), relation)
    assert exact.stopped is None
    before = None
    positions = exact.solution.positions
    for most in [*range(1, positions, max(1, positions // 12)), positions - 1]:
        found = analysed(mechanism, horizon, Budget(max_positions=most), relation)
        assert found.stopped == f"--max-positions {most} was reached"
        assert found.solution.positions <= most
        assert len(found.solution.levels) < horizon
        assert_valid(found, exact)
        if before is not None:
            assert before.adaptive.lower <= found.adaptive.lower
            assert before.fixed.lower <= found.fixed.lower
            assert found.adaptive.upper <= before.adaptive.upper
        before = found
    assert analysed(mechanism, horizon, Budget(max_positions=positions), relation).stopped is None


@pytest.mark.in_turns
@pytest.mark.parametrize(("mechanism", "horizon", "relation"), SWEEPS)
def test_a_bound_on_time_gives_valid_bounds_that_only_improve(
    mechanism: Any, horizon: int, relation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = analysed(mechanism, horizon, Budget(), relation)
    whole = Ticking()
    analysed(mechanism, horizon, whole, relation)
    rate = max(1, whole.checks // 24)  # so that all takes 24 seconds, and a grace a twenty-fourth of it
    monkeypatch.setattr(analysis, "Budget", partial(Ticking, rate=rate))
    before = None
    reasons = set()
    for seconds in range(1, whole.checks // rate * 20 // 17 + 4):  # of long bounds three twentieths are kept
        found = analysed(mechanism, horizon, Ticking(max_seconds=seconds, rate=rate), relation)
        assert found.stopped in (None, f"--max-seconds {seconds} was reached")
        reasons.add(found.stopped is None)
        assert_valid(found, exact)
        if before is not None:
            assert before.adaptive.lower <= found.adaptive.lower
            assert before.fixed.lower <= found.fixed.lower
        before = found
    assert reasons == {True, False}


@pytest.mark.in_turns
@pytest.mark.parametrize(("mechanism", "horizon", "relation"), SWEEPS)
def test_an_interrupt_at_any_check_gives_valid_bounds(
    mechanism: Any, horizon: int, relation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass
    class Interrupted(Ticking):
        at: int = 0

        def check(self) -> None:
            super().check()
            if self.checks == self.at:
                raise KeyboardInterrupt

    exact = analysed(mechanism, horizon, Budget(), relation)
    whole = Ticking()
    analysed(mechanism, horizon, whole, relation)
    rate = max(1, whole.checks // 24)
    monkeypatch.setattr(analysis, "Budget", partial(Ticking, rate=rate))
    steps = [*range(1, whole.checks, max(1, whole.checks // 24)), whole.checks]
    for at in steps:
        found = analysed(mechanism, horizon, Interrupted(at=at, rate=rate), relation)
        assert found.stopped is not None
        assert_valid(found, exact)


def test_more_rounds_explored_never_means_fewer_tried() -> None:
    levels = explore(game_of(view_of(RandomizedResponse()), HAMMING, 40)).levels
    tried = [list(analysis._depths(Exploration(levels[:rounds], 1, "interrupted"))) for rounds in range(41)]
    assert all(set(less) <= set(more) for less, more in pairwise(tried))
    assert tried[40][:8] == [1, 2, 3, 4, 5, 6, 7, 8]
    for rounds in range(1, 41):
        assert list(analysis._depths(Exploration(levels[:rounds])))[-1] == rounds


@pytest.mark.in_turns
def test_ten_million_positions_are_not_explored(mine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    started = time.process_time()
    found = audited(capfd, mine, "mine.py:Growing", "--horizon", "40", "--max-positions", "300")
    assert time.process_time() - started < 20
    assert found.status == 3
    assert found.out.startswith("UNDECIDED: ")
    assert "--max-positions 300 was reached" in found.out
    assert "stopped early, 5 of 40 rounds explored" in found.record["scope"]["text"]
    assert found.record["scope"]["positions"] <= 300
    five = audited(capfd, mine, "mine.py:Growing", "--horizon", "5")
    assert five.record["scope"]["positions"] == found.record["scope"]["positions"]
    # Five rounds are all that is known of forty, and an adversary may stop after them.
    for side in ("adaptive", "fixed_stream"):
        assert [low for low, _ in found.ends(side)] == [low for low, _ in five.ends(side)]
        assert all(high == 1 for _, high in found.ends(side))


@pytest.mark.in_turns
def test_a_bounded_run_brackets_the_exact_one(mine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["mine.py:Growing", "--horizon", "4"]
    exact = audited(capfd, mine, *arguments)
    assert exact.status == 1
    for most in ("1", "4", "20", "39"):
        found = audited(capfd, mine, *arguments, "--max-positions", most)
        assert found.status == 3
        for side in ("adaptive", "fixed_stream"):
            assert found.record[side]["tier"] == "enclosed"
            for (low, high), (truth, _) in zip(found.ends(side), exact.ends(side), strict=True):
                assert low <= truth <= high


# --- verdicts


def test_bounds_may_refute(mine: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def hopeless(explored: Exploration, budget: Budget | None = None, **options: Any) -> Solution:
        if len(explored.levels) > 2:
            raise Stopped("--max-seconds 1 was reached")
        return solve(explored, budget, **options)

    monkeypatch.setattr(analysis, "solve", hopeless)
    found = audited(capfd, mine, "mine.py:Quiet", "--horizon", "6", "--tier", "exact")
    assert found.status == 1
    assert found.out.startswith("GAP: ")
    assert "stopped early, 2 of 6 rounds explored" in found.record["scope"]["text"]
    assert [side["tier"] for side in (found.record["adaptive"], found.record["fixed_stream"])] == ["enclosed", "exact"]
    assert found.ends("adaptive")[0] == (EXACT, Fraction(1))
    assert found.ends("fixed_stream")[0] == (Fraction(9, 100), Fraction(9, 100))
    witness = found.record["lifts"]["curve"]["witness"]
    assert (witness["adaptive"], witness["fixed_stream"]) == ("991/10000", "9/100")
    attained = found.record["adaptive"]["strategies"][0]
    assert attained["delta"] == attained["replayed"] == "991/10000"


@pytest.mark.in_turns
def test_bounds_that_do_not_meet_never_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "Budget", Ticking)
    verdicts = set()
    for mechanism in (RandomizedResponse(), SharedCoin(), TwoRoundRepeated(Fraction(1, 2))):
        held = examine(mechanism, horizon=8, exp_epsilons=[1])["verdict"] == "HOLDS"
        for budget in [*(Budget(max_positions=n) for n in (1, 2, 5, 9)), *(Ticking(max_seconds=n) for n in (1, 2, 4))]:
            record = examine(mechanism, horizon=8, exp_epsilons=[1], budget=budget)
            verdicts.add(record["verdict"])
            curves = record["adaptive"], record["fixed_stream"]
            met = [curve["tier"] for curve in curves] == ["exact", "exact"]
            assert record["verdict"] != "HOLDS" or (held and met and "stopped early" not in record["scope"]["text"])
            assert record.exit_status == {"HOLDS": 0, "REFUTED": 1, "UNDECIDED": 3}[record["verdict"]]
    assert "UNDECIDED" in verdicts


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "shared-coin"),
        ("audit", "two-round-repeated"),
        ("audit", "two-round-repeated", "--max-positions", "100"),
        ("audit", "two-round-repeated", "--max-seconds", "600", "--tier", "enclosed"),
        ("audit", "randbin-toy", "--game", "npp"),
        ("audit", "hidden-counter"),
        ("audit", "randomized-response", "--tier", "sampled"),
        ("tables", "two-round-repeated"),
    ],
    ids=" ".join,
)
def test_more_rounds_than_are_ever_played_are_one_line(
    words: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, "--horizon", "1000000000000"]) == 2
    line = "Expected a game of at most 10,000,000 rounds (MOST_ROUNDS_PLAYED) but got horizon=1000000000000"
    assert capfd.readouterr() == ("", f"dpcert: {line}\n")


def test_rounds_that_a_theorem_stands_for_are_as_many_as_anybody_wants() -> None:
    assert run(["audit", "randomized-response", "--horizon", "1000000000000", "--quiet"]) == 0
