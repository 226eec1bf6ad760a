"""Slopes at which next to nothing can be learnt: bounds that lean hold the exact value, and are near it."""

import random
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest
from instances.enclosed_games import game_of, no_bound
from instances.played_policies import played_exactly
from instances.random_markov import RandomMarkov
from instances.seeds import chosen
from instances.steep_games import steep_game, steep_slope

from dpcert import examine
from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.power import ORDERS, PowerFunction
from dpcert.audit.algebra.rational import parse
from dpcert.audit.budget import Budget
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.grids import refining, tilted_grid, tilting
from dpcert.audit.grids.refining import Refining
from dpcert.audit.grids.root import crossing
from dpcert.audit.grids.saddle import largest_ratio
from dpcert.audit.grids.small_corners import above_small, below_small
from dpcert.audit.grids.stages import stages, swapped_stages
from dpcert.audit.grids.tilted_bounding import TiltedBounds
from dpcert.audit.grids.tilted_grid import TiltedGrid, TiltedWindows
from dpcert.audit.grids.tilting import LEAST_DELTA_TOLD, NEAR_FOR_ITS_SIZE, Leaning
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import ANY, HAMMING
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

GAP = Fraction(1, 10**6)
REPEATED = RandomMarkov((0, 1), ((0, 1), (0, 1)), ((1, 3), (3, 1)))
"""Randomised response: in each round the input is told with chance 3/4."""


def leanings(seed: int, *, exactly: bool = True) -> bool:
    """One random game at one slope, in either order of worlds; whether it leant anywhere. Short ones are played exactly
    too, unless windows end where policies are read beyond them, which is not what the exact play does."""
    game = steep_game(seed)
    exact = solve(explore(game)).power
    slope = steep_slope(seed, exact.largest_ratio)
    leant = False
    for order, whole in (("1-0", stages(game, Budget())), ("0-1", swapped_stages(stages(game, Budget())))):
        one, truth = Leaning(whole, slope), exact.hockey_stick(slope, "1-0" if order == "1-0" else "0-1")
        one.begin()
        for _ in range(3):
            if not one.done and one.upper > one.lower * (1 + NEAR_FOR_ITS_SIZE):
                one.finer(no_bound, Fraction(0))
            assert one.lower <= truth <= one.upper, (seed, order)
        leant |= one.best is not None
        played(one, truth, seed, short=exactly and game.horizon <= 4)
    return leant


def played(one: Leaning, truth: Fraction, seed: int, *, short: bool) -> None:
    """What is said of the event is no more than its policy has, forwards and in rationals."""
    event = one.played(no_bound)
    if event is None or one.bounding is None or one.best is None:
        return
    assert event[1] - one.slope * event[0] <= truth, seed
    if short:
        x, y = played_exactly(one.bounding, one.best[0], one.slope)
        assert x <= min(event[0], one.point[0]), seed
        assert y >= max(event[1], one.point[1]), seed


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever delta is values lean, on grids of few places."""
    for module in (tilting, refining):
        monkeypatch.setattr(module, "NEXT_TO_NOTHING", Fraction(2))
    monkeypatch.setattr(tilting, "MOST_LEANING_BYTES", 1 << 24)
    monkeypatch.setattr(tilting, "MOST_LEANING_CELLS", 10**6)


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("seed", chosen(range(16), 8))
def test_nothing_lies_outside_where_values_lean(seed: int) -> None:
    leanings(seed)


@pytest.fixture
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows end where chance has it, within what follows one another."""
    laid = TiltedBounds._window

    def moved(self: TiltedBounds, grid: TiltedGrid) -> TiltedWindows:
        found, rng = laid(self, grid), random.Random(len(self._windows))
        ends: list[tuple[int, int]] = []
        for low, high in reversed(found.ends):
            middle = rng.randint(low, high)
            first, end = middle - rng.randint(1, 40), middle + rng.randint(1, 40)
            if ends:
                first, end = min(first, ends[-1][0] + found.reach), max(end, ends[-1][1] - found.reach)
            ends.append((first, end))
        return replace(found, ends=tuple(reversed(ends)))

    monkeypatch.setattr(TiltedBounds, "_window", moved)


