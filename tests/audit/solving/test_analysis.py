"""What is known of a game when its work is cut short: each part of the analysis by itself, on small games."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from instances.random_core import random_core
from instances.seeds import chosen
from instances.small_games import random_levels
from instances.stopped import At

from dpcert import Budget, Pmf, PowerFunction, bernoulli
from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.budget import GRACE, INTERRUPTED, Stopped
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import Exploration, PairedGame, explore
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.view import any_view_of, core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving import analysis
from dpcert.audit.solving.adaptive import PERFECT, TOO_MANY_SEGMENTS, ChainCollector, solve
from dpcert.audit.solving.analysis import TOO_MANY_STREAMS, Analysis, analyse_explored
from dpcert.audit.solving.fixed import FixedStream, fixed_stream
from dpcert.audit.solving.fixed_hidden import FixedPairs, fixed_pairs
from dpcert.audit.solving.offline_analysis import analyse_offline

SECOND = 10**9


@dataclass
class Ending(Budget):
    """A budget that ends, or is interrupted, at one of its checks."""

    checks: int = 0
    error: BaseException | None = None

    def check(self) -> None:
        self.checks -= 1
        if self.checks == 0:
            raise self.error or Stopped("it was enough")


@pytest.mark.parametrize(
    ("spent", "reason", "allowed"),
    [
        (0, None, 5 * SECOND), (5 * SECOND, None, 5 * SECOND), (7 * SECOND, None, 7 * SECOND),
        (0, INTERRUPTED, SECOND), (10 * SECOND, INTERRUPTED, SECOND), (70 * SECOND, INTERRUPTED, 7 * SECOND),
        (70 * SECOND, TOO_MANY_SEGMENTS, 7 * SECOND), (70 * SECOND, "its positions were too many", 70 * SECOND),
    ],
)  # fmt: skip
def test_without_a_bound_on_time_the_rest_has_as_much_again_and_a_tenth_after_an_interrupt(
    spent: int, reason: str | None, allowed: int
) -> None:
    said: list[str] = []
    grace = analysis._grace(At(now=spent, progress=said.append), 30, reason)
    assert grace.allowed == allowed
    assert grace.max_seconds is None
    grace.progress("a word")
    assert said == ["a word"]


def test_with_a_bound_on_time_every_part_has_its_hundredths_of_the_grace() -> None:
    for percent in (analysis.SOLVING, analysis.BOUNDING, analysis.STREAMS, analysis.REST):
        grace = analysis._grace(At(max_seconds=3, now=70 * SECOND), percent, None)
        assert grace.allowed == GRACE * percent // 100
        assert grace.max_seconds == 3
    parts = analysis.SOLVING + analysis.BOUNDING + analysis.STREAMS
    assert parts + 4 * analysis.REST <= 100  # what comes after an analysis is at most four parts


def test_what_comes_after_has_the_budget_or_a_part_of_the_grace_whichever_is_more() -> None:
    free = At(now=SECOND)
    assert analysis.remaining(free) is free
    work = Budget(max_seconds=2).work
    assert work is not None
    part = GRACE * analysis.REST // 100
    for left, same in ((part + 1, True), (part, False), (0, False), (-5, False)):
        budget = At(max_seconds=2, now=work - left)
        assert (analysis.remaining(budget) is budget) is same
        assert same or analysis.remaining(budget).allowed == part


def test_after_an_interrupt_there_is_only_a_part_of_the_grace() -> None:
    known = analyse_explored(game_of(0), explore(game_of(0)), Budget())
    budget = At(max_seconds=2)
    assert analysis.left(known, budget) is budget
    cut = Analysis(known.solution, known.adaptive, known.streams, known.fixed, INTERRUPTED)
    assert analysis.left(cut, budget).allowed == GRACE * analysis.REST // 100
    assert analysis.left(cut, At(now=20 * SECOND)).allowed == 2 * SECOND


def test_ever_more_rounds_are_tried_by_a_quarter_more_at_most() -> None:
    level = random_levels(0, 1)[0]
    for rounds in range(40):
        whole = list(analysis._depths(Exploration((level,) * rounds)))
        part = list(analysis._depths(Exploration((level,) * rounds, beyond=1)))
        assert whole[-1:] == ([rounds] if rounds else [])
        assert whole[:1] == ([1] if rounds else [])
        assert all(a < b and (b == a + 1 or 4 * b <= 5 * a) for a, b in pairwise(whole))
        longer = list(analysis._depths(Exploration((level,) * 60)))
        assert part == [depth for depth in longer if depth <= rounds]  # whatever the exploration came to


def test_the_first_rounds_count_the_positions_that_they_lead_to() -> None:
    levels = random_levels(1, 3)
    whole = Exploration(levels, 2, "cut short")
    assert analysis._first(whole, 3) is whole
    for depth in range(3):
        first = analysis._first(whole, depth)
        assert first.levels == levels[:depth]
        assert first.beyond == len(levels[depth].positions)
        assert first.stopped == "cut short"


# --- analyses that are cut short


def game_of(seed: int) -> PairedGame:
    return PairedGame(core_of(random_core(seed, 2, 2, 2)), HAMMING, 2)


class Written:
    """A game of hidden states that stands in its levels alone."""


def known_of(game: Any, whole: Exploration, budget: Budget, **asked: Any) -> Analysis:
    """An analysis whose bounds are valid, and that says why where they are no single curve."""
    found = analyse_explored(game, whole, budget, **asked)
    assert found.adaptive.lower <= found.adaptive.upper
    assert found.fixed.lower <= found.fixed.upper <= found.adaptive.upper
    assert found.fixed.lower <= found.adaptive.lower
    assert found.stopped is not None or (found.adaptive.exact and found.fixed.exact)
    return found


def kinds(seed: int) -> list[tuple[Any, Exploration, PowerFunction, PowerFunction]]:
    """A core and a game of hidden states, explored, with both of their curves."""
    core, levels = explore(game_of(seed)), random_levels(seed, 3)
    return [
        (game_of(seed), core, solve(core).power, fixed_stream(core.levels).power),
        (Written(), Exploration(levels), solve(Exploration(levels)).power, fixed_pairs(levels).power),
    ]


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_a_whole_game_is_known_exactly(seed: int) -> None:
    for game, whole, adaptive_power, fixed_power in kinds(seed):
        found = known_of(game, whole, Budget())
        assert found.stopped is None
        assert found.adaptive == Bracket(adaptive_power, adaptive_power)
        assert found.fixed == Bracket(fixed_power, fixed_power)
        assert isinstance(found.streams, FixedStream if isinstance(game, PairedGame) else FixedPairs)
        assert found.solution.levels == whole.levels


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_what_was_explored_in_part_lies_between_nothing_more_and_all(seed: int) -> None:
    for game, whole, adaptive_power, fixed_power in kinds(seed):
        for depth in range(1, len(whole.levels)):
            part = Exploration(whole.levels[:depth], len(whole.levels[depth].positions), "it was enough")
            found = known_of(game, part, Budget())
            assert found.stopped == "it was enough"
            assert found.adaptive.lower <= adaptive_power <= found.adaptive.upper
            assert found.fixed.lower <= fixed_power <= found.fixed.upper
            assert found.adaptive.lower == solve(part).power
            assert found.adaptive.upper == found.fixed.upper == solve(part, beyond=PERFECT).power
            assert found.streams is not None
            assert found.fixed.lower == found.streams.power


@pytest.mark.parametrize("error", [None, KeyboardInterrupt()])
@pytest.mark.parametrize("seed", chosen(range(4)))
def test_an_end_at_any_check_leaves_valid_bounds(seed: int, error: BaseException | None) -> None:
    for game, whole, adaptive_power, fixed_power in kinds(seed):
        ended = 0
        for checks in range(1, 50, 7):
            budget = Ending(checks=checks, error=error)
            found = known_of(game, whole, budget)
            assert found.adaptive.lower <= adaptive_power <= found.adaptive.upper
            assert found.fixed.lower <= fixed_power <= found.fixed.upper
            assert found.stopped in (None, INTERRUPTED if error else "it was enough")
            assert (found.stopped is None) == (budget.checks > 0)
            ended += found.stopped is not None
        assert ended > 1


@pytest.mark.parametrize("beyond", [PERFECT, None])
def test_an_interrupt_within_a_grace_or_while_it_is_bounded_is_the_end(
    monkeypatch: pytest.MonkeyPatch, beyond: object
) -> None:
    """Nobody bounds the time: what comes after would take as long again."""
    tries: list[object] = []

    def interrupted(explored: Exploration, budget: Budget | None = None, **how: Any) -> Any:
        if how.get("beyond") == beyond and explored.levels:
            tries.append(explored)
            raise KeyboardInterrupt if len(tries) > (beyond is None) else Stopped("it was enough")
        return solve(explored, budget, **how)

    monkeypatch.setattr(analysis, "solve", interrupted)
    levels, budget = random_levels(1, 3), Budget()
    found = known_of(Written(), Exploration(levels[:2], len(levels[2].positions), "it was enough"), budget)
    assert (found.stopped, budget.interrupted) == (INTERRUPTED, True)
    assert len(tries) == 1 + (beyond is None)


def test_an_exploration_that_was_interrupted_is_solved_in_its_first_rounds_alone() -> None:
    levels = random_levels(1, 3)
    whole = Exploration(levels[:2], len(levels[2].positions), INTERRUPTED)
    asked: list[int] = []
    solution, first, reason = analysis._solved(whole, Budget(), None, None, 1, None)
    assert reason == INTERRUPTED
    assert first.levels == whole.levels[: len(first.levels)]
    assert solution.power == solve(first).power
    assert not asked


def test_too_many_segments_leave_the_rounds_that_can_be_held() -> None:
    levels = random_levels(3, 3)
    whole = Exploration(levels)
    held = next(most for most in range(1, 100) if _can_hold(whole, most))
    found = known_of(Written(), whole, Budget(), most_held=held)
    assert found.adaptive.exact
    found = known_of(Written(), whole, Budget(), most_held=held - 1)
    assert found.stopped == TOO_MANY_SEGMENTS
    assert len(found.solution.levels) < 3
    assert found.adaptive.lower <= solve(whole).power <= found.adaptive.upper


def _can_hold(whole: Exploration, most: int) -> bool:
    try:
        solve(whole, most_held=most)
    except Stopped:
        return False
    return True


def test_chains_are_gathered_of_hidden_games_that_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[ChainCollector | None] = []
    plain = analysis.solve

    def noted(*what: Any, collector: ChainCollector | None = None, **asked: Any) -> Any:
        given.append(collector)
        return plain(*what, collector=collector, **asked)

    monkeypatch.setattr(analysis, "solve", noted)
    levels = random_levels(1, 2, pairs=1)
    part = Exploration(levels[:1], len(levels[1].positions), "it was enough")
    core = PairedGame(core_of(random_core(0, 2, 2, 1)), HAMMING, 1)
    for game, whole, gathers in ((Written(), Exploration(levels), True), (Written(), part, False)):
        given.clear()
        known_of(game, whole, Budget())
        assert (given[0] is not None) is gathers
    given.clear()
    known_of(core, explore(core), Budget())
    assert given[0] is None


@pytest.mark.parametrize(
    ("budget", "stopped", "timed"),
    [
        (Budget(max_positions=1), "--max-positions 1 was reached", False),
        (Budget(max_seconds=60), "--max-seconds 60 was reached", True),
        (Budget(), INTERRUPTED, True),
    ],
)
def test_an_upper_bound_has_a_part_of_the_grace_where_time_is_what_ended(
    budget: Budget, stopped: str, timed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it takes about as long as the lower one did, which nobody bounded."""
    given: list[Budget | None] = []
    plain = analysis._upper
    monkeypatch.setattr(analysis, "_upper", lambda first, *how: given.append(how[1]) or plain(first, *how))
    levels = random_levels(1, 2, pairs=1)
    known_of(Written(), Exploration(levels[:1], len(levels[1].positions), stopped), budget)
    assert [grace is not None for grace in given] == [timed]


