"""Many events at once are as one by one; recorded randomness repeats, and is told apart from what is private."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.aggregators.stream import VectorStream
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.grid_noise.sampling import sampled_gaussian
from dpcert.mechanisms.learning.pipeline import ContinualSgd, ReleasedModel
from dpcert.mechanisms.learning.recorded import RecordedRandomness
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.live.lease_tables import LeaseError
from dpcert.mechanisms.live.session import Bin
from dpcert.mechanisms.randbin.toy import RandBinToy

UPDATES = Updates(2, Fraction(1), Fraction(1, 4), 16)
TOY, CORE, SIGMA, START = RandBinToy(level=4), TreeSums(64, 2, UPDATES.largest), Fraction(50), np.array([1.0, -1.0])
EVENTS = [[float(i % 7) / 4, float(i % 5) / 8] for i in range(120)]


def towards(model: np.ndarray, events: Sequence[Any]) -> np.ndarray:
    return model[None] - np.array(events, dtype=float)


def run_of(seed: int, seen: list[Bin], gradients: Any = towards) -> ContinualSgd:
    recorded = RecordedRandomness(seed)
    run = ContinualSgd(
        TOY, CORE, recorded.noise(SIGMA), UPDATES, gradients, START, draw=recorded.draw, observe=seen.append
    )
    recorded.follow(run)
    return run


def public(out: Sequence[ReleasedModel | None]) -> list[Any]:
    return [(one.number, one.round, one.model.tolist()) for one in out if one is not None]


@pytest.mark.parametrize("size", [1, 7, 50, 120])
@pytest.mark.parametrize("seed", [1, 2])
def test_many_at_once_are_as_one_by_one(size: int, seed: int) -> None:
    one, many = list[Bin](), list[Bin]()
    single, bulk = run_of(seed, one), run_of(seed, many)
    expected = public([single.push(event) for event in EVENTS])
    found = [out for first in range(0, 120, size) for out in public(bulk.push_all(EVENTS[first : first + size]))]
    assert found == expected
    assert len(expected) > 10
    assert one == many
    assert [out.round for out in one] == [round_ for _, round_, _ in expected]
    assert bulk.push_all([]) == []


def test_other_seeds_other_models_and_times() -> None:
    runs = [public(run_of(seed, []).push_all(EVENTS)) for seed in (1, 2)]
    assert runs[0] != runs[1]
    assert [r for _, r, _ in runs[0]] != [r for _, r, _ in runs[1]]


def test_recorded_noise_has_the_law_it_is_said_to_have() -> None:
    noise = RecordedRandomness(3).noise(SIGMA)
    drawn = noise.sample(200_000)
    assert abs(float(drawn.mean())) < 0.6
    assert float(drawn.std()) == pytest.approx(50, rel=0.01)
    assert noise.distance is None
    law = TOY.loads
    recorded = RecordedRandomness(4)
    seen = {recorded.draw(law) for _ in range(500)}
    assert seen == set(law.support)


def test_what_was_simulated_is_never_gone_on_with_as_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    VectorStream.open(tmp_path / "lease", CORE, RecordedRandomness(1).noise(SIGMA)).close()
    with pytest.raises(LeaseError, match="not covered, where"):
        VectorStream.open(tmp_path / "lease", CORE, sampled_gaussian(SIGMA))


def test_too_many_events_are_refused_whole() -> None:
    run = ContinualSgd(TOY, TreeSums(2, 2, UPDATES.largest), sampled_gaussian(SIGMA), UPDATES, towards, START)
    assert run.most_events == 11
    with pytest.raises(ArgumentError, match="at most 11 events, whose bins fit the horizon, but got event=12"):
        run.push_all(EVENTS[:12])
    assert run.rounds == 0


def test_a_function_that_raises_loses_nothing_of_many() -> None:
    failing = iter([False, True, False, True])

    def sometimes(model: np.ndarray, events: Sequence[Any]) -> np.ndarray:
        if next(failing, False):
            raise ZeroDivisionError
        return towards(model, events)

    run = run_of(1, [], sometimes)
    with pytest.raises(ZeroDivisionError):
        run.push_all(EVENTS)
    assert (run.rounds, run.released) == (120, 1)
    with pytest.raises(ZeroDivisionError):
        run.push_all([])
    assert run.released == 2
    run.push_all([])
    unbroken = run_of(1, [])
    unbroken.push_all(EVENTS)
    assert run.released == unbroken.released
    assert run.model.tolist() == unbroken.model.tolist()


def test_a_function_that_raises_and_a_process_that_ends_lose_nothing_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def opened(gradients: Any) -> ContinualSgd:
        recorded = RecordedRandomness(1)
        parts = TOY, CORE, recorded.noise(SIGMA), UPDATES, gradients, START
        run = ContinualSgd.open(tmp_path / "run", *parts, draw=recorded.draw)
        recorded.follow(run)
        return run

    def never(*_: Any) -> np.ndarray:
        raise ZeroDivisionError

    run = opened(never)
    with pytest.raises(ZeroDivisionError):
        run.push_all(EVENTS)
    assert (run.rounds, run.released, run.undelivered) == (120, 0, ())
    run.close()
    again, unbroken = opened(towards), run_of(1, [])
    again.push_all([])
    unbroken.push_all(EVENTS)
    assert again.released == unbroken.released > 10
    assert again.model.tolist() == unbroken.model.tolist()