@pytest.mark.usefixtures("everywhere", "anywhere")
@pytest.mark.parametrize("seed", chosen(range(24), 8))
def test_no_proof_turns_on_where_windows_end(seed: int) -> None:
    leanings(seed, exactly=False)


@pytest.mark.parametrize("power", [60, 100, 180])
def test_what_is_bet_in_round_1_leans_nowhere(power: int) -> None:
    """It is all in world 1 there, so nothing is left in world 0 that a slope could multiply."""
    mechanism = RandomMarkov((0, 1), ((0, 1), (0, 1)), ((0, 1, 10**200), (1, 1, 10**200)))
    record = examine(mechanism, horizon=2, exp_epsilons=(10**power,), tier="enclosed")
    (row,) = record["adaptive"]["delta"]
    lower, upper = (parse(row[side], side) for side in ("lower", "upper"))
    exact = solve(explore(PairedGame(core_of(mechanism), HAMMING, 2))).power.delta(10**power)
    assert 0 < lower <= exact <= upper


@pytest.mark.in_turns
def test_what_lies_just_below_the_threshold_leans() -> None:
    """Three tenths of 10^-30, where more is expected at first."""
    mechanism, rounds = RandomMarkov((0, 1), ((0, 1), (0, 1)), ((7, 3), (3, 7))), 200
    e = Fraction(7, 3) ** 198
    terms = (comb(rounds, j) * (7 ** (rounds - j) * 3**j - e * 3 ** (rounds - j) * 7**j) for j in range(rounds + 1))
    truth = sum((term for term in terms if term > 0), Fraction(0)) / 10**rounds
    assert Fraction(1, 10**33) < truth < Fraction(1, 10**30)
    found = Refining(stages(PairedGame(core_of(mechanism), ANY, rounds), Budget()), (e,), (), GAP, Budget()).run()
    lower, upper = found.bracket.lower.delta(e), found.bracket.upper.delta(e)
    assert lower <= truth <= upper <= lower * (1 + NEAR_FOR_ITS_SIZE)


@pytest.mark.thorough
@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("block", range(20))
def test_nothing_lies_outside_of_three_thousand(block: int) -> None:
    leant = [leanings(seed) for seed in range(16 + block, 3_000, 20)]
    assert any(leant)


def response(rounds: int, exp_epsilon: Fraction) -> Fraction:
    """Delta of so many rounds of randomised response with chances 3/4 and 1/4, a sum over how many told the truth."""
    over = Fraction(1, 4**rounds)
    terms = ((comb(rounds, j), 3 ** (rounds - j) - exp_epsilon * 3**j) for j in range(rounds + 1))
    return over * sum((count * term for count, term in terms if term > 0), Fraction(0))


def product(rounds: int, *exponents: int) -> None:
    """Bounds on a product of randomised responses at e^epsilon of powers of 3 against its sum."""
    asked = tuple(Fraction(3) ** n for n in exponents)
    whole = stages(PairedGame(core_of(REPEATED), ANY, rounds), Budget())
    found = Refining(whole, asked, (), GAP, Budget()).run()
    for e in asked:
        truth = response(rounds, e)
        for order in ORDERS:
            lower, upper = found.bracket.lower.hockey_stick(e, order), found.bracket.upper.hockey_stick(e, order)
            assert lower <= truth <= upper
            assert upper <= lower * (1 + NEAR_FOR_ITS_SIZE)
        for x, y in (found.events[e, "1-0"],):
            assert truth / (1 + NEAR_FOR_ITS_SIZE) <= y - e * x <= truth


@pytest.mark.usefixtures("everywhere")
def test_a_product_of_responses_is_near_its_sum() -> None:
    product(40, 38)


@pytest.mark.in_turns
def test_a_longer_product_is_near_its_sum() -> None:
    assert response(300, Fraction(3) ** 297) < Fraction(1, 10**35)
    product(300, 297)


@pytest.mark.thorough
def test_a_long_product_is_near_its_sum_at_the_top_of_the_curve() -> None:
    product(4_000, 3_990, 2_900)
    assert 0 < response(4_000, Fraction(3) ** 3_990) < Fraction(1, 10**400)


