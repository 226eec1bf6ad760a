"""Fixed streams of games that are small enough to follow every line of play: tried, searched and bounded."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from instances.same_curve import assert_same_curve
from instances.seeds import chosen
from instances.small_games import Played, many_positions, one_of_two, random_levels, worth_of

from dpcert import Budget, PowerFunction
from dpcert.audit.algebra.power import supremum
from dpcert.audit.games.paired import END, Exploration, Level, Move, Outcome, over_after
from dpcert.audit.solving import fixed, fixed_search
from dpcert.audit.solving.adaptive import chains_of, solve
from dpcert.audit.solving.beginnings import Beginning, Bounds, start, worth
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.audit.solving.fixed_hidden import completed, count_streams, fixed_pairs
from dpcert.audit.solving.fixed_search import fixed_supremum
from dpcert.audit.solving.pruning import Pruning

SEEDS = chosen(range(8))
ALL = 10**9


@pytest.mark.parametrize("seed", SEEDS)
def test_every_pair_of_streams_has_the_curve_of_what_may_be_seen(seed: int) -> None:
    levels = many_positions(seed)
    found, played = fixed_pairs(levels), Played(levels)
    assert found.complete
    for pairs, power in found.curves.items():
        assert_same_curve(power, lambda e, pairs=pairs: worth_of(played.atoms(pairs), e))
    assert_same_curve(found.power, lambda e: max(worth_of(played.atoms(pairs), e) for pairs in played.streams()))
    assert len(found.curves) == count_streams(levels, ALL) <= len(played.streams())
    assert count_streams(levels, len(found.curves)) == len(found.curves)
    assert all(count_streams(levels, most) > most for most in range(1, len(found.curves)))
    assert fixed_pairs(levels, most_streams=len(found.curves)).curves == found.curves
    assert not fixed_pairs(levels, most_streams=len(found.curves) - 1).complete
    for exp_epsilon in (Fraction(1), Fraction(2)):
        assert found.streams(found.witness(exp_epsilon, "1-0")) in found.curves


@pytest.mark.parametrize("seed", SEEDS)
def test_rounds_that_tell_nothing_only_decide_where_the_game_goes_on(seed: int) -> None:
    levels = random_levels(seed, 3, quiet=1 + seed % 2)
    found, played = fixed_pairs(levels), Played(levels)
    for pairs, power in found.curves.items():
        assert_same_curve(power, lambda e, pairs=pairs: worth_of(played.atoms(pairs), e))
    assert solve(Exploration(random_levels(seed, 2, quiet=2))).power == PowerFunction.identity()


def test_where_a_game_goes_on_in_silence_has_the_chances_of_what_was_said() -> None:
    """A third ends at once; of two positions one ends by half, the other by a fifth, and then the worlds differ."""
    said = Outcome("on", 1, 2, 0), Outcome("on as well", 1, 2, 1), Outcome("over", 1, 2, END)
    halves = Outcome("on", 1, 3, 0), Outcome("over", 1, 3, END)
    fifths = Outcome("on", 4, 4, 1), Outcome("over", 1, 1, END)
    telling = Outcome("a", 1, 2, END), Outcome("b", 3, 1, END)
    less = Outcome("a", 2, 3, END), Outcome("b", 3, 2, END)
    levels = (
        Level((0,), ((Move((0, 0), said, 3, 6),),)),
        Level((0, 1), ((Move((0, 0), halves, 2, 6),), (Move((0, 0), fifths, 5, 5),))),
        Level((0, 1), ((Move((0, 0), telling, 4, 3),), (Move((0, 0), less, 5, 5),))),
    )
    (found,) = fixed_pairs(levels).curves.values()
    assert_same_curve(found, lambda e: worth_of(Played(levels).atoms(((0, 0),) * 3), e))
    assert found == solve(Exploration(levels)).power


def test_positions_that_share_their_inputs_must_share_their_pairs() -> None:
    one = random_levels(0, 1)
    first, last = one_of_two(one, one)
    moves, (move, other) = last.moves
    odd = Move((7, 7), move.outcomes, move.denominator0, move.denominator1)
    with pytest.raises(RuntimeError, match="must share their legal pairs"):
        fixed_pairs((first, Level(last.positions, (moves, (odd, other)))))


def test_beginnings_are_completed_by_the_first_pairs_that_may_follow() -> None:
    levels = many_positions(1)
    assert completed(levels, ()) == ((0, 0),) * 3
    assert completed(levels, ((0, 1),)) == ((0, 1), (0, 0), (0, 0))
    assert completed(levels, ((0, 1), (0, 0), (0, 1))) == ((0, 1), (0, 0), (0, 1))
    ended = over_after(levels[0]), *levels[1:]
    assert completed(ended, ()) == ((0, 0),)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_reaches_what_the_best_streams_reach(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_search, "FEW_STREAMS", 0)
    levels = many_positions(seed)
    found, played = fixed_supremum(levels), Played(levels)
    assert found.complete
    assert_same_curve(found.power, lambda e: max(worth_of(played.atoms(pairs), e) for pairs in played.streams()))
    for pairs, power in found.curves.items():
        assert_same_curve(power, lambda e, pairs=pairs: worth_of(played.atoms(pairs), e))


@pytest.fixture
def following(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No slope is tried first, so that the bounds on beginnings alone decide which are followed to their ends."""
    for name, most in (("FEW_STREAMS", 0), ("FEW_APART", 0), ("MOST_SLOPES", 0), ("TOGETHER", 2)):
        monkeypatch.setattr(fixed_search, name, most)
    return monkeypatch


