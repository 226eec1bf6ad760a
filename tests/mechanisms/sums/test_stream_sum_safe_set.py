"""The clipped release's proof on instances: the set on which nothing is clipped, both laws there, and what is left.

Claims 81, 82, 85, 86; paper.tex, th:prefix_sum, stages 2 and 3.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import pytest
from instances.exact_curves import curves
from oracles.raw_errors import Errors, ever_above, raw_errors

from dpcert import UNIT_HAMMING, Draw, Release
from dpcert.audit.algebra.power import ORDERS
from dpcert.mechanisms.sums.error_function import ROUNDINGS, Steps, whole
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_profile import clipped, hybrid_power
from dpcert.mechanisms.sums.ideal_stream_sum import IdealStreamSum
from dpcert.mechanisms.sums.stream_sum import StreamSum, clip

Transcript = tuple[int, ...]
Law = dict[Transcript, Fraction]
Policy = Callable[[Transcript], tuple[int, int]]
"""What a deterministic adversary submits after a transcript: the inputs of both worlds."""

ZERO = Fraction(0)
ADVERSARIES = 8
NOISES = [
    HybridNoise(Fraction(4), "uniform", Fraction(1, 4)),
    HybridNoise(Fraction(9), "sharp", Fraction(1, 10)),
    HybridNoise(Fraction(2), "uniform", Fraction(1, 2)),
]
BOUNDS = [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2)]


def policy(seed: int) -> Policy:
    """Random inputs; along every way through, one round at most differs, and by 1."""

    @cache
    def move(released: Transcript) -> tuple[int, int]:
        here = Random(repr((seed, released)))
        x = here.choice([-2, 0, 0, 1, 1, 3])
        used = any(a != b for a, b in (move(released[:t]) for t in range(len(released))))
        return (x, x) if used or here.random() < 0.4 else (x, x + here.choice([-1, 1]))

    return move


def sums(moves: Policy, released: Transcript) -> tuple[int, int]:
    """Q_t of both worlds, t one more than rounds released."""
    submitted = [moves(released[:t]) for t in range(len(released) + 1)]
    return sum(x for x, _ in submitted), sum(x for _, x in submitted)


def played(errors: Errors, moves: Policy, world: int, most: Callable[[int], int | None]) -> Transcript:
    """The transcript of one world, given its raw errors: Y_t, or Y_t clipped to within most(t) of Q_t."""
    released: Transcript = ()
    for t, error in enumerate(errors, 1):
        bound = most(t)
        released = (
            *released,
            sums(moves, released)[world] + (error if bound is None else clip(error, -bound, bound)),
        )
    return released


def law(errors: dict[Errors, Fraction], moves: Policy, world: int, most: Callable[[int], int | None]) -> Law:
    found: Law = {}
    for drawn, mass in errors.items():
        released = played(drawn, moves, world, most)
        found[released] = found.get(released, ZERO) + mass
    return found


def within(released: Transcript, moves: Policy, worlds: tuple[int, ...], most: Callable[[int], int]) -> bool:
    """|v_t - Q_t| <= most(t) throughout, in all of these worlds; Q_t is what v[1..t-1] makes of it."""
    return all(
        abs(v - sums(moves, released[:t])[world]) <= most(t + 1) for t, v in enumerate(released) for world in worlds
    )


@dataclass(frozen=True)
class Instance:
    """Raw and clipped laws of both worlds against one adversary."""

    moves: Policy
    raw: tuple[Law, Law]
    clipped: tuple[Law, Law]

    def outside(
        self, laws: tuple[Law, Law], world: int, worlds: tuple[int, ...], most: Callable[[int], int]
    ) -> Fraction:
        return sum((p for v, p in laws[world].items() if not within(v, self.moves, worlds, most)), ZERO)


def instance(noise: HybridNoise, horizon: int, seed: int, most: Callable[[int], int]) -> Instance:
    errors, moves = raw_errors(noise, horizon), policy(seed)
    return Instance(
        moves,
        (law(errors, moves, 0, lambda _: None), law(errors, moves, 1, lambda _: None)),
        (law(errors, moves, 0, most), law(errors, moves, 1, most)),
    )


def surplus(one: Law, other: Law, slope: Fraction) -> Fraction:
    return sum((max(ZERO, p - slope * other.get(v, ZERO)) for v, p in one.items()), ZERO)


def rising(bound: Fraction) -> Callable[[int], Fraction]:
    """B(t), which rises in round 3."""
    return lambda t: bound + (t >= 3)


@pytest.mark.in_turns
@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize("bound", BOUNDS, ids=str)
def test_the_papers_safe_set(noise: HybridNoise, bound: Fraction) -> None:
    """eq:restricted_prefix_sum_laws and eq:raw_prefix_sum_bad_set, with E = ceil(B) + 2."""
    horizon, inner = 3, rising(bound)
    error: Callable[[int], int] = lambda t: whole(inner(t), "paper")  # noqa: E731
    below: Callable[[int], int] = lambda t: error(t) - 1  # noqa: E731
    beta = ever_above(noise, horizon, inner)
    reached = 0
    for seed in range(ADVERSARIES):
        found = instance(noise, horizon, seed, error)
        for world in (0, 1):
            raw, cut = found.raw[world], found.clipped[world]
            safe = {v for v in {*raw, *cut} if within(v, found.moves, (0, 1), below)}
            assert {v: raw.get(v, ZERO) for v in safe} == {v: cut.get(v, ZERO) for v in safe}
            outside = found.outside(found.raw, world, (0, 1), below)
            assert found.outside(found.clipped, world, (0, 1), below) == outside <= beta
            reached += raw != cut
            assert all(abs(a - b) <= 1 for a, b in (sums(found.moves, v[:t]) for v in raw for t in range(horizon)))
    assert (reached > 0) == (ever_above(noise, horizon, error) > 0)


@pytest.mark.in_turns
@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize("bound", BOUNDS, ids=str)
def test_one_more_than_the_bound_suffices(noise: HybridNoise, bound: Fraction) -> None:
    """With E = floor(B) + 1 the set is each world's own, and the other world's law is no smaller there."""
    horizon, inner = 3, rising(bound)
    error: Callable[[int], int] = lambda t: whole(inner(t), "tight")  # noqa: E731
    below: Callable[[int], int] = lambda t: error(t) - 1  # noqa: E731
    beta = ever_above(noise, horizon, inner)
    core = hybrid_power(noise, horizon).power
    for seed in range(ADVERSARIES):
        found = instance(noise, horizon, seed, error)
        for world in (0, 1):
            raw, cut, other = found.raw, found.clipped, 1 - world
            own = [v for v in {*raw[world], *cut[world]} if within(v, found.moves, (world,), below)]
            assert all(raw[world].get(v, ZERO) == cut[world].get(v, ZERO) for v in own)
            assert all(raw[other].get(v, ZERO) <= cut[other].get(v, ZERO) for v in own)
            assert found.outside(raw, world, (world,), below) == found.outside(cut, world, (world,), below) <= beta
            for slope in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(3, 2), noise.exp_epsilon):
                before = surplus(raw[world], raw[other], slope)
                assert before <= core.hockey_stick(slope) if slope else True
                assert surplus(cut[world], cut[other], slope) <= before + beta


def test_with_one_more_than_the_bound_the_papers_set_is_too_small() -> None:
    """Its bad set then weighs more than beta: the argument has to be the other one."""
    noise, bound = NOISES[0], Fraction(1)
    below: Callable[[int], int] = lambda _: whole(bound, "tight") - 1  # noqa: E731
    beta = ever_above(noise, 3, lambda _: bound)
    masses = [
        found.outside(found.raw, 0, (0, 1), below)
        for found in (instance(noise, 3, seed, lambda t: below(t) + 1) for seed in range(ADVERSARIES))
    ]
    assert max(masses) > beta


@dataclass(frozen=True)
class Clipped:
    """The clipped release alone, without the projection."""

    noise: HybridNoise
    error: Steps
    alphabet: tuple[int, ...] = (0, 1)

    @property
    def initial(self) -> tuple[int, object]:
        return 0, self.noise.initial

    def step(self, state: tuple[int, object], x: int, draw: Draw) -> tuple[Release[int, None], tuple[int, object]]:
        total = state[0] + x
        raw, after = self.noise.step(state[1], draw)  # type: ignore[arg-type]
        most = self.error(after[0])
        return Release(total + clip(raw, -most, most)), (total, after)


@pytest.mark.in_turns
@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("bound", BOUNDS, ids=str)
def test_no_adversary_gains_more_than_beta(noise: HybridNoise, rounding: str, bound: Fraction) -> None:
    """The exact game over all adversaries, and that of the projected release, which is what is made of it."""
    horizon = 3
    error = Steps((1,), (whole(bound, rounding),))
    beta = ever_above(noise, horizon, lambda _: bound)
    core = hybrid_power(noise, horizon).power
    _, whole_game = curves(Clipped(noise, error), horizon, UNIT_HAMMING)
    _, projected = curves(Projected(noise, error), horizon, UNIT_HAMMING)
    assert projected <= whole_game <= clipped(core, beta)
    for order, slope in product(ORDERS, (Fraction(1), Fraction(3, 2), noise.exp_epsilon, Fraction(100))):
        assert whole_game.hockey_stick(slope, order) <= core.hockey_stick(slope, order) + beta


def Projected(noise: HybridNoise, error: Steps) -> object:  # noqa: N802
    """StreamSum on bits, with an alphabet."""

    @dataclass(frozen=True)
    class OnBits(StreamSum):
        alphabet: tuple[int, ...] = (0, 1)

    return OnBits(noise, error, 0, 1)


def test_the_bound_itself_is_not_enough() -> None:
    """Row 82: alpha 3, B = 1, one round. Clipping to B = 1 shows 1/4, a raw error is above 1 with probability 1/6."""
    noise = IdealStreamSum(exp_epsilon=Fraction(3), error=1)
    beta = 2 * Fraction(1, 12)  # P(|Geom| >= 2)
    _, to_bound = curves(noise, 1, UNIT_HAMMING)
    _, one_more = curves(IdealStreamSum(exp_epsilon=Fraction(3), error=2), 1, UNIT_HAMMING)
    assert to_bound.delta(3) == Fraction(1, 4) > beta == Fraction(1, 6)
    assert one_more.delta(3) == Fraction(1, 12) <= beta
    assert ever_above(HybridNoise(Fraction(3), truncation=Fraction(1, 2**30)), 1, lambda _: 1) < beta


# ---------------------------------------------------------------- stage 3


BOX = range(-4, 5)


def test_projecting_moves_no_further_than_the_interval_is_off() -> None:
    """Row 85: |clip(y, J) - q| <= max(|y - q|, dist(q, J)), over a box; neither part alone is enough."""
    needed = [False, False]
    for y, q, low, high in product(BOX, repeat=4):
        if low <= high:
            off, far, gap = abs(clip(y, low, high) - q), abs(y - q), max(low - q, q - high, 0)
            assert off <= max(far, gap)
            needed[0] |= off > far
            needed[1] |= off > gap
    assert needed == [True, True]


@pytest.mark.parametrize("errors", [(2, 2, 2), (0, 1, 3), (1, 1, 2)])
def test_the_induction_step_over_a_box(errors: tuple[int, ...]) -> None:
    """Row 86: from |S_{t-1} - Q_{t-1}| <= E(t-1) to |S_t - Q_t| <= E(t), E nondecreasing, every raw candidate."""
    for before, after in ((0, errors[0]), *((errors[i], errors[i + 1]) for i in range(2))):
        for off, raw in product(range(-before, before + 1), range(-6, 7)):
            for low, high in ((0, 1), (-1, 1), (2, 2)):
                for x in range(low, high + 1):
                    s = clip(clip(raw, -after, after) + x - off, low, high) + off  # S_t - Q_{t-1}
                    assert abs(s - x) <= after


def test_an_error_function_that_falls_breaks_the_promise() -> None:
    """The mutant: E(1) = 2, E(2) = 0, inputs 0 or 1."""

    class Falling:
        horizon = None

        def __call__(self, t: int) -> int:
            return 2 if t == 1 else 0

    mechanism = StreamSum(NOISES[2], Falling(), 0, 1)
    _, state = mechanism.step(mechanism.initial, 1, lambda _: -1)
    _, state = mechanism.step(state, 1, lambda _: 0)
    assert (state[1], mechanism.error(state)) == (-1, 0)


def test_roundings_never_fall() -> None:
    """Row 86: E is nondecreasing where B is, under both roundings, and whole."""
    grid = [Fraction(k, 6) for k in range(60)]
    for rounding in ROUNDINGS:
        values = [whole(b, rounding) for b in grid]
        assert values == sorted(values)
        assert all(isinstance(v, int) and v > b for v, b in zip(values, grid, strict=True))
    assert all(whole(b, "tight") < whole(b, "paper") for b in grid)
