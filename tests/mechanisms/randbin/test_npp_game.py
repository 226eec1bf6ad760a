"""The NPP game equals literal enumeration of transcripts: every edit, direction and branch, fixed and adaptive."""

import random
from fractions import Fraction
from itertools import product

import pytest
from oracles.npp import (
    Parameters,
    adaptive_hockey_stick,
    bin_neighbours,
    edit_neighbours,
    edits,
    fixed_hockey_stick,
    law_of,
    streams,
)
from oracles.paired import Order

from dpcert.audit.budget import Budget
from dpcert.audit.games.npp import named, npp_game, simulated
from dpcert.audit.relations.bins import BinAdjacency
from dpcert.audit.relations.edits import EDIT, TAGGED_EDIT, after_edit
from dpcert.audit.solving.analysis import Analysis, analyse
from dpcert.mechanisms.randbin.toy import RandBinToy

SLOPES = (Fraction(1, 2), Fraction(1), Fraction(5, 4), Fraction(2), Fraction(4))
ORDERS: tuple[Order, ...] = ("0-1", "1-0")
CASES = [
    (Fraction(2), 2, 1, "uniform", 9),
    (Fraction(2), 2, 1, "uniform", 11),
    pytest.param((Fraction(3, 2), 4, 1, "uniform", 17), marks=pytest.mark.thorough),
    (Fraction(3), 2, 2, "triangular", 10),
    (Fraction(2), 2, 1, "none", 13),
    (Fraction(3, 2), 4, 2, "none", 19),
]
LONG = [(Fraction(2), 2, 1, "uniform", 13), *((Fraction(a, 2), 2, 2, "triangular", 12) for a in (3, 6))]


def solved(alpha: Fraction, level: int, error: int, noise: str, horizon: int) -> Analysis:
    """The toolkit's answer."""
    mechanism = RandBinToy(exp_epsilon=alpha, level=level, error=error, noise=noise)
    return analyse(npp_game(simulated(mechanism), horizon), Budget())


@pytest.mark.in_turns
@pytest.mark.parametrize("case", CASES, ids=str)
def test_edits_win_what_enumeration_says(case: tuple[Fraction, int, int, str, int]) -> None:
    """Adaptive ones, and those fixed in advance."""
    *parameters, horizon = case
    p, found = Parameters(*parameters), solved(*case)
    for exp_epsilon, order in product(SLOPES[1:4:2], ORDERS):
        expected = adaptive_hockey_stick(p, horizon, exp_epsilon, order)
        assert found.adaptive.lower.hockey_stick(exp_epsilon, order) == expected
    for exp_epsilon, order in product(SLOPES[:2], ORDERS):
        expected = fixed_hockey_stick(p, horizon, exp_epsilon, order)
        assert found.fixed.lower.hockey_stick(exp_epsilon, order) == expected


@pytest.mark.thorough
@pytest.mark.parametrize("case", LONG, ids=str)
def test_longer_games_too(case: tuple[Fraction, int, int, str, int]) -> None:
    *parameters, horizon = case
    found = solved(*case)
    for exp_epsilon, order in product(SLOPES, ORDERS):
        for power, oracle in ((found.adaptive.lower, adaptive_hockey_stick), (found.fixed.lower, fixed_hockey_stick)):
            expected = oracle(Parameters(*parameters), horizon, exp_epsilon, order)
            assert power.hockey_stick(exp_epsilon, order) == expected


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("case", CASES[:1] + CASES[2:], ids=str)
def test_what_is_enumerated_keeps_to_the_definitions(case: tuple[Fraction, int, int, str, int]) -> None:
    """Edit neighbours in, bin neighbours out, on every prefix; the synthetic sequence is a prefix of its own stream."""
    *parameters, horizon = case
    p = Parameters(*parameters)
    for edit in edits(horizon):
        pairs = streams(edit, horizon)
        whole = tuple(zip(*pairs, strict=True))
        assert all(edit_neighbours(whole[0][:t], whole[1][:t]) for t in range(1, horizon + 1))
        for branch in (0, 1):
            law = law_of(p, branch, edit, horizon)
            for seen in law:
                bins = tuple(zip(*seen, strict=True))
                assert all(bin_neighbours(bins[0][:t], bins[1][:t], p.level) for t in range(1, horizon + 1))
                for stream in (0, 1):
                    inside = [tag for b in bins[stream] if b is not None for tag in b]
                    assert tuple(inside) == whole[stream][: len(inside)]
            assert sum(law.values()) == 1


