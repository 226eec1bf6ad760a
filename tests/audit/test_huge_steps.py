"""Steps of very many sequences of draws: the bounds on the work hold in the middle of one, and nothing is lost."""

import os
import re
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.huge_steps import WIDE, Huge, HugeBins
from instances.seeds import spread

from dpcert import Budget, Draw, MechanismError, examine, uniform
from dpcert.audit.budget import Stopped
from dpcert.audit.games import beliefs, npp
from dpcert.audit.games.npp import first_output, npp_game, simulated
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels import draws
from dpcert.audit.kernels.draws import enumerated, within
from dpcert.mechanisms.randbin.toy import RandBinToy

SLACK = 6
"""Seconds of the processor past a bound: the rest of the record takes a few, an unbounded step minutes."""


def bounded(mechanism: Any, seconds: int, **asked: Any) -> Any:
    """The record, which must have come about when it was due."""
    started = time.process_time()
    record = examine(mechanism, budget=Budget(max_seconds=seconds), **asked)
    assert time.process_time() - started < seconds + SLACK
    return record


@pytest.mark.in_turns
def test_a_paired_game_stops_in_the_middle_of_a_step() -> None:
    record = bounded(Huge(), 3, horizon=6)  # enough for two rounds on a machine with other work
    assert (record["verdict"], record.exit_status) == ("UNDECIDED", 3)
    assert "--max-seconds 3 was reached" in record["lifts"]["curve"]["detail"]
    assert "2 of 6 rounds explored" in record["scope"]["text"]
    (at_one,) = (d for d in record["adaptive"]["delta"] if d["exp_epsilon"] == "1")
    assert Fraction(at_one["lower"]) == Fraction(1, 3)  # the coin of either round


@pytest.mark.in_turns(few=True)
def test_a_neighbour_preserving_game_stops_in_the_middle_of_a_step() -> None:
    record = bounded(HugeBins(), 1, game="npp", horizon=11)
    assert (record["verdict"], record.exit_status) == ("UNDECIDED", 3)
    assert "--max-seconds 1 was reached" in record["lifts"]["curve"]["detail"]


INTERRUPTED = """
import signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
from _thread import interrupt_main
from dpcert import examine
from instances.huge_steps import HugeBins
threading.Timer(1, interrupt_main).start()
started = time.process_time()
record = examine(HugeBins(), game="npp", horizon=11)
print(record.exit_status, time.process_time() - started, record["lifts"]["curve"]["detail"])
"""
"""In a process of its own: here an interrupt may fall into a callback of the test tools, where it is lost."""


@pytest.mark.real("signals")
@pytest.mark.in_turns
def test_an_interrupt_stops_it_as_well() -> None:
    place = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], env=place, capture_output=True, text=True, check=True)
    status, seconds, detail = done.stdout.split(maxsplit=2)
    assert int(status) == 3
    assert float(seconds) < 1 + SLACK
    assert "interrupted" in detail


@pytest.mark.in_turns
def test_what_was_explored_before_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """More sequences than are ever tried are a bound on the work too."""
    monkeypatch.setattr(draws, "MOST_PATHS", 1_000)
    explored = explore(npp_game(simulated(HugeBins()), 11))
    whole = explore(npp_game(simulated(RandBinToy()), 11))
    assert explored.stopped == "one HugeBins.step has more than 1000 sequences of draws (MOST_PATHS)"
    assert explored.levels == whole.levels[: len(explored.levels)]
    assert 6 <= len(explored.levels) < 11
    record = examine(HugeBins(), game="npp", horizon=11)
    assert (record["verdict"], record.exit_status) == ("UNDECIDED", 3)