def test_where_nothing_was_explored_nothing_is_known() -> None:
    found = analyse_explored(Written(), Exploration((), 1, "it was enough"), Budget())  # type: ignore[arg-type]
    assert found.adaptive == found.fixed == analysis.NOTHING_KNOWN
    assert found.streams is None


def test_where_it_is_open_what_was_played_nothing_is_known() -> None:
    found = analyse_explored(Written(), Exploration(random_levels(1, 1)), Budget())  # type: ignore[arg-type]
    unknown = analysis.nothing_known(found)
    assert unknown.adaptive == unknown.fixed == analysis.NOTHING_KNOWN != found.adaptive
    assert unknown.streams is None
    assert unknown.solution is found.solution


def test_a_share_of_the_time_is_for_solving_alone() -> None:
    shares: list[int] = []

    class Shared(Budget):
        def share(self, parts: int) -> Any:
            shares.append(parts)
            return super().share(parts)

    game, whole, power, _ = kinds(2)[1]
    assert known_of(game, whole, Shared()).adaptive.lower == power
    known_of(game, whole, Shared(), share=3)
    assert shares == [1, 3]


def test_too_many_streams_are_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    game, whole, power, fixed_power = kinds(2)[1]
    bounded = fixed_pairs(whole.levels, most_streams=1)
    assert not bounded.complete
    monkeypatch.setattr("dpcert.audit.solving.fixed_search.fixed_supremum", lambda *_: bounded)
    found = known_of(game, whole, Budget())
    assert found.stopped == TOO_MANY_STREAMS
    assert found.adaptive == Bracket(power, power)
    assert found.fixed == Bracket(bounded.power, power)
    assert found.streams is bounded
    assert fixed_power <= found.fixed.upper


