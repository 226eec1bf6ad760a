"""Clipped sums with Geom noise on all integers, against series summed by hand and cut sums with the mass cut off."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances.exact_curves import curves
from oracles.ideal_noise import COVERS, Law, adaptive_delta, enumerated_law, fixed_delta, mass, mass_beyond, summed_law

from dpcert import UNIT_HAMMING
from dpcert.audit.kernels.draws import enumerated
from dpcert.mechanisms.noise.lazy_geometric import LazyGeometric
from dpcert.mechanisms.sums.error_function import from_values
from dpcert.mechanisms.sums.hybrid_schedule import HybridSchedule
from dpcert.mechanisms.sums.ideal_stream_sum import IdealStreamSum

TWO, THREE, FOUR = Fraction(2), Fraction(3), Fraction(4)
SLOPES = [Fraction(1), Fraction(3, 2), TWO, THREE, FOUR, Fraction(16)]


def released_law(mechanism: IdealStreamSum, stream: Sequence[int]) -> Law:
    """The law of what is released, added up again, over all draws of all rounds."""

    def answer(draw: Any) -> tuple[int, ...]:
        state, total, shown = mechanism.initial, 0, []
        for x in stream:
            release, state = mechanism.step(state, x, draw)
            total += release.visible
            shown.append(total)
        return tuple(shown)

    weights, total = enumerated("ideal", answer)
    return {shown: Fraction(weight, total) for shown, weight in weights.items()}


def test_covers_are_those_of_the_schedule() -> None:
    assert {t: HybridSchedule().cover(t) for t in COVERS} == COVERS


# ---------------------------------------------------------------- laws


@pytest.mark.in_turns
@pytest.mark.parametrize("alpha", [TWO, THREE, Fraction(5, 2)])
@pytest.mark.parametrize("bound", [1, 2, 4])
@pytest.mark.parametrize("stream", [(0, 0, 0), (1, 0, 1), (7, -3, 2)])
def test_the_released_vector_has_the_law_of_its_series(alpha: Fraction, bound: int, stream: tuple[int, ...]) -> None:
    mechanism = IdealStreamSum(alpha, bound)
    for rounds in (1, 2, 3):
        law = summed_law(alpha, bound, rounds)
        assert sum(law.values()) == 1
        sums = [sum(stream[:t]) for t in range(1, rounds + 1)]
        shifted = {tuple(r + q for r, q in zip(shown, sums, strict=True)): w for shown, w in law.items()}
        assert released_law(mechanism, stream[:rounds]) == shifted


@pytest.mark.in_turns
@pytest.mark.parametrize("bounds", [(2, 2, 2, 2), (1, 2, 2, 3), (0, 1, 1, 1)])
def test_the_released_vector_of_four_rounds_is_enclosed(bounds: tuple[int, ...]) -> None:
    alpha = Fraction(6)
    law = released_law(IdealStreamSum(alpha, from_values(bounds)), (0, 0, 0, 0))
    seen, rest = enumerated_law([alpha] * 4, bounds, 4)
    assert 0 < rest < Fraction(1, 1000)
    assert set(seen) <= set(law)
    assert all(0 <= w - seen.get(shown, 0) <= rest for shown, w in law.items())


def test_different_noises_each_round() -> None:
    """e^eps = 16, shared by two levels from round 2 on: alpha is 16 in round 1 and 4 after it."""
    mechanism = IdealStreamSum(Fraction(16), 2, budget="uniform")
    alphas = [mechanism.exp_epsilon_at(t) for t in (1, 2, 3)]
    assert alphas == [16, 4, 4]
    law = released_law(mechanism, (0, 0, 0))
    seen, rest = enumerated_law(alphas, (2, 2, 2), 8)
    assert all(0 <= w - seen.get(shown, 0) <= rest < Fraction(1, 10_000) for shown, w in law.items())


# ---------------------------------------------------------------- games


@pytest.mark.in_turns
@pytest.mark.parametrize(("alpha", "bound"), [(TWO, 1), (TWO, 2), (TWO, 4), (THREE, 3), (Fraction(3, 2), 2)])
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_game_is_that_of_the_series(alpha: Fraction, bound: int, rounds: int) -> None:
    fixed, adaptive = curves(IdealStreamSum(alpha, bound), rounds, UNIT_HAMMING)
    law = summed_law(alpha, bound, rounds)
    for slope in SLOPES[1::2] if rounds == 3 else SLOPES:
        assert fixed.hockey_stick(slope) == fixed_delta(law, (bound,) * rounds, slope)
        assert adaptive.hockey_stick(slope) == adaptive_delta(law, (bound,) * rounds, slope)


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("alpha", "bounds", "mosts"),
    [(TWO, (4, 4), (5, 12, 30)), (TWO, (2, 2, 2), (4, 7, 10)), (FOUR, (1, 1, 2, 2), (2, 4)), (TWO, (1, 3), (6, 20))],
)
def test_the_game_is_enclosed_by_cut_sums(alpha: Fraction, bounds: tuple[int, ...], mosts: tuple[int, ...]) -> None:
    """Taking mass m away from either world takes at most m off delta and adds at most e^eps m to it."""
    found = curves(IdealStreamSum(alpha, from_values(bounds)), len(bounds), UNIT_HAMMING)
    widths = []
    for most in mosts:
        law, rest = enumerated_law([alpha] * len(bounds), bounds, most)
        assert rest <= len(bounds) * mass_beyond(alpha, most)
        for slope in (TWO, FOUR):
            for curve, delta in zip(found, (fixed_delta, adaptive_delta), strict=True):
                cut = delta(law, bounds, slope)
                assert cut - slope * rest <= curve.hockey_stick(slope) <= cut + rest
        widths.append(rest)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < Fraction(1, 50)


def cut_noise(alpha: Fraction, cut: int) -> list[tuple[int, Fraction]]:
    """Geom clipped to [-cut..cut]."""
    law: dict[int, Fraction] = {k: mass(alpha, k) for k in range(1 - cut, cut)}
    end = (1 - sum(law.values())) / 2
    return [(-cut, end), *law.items(), (cut, end)]


@pytest.mark.parametrize("cut", [1, 2, 5])
def test_clipped_noise_by_enumeration(cut: int) -> None:
    law: Law = defaultdict(Fraction)
    for (first, w), (second, v) in product(cut_noise(TWO, cut), repeat=2):
        law[max(-4, min(4, first)), max(-4, min(4, first + second))] += w * v
    fixed, adaptive = curves(IdealStreamSum(TWO, 4, cut=cut), 2, UNIT_HAMMING)
    for slope in SLOPES:
        assert fixed.hockey_stick(slope) == fixed_delta(law, (4, 4), slope)
        assert adaptive.hockey_stick(slope) == adaptive_delta(law, (4, 4), slope)


@pytest.mark.in_turns
@pytest.mark.parametrize(("rounds", "exp_epsilon"), [(1, TWO), (2, TWO), (3, FOUR)])
@pytest.mark.parametrize("bound", [1, 2, 3, 4])
def test_delta_is_at_most_the_chance_of_an_end(rounds: int, exp_epsilon: Fraction, bound: int) -> None:
    """Row 82: with E = B + 1, delta at the raw mechanism's e^eps is at most P(some |Y_t - Q_t| > B); tight at T = 1."""
    law = summed_law(TWO, bound, rounds)
    ends = sum(w for shown, w in law.items() if bound in map(abs, shown))
    _, adaptive = curves(IdealStreamSum(TWO, bound), rounds, UNIT_HAMMING)
    assert 0 < adaptive.hockey_stick(exp_epsilon) <= ends
    if rounds == 1:
        assert 2 * adaptive.hockey_stick(exp_epsilon) == ends


