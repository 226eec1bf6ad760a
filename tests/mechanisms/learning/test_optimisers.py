"""Optimisers as post-processing: models follow from released rows, and equal what textbooks say of plain steps."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.aggregators.core import VectorCore
from dpcert.mechanisms.aggregators.stream import VectorStream
from dpcert.mechanisms.aggregators.toeplitz_sums import square_root_sums
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.grid_noise.sampling import Words, sampled_gaussian
from dpcert.mechanisms.learning.clipped_steps import ClippedSteps
from dpcert.mechanisms.learning.optimisers import (
    Averaged,
    Descent,
    OptimisedSums,
    Optimiser,
    Preconditioned,
    named_optimiser,
    replayed,
)
from dpcert.mechanisms.learning.pipeline import ContinualSgd, trajectory
from dpcert.mechanisms.learning.rates import Schedule
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.matrices.participations import AdjacentBins
from dpcert.mechanisms.matrices.workloads import momentum_sums
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip
from dpcert.mechanisms.randbin.toy import RandBinToy

ROUNDS, DIMENSION, BITS = 13, 2, 8
UPDATES = Updates(DIMENSION, Fraction(1), Fraction(1), BITS)
PLAIN = TreeSums(ROUNDS, DIMENSION, 256)
INITIAL = (Fraction(1, 2), Fraction(-2))
ALL: list[Optimiser] = [
    Descent(),
    Descent(Fraction(9, 10)),
    Descent(Fraction(1, 2), nesterov=True, rates=Schedule((1, 4), (Fraction(1), Fraction(1, 3)))),
    Descent(decay=Fraction(1, 10), initial=INITIAL, bits=BITS),
    Averaged(),
    Averaged(Fraction(1, 4)),
    Preconditioned(Fraction(1, 10), bits=BITS),
    Preconditioned(Fraction(1, 10), Fraction(99, 100), Fraction(9, 10), bits=BITS),
    ClippedSteps(Descent(Fraction(9, 10)), AdaptiveClip(Fraction(2)), BITS),
]


class Silent:
    """No noise, for what is compared with formulas."""

    sigma, shift, distance = Fraction(1), Fraction(0), Fraction(0)

    def sample(self, count: int) -> Words:
        return np.zeros(count, dtype=np.int64)


def steps(seed: int = 1) -> Words:
    return np.random.default_rng(seed).integers(-256, 257, size=(ROUNDS, DIMENSION))


def moved(optimiser: Optimiser, core: VectorCore = PLAIN) -> list[np.ndarray]:
    stream = VectorStream(OptimisedSums(core, optimiser), Silent())
    return [stream.add(step).value for step in steps()]


@pytest.mark.parametrize("optimiser", ALL, ids=lambda one: one.name[:40])
@pytest.mark.parametrize("make", [TreeSums, square_root_sums])
def test_models_follow_from_released_rows_alone(optimiser: Optimiser, make: Any) -> None:
    """Two runs on other inputs that release the same rows publish the same; and rows alone give it back."""
    core = OptimisedSums(make(ROUNDS, DIMENSION, 256), optimiser)
    stream = VectorStream(core, sampled_gaussian(Fraction(1000), Fraction(1, 4)))
    out = [stream.add(step) for step in steps()]
    again = replayed(core, [one.row for one in out], Fraction(1, 4))
    for one, other in zip(out, again, strict=True):
        assert one.value.tolist() == other.tolist()
    memory = core.start()
    before = [a.copy() for a in memory.outputs]
    core.measure(memory.inputs, 1, steps()[0])
    assert all((a == b).all() for a, b in zip(memory.outputs, before, strict=True))


@pytest.mark.parametrize("optimiser", ALL, ids=lambda one: one.name[:40])
def test_rows_noise_and_sensitivity_are_those_of_the_sums(optimiser: Optimiser) -> None:
    core = OptimisedSums(PLAIN, optimiser)
    assert core.shift(Fraction(3), AdjacentBins()) == PLAIN.shift(Fraction(3), AdjacentBins())
    plain, ours = VectorStream(PLAIN, Silent()), VectorStream(core, Silent())
    assert all((plain.add(step).row == ours.add(step).row).all() for step in steps())
    assert core.name != PLAIN.name
    assert (core.rounds, core.dimension, core.largest, core.row_bits) == (ROUNDS, DIMENSION, 256, 0)


@pytest.mark.parametrize("beta", [Fraction(0), Fraction(9, 10)])
def test_momentum_with_step_sizes_is_a_workload(beta: Fraction) -> None:
    """What is made of released sums equals the momentum workload on the inputs, exactly worked out."""
    rates = Schedule((1, 5, 9), (Fraction(1), Fraction(1, 2), Fraction(2)))
    wanted = momentum_sums(ROUNDS, beta, [rates.at(t) for t in range(1, ROUNDS + 1)]).matrix()
    whole = np.array([[float(x) for x in row] for row in wanted]) @ steps()
    assert np.array(moved(Descent(beta, rates=rates))) == pytest.approx(whole, rel=1e-9)


def test_textbook_steps() -> None:
    """Against loops as the papers write them, on w itself."""
    w0, unit = np.array([float(x) for x in INITIAL]), 2.0**-BITS
    nesterov, decayed, mean = [], [], []
    w, m, v, d, z = w0.copy(), np.zeros(2), w0.copy(), np.zeros(2), w0.copy()
    for t, step in enumerate(steps() * unit, 1):
        m = 0.5 * m + step
        w = w - (step + 0.5 * m)
        nesterov.append(w)
        v = 0.9 * v - step
        decayed.append(v)
        z = z - step
        d = d + (z - w0 - d) / t
        mean.append(w0 + d)
    for wanted, optimiser in (
        (nesterov, Descent(Fraction(1, 2), nesterov=True)),
        (decayed, Descent(decay=Fraction(1, 10), initial=INITIAL, bits=BITS)),
        (mean, Averaged()),
    ):
        assert np.array([w0 - unit * one for one in moved(optimiser)]) == pytest.approx(np.array(wanted), rel=1e-9)


def test_adam_is_adam_and_its_steps_are_about_as_large_as_its_size() -> None:
    w, first, second, expected = np.zeros(2), np.zeros(2), np.zeros(2), []
    for t, step in enumerate(steps(), 1):
        first = 0.9 * first + 0.1 * step
        second = 0.999 * second + 0.001 * step**2
        w = w + 0.25 * (first / (1 - 0.9**t)) / np.sqrt(second / (1 - 0.999**t))
        expected.append(w)
    adam = replace(named_optimiser("adam=1/4"), bits=BITS)  # type: ignore[type-var]
    found = np.array(moved(adam)) * 2.0**-BITS  # type: ignore[arg-type]
    assert found == pytest.approx(np.array(expected), rel=1e-9)
    assert np.abs(found[0]).tolist() == pytest.approx([0.25, 0.25])
    quiet = VectorStream(OptimisedSums(PLAIN, Preconditioned(Fraction(1))), Silent())
    assert quiet.add(np.zeros(2, dtype=np.int64)).value.tolist() == [0, 0]


def towards(model: np.ndarray, events: Any) -> np.ndarray:
    return model[None] - np.array(events, dtype=float)


def test_a_run_with_an_optimiser_is_resumed_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    core = OptimisedSums(TreeSums(64, 2, UPDATES.largest), Descent(Fraction(9, 10), decay=Fraction(1, 50)))
    parts: Any = (RandBinToy(), core, Silent(), UPDATES, towards, np.array([1.0, -1.0]))
    events = [[float(i % 7) / 4, float(i % 5) / 8] for i in range(60)]

    def first(law: Any) -> Any:
        return sorted(law.support)[len(law.support) // 2]

    unbroken = [one.model.tolist() for one in trajectory(ContinualSgd(*parts, draw=first), events) if one]
    found = []
    for start in range(0, 60, 13):
        run = ContinualSgd.open(tmp_path / "run", *parts, draw=first)
        found += [one.model.tolist() for one in trajectory(run, events[start : start + 13]) if one]
        for number in range(1, run.released + 1):
            run.acknowledge(number)
        run.close()
    assert found == unbroken
    assert len(found) > 5


def test_every_optimiser_has_a_name_of_its_own() -> None:
    """A lease knows its parts by it."""
    more: list[Optimiser] = [Descent(rates=Schedule((1, 2), (Fraction(1), Fraction(1, 2)))), Descent(bits=9)]
    names = [one.name for one in [*ALL, *more, Preconditioned(Fraction(1, 10), bits=9)]]
    assert len(set(names)) == len(names)


def test_names_and_what_needs_its_own_audit() -> None:
    assert named_optimiser("plain") == Descent()
    assert named_optimiser("nesterov=0.5,weight-decay=0.1", INITIAL) == Descent(
        Fraction(1, 2), nesterov=True, decay=Fraction(1, 10), initial=INITIAL
    )
    assert named_optimiser("average") == Averaged()
    assert named_optimiser("average=0.1") == Averaged(Fraction(1, 10))
    assert named_optimiser("adagrad=1") == Preconditioned(Fraction(1))
    assert named_optimiser("rmsprop=1") == Preconditioned(Fraction(1), Fraction(999, 1000))
    for name in ("lion", "adam", "lbfgs=1", "momentum=0.9,nesterov=0.9", "momentum=1/2,momentum=1/2", "adam=1,adam=1"):
        with (
            pytest.raises(ArgumentError, match=r"needs its own audit \(dpcert audit\)")
            if name != "adam"
            else (pytest.raises(ArgumentError, match="adam=''"))
        ):
            named_optimiser(name)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Descent(Fraction(1)),
        lambda: Descent(decay=Fraction(-1, 2)),
        lambda: Averaged(Fraction(0)),
        lambda: Preconditioned(Fraction(0)),
        lambda: Preconditioned(Fraction(1), Fraction(1)),
    ],
)
def test_parameters_outside_their_domain_are_refused(make: Any) -> None:
    with pytest.raises(ArgumentError):
        make()