@pytest.mark.usefixtures("following")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_that_only_follows_beginnings_reaches_the_same(seed: int) -> None:
    levels = many_positions(seed)
    found, every = fixed_supremum(levels), fixed_pairs(levels)
    assert found.complete
    assert found.power == every.power
    assert found.curves.items() <= every.curves.items()


def test_as_many_atoms_are_looked_at_as_are_allowed(following: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    plain = Pruning.above

    def noted(self: Pruning, *given: Any) -> list[bool]:
        above = plain(self, *given)
        looked.append(self.looked_at)
        return above

    following.setattr(Pruning, "above", noted)
    levels = random_levels(2, 2)
    found, every = fixed_supremum(levels), fixed_pairs(levels)
    most = max(looked)
    for allowed, whole in ((most, True), (most - 1, False)):
        following.setattr(fixed_search, "MOST_ATOMS", allowed)
        search = fixed_search._Search(levels, {}, Budget())
        assert search.decided() is whole
        assert not whole or search.curves == found.curves
        assert fixed_supremum(levels).power == every.power  # where they are too many, all streams are tried


def test_without_bounds_all_streams_are_tried(following: pytest.MonkeyPatch) -> None:
    following.setattr(fixed_search, "MOST_BOUND_SEGMENTS", 0)
    levels = random_levels(2, 2)
    assert not fixed_search._Search(levels, {}, Budget()).decided()
    found, every = fixed_supremum(levels), fixed_pairs(levels)
    assert found.complete
    assert found.curves.items() >= every.curves.items()


def test_where_nothing_can_be_learnt_a_search_names_some_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_search, "FEW_STREAMS", 0)
    found = fixed_supremum(random_levels(1, 3, quiet=3))
    assert found.complete
    assert not found.interrupted
    assert found.curves == {((0, 0),) * 3: PowerFunction.identity()}


def test_an_interrupt_before_anything_was_found_leaves_the_streams_that_tell_nothing() -> None:
    class Interrupting(Budget):
        def check(self) -> None:
            raise KeyboardInterrupt

    levels = many_positions(0)
    for few in (0, fixed_search.FEW_STREAMS):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(fixed_search, "FEW_STREAMS", few)
            found = fixed_supremum(levels, Interrupting())
        assert not found.complete
        assert found.interrupted
        assert found.power == PowerFunction.identity()