# ---------------------------------------------------------------- forms of all kinds

RATIOS = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 5)]
SMALL = st.integers(-3, 3)


@st.composite
def questions(draw: Any) -> tuple[LazyGeometric, list[tuple[tuple[int, ...], int, int]]]:
    """One or two forms of up to three tails, and up to three clipped sums of them."""
    forms, tails = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    columns = [tuple(draw(SMALL) for _ in range(forms)) for _ in range(tails)]
    start = LazyGeometric(
        tuple(draw(SMALL) for _ in range(forms)), tuple(sorted((a, draw(st.sampled_from(RATIOS))) for a in columns))
    )
    asked = []
    for _ in range(draw(st.integers(1, 3))):
        low = draw(SMALL)
        asked.append((tuple(draw(st.integers(-2, 2)) for _ in range(forms)), low, low + draw(st.integers(0, 3))))
    return start, asked


def value(forms: LazyGeometric, row: tuple[int, ...], drawn: tuple[int, ...]) -> int:
    parts = [
        c + sum(a[i] * g for (a, _), g in zip(forms.tails, drawn, strict=True)) for i, c in enumerate(forms.constants)
    ]
    return sum(x * y for x, y in zip(row, parts, strict=True))


@pytest.mark.in_turns
@given(questions())
@settings(max_examples=60, deadline=None)
def test_successive_answers_have_their_joint_law(asked: Any) -> None:
    """Each probability is that of cut tails, or more by no more than the mass cut off."""
    start, questions = asked

    def answered(draw: Any) -> tuple[int, ...]:
        forms, shown = start, []
        for row, low, high in questions:
            answer, forms = forms.clipped(row, low, high, draw)
            shown.append(answer)
        return tuple(shown)

    weights, total = enumerated("lazy", answered)
    most = 12
    seen: Law = defaultdict(Fraction)
    ratios = [ratio for _, ratio in start.tails]
    for drawn in product(range(most), repeat=len(ratios)):
        weight = prod(((1 - r) * r**g for r, g in zip(ratios, drawn, strict=True)), start=Fraction(1))
        seen[tuple(min(max(value(start, row, drawn), low), high) for row, low, high in questions)] += weight
    rest = 1 - sum(seen.values())
    assert rest <= sum((r**most for r in ratios), start=Fraction(0))
    assert set(seen) <= set(weights)
    assert all(0 <= Fraction(w, total) - seen.get(shown, 0) <= rest for shown, w in weights.items())


def test_a_tail_taken_for_its_end_is_another_law() -> None:
    """What the draws must not do: with Z_1 taken for E wherever it is clipped to E, delta comes out too small."""

    class Lumped(IdealStreamSum):
        def step(self, state: Any, x: int, draw: Any) -> Any:
            release, (t, off, noises) = super().step(state, x, draw)
            return release, (t, off, LazyGeometric(noises.constants))

    exact, lumped = (curves(kind(TWO, 4), 2, UNIT_HAMMING)[1] for kind in (IdealStreamSum, Lumped))
    assert lumped.hockey_stick(TWO) == Fraction(11, 72) < exact.hockey_stick(TWO)
