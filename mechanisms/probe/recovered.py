"""y = c + A x + B z of probed code: recovered from unit inputs and unit noise, then tried on others to refute it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpcert.audit.algebra.decimals import measured
from dpcert.audit.algebra.rational import text
from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.correlated import Matrix, Row
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.probe.faults import FaultName, NamedFault
from dpcert.mechanisms.probe.running import ProbeRun, run_once
from dpcert.mechanisms.probe.script import DrawPlace, ScriptedDraw
from dpcert.mechanisms.probe.target import ProbeTarget

RUNS_OF_A_KIND = 8
"""Runs of each kind, on random inputs, random noise and both, that try to refute linearity."""
RESOLUTION, SINGLE_RESOLUTION = Fraction(1, 1 << 44), Fraction(1, 1 << 18)
"""The share of what is released below which a difference is rounding: in float64, and in fewer bits."""
MOST_STEPS_PROBED = 4_000_000
"""Rounds, times runs, times numbers of an input, that are run."""
EIGHTHS = 8
"""Random inputs and noise are whole multiples of one over this: exact as floats, and so are most of their sums."""
UNEVEN_PARTS, PROPORTIONAL = 16, 4
"""Parts of a unit on which rounding does not scale; and the inverse of how far an entry may be off on each of them."""
LARGE_NOISE = 1_024
"""The largest random noise, in scales: what clips it is seen."""


@dataclass(frozen=True)
class ProbeResult:
    """A x + B z + c as it was probed.

    Args:
        response: A, a row for every released number and a column for every number of an input.
        noise: B, a column for every draw.
        constant: c.
        rounds: For every released number, the round of its release.
        draws: What is drawn, in order.
        unit: The size of the inputs that A was recovered from.
        runs: How many runs it was tried on, those that it was recovered from included.
        residual: The largest difference that was seen, as a share of what is released.
        resolution: The share below which a difference is rounding.
        repeated: Places that were drawn more than once.
        fault: What refutes it, if anything does.
    """

    response: Matrix
    noise: Matrix
    constant: Row
    rounds: tuple[int, ...]
    draws: tuple[ScriptedDraw, ...]
    unit: Fraction
    runs: int
    residual: Fraction
    resolution: Fraction
    repeated: frozenset[DrawPlace]
    fault: NamedFault | None

    @property
    def largest(self) -> Fraction:
        """The largest entry of A and B."""
        return max((abs(x) for rows in (self.response, self.noise) for row in rows for x in row), default=Fraction(0))


@dataclass
class _Prober:
    """Runs on the same code, compared with the run without inputs and noise."""

    target: ProbeTarget
    horizon: int
    dimension: int | None
    unit: Fraction
    largest: float
    restart: int | None
    runs: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.horizon,) if self.dimension is None else (self.horizon, self.dimension)

    def run(self, inputs: Floats, noise: Mapping[DrawPlace, float]) -> ProbeRun:
        self.runs += 1
        return run_once(self.target, inputs, noise, self.restart)


def recovered(
    target: ProbeTarget, *, horizon: int, dimension: int | None, clip: Fraction, restart: int | None
) -> ProbeResult:
    """A, B and c, and what refutes them.

    Args:
        target: The code.
        horizon: Rounds.
        dimension: Of the inputs; None for numbers.
        clip: The largest norm of an input.
        restart: After which round the mechanism is restarted, if it is.
    Raises: ArgumentError: too much to run. MechanismError: the code fails.
    """
    prober = _Prober(target, horizon, dimension, _power_below(clip), _float_below(clip), restart)
    _check_steps(prober, 0)
    nothing = np.zeros(prober.shape)
    base = prober.run(nothing, {})
    _check_steps(prober, len(base.draws))
    fault = _unlike(base, prober.run(nothing, {}), nothing, {}, again=True)
    columns, effects = list[Row](), list[Row]()
    for inputs in _units(prober) if fault is None else ():
        run = prober.run(inputs, {})
        if fault is None:
            fault = _unlike(base, run, inputs, {})
            fault = fault and _told_apart(prober, (base, run), inputs, fault)
        columns.append(_difference(base, run, prober.unit) if fault is None else ())
    for draw in base.draws if fault is None else ():
        noise = {draw.place: 1.0}
        run = prober.run(nothing, noise)
        fault = fault or _unlike(base, run, nothing, noise)
        effects.append(_difference(base, run, Fraction(1)) if fault is None else ())
    constant = tuple(map(Fraction, base.released.tolist()))
    resolution = SINGLE_RESOLUTION if base.is_single else RESOLUTION
    basis = (base, prober, constant, resolution)
    if fault is not None:
        return _result(basis, (), (), Fraction(0), fault)
    response, noise_matrix = _rows(columns, len(constant)), _rows(effects, len(constant))
    residual, fault = _tried(prober, base, (response, noise_matrix, constant), resolution)
    if fault is None and not target.is_streaming:
        response = _without_rounding_ahead(prober, base, response, resolution)
    return _result(basis, response, noise_matrix, residual, fault)


def _check_steps(prober: _Prober, draws: int) -> None:
    """Raises: ArgumentError: too much to run."""
    size = prober.horizon * (prober.dimension or 1)
    if (draws + size + 3 * RUNS_OF_A_KIND) * size > MOST_STEPS_PROBED:
        what = f"inputs with at most {MOST_STEPS_PROBED} numbers in all runs (MOST_STEPS_PROBED)"
        raise expected(what, horizon=prober.horizon, dimension=prober.dimension)


def _result(
    basis: tuple[ProbeRun, _Prober, Row, Fraction],
    response: Matrix,
    noise: Matrix,
    residual: Fraction,
    fault: NamedFault | None,
) -> ProbeResult:
    base, prober, constant, resolution = basis
    return ProbeResult(
        response,
        noise,
        constant,
        base.rounds,
        base.draws,
        prober.unit,
        prober.runs,
        residual,
        resolution,
        base.repeated,
        fault,
    )


def _power_below(clip: Fraction) -> Fraction:
    """The largest power of two that an input may be: scaling by it is exact."""
    exponent = clip.numerator.bit_length() - clip.denominator.bit_length()
    found = Fraction(2) ** exponent
    return found if found <= clip else found / 2


def _float_below(clip: Fraction) -> float:
    """The largest float that an input may be."""
    found = float(clip)
    return found if Fraction(found) <= clip else float(np.nextafter(found, 0.0))


def _units(prober: _Prober) -> Iterator[Floats]:
    """A unit in every number of every input."""
    for place in np.ndindex(*prober.shape):
        inputs = np.zeros(prober.shape)
        inputs[place] = float(prober.unit)
        yield inputs


def _difference(base: ProbeRun, run: ProbeRun, unit: Fraction) -> Row:
    """What one unit changes, exactly as the two runs differ."""
    pairs = zip(run.released.tolist(), base.released.tolist(), strict=True)
    return tuple((Fraction(y) - Fraction(c)) / unit for y, c in pairs)


def _rows(columns: list[Row], count: int) -> Matrix:
    return tuple(zip(*columns, strict=True)) if columns else ((),) * count


def _unlike(
    base: ProbeRun, run: ProbeRun, inputs: Floats, noise: Mapping[DrawPlace, float], *, again: bool = False
) -> NamedFault | None:
    """What differs that may depend on nothing: draws, their scales, and how much is released when."""
    witness = _shown(inputs, noise)
    if again and not np.array_equal(base.released, run.released):
        detail = "Two runs on the same inputs and the same noise differ: something else is random, or is kept."
        return NamedFault(FaultName.HIDDEN, detail, witness)
    if [d._replace(scale=Fraction(0)) for d in base.draws] != [d._replace(scale=Fraction(0)) for d in run.draws]:
        detail = f"Without inputs {len(base.draws)} numbers are drawn; with these, {len(run.draws)}, or others."
        return NamedFault(FaultName.DRAWS, detail, witness)
    for number, (before, after) in enumerate(zip(base.draws, run.draws, strict=True), 1):
        if before.scale != after.scale:
            detail = f"Draw {number} has scale {text(before.scale)} without inputs, and {text(after.scale)} with these."
            return NamedFault(FaultName.SCALE, detail, {**witness, "draw": number})
    if base.rounds != run.rounds:
        return NamedFault(FaultName.SHAPE, "The releases are others in number with these.", witness)
    return None


def _told_apart(prober: _Prober, pair: tuple[ProbeRun, ProbeRun], inputs: Floats, fault: NamedFault) -> NamedFault:
    """The fault of one unit against nothing, which are neighbours; and whether what is released tells them apart.

    That is by when how many numbers are released, on runs with random noise each.
    """
    base, run = pair
    if base.rounds == run.rounds:
        return fault
    random, places = np.random.default_rng(prober.horizon), [d.place for d in (*base.draws, *run.draws)]
    for _ in range(RUNS_OF_A_KIND):
        for wanted, run_on in ((base, np.zeros(prober.shape)), (run, inputs)):
            noise = dict(zip(places, random.normal(size=len(places)).tolist(), strict=True))
            if prober.run(run_on, noise).rounds != wanted.rounds:
                return fault
    told = f" How many numbers are released, and when, tells the two apart: on {RUNS_OF_A_KIND} runs each, with noise."
    return replace(fault, detail=fault.detail + told, tells_apart=True)


def _without_rounding_ahead(prober: _Prober, base: ProbeRun, response: Matrix, resolution: Fraction) -> Matrix:
    """A, with 0 for entries that look ahead, are tiny, and do not grow with the input as an entry would."""
    size, width = max(abs(a) for row in response for a in row), prober.dimension or 1
    tiny = {
        (t, i)
        for t, row in enumerate(response)
        for i, a in enumerate(row)
        if a and i // width + 1 > base.rounds[t] and abs(a) <= resolution * size
    }
    rows = [list(row) for row in response]
    for column in sorted({i for _, i in tiny}):
        doubtful = {t for t, i in tiny if i == column}
        for part in np.random.default_rng(column).uniform(0.5, 1.0, UNEVEN_PARTS).tolist():
            if doubtful:
                inputs = np.zeros(prober.shape)
                inputs[np.unravel_index(column, prober.shape)] = float(prober.unit) * part
                found = _difference(base, prober.run(inputs, {}), prober.unit * Fraction(part))
                doubtful &= {
                    t for t in doubtful if PROPORTIONAL * abs(found[t] - rows[t][column]) <= abs(rows[t][column])
                }
        for t in {t for t, i in tiny if i == column} - doubtful:
            rows[t][column] = Fraction(0)
    return tuple(map(tuple, rows))


def _tried(
    prober: _Prober, base: ProbeRun, map_: tuple[Matrix, Matrix, Row], resolution: Fraction
) -> tuple[Fraction, NamedFault | None]:
    """The largest residual of random runs, or the first run that refutes the map."""
    random, residual = np.random.default_rng(prober.horizon), Fraction(0)
    for kind in ("inputs", "noise", "both"):
        for n in range(RUNS_OF_A_KIND):
            inputs = _random_inputs(prober, random, n) if kind != "noise" else np.zeros(prober.shape)
            noise = _random_noise(base, random, n) if kind != "inputs" else {}
            run = prober.run(inputs, noise)
            fault = _unlike(base, run, inputs, noise)
            share, at, told = _off(map_, base, inputs, noise, run)
            if fault is None and share > resolution:
                fault = _nonlinear(kind, at, run.rounds[at], told, _shown(inputs, noise))
            if fault is not None:
                return residual, fault
            residual = max(residual, share)
    return residual, None


def _random_inputs(prober: _Prober, random: np.random.Generator, n: int) -> Floats:
    """Multiples of an eighth, of norm at most a unit; in the first run as large as they may be."""
    size = prober.dimension or 1
    steps = random.integers(-EIGHTHS, EIGHTHS + 1, size=prober.shape)
    if n == 0:
        most = prober.largest if size == 1 else prober.largest / float(np.sqrt(size)) * (1 - 2.0**-40)
        return np.where(steps >= 0, most, -most)
    return np.asarray(steps * float(prober.unit) / EIGHTHS / float(1 << (size - 1).bit_length()))


def _random_noise(base: ProbeRun, random: np.random.Generator, n: int) -> dict[DrawPlace, float]:
    """Multiples of an eighth, and in the first run large ones."""
    most = LARGE_NOISE if n == 0 else EIGHTHS // 2
    steps = random.integers(-most * EIGHTHS, most * EIGHTHS + 1, size=len(base.draws))
    return {draw.place: float(step) / EIGHTHS for draw, step in zip(base.draws, steps.tolist(), strict=True)}


def _off(
    map_: tuple[Matrix, Matrix, Row],
    base: ProbeRun,
    inputs: Floats,
    noise: Mapping[DrawPlace, float],
    run: ProbeRun,
) -> tuple[Fraction, int, tuple[Fraction, Fraction]]:
    """The largest difference as a share of the largest release, in which release it is, and both numbers of it."""
    response, effects, constant = map_
    x = [Fraction(value) for value in inputs.ravel().tolist()]
    z = [Fraction(noise.get(draw.place, 0.0)) for draw in base.draws]
    worst, at, numbers, size = Fraction(0), 0, (Fraction(0), Fraction(0)), Fraction(0)
    for row, y in enumerate(map(Fraction, run.released.tolist()[: len(constant)])):
        terms = [a * v for a, v in zip(response[row], x, strict=True) if a and v]
        terms += [b * v for b, v in zip(effects[row], z, strict=True) if b and v]
        due = constant[row] + sum(terms, Fraction(0))
        size = max(size, abs(constant[row]) + sum(map(abs, terms), Fraction(0)))
        if abs(y - due) > worst:
            worst, at, numbers = abs(y - due), row, (due, y)
    return (worst / size if size else worst), at, numbers


def _nonlinear(kind: str, row: int, at: int, told: tuple[Fraction, Fraction], witness: Mapping[str, Any]) -> NamedFault:
    due, came = told
    words = f"Release {row + 1}, of round {at}, is {measured(came, 10)} where the matrices say {measured(due, 10)}."
    names = {
        "inputs": (FaultName.INPUTS, words),
        "noise": (FaultName.NOISE, words),
        "both": (FaultName.PRODUCT, f"Linear in inputs alone and in noise alone, and not in both: {words}"),
    }
    name, detail = names[kind]
    return NamedFault(
        name, detail, {**witness, "release": row + 1, "round": at, "came": text(came), "wanted": text(due)}
    )


def _shown(inputs: Floats, noise: Mapping[DrawPlace, float]) -> dict[str, Any]:
    """Inputs and noise as exact text."""
    return {
        "inputs": [text(Fraction(x)) for x in inputs.ravel().tolist()],
        "noise": [text(Fraction(z)) for z in noise.values()],
    }
