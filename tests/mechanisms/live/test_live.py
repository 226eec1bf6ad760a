"""RandBin live against RandBin analysed: the kernel step by step, invariants on long runs, the exact law, replay."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from instances.chance import SURPRISE, surprise

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.kernels.draws import enumerated
from dpcert.audit.kernels.release import Release
from dpcert.audit.kernels.session import sample
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.noise.geometric import load_law
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.toy import RandBinToy

SMALL = [
    RandBinToy(),
    RandBinToy(noise="none"),
    RandBinToy(Fraction(3, 2), 4, 2, "triangular"),
    RandBinToy(Fraction(3), 6, 5, "triangular"),
]
LARGE = RandBinToy(Fraction(11, 10), 130, 7, "triangular")


class Recorder:
    """Fresh draws, kept."""

    def __init__(self) -> None:
        self.outcomes: list[Any] = []

    def __call__(self, law: Pmf[Any]) -> Any:
        self.outcomes.append(sample(law))
        return self.outcomes[-1]


class Replay:
    """Recorded draws, in order."""

    def __init__(self, outcomes: list[Any]) -> None:
        self.left = iter(outcomes)

    def __call__(self, law: Pmf[Any]) -> Any:
        outcome = next(self.left)
        assert law.probability(outcome) > 0
        return outcome


def ids(mechanism: RandBin) -> str:
    return f"U={mechanism.level}-{mechanism.scheduler.noise}"


# ---------------------------------------------------------------- step by step


@pytest.mark.parametrize("mechanism", [*SMALL, LARGE], ids=ids)
def test_the_session_is_the_kernel_stepped_once_an_event(mechanism: RandBin) -> None:
    """Counting between bins skips steps that draw nothing: every release, bin and state in between is the same."""
    recorder = Recorder()
    run = RandBinSession(mechanism, draw=recorder)
    rounds = 30 * mechanism.level
    live = [run.push(n) for n in range(1, rounds + 1)]
    state, draw = mechanism.initial, Replay(recorder.outcomes)
    for n, out in enumerate(live, 1):
        release, state = mechanism.step(state, n, draw)
        assert release.visible == (out is not None)
        if out is not None:
            start, length = release.hidden  # type: ignore[misc]
            assert tuple(range(1, n + 1)[-start:][:length]) == out
    assert state[2] == run.backlog
    assert next(draw.left, None) is None


@pytest.mark.parametrize("mechanism", SMALL, ids=ids)
def test_waiting_is_stepping(mechanism: RandBin) -> None:
    def none(law: Pmf[Any]) -> Any:
        raise AssertionError(law)

    state: Any = mechanism.initial
    for _ in range(8):
        stepped = state
        for rounds in range(state[0]):
            assert mechanism.waited(state, rounds) == stepped
            if rounds < state[0] - 1:
                release, stepped = mechanism.step(stepped, None, none)
                assert release == Release(False)
        state = mechanism.step(stepped, None, sample)[1]


# ---------------------------------------------------------------- invariants on long runs


@pytest.mark.in_turns
@pytest.mark.parametrize("events", [100_000, pytest.param(1_000_000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "mechanism", [*SMALL, replace(SMALL[3], error=1), LARGE, replace(LARGE, error=1, noise="uniform")], ids=ids
)
def test_the_invariants_hold_on_a_long_run(mechanism: RandBinToy, events: int) -> None:
    """Claims rows 33, 34 and 43 to 47; S[i] is kept here, from what was drawn and the scheduler."""
    recorder = Recorder()
    run = RandBinSession(mechanism, draw=recorder)
    level, error, made, most = mechanism.level, mechanism.error, [], 0
    for n in range(1, events + 1):
        if run.push(n) is not None:
            made.append(run.latest)
        most = max(most, run.backlog)
    times = promised_times(mechanism, recorder.outcomes)
    came = 0
    for k, (out, (load, at)) in enumerate(zip(made, times, strict=False), 1):
        assert out is not None
        assert (out.number, out.round, len(out.events)) == (k, at, load)
        assert level <= len(out.events) <= 2 * level
        assert out.events == tuple(range(came + 1, came + load + 1))
        came += load
        slack = error + (error if k > 1 else 0)
        delays = out.inclusion_delay
        assert 2 * level <= delays[-1] <= delays[0] <= 4 * level + slack - 1
        assert out.round - (came - load) >= load + 2 * level  # events that wait right before
    assert len(made) >= events // (2 * level) - 4
    assert all(a.round < b.round for a, b in pairwise(made))  # type: ignore[union-attr]
    assert most <= 4 * level + 2 * error - 1
    assert tuple(range(came + 1, events + 1)) == run.pending


def promised_times(mechanism: RandBinToy, outcomes: list[Any]) -> list[tuple[int, int]]:
    """For every bin its load and S[i] + E[i] + 2U, from the recorded draws and what the toy's scheduler is."""
    level, error, total, noisy, times = mechanism.level, mechanism.error, 0, 0, []
    for load, noise in zip(outcomes[::2], outcomes[1::2], strict=True):
        total += load
        wanted = max(total - error, min(total + error, total + noise))
        noisy = max(noisy + level, min(noisy + 2 * level, wanted))
        times.append((load, noisy + error + 2 * level))
    return times


