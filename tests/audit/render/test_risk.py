"""Risk read off a curve, against events and outcomes counted one by one."""

import random
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import pytest
from instances.random_core import RandomCore, random_core
from instances.rendered import Open, Silent, document
from instances.seeds import chosen

from dpcert.audit.algebra.rational import parse
from dpcert.audit.budget import Budget
from dpcert.audit.render.cells import Cell
from dpcert.audit.render.curves import CurveBracket, posterior
from dpcert.audit.render.risk import PRIORS, RATES, disclosure, risk

Law = dict[int, Fraction]


def laws(core: RandomCore) -> list[tuple[Law, Law]]:
    """The laws of one round, every ordered pair of inputs."""
    rows = [core.row((x,)) for x in core.alphabet]
    return [(p, q) for p in rows for q in rows]


def weight(law: Law, event: tuple[int, ...]) -> Fraction:
    return sum((law[y] for y in event), Fraction(0))


def most_detected(pairs: list[tuple[Law, Law]], rate: Fraction) -> Fraction:
    """sup q(S) over tests with p(S) = rate, where the pair may be drawn at random too: between any two events."""
    points = {
        (weight(p, event), weight(q, event))
        for p, q in pairs
        for event in chain.from_iterable(combinations(p, n) for n in range(len(p) + 1))
    }
    best = max(b for a, b in points if a <= rate)
    for a, b in points:
        for u, v in points:
            if a < rate < u:
                best = max(best, b + (v - b) * (rate - a) / (u - a))
    return best


def value(cell: Cell) -> Fraction:
    return parse(cell.full or cell.text, "cell")


def column(core: RandomCore) -> dict[str, Fraction]:
    rows = risk(document(core, horizon=1)).rows
    return {row[0].text: value(row[1]) for row in rows}


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(60)))
def test_true_positives_and_posteriors_are_the_best_that_there_are(seed: int) -> None:
    core = random_core(seed, 2, 4, 1)
    shown, pairs = column(core), laws(core)
    for rate, percent in zip(RATES, ("1 %", "0.1 %"), strict=True):
        best = most_detected(pairs, rate)
        assert shown[f"true positives at {percent} false positives"] == best
    assert shown["advantage over blind guessing"] == max(
        sum((max(p[y] - q[y], Fraction(0)) for y in p), Fraction(0)) for p, q in pairs
    )
    for prior, percent in zip(PRIORS, ("50 %", "1 %"), strict=True):
        seen = [prior * q[y] / (prior * q[y] + (1 - prior) * p[y]) for p, q in pairs for y in p if p[y] or q[y]]
        assert shown[f"posterior at most, whatever is seen, prior {percent}"] == max(seen)
        best = most_detected(pairs, RATES[0])
        after = prior * best / (prior * best + (1 - prior) * RATES[0])
        assert shown[f"posterior after such an alarm at 1 %, prior {percent}"] == after


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_certain_disclosure_is_what_one_world_alone_can_release(seed: int) -> None:
    core = random_core(seed, 2, 4, 1)
    alone = max(sum((q[y] for y in p if not p[y]), Fraction(0)) for p, q in laws(core))
    assert value(disclosure(document(core, horizon=1)).rows[0][1]) == alone


@pytest.mark.parametrize("seed", chosen(range(20)))
def test_bounds_hold_the_truth(seed: int) -> None:
    core = random_core(seed, 2, 3, 3)
    exact = document(core, horizon=3)
    short = document(core, horizon=3, budget=Budget(max_positions=random.Random(seed).randint(1, 6)))
    for side in ("adaptive", "fixed_stream"):
        for rate in RATES:
            truth, found = (CurveBracket.of(made[side]).detected(rate) for made in (exact, short))
            assert found.low <= truth.low == truth.high <= found.high


def test_a_curve_too_long_to_be_listed_bounds_from_above_alone(two_round: dict[str, Any]) -> None:
    thinned = two_round["adaptive"] | {"complete": False}
    found = CurveBracket.of(thinned).detected(Fraction(1, 10))
    assert found.low == Fraction(1, 10)
    assert found.high == CurveBracket.of(two_round["adaptive"]).detected(Fraction(1, 10)).high


def test_the_ends_of_the_scale() -> None:
    open_rows, silent_rows = (risk(document(made, horizon=1)).rows for made in (Open(), Silent()))
    assert [row[1].text for row in open_rows] == ["1", "1", "1", "100/101", "100/199", "1", "1"]
    assert [row[1].text for row in silent_rows] == ["0", "1/100", "1/1000", "1/2", "1/100", "1/2", "1/100"]
    assert posterior(Fraction(1, 2), None) == 1