def test_past_the_largest_ratio_nothing_is_learnt() -> None:
    found = Refining(
        stages(PairedGame(core_of(REPEATED), ANY, 20), Budget()), (Fraction(3) ** 20,), (), GAP, Budget()
    ).run()
    assert found.bracket.upper.delta(3**20) == 0
    assert found.bracket.upper.largest_ratio == 3**20


@pytest.mark.parametrize("seed", range(0, 40, 8))
def test_the_largest_ratio_is_that_of_the_exact_curve(seed: int) -> None:
    game = game_of(seed)
    exact = solve(explore(game)).power
    ratios = []
    for whole in (stages(game, Budget()), swapped_stages(stages(game, Budget()))):
        bounding = TiltedBounds(whole, (Fraction(2),))
        ratios.append(largest_ratio(whole, bounding.first_releases))
    known = [one for one in ratios if one is not None]
    assert exact.largest_ratio == (max(known) if len(known) == len(ratios) else None)


@pytest.mark.usefixtures("everywhere")
def test_weights_that_do_not_lean_give_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: a run leads with its plain weight, and all else leans."""
    one = Leaning(stages(PairedGame(core_of(REPEATED), ANY, 60), Budget()), Fraction(3) ** 57)
    one.begin()
    monkeypatch.setattr(tilted_grid.TiltedGrid, "leaned", lambda *given: given[1])
    one.finer(no_bound, Fraction(0))
    truth = response(60, Fraction(3) ** 57)
    assert not one.lower <= truth <= one.upper


def test_ordinary_slopes_do_not_lean() -> None:
    found = Refining(stages(game_of(3), Budget()), (Fraction(1), Fraction(2)), (), GAP, Budget())
    found.run()
    assert not found.leaning


def curve(rng: random.Random) -> PowerFunction:
    """A random curve, some of whose atoms are next to nothing in either world."""
    weights = [[Fraction(rng.randint(0, 9), rng.choice((1, 7, 10**40, 10**400))) for _ in range(6)] for _ in (0, 1)]
    weights = [[*one, 1 - sum(one) / 100] for one in weights]
    sums = [sum(one) for one in weights]
    return PowerFunction.from_segments([(a / sums[0], b / sums[1]) for a, b in zip(*weights, strict=True) if a or b])


@pytest.mark.parametrize("seed", range(40))
def test_curves_keep_what_is_next_to_nothing(seed: int) -> None:
    rng = random.Random(seed)
    exact = curve(rng)
    slopes = [Fraction(10) ** rng.randint(0, 60) + rng.randint(0, 3) for _ in range(4)] + [Fraction(1), Fraction(1, 4)]
    slopes = sorted({*slopes, *(1 / s for s in slopes)})
    lines = [(s, exact.hockey_stick(s, "1-0")) for s in slopes]
    over, under = above_small(lines), below_small(exact.vertices)
    assert under <= exact <= over
    for e in slopes:
        for order in ORDERS:
            truth = exact.hockey_stick(e, order)
            assert over.hockey_stick(e, order) <= truth * (1 + Fraction(1, 2**40))
            assert under.hockey_stick(e, order) >= truth * (1 - Fraction(1, 2**20)) - LEAST_DELTA_TOLD
    assert crossing((Fraction(2), Fraction(0)), (Fraction(1), Fraction(1))) == 1


@pytest.mark.in_turns
def test_a_report_says_how_little_it_is() -> None:
    """Where a bound of 0 would do for the gap that is asked for."""
    record = examine(TwoRoundRepeated(Fraction(1, 100)), horizon=200, exp_epsilons=(2,), tier="enclosed")
    (delta,) = record["adaptive"]["delta"]
    lower, upper = (parse(delta[side], side) for side in ("lower", "upper"))
    assert 0 < lower <= upper <= lower * (1 + NEAR_FOR_ITS_SIZE)
    assert upper < tilting.NEXT_TO_NOTHING
    assert f"between {down(lower)} and {up(upper)}" in record.to_text()
