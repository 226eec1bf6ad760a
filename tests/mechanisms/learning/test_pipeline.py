"""The pipeline: the algorithm itself, step by step; failing gradients; runs that break off anywhere and go on."""

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.audit.kernels.session import sample
from dpcert.mechanisms.aggregators.toeplitz_sums import square_root_sums
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.grid_noise.sampling import Words, sampled_gaussian
from dpcert.mechanisms.learning.pipeline import ContinualSgd, ReleasedModel, trajectory
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.live.lease import Lease
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.toy import RandBinToy

UPDATES = Updates(2, Fraction(1), Fraction(1, 4), 16)
TOY, CORE = RandBinToy(level=4), TreeSums(64, 2, UPDATES.largest)
START = np.array([1.0, -1.0])


@pytest.fixture(autouse=True)
def _registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


class Constant:
    """Noise that is what it was made of, so that a run may be compared with itself."""

    sigma, shift, distance = Fraction(1), Fraction(0), Fraction(0)

    def __init__(self, value: int = 0) -> None:
        self._value = value

    def sample(self, count: int) -> Words:
        return np.full(count, self._value)


def towards(model: np.ndarray, events: Sequence[Any]) -> np.ndarray:
    """The gradients of |w - e|^2 / 2."""
    return model[None] - np.array(events, dtype=float)


