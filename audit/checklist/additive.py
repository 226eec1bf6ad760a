"""The curve of additive noise over many rounds, by theorem: per challenge one product of shifted noise, nothing played.

Common inputs shift the laws of both worlds alike, so a challenge (i, a, b) leaks in round t what a shift of the noise
by w (b - a) leaks, w being the weight that round t gives to round i. Rounds are independent, so the curve is the
supremum over challenges of these products, whatever adversaries adapt to.
Source: paper.tex, sec:cert (lower-triangular mechanisms); claim 69.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.checklist.contexts import Curves
from dpcert.audit.checklist.stationary import Pairs, TensorCurve, product_of
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.linear import Linear
from dpcert.audit.limits import look, within

MOST_WEIGHTS = 10_000_000
"""Weights, or stretches of them, over all rounds, past which they are not read, so that no theorem gives the curve."""
MOST_PROFILES = 5_000
"""Challenges that differ in what they leak, round by round, past which not all are compared."""
MOST_SHIFTS = 200
"""Shifts of one noise past which it is not said whether its curves rise with the size of the shift."""

Profile = tuple[tuple[tuple[int, Any], int], ...]
"""((number of the noise, weight), in how many rounds) of a challenge's round, in order."""
Leaks = frozenset[tuple[int, int]]
"""(number of a curve, how often it comes)."""


@dataclass
class Shifts:
    """One-round curves of shifted noise.

    Attributes:
        linear: What the laws are made of.
        curves: The curves, numbered.
    """

    linear: Linear
    curves: Curves
    noises: list[tuple[int, Pmf[Any]]] = field(default_factory=list)
    """Of every distinct noise a round that it comes in, and the law."""
    _numbers: dict[Pmf[Any], int] = field(default_factory=dict)
    _known: dict[tuple[int, Any], int] = field(default_factory=dict)

    def noise(self, t: int) -> int:
        """The number of round t's noise."""
        law = self.linear.noise(t)
        number = self._numbers.setdefault(law, len(self.noises))
        if number == len(self.noises):
            self.noises.append((t, law))
        return number

    def curve(self, noise: int, shift: Any) -> int:
        """The number of the curve of a noise against itself shifted."""
        key = noise, shift
        if key not in self._known:
            look()
            t = self.noises[noise][0]
            laws = (self.linear.shifted(t, total) for total in (self.linear.zero, shift))
            self._known[key] = self.curves.of_laws(*laws)
        return self._known[key]


@frozen
class Additive:
    """What a theorem gives of additive noise: its curve, and whether the size of a difference decides it."""

    tensor: TensorCurve
    rises: bool


def additive(core: Core, horizon: int, budget: Budget) -> Additive | None:
    """The curve of a linear core over so many rounds; None where that is too much to read, compare or write out.

    Neighbours differ in any one round, by any two inputs. Raises: Stopped: the time is over.
    """
    if core.linear is None or _numbers(core.linear, horizon) > MOST_WEIGHTS:
        return None
    with within(budget.check):
        shifts = Shifts(core.linear, Curves())
        profiles = _profiles(shifts, horizon)
        leaks = None if profiles is None else _undominated(_leaks(core, shifts, profiles))
        if leaks is None:
            return None
        curves: dict[int, PowerFunction] = {}
        challenges: list[tuple[int, tuple[Any, Any]]] = []
        for counts, challenge in leaks:
            power = product_of(shifts.curves, Counter(dict(counts)))
            if power is None:
                return None
            curves[len(challenges)] = power
            challenges.append(challenge)
        rises = rises_with_size(core.linear, horizon)
    return Additive(TensorCurve(horizon, curves, _streams(core.alphabet[0], challenges, horizon)), rises)


def _numbers(linear: Linear, horizon: int) -> int:
    """How much there is to read: weights one by one, or one stretch a round at least, or next to nothing."""
    if linear.told_at_once:
        return len(linear.progressions)
    return horizon if linear.sparse else horizon * (horizon + 1) // 2


def _profiles(shifts: Shifts, horizon: int) -> dict[Profile, int] | None:
    """What the challenges of a round meet later -> a round with that; None where there is too much to read.

    One round's is enough where it meets as much of everything as any other.
    """
    shifts.linear.read(horizon)
    if shifts.linear.told_at_once and (foremost := _foremost(shifts, horizon)) is not None:
        return foremost
    return _swept(shifts, horizon) if shifts.linear.sparse else _listed(shifts, horizon)