@pytest.mark.in_turns
def test_the_edit_automaton_accepts_what_the_definition_does() -> None:
    for length in range(1, 6):
        for x0, x1 in product(product("abc", repeat=length), repeat=2):
            state = EDIT.initial
            for pair in zip(x0, x1, strict=True):
                following = after_edit(state, pair)
                if following is None:
                    break
                state = following
            assert (following is not None) == edit_neighbours(x0, x1), (x0, x1)


def test_tagged_edits_are_all_edits_of_distinct_items_up_to_their_names() -> None:
    horizon = 5
    reached = {((), TAGGED_EDIT.initial)}
    for t in range(1, horizon + 1):
        reached = {
            ((*pairs, tuple(item.named(t) for item in pair)), after)
            for pairs, state in reached
            for pair, after in TAGGED_EDIT.legal(state, t, ())
        }
    made = {pairs for pairs, _ in reached}
    assert len(made) == 1 + 1 + 2 * (horizon - 1)  # none, in the last round, or before it and then either way
    for pairs in made:
        x0, x1 = zip(*pairs, strict=True)
        assert len(set(x0)) == len(set(x1)) == horizon
        assert edit_neighbours(x0, x1)


def slices(bins: tuple[tuple[str, ...] | None, ...]) -> list[tuple[int, int] | None]:
    """Bins that left a queue, one a round, as (start, length)."""
    gone, made = 0, []
    for t, one in enumerate(bins, 1):
        made.append(None if one is None else (t - gone, len(one)))
        gone += 0 if one is None else len(one)
    return made


@pytest.mark.in_turns
def test_the_bin_automaton_accepts_what_the_definition_does() -> None:
    """Random lengths and times, near misses included; every prefix is judged by both."""
    dice = random.Random(5)
    verdicts = {True: 0, False: 0}
    for _ in range(20_000):
        horizon, level = dice.randint(4, 12), 2
        pairs = streams(dice.choice(edits(horizon)), horizon)
        taken = [[0] * horizon, [0] * horizon]
        for t in range(1, horizon + 1):
            if dice.random() < 0.4:
                length = dice.randint(1, 5)
                shift = dice.choice((0, 0, 0, 0, 1, -1))
                for stream, own in ((0, length), (1, length + shift)):
                    room = t - sum(taken[stream])
                    taken[stream][t - 1] = min(own, room) if dice.random() < 0.97 else 0
        bins: list[tuple[tuple[str, ...] | None, ...]] = []
        for stream in (0, 1):
            items, gone, made = [pair[stream] for pair in pairs], 0, []
            for t in range(horizon):
                length = taken[stream][t]
                made.append(tuple(items[gone : gone + length]) or None)
                gone += length
            bins.append(tuple(made))
        relation, state = BinAdjacency(level), BinAdjacency.initial
        both = [slices(bins[stream]) for stream in (0, 1)]
        for t in range(1, horizon + 1):
            after = relation.after(state, pairs[t - 1], (both[0][t - 1], both[1][t - 1]))
            literal = bin_neighbours(bins[0][:t], bins[1][:t], level)
            assert (after is not None) == literal, (pairs[:t], bins[0][:t], bins[1][:t])
            verdicts[literal] += 1
            if after is None:
                break
            state = after
    assert min(verdicts.values()) > 1_000


@pytest.mark.in_turns
def test_fixed_edits_are_few_and_named_by_rounds() -> None:
    found = solved(Fraction(2), 2, 1, "uniform", 9)
    assert found.streams is not None
    pairs = found.streams.witness(Fraction(1), "0-1")
    x0, x1 = zip(*(named(pair, t) for t, pair in enumerate(pairs, 1)), strict=True)
    assert edit_neighbours(x0, x1)
    assert x0 != x1
    assert len(found.streams.curves) == 1 + 1 + 2 * 8  # none; in round 9; in rounds 1 to 8 either way