# --- code that reads later inputs


class ShowsTheNextInput:
    """Each output is the input after it behind a coin that is seldom heads, the last one a coin alone."""

    alphabet = (0, 1)

    def seeds(self, horizon: int) -> Pmf[tuple[int, ...]]:
        coin = bernoulli(Fraction(1, 4))
        return coin.product(coin) if horizon == 2 else coin.map(lambda w: (w,))

    def respond(self, seeds: tuple[int, ...], stream: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(w ^ x for w, x in zip(seeds, (*stream[1:], 0), strict=True))


def test_of_later_inputs_the_fixed_curve_is_known_and_that_no_adversary_does_worse() -> None:
    code = any_view_of(ShowsTheNextInput())
    assert isinstance(code, Code)
    game = OfflineGame(code, HAMMING, 2)
    found = analyse_offline(game, Budget())
    coin = PowerFunction.from_laws(bernoulli(Fraction(1, 4)), bernoulli(Fraction(3, 4)))
    assert found.stopped is None
    assert found.streams is None
    assert found.fixed == Bracket(coin, coin)
    assert found.adaptive == Bracket(coin, PowerFunction(PERFECT))
    for checks in (1, 20):  # while pairs are looked at, and while they are solved
        cut = analyse_offline(game, Ending(checks=checks))
        assert cut.stopped == "it was enough"
        assert cut.fixed == cut.adaptive == analysis.NOTHING_KNOWN