# ---------------------------------------------------------------- the exact law

RUNS = 20_000
Seen = tuple[tuple[int, int], ...]


def exact_law(mechanism: RandBin, bins: int) -> dict[Seen, Fraction]:
    """The law of the first bins' times and lengths, by enumeration of `step`, once an event."""
    open_: dict[tuple[Seen, Hashable], Fraction] = {((), mechanism.initial): Fraction(1)}
    law: dict[Seen, Fraction] = {}
    now = 0
    while open_:
        now += 1
        after: dict[tuple[Seen, Hashable], Fraction] = {}
        for (seen, state), mass in open_.items():
            weights, denominator = enumerated("step", lambda draw, s=state: mechanism.step(s, "event", draw))
            for (release, then), weight in weights.items():
                more = seen if release.hidden is None else (*seen, (now, release.hidden[1]))
                target: dict[Any, Fraction] = law if len(more) == bins else after
                key = more if len(more) == bins else (more, then)
                target[key] = target.get(key, Fraction(0)) + mass * Fraction(weight, denominator)
        open_ = after
    return law


def first_bins(mechanism: RandBin, bins: int) -> Seen:
    run, seen = RandBinSession(mechanism), []
    while len(seen) < bins:
        out = run.push(None)
        if out is not None:
            seen.append((run.rounds, len(out)))
    return tuple(seen)


FITTED = [
    (RandBinToy(), 3),
    (RandBinToy(Fraction(3, 2), 4, 2, "triangular"), 2),
    (RandBinToy(Fraction(3), 2, 2, "triangular"), 2),
]


@pytest.mark.in_turns
@pytest.mark.parametrize(("mechanism", "bins"), FITTED)
def test_live_bins_fit_the_exact_law(mechanism: RandBin, bins: int) -> None:
    """A false alarm is less likely than e^-20, for every law: the bound is that of `instances.chance`."""
    law = exact_law(mechanism, bins)
    assert sum(law.values()) == 1
    counts = Counter(first_bins(mechanism, bins) for _ in range(RUNS))
    assert surprise(counts, law) < SURPRISE


@pytest.mark.in_turns
def test_another_load_is_rejected() -> None:
    """The control: loads of e^epsilon = 3 in place of 2."""
    mechanism, bins = FITTED[0]
    wrong = RandBinToy()
    object.__setattr__(wrong, "loads", load_law(Fraction(3), 2))
    counts = Counter(first_bins(wrong, bins) for _ in range(RUNS))
    assert surprise(counts, exact_law(mechanism, bins)) > SURPRISE


@pytest.mark.in_turns
def test_noise_of_another_shape_is_rejected() -> None:
    """Where E = 1 both noises are one law, clipped; here E = 2."""
    mechanism, bins = FITTED[1]
    counts = Counter(first_bins(RandBinToy(Fraction(3, 2), 4, 2, "uniform"), bins) for _ in range(RUNS))
    assert surprise(counts, exact_law(mechanism, bins)) > SURPRISE


# ---------------------------------------------------------------- replay


@pytest.mark.parametrize("mechanism", SMALL, ids=ids)
def test_a_live_run_is_a_path_of_the_enumeration(mechanism: RandBin) -> None:
    """With every event, what the session did is among what the enumerated step can do from where it stood."""
    recorder = Recorder()
    run = RandBinSession(mechanism, draw=recorder)
    state: Any = mechanism.initial
    replay = Replay(recorder.outcomes)
    for n in range(1, 25 * mechanism.level):
        out = run.push(n)
        replay.left = iter(recorder.outcomes)
        recorder.outcomes = []
        after = mechanism.step(state, n, Replay(list(replay.left)))
        weights, _ = enumerated("step", lambda draw, s=state: mechanism.step(s, "event", draw))
        assert weights.get(after, 0) > 0
        release, state = after
        assert release.hidden == (None if out is None else (run.backlog + len(out), len(out)))
        assert state[2] == run.backlog
