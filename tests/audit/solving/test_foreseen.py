"""How long solving may still take, what it holds meanwhile, and where that ends it."""

from dataclasses import dataclass

import pytest
from instances.stopped import At

from dpcert import Budget
from dpcert.audit.algebra.chain import IDENTITY
from dpcert.audit.budget import Stopped
from dpcert.audit.games.paired import END, Exploration, Level, Move, Outcome
from dpcert.audit.solving import adaptive
from dpcert.audit.solving.adaptive import Solver, solve

SECOND = 10**9


def test_the_end_of_the_time_is_foreseen_at_four_times_what_is_left() -> None:
    durations = [SECOND] * 8  # every round takes a second
    for rounds, time, stops in ((16, 3, False), (16, 2, False), (16, 1, True), (9, 1, False), (13, 1, True)):
        budget = At(max_seconds=100, allowed=time * SECOND)
        if stops:
            with pytest.raises(Stopped, match="it would take far longer than --max-seconds 100"):
                adaptive._foreseen(durations, rounds, budget)
        else:
            adaptive._foreseen(durations, rounds, budget)
    adaptive._foreseen(durations, 10**4, At())  # without a bound nothing is too long
    adaptive._foreseen(durations[:7], 10**4, At(max_seconds=1, allowed=1))  # seven rounds foretell nothing


def test_progress_says_what_is_done_and_about_what_is_left() -> None:
    assert adaptive._progress([SECOND] * 7, 7, 20) == "solved 7 of 20 rounds"
    assert adaptive._progress([SECOND] * 8, 8, 20) == "solved 8 of 20 rounds, about 12 s left"
    assert adaptive._progress([SECOND] * 8, 11, 20) == "solved 11 of 20 rounds, about 9 s left"  # three were kept


@dataclass
class Slow(Budget):
    """A budget whose clock moves by a second whenever it is read, and that never ends by itself."""

    calls: int = 0

    def nanoseconds(self) -> int:
        self.calls += 1
        return self.calls * SECOND

    def check(self) -> None:
        pass


LEAK = Move((0, 1), (Outcome("on", 1, 2, 0), Outcome("over", 2, 1, END)), 3, 3)
LAST = Move((0, 1), (Outcome("on", 1, 2, END), Outcome("over", 2, 1, END)), 3, 3)
LONG = Exploration((Level((0,), ((LEAK,),)),) * 11 + (Level((0,), ((LAST,),)),))
"""Twelve rounds, each of one position and one move."""


def test_a_long_game_that_cannot_end_in_time_is_not_solved_further() -> None:
    """Every round takes three seconds of this clock: to solve it takes one, and to ask how much is left a third."""
    exact = solve(LONG)
    for allowed, rounds in ((24, 8), (25, 9)):
        said: list[str] = []
        budget = Slow(max_seconds=100, allowed=allowed * SECOND, progress=said.append)
        with pytest.raises(Stopped, match="far longer"):
            solve(LONG, budget, most_held=10**9)
        assert len(said) == rounds  # at eight, four seconds are to come: as much as four times one that is left
    assert solve(LONG, Slow(max_seconds=100, allowed=24 * SECOND)).root == exact.root  # nothing is foreseen
    assert solve(LONG, Slow(), most_held=10**9).root == exact.root
    said = []
    solve(LONG, Slow(progress=said.append))
    assert said[-2:] == ["solved 11 of 12 rounds, about 1 s left", "solved 12 of 12 rounds, about 0 s left"]


def test_what_is_let_go_is_held_no_longer() -> None:
    """The curves of two rounds are held at once, and that of nothing more to learn."""
    chains = adaptive.chains_of(LONG.levels, Budget(), 10**9)
    assert chains is not None
    most = 1 + len(chains[0][0]) + len(chains[1][0])
    assert most < sum(len(chain) for (chain,) in chains) // 2
    assert solve(LONG, most_held=most).root == chains[0][0]
    with pytest.raises(Stopped, match="MOST_HELD_SEGMENTS"):
        solve(LONG, most_held=most - 1)


def test_past_a_number_of_segments_no_further_round_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    value = Solver.value
    monkeypatch.setattr(Solver, "value", lambda *given: asked.append(1) or value(*given))  # type: ignore[func-returns-value]
    assert adaptive.chains_of(LONG.levels, Budget(), 5) is None
    assert len(asked) == 3  # of two, three and four segments


def test_what_leads_to_nothing_more_to_learn_is_counted_as_it_is() -> None:
    quiet = Level((0,), ((Move((0, 0), (Outcome("said", 1, 1, END),), 1, 1),),))
    levels = (*LONG.levels[:3], quiet)
    chains = adaptive.chains_of(levels, Budget(), 10**9)
    assert chains is not None
    assert adaptive.segments_by_round(levels, 4, 10**9, Budget()) == [len(chain) for (chain,) in reversed(chains)]


def test_a_mirror_whose_chain_was_let_go_is_solved_anew() -> None:
    """A value that is another one with the worlds swapped takes its chain from that, as long as it is there."""
    move = Move((0, 1), (Outcome("a", 1, 2, END), Outcome("b", 3, 1, END)), 4, 3)
    turned = Move((1, 0), (Outcome("a", 2, 1, END), Outcome("b", 1, 3, END)), 3, 4)
    for lets_go in (False, True):
        solver = Solver((Level((0,), ((move, turned),)),), IDENTITY)
        first = solver.value((move,), (0,), Budget())
        chain = solver.chain(first)
        if lets_go:
            solver.let_go({first})
        second = solver.value((turned,), (0,), Budget())
        assert second == first + 1
        assert solver.chain(second) == chain.reversed()
        assert (solver.mirror.get(second) == first) is not lets_go