@pytest.mark.parametrize("prune", [fixed.PRUNE_FROM, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_product_is_that_of_the_best_streams(seed: int, prune: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed, "PRUNE_FROM", prune)
    levels = random_levels(seed, 3, core=True)
    found, played = fixed_stream(levels), Played(levels)
    assert found.complete
    assert_same_curve(found.power, lambda e: max(worth_of(played.atoms(pairs), e) for pairs in played.streams()))
    for product, power in found.curves.items():
        pairs = found.streams(product)
        assert_same_curve(power, lambda e, pairs=pairs: worth_of(played.atoms(pairs), e))


def test_as_many_products_are_kept_as_are_allowed() -> None:
    for seed in SEEDS:
        levels = random_levels(seed, 3, core=True)
        every = fixed_stream(levels)
        most = max(len(products) for of_level in every._sets for products in of_level)
        enough = fixed_stream(levels, most_products=most)
        assert enough.complete
        assert enough.curves == every.curves
        if most > 1:
            fewer = fixed_stream(levels, most_products=most - 1)
            assert not fewer.complete
            assert fewer.power <= every.power
            assert 0 < len(fewer.curves) < most


# --- beginnings of streams, and bounds on them


def begun(bounds: Bounds, moves: Sequence[int]) -> Beginning:
    one = start()
    for at, number in enumerate(moves):
        one = bounds.followed(one, number if one.live else 0, at)
    return one


def histories(levels: Sequence[Level], moves: Sequence[int]) -> list[tuple[int, tuple[Fraction, Fraction]]]:
    """Where each line of play under some first moves stands, and its probabilities in both worlds."""
    lines = [(0, (Fraction(1), Fraction(1)))]
    for level, number in zip(levels, moves, strict=False):
        longer = []
        for position, (p0, p1) in lines:
            if position == END:
                longer.append((END, (p0, p1)))
                continue
            move = level.moves[position][number]
            longer += [
                (o.after, (p0 * o.weight0 / move.denominator0, p1 * o.weight1 / move.denominator1))
                for o in move.outcomes
            ]
        lines = longer
    return lines


@pytest.mark.parametrize("seed", SEEDS)
def test_a_beginning_is_bounded_by_the_best_that_may_follow_each_history(seed: int) -> None:
    levels = many_positions(seed)
    chains = chains_of(levels, Budget(), ALL)
    assert chains is not None
    bounds, played = Bounds(levels, chains), Played(levels)
    for moves in ((), (1,), (0, 1), (1, 0, 1)):
        one = begun(bounds, moves)
        lines = histories(levels, moves)

        def most(e: Fraction, lines: Any = lines, at: int = len(moves)) -> Fraction:
            over = worth_of([atom for position, atom in lines if position == END], e)
            return over + sum(
                (played.most(e, at, position, atom) for position, atom in lines if position != END), Fraction(0)
            )

        assert_same_curve(PowerFunction(bounds.chain(one)), most)
        for e in (Fraction(1, 3), Fraction(5, 2)):
            slope = e.numerator, e.denominator
            assert bounds.support(one, slope) == e.denominator * most(e)
            for guess in (0, 5):  # a guess of where segments cease to count changes nothing
                about = [min(guess, len(chains[one.round][position])) for position, *_ in one.live]
                assert bounds.support(one, slope, about) == e.denominator * most(e)


def random_curve(rng: Random) -> PowerFunction:
    """One of three to eight outcomes; some of them only one world produces."""
    weights = [(rng.randrange(4), rng.randrange(4)) for _ in range(rng.randrange(3, 9))]
    total0, total1 = (sum(pair[world] for pair in weights) + 1 for world in (0, 1))
    return PowerFunction.from_segments(
        [(Fraction(1, total0), Fraction(1, total1)), *((Fraction(a, total0), Fraction(b, total1)) for a, b in weights)]
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_missed_corner_has_a_slope_at_which_it_alone_is_the_most(seed: int) -> None:
    """Of every corner above the other curve, in order, one: there the corner is attained, and the other is below it."""
    rng = Random(seed)
    other = random_curve(rng)
    most = supremum([other, random_curve(rng)])
    missed = [(x, y) for x, y in most.vertices if y > other(x)]
    slopes = Bounds((), ()).missed(most, other)
    assert len(slopes) == len(missed)
    for (x, y), (c0, c1) in zip(missed, slopes, strict=True):
        values = [c1 * there - c0 * here for here, there in most.vertices]
        assert worth(most.chain, (c0, c1)) == c1 * y - c0 * x > worth(other.chain, (c0, c1))
        assert values.count(c1 * y - c0 * x) == 1