def _foremost(shifts: Shifts, horizon: int) -> dict[Profile, int] | None:
    """The same of one round that meets every noise and weight as often as any round does; None where none was found.

    It is looked for where a progression's stretch is met most often. Each stretch alone says how often that can be.
    """
    parts = []
    most: Counter[tuple[int, Any]] = Counter()
    candidates = {1: None}
    for progression in shifts.linear.progressions:
        if not (t := progression.until(horizon)):
            continue
        noise = shifts.noise(t)
        for near, far, weight in progression.weighed:
            parts.append((progression, near, far, (noise, weight)))
            most[noise, weight] += progression.most_met(near, far, horizon)
            first = progression.first + max(0, -((progression.first - near - 1) // progression.step)) * progression.step
            candidates[max(1, first - near)] = None
    for i in candidates:
        look()
        here: Counter[tuple[int, Any]] = Counter()
        for progression, near, far, kind in parts:
            here[kind] += progression.met(i, near, far, horizon)
        if here == most:
            return {tuple(sorted((kind, times) for kind, times in here.items() if times)): i}
    return None


def _listed(shifts: Shifts, horizon: int) -> dict[Profile, int]:
    """The same from weights one by one."""
    columns: list[Counter[tuple[int, int]]] = [Counter() for _ in range(horizon)]
    for t in range(1, horizon + 1):
        look()
        noise = shifts.noise(t)
        for column, weight in zip(columns, shifts.linear.weights(t), strict=False):
            if weight:
                column[noise, weight] += 1
    profiles: dict[Profile, int] = {}
    for i, column in enumerate(columns, 1):
        profiles.setdefault(tuple(sorted(column.items())), i)
    return profiles


def _swept(shifts: Shifts, horizon: int) -> dict[Profile, int] | None:
    """The same from stretches: from round to round of the challenge only those that begin or end there change it."""
    changes: dict[int, dict[tuple[int, int], int]] = {}
    count = 0
    for t in range(1, horizon + 1):
        look()
        noise = shifts.noise(t)
        for first, last, weight in shifts.linear.stretches(t):
            kind = noise, weight
            for i, more in ((first, 1), (last + 1, -1)):
                here = changes.setdefault(i, {})
                here[kind] = here.get(kind, 0) + more
            count += 1
        if count > MOST_WEIGHTS:
            return None
    profiles: dict[Profile, int] = {}
    now: Counter[tuple[int, Any]] = Counter()
    for i in sorted({1, *changes}):
        look()
        if i > horizon:
            break
        for kind, more in changes.get(i, {}).items():
            now[kind] += more
        profiles.setdefault(tuple(sorted((kind, times) for kind, times in now.items() if times)), i)
        if len(profiles) > MOST_PROFILES:
            return None
    return profiles


def _leaks(
    core: Core, shifts: Shifts, profiles: dict[Profile, int]
) -> Iterator[tuple[Leaks, tuple[int, tuple[Any, Any]]]]:
    """Of every challenge how often each curve comes, with the round and the pair of it."""
    linear = shifts.linear
    differences: dict[Any, tuple[Any, Any]] = {}
    for a, b in product(core.alphabet, repeat=2):
        if a != b:
            differences.setdefault(linear.plus(b, a, -1), (a, b))
    for profile, i in profiles.items():
        for difference, pair in differences.items():
            counts: Counter[int] = Counter()
            for (noise, weight), times in profile:
                counts[shifts.curve(noise, linear.plus(linear.zero, difference, weight))] += times
            del counts[0]
            yield frozenset(counts.items()), (i, pair)


def _undominated(
    leaks: Iterator[tuple[Leaks, tuple[int, tuple[Any, Any]]]],
) -> list[tuple[Leaks, tuple[int, tuple[Any, Any]]]] | None:
    """Those that are no part of another; more rounds that leak never tell less. None where there are too many."""
    distinct: dict[Leaks, tuple[int, tuple[Any, Any]]] = {}
    for counts, challenge in leaks:
        distinct.setdefault(counts, challenge)
        if len(distinct) > MOST_PROFILES:
            return None
    maxima: list[tuple[Counter[int], Leaks]] = []
    for leaking in sorted((one for one in distinct if one), key=lambda one: -sum(times for _, times in one)):
        look()
        if not any(all(more[number] >= times for number, times in leaking) for more, _ in maxima):
            maxima.append((Counter(dict(leaking)), leaking))
    return [(leaking, distinct[leaking]) for _, leaking in maxima]


def _streams(same: Any, challenges: list[tuple[int, tuple[Any, Any]]], horizon: int) -> Callable[[int], Pairs]:
    def streams(key: int) -> Pairs:
        pairs = [(same, same)] * horizon
        if key >= 0:
            i, pair = challenges[key]
            pairs[i - 1] = pair
        return tuple(pairs)

    return streams


def rises_with_size(linear: Linear, rounds: int) -> bool:
    """Whether the size of the difference of plain sums decides every curve of the rounds, which rise with it.

    It does where a round weighs all inputs that it weighs at all alike, by 1 or -1 where there is a modulus, and every
    noise has one curve for a shift and its opposite, which rises with the shift's size, over whole numbers with the
    shorter way round as size where there is a modulus. Past its own width a noise and a shifted one have no outcome in
    common, so nothing is left to rise.
    """
    kinds = () if type(linear.zero) is not int else linear.rounds_of_each_kind(rounds)
    if type(linear.zero) is not int or not all(_weighs_alike(linear, t) for t in kinds):
        return False
    shifts = Shifts(linear, Curves())
    return all(_rises(shifts, number) for number in {shifts.noise(t) for t in kinds})


def _weighs_alike(linear: Linear, t: int) -> bool:
    look()
    weights = {b for *_, b in linear.stretches(t)}
    return len(weights) <= 1 and (linear.modulus is None or weights <= {1, -1})


def _rises(shifts: Shifts, noise: int) -> bool:
    modulus, law = shifts.linear.modulus, shifts.noises[noise][1]
    most = max(law.support) - min(law.support) + 1 if modulus is None else modulus // 2
    if most > MOST_SHIFTS:
        return False
    before = PowerFunction.identity()
    for size in range(1, most + 1):
        look()
        there, back = (shifts.curve(noise, shifts.linear.plus(0, shift, 1)) for shift in (size, -size))
        here = shifts.curves.powers[there]
        if there != back or not before <= here:
            return False
        before = here
    return True