@pytest.mark.in_turns
def test_a_round_past_the_estimate_is_not_begun_unless_somebody_bounds_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism, whole = RandBinToy(), explore(npp_game(simulated(RandBinToy()), 11))
    monkeypatch.setattr(beliefs, "MOST_OUTCOMES_AHEAD", 400)
    monkeypatch.setattr(beliefs, "STEPS_FOR_AN_ESTIMATE", 2)
    refused = explore(npp_game(simulated(mechanism), 11), Budget())
    assert re.match(r"the next round's steps have about [\d,]+ outcomes, more than 400", refused.stopped or "")
    assert 3 <= len(refused.levels) < 11
    assert refused.levels == whole.levels[: len(refused.levels)]
    for bounded in (Budget(max_positions=10**6), Budget(max_seconds=600), None):
        assert explore(npp_game(simulated(mechanism), 11), bounded) == whole
    exact = examine(mechanism, game="npp", horizon=11, budget=Budget(max_positions=10**6))
    record = examine(mechanism, game="npp", horizon=11)
    assert (record["verdict"], record.exit_status) == ("UNDECIDED", 3)
    for one, known in zip(record["adaptive"]["delta"], exact["adaptive"]["delta"], strict=True):
        assert Fraction(one["lower"]) <= Fraction(known["lower"]) <= Fraction(known["upper"]) <= Fraction(one["upper"])


@pytest.mark.real("meddling")
@pytest.mark.thorough
def test_a_design_for_many_events_is_not_played_to_the_end_of_all_memory() -> None:
    """Within processor seconds and memory that its first rounds need."""
    asked = ["--param", "epsilon=1", "--param", "delta=1e-6", "--param", "horizon=10000", "--game", "npp"]
    limited = (
        "import resource as r; r.setrlimit(r.RLIMIT_CPU, (120, 120)); r.setrlimit(r.RLIMIT_AS, (2 << 30, 2 << 30))"
    )
    run = f"{limited}; import sys; from dpcert.audit.commands.cli import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", run, "audit", "randbin-sharp", *asked, "--adjacency", "edit", "--json", "-"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "MOST_OUTCOMES_AHEAD" in done.stdout


def test_outside_a_limit_too_many_sequences_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "MOST_PATHS", 1_000)
    with pytest.raises(MechanismError, match="at most 1000 sequences"):
        enumerated("one", lambda draw: draw(WIDE) + draw(WIDE))
    with within(lambda: None), pytest.raises(Stopped, match="more than 1000 sequences"):
        enumerated("one", lambda draw: draw(WIDE) + draw(WIDE))


@pytest.mark.in_turns
def test_the_first_hidden_output_is_looked_for_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npp, "MOST_RUNS_TO_OUTPUT", 10**9)

    class Slow(RandBinToy):
        def step(self, state: Any, x: Any, draw: Draw) -> Any:
            draw(WIDE), draw(WIDE)
            return super().step(state, x, draw)

    started = time.process_time()
    with pytest.raises(Stopped):
        first_output(Slow(), 20, Budget(max_seconds=1))
    assert time.process_time() - started < 1 + SLACK


@pytest.mark.in_turns
@pytest.mark.parametrize("looks", spread([0, 1, 3], 3))
def test_the_limit_is_looked_at_as_often_as_it_says(looks: int) -> None:
    """Before the first sequence and every BETWEEN later, in both passes; and no more once it is left."""
    seen = 0

    def limit() -> None:
        nonlocal seen
        if seen == looks:
            raise Stopped("enough")
        seen += 1

    count = 0

    def step(draw: Draw) -> int:
        nonlocal count
        count += 1
        return draw(uniform(range(5 * draws.BETWEEN)))

    with within(limit), pytest.raises(Stopped, match="enough"):
        enumerated("one", step)
    assert (seen, count) == (looks, looks * draws.BETWEEN)
    assert enumerated("one", lambda draw: draw(uniform(range(3)))) == ({0: 1, 1: 1, 2: 1}, 3)


def test_equal_laws_in_another_order_keep_their_weights() -> None:
    """A law that is made anew for every sequence, its outcomes named in another order each time."""
    from dpcert import Pmf

    calls = 0

    def step(draw: Draw) -> str:
        nonlocal calls
        calls += 1
        weights = [("a", Fraction(1, 4)), ("b", Fraction(3, 4))]
        return draw(Pmf(weights[:: 1 if calls % 2 else -1]))

    assert enumerated("one", step) == ({"a": 1, "b": 3}, 4)