def first(pmf: Any) -> Any:
    """Always the same outcome of a law."""
    outcomes = sorted(pmf.support)
    return outcomes[len(outcomes) // 2]


SMALL = RandBinToy()
EVENTS = [[float(i % 7) / 4, float(i % 5) / 8] for i in range(60)]
FEW = EVENTS[:19]


def whole(events: list[Any] = EVENTS, draw: Any = first, noise: Any = None) -> list[ReleasedModel | None]:
    return trajectory(ContinualSgd(TOY, CORE, noise or Constant(3), UPDATES, towards, START, draw=draw), events)


def public(out: list[ReleasedModel | None]) -> list[Any]:
    return [None if one is None else (one.number, one.model.tolist()) for one in out]


def test_the_run_is_the_algorithm_step_by_step() -> None:
    """Claims 101: gradients are taken at the model that was public before the bin left."""
    bins = RandBinSession(TOY, draw=first)
    model, total, expected = START.copy(), np.zeros(2), []
    for event in EVENTS:
        events = bins.push(event)
        if events is None:
            expected.append(None)
            continue
        rows = towards(model, events)
        lengths = np.maximum(1, np.linalg.norm(rows, axis=1))[:, None]
        total = total + 0.25 * (rows / lengths).mean(axis=0)
        model = START - total
        expected.append(model)
    found = whole(noise=Constant(0))
    assert [one is None for one in found] == [one is None for one in expected]
    assert sum(one is not None for one in found) > 5
    for ours, plain in zip(found, expected, strict=True):
        if ours is not None:
            assert ours.model == pytest.approx(plain, abs=1e-3)


def test_times_do_not_depend_on_what_events_hold_and_models_are_held_between_bins() -> None:
    one, other = whole(), whole([[9.0, -9.0]] * 60)
    assert [a is None for a in one] == [b is None for b in other]
    used = list[int]()

    def counted(model: np.ndarray, events: Sequence[Any]) -> np.ndarray:
        used.extend([1] * len(events))
        return towards(model, events)

    run = ContinualSgd(TOY, CORE, Constant(3), UPDATES, counted, START, draw=first)
    for event, out in zip(EVENTS, one, strict=True):
        before = run.model
        run.push(event)
        assert run.model.tolist() == (before if out is None else out.model).tolist()
        assert run.backlog == run.rounds - len(used)  # claims 103
    assert run.released == sum(out is not None for out in one)


@pytest.mark.parametrize("fault", ["raises", "nan", "inf", "shape"])
def test_gradients_that_fail_release_nothing_and_lose_nothing(fault: str) -> None:
    failing = iter([False, True, True, False, True])

    def sometimes(model: np.ndarray, events: Sequence[Any]) -> np.ndarray:
        if not next(failing, False):
            return towards(model, events)
        if fault == "raises":
            raise ZeroDivisionError
        return np.zeros((1, 9)) if fault == "shape" else np.full((len(events), 2), float(fault))

    run = ContinualSgd(TOY, CORE, Constant(3), UPDATES, sometimes, START, draw=first)
    failed, models = 0, []
    for event in EVENTS:
        while True:
            taken = run.rounds
            try:
                out = run.push(event)
            except (ZeroDivisionError, ArgumentError):
                failed += 1
                if run.rounds > taken:
                    break  # taken, and its bin waits
                continue
            models += [] if out is None else [out]
            break
    assert failed == 3
    last = [one for one in whole() if one is not None][-1]
    assert (run.released, run.model.tolist()) == (last.number, last.model.tolist())


@pytest.mark.parametrize("fails", range(1, 6))
@pytest.mark.parametrize("then", ["retry", "push_all", "push"])
def test_no_model_is_lost_where_a_bin_in_the_middle_of_many_fails(fails: int, then: str) -> None:
    calls = iter(range(1, 10**6))

    def once(model: np.ndarray, events: Sequence[Any]) -> np.ndarray:
        if next(calls) == fails:
            raise ZeroDivisionError
        return towards(model, events)

    run, models = ContinualSgd(TOY, CORE, Constant(3), UPDATES, once, START, draw=first), []
    with pytest.raises(ZeroDivisionError):
        run.push_all(EVENTS[:-1])
    assert [out.number for out in run.undelivered] == [*range(1, fails)]
    if then == "push":
        newest = run.push(EVENTS[-1])
        models = [*run.undelivered, newest]
        run.acknowledge(run.released)
        assert run.undelivered == ()
    else:
        models = run.retry() if then == "retry" else run.push_all(EVENTS[-1:])
        assert run.undelivered == ()
    unbroken = [one for one in whole() if one is not None]
    assert public(models) == public(unbroken[: len(models)])
    assert len(models) == run.released > fails


def crashing(folder: Path, monkeypatch: pytest.MonkeyPatch, at: int, after: bool) -> list[Any] | None:
    """A run that breaks off at the `at`th write of a lease, before or after it, and is opened again; None: it ended."""
    count, seen = 0, dict[int, Any]()

    def breaking(name: str) -> None:
        real = getattr(Lease, name)

        def wrapped(*arguments: Any) -> None:
            nonlocal count
            count += 1
            if count == at and not after:
                raise KeyboardInterrupt
            real(*arguments)
            if count == at and after:
                raise KeyboardInterrupt

        monkeypatch.setattr(Lease, name, wrapped)

    with monkeypatch.context() as monkeypatch:
        breaking("commit")
        breaking("acknowledge")
        for _ in range(2):
            run, handed, ended = None, list[ReleasedModel | None](), False
            try:
                run = ContinualSgd.open(folder, SMALL, CORE, Constant(3), UPDATES, towards, START, draw=first)
                handed += [*run.undelivered, *run.retry()]
                while run.rounds < len(FEW):
                    handed.append(run.push(FEW[run.rounds]))
                ended = True
            except KeyboardInterrupt:
                pass
            finally:
                if run is not None:
                    run.close()
                for number, model in filter(None, public(handed)):
                    assert seen.setdefault(number, model) == model, f"model {number} drawn again"
            if ended:
                return [seen[number] for number in sorted(seen)] if count >= at else None
    raise AssertionError


@pytest.mark.parametrize("after", [False, True])
def test_broken_off_at_any_write_the_run_goes_on_to_the_same_models(
    after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unbroken = ContinualSgd(SMALL, CORE, Constant(3), UPDATES, towards, START, draw=first)
    expected = [one.model.tolist() for one in trajectory(unbroken, FEW) if one is not None]
    assert len(expected) == 4
    at = random.randrange(1, 6)
    while True:
        found = crashing(tmp_path / str(at), monkeypatch, at, after)
        if found is None:
            break
        assert found == expected
        at += 5
    assert at > len(FEW) + 2 * len(expected) - 5


def test_a_live_run_on_the_systems_entropy_with_either_factorisation() -> None:
    noise = sampled_gaussian(Fraction(100))
    for core in (CORE, square_root_sums(64, 2, UPDATES.largest, bandwidth=8, bits=2)):
        out = whole(draw=sample, noise=noise) if core is CORE else None
        run = ContinualSgd(TOY, core, noise, UPDATES, towards, START)
        models = [one for one in trajectory(run, EVENTS) if one is not None]
        assert [one.number for one in models] == list(range(1, run.released + 1))
        assert len({tuple(one.model) for one in models}) == len(models) > 3
        assert out is None or public(out) != public(whole(draw=sample, noise=noise))


def test_parts_that_do_not_fit_and_events_past_the_horizon_are_refused() -> None:
    with pytest.raises(ArgumentError, match="parts of one dimension"):
        ContinualSgd(TOY, CORE, Constant(), UPDATES, towards, np.zeros(3))
    with pytest.raises(ArgumentError, match="finite entries"):
        ContinualSgd(TOY, CORE, Constant(), UPDATES, towards, np.array([0.0, np.inf]))
    with pytest.raises(ArgumentError, match="a core that takes components as large as updates have"):
        ContinualSgd(TOY, TreeSums(8, 2, 9), Constant(), UPDATES, towards, START)
    run = ContinualSgd(TOY, TreeSums(2, 2, UPDATES.largest), Constant(), UPDATES, towards, START, draw=first)
    for event in EVENTS[:11]:
        run.push(event)
    with pytest.raises(ArgumentError, match="Expected at most 11 events, whose bins fit the horizon, but got event=12"):
        run.push(EVENTS[0])
    assert run.rounds == 11
