"""The whole power function against a linear program over all randomised adversaries and tests, then exactly.

At every vertex and half-way between vertices: the float optimum, a rational plan that attains the value, and rational
multipliers which prove that nothing attains more.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from instances.random_core import noisy_core
from instances.seeds import chosen
from oracles.linear_program import (
    Program,
    Solver,
    dual_bound,
    exact_dual,
    exact_plan,
    game_tree,
    plan_power,
    program_of,
)
from oracles.paired import Table, deterministic_adversaries, hamming

from dpcert import HALT, HAMMING, Pmf, PowerFunction
from dpcert.audit.algebra import chain as chains
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round import TwoRound

CLOSE = 1e-9


def curve(mechanism: Any, horizon: int) -> PowerFunction:
    """The solver's answer."""
    return solve(explore(game_of(view_of(mechanism), HAMMING, horizon))).power


def program(mechanism: Any, horizon: int) -> Program:
    """The same game, put as a linear program."""
    return program_of(game_tree(mechanism, horizon, hamming, halt=HALT))


def alphas(power: PowerFunction) -> list[Fraction]:
    """The vertices and the middles between them, rising."""
    corners = sorted({x for x, _ in power.vertices})
    return sorted([*corners, *((a + b) / 2 for a, b in pairwise(corners))])


def slope_after(power: PowerFunction, alpha: Fraction) -> Fraction:
    """The slope of the curve to the right of alpha, at 1 to the left."""
    reached = Fraction(0)
    for a, b in power.segments:
        reached += a
        if reached > alpha or reached == 1:
            return b / a
    raise AssertionError("a curve that ends before 1")


def check(mechanism: Any, horizon: int) -> Counter[str]:
    """Agreement at all alphas; counts the vertices, the middles, and the plans that mix moves."""
    power, lp = curve(mechanism, horizon), program(mechanism, horizon)
    solver, corners, met = Solver(lp), {x for x, _ in power.vertices}, Counter[str]()
    for alpha in alphas(power):
        claimed, slope, found = power(alpha), slope_after(power, alpha), solver.at(alpha)
        assert abs(found.value - float(claimed)) < CLOSE
        assert alpha in corners or abs(found.slope - float(slope)) < CLOSE * (1 + float(slope))
        plan = exact_plan(lp, found.solution, alpha)
        assert plan_power(lp, alpha, plan.weights) == claimed
        assert dual_bound(lp, alpha, exact_dual(lp, slope)) == claimed
        met["vertices" if alpha in corners else "middles"] += 1
        met["mixed moves"] += plan.mixes_moves
    return met


# (outputs, horizon, number of games), binary inputs; 50 in all
CORES = [(2, 1, 6), (3, 1, 8), (2, 2, 14), (3, 2, 10), (2, 3, 10), (3, 3, 2)]
# (states, visible outputs, horizon, number of games), every other one with HALT; 38 in all
HIDDEN = [(2, 2, 1, 6), (2, 2, 2, 12), (3, 2, 2, 6), (2, 3, 2, 6), (2, 2, 3, 8)]


@pytest.mark.in_turns
@pytest.mark.parametrize(("outputs", "horizon", "count"), CORES)
def test_the_curves_of_cores_are_the_optima(outputs: int, horizon: int, count: int) -> None:
    for seed in chosen(range(count)):
        check(noisy_core(seed, 2, outputs, horizon), horizon)


@pytest.mark.in_turns
@pytest.mark.parametrize(("states", "visibles", "horizon", "count"), HIDDEN)
def test_the_curves_of_hidden_states_are_the_optima(states: int, visibles: int, horizon: int, count: int) -> None:
    for seed in chosen(range(count)):
        mechanism, _ = random_interactive(5000 + seed, 2, states, visibles, allow_halt=seed % 2 == 0)
        check(mechanism, horizon)


def test_some_points_need_an_adversary_who_mixes_moves() -> None:
    """Half-way along a bridge of the hull no deterministic adversary is good enough, whatever the test."""
    core = TwoRound()
    table = Table(core.alphabet, lambda prefix: dict(core.law(prefix).items()))
    pure = [PowerFunction.from_laws(*map(Pmf, laws)) for laws in deterministic_adversaries(table, 2, hamming)]
    power, lp = curve(core, 2), program(core, 2)
    solver = Solver(lp)
    beyond = [alpha for alpha in alphas(power) if all(f(alpha) < power(alpha) for f in pure)]
    assert beyond
    for alpha in beyond:
        plan = exact_plan(lp, solver.at(alpha).solution, alpha)
        assert plan.mixes_moves
        assert plan_power(lp, alpha, plan.weights) == power(alpha)


# ---------------------------------------------------------------- these tests can fail


def test_a_curve_without_bridges_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: the first option at every position instead of the hull of all."""
    monkeypatch.setattr("dpcert.audit.algebra.envelope.chains.hull", lambda options: (options[0], chains.HullChoice(0)))
    with pytest.raises(AssertionError):
        check(TwoRound(), 2)


def test_certificates_refuse_what_is_not_feasible() -> None:
    lp, power = program(TwoRound(), 2), curve(TwoRound(), 2)
    alpha, tiny = Fraction(1, 3), Fraction(1, 10**30)
    weights = exact_plan(lp, Solver(lp).at(alpha).solution, alpha).weights
    assert plan_power(lp, alpha, weights) == power(alpha)
    for column in range(lp.columns):
        for change in (tiny, -tiny):
            changed = [w + change * (c == column) for c, w in enumerate(weights)]
            with pytest.raises(ValueError, match=r"not a realisation plan|more weight than reaches it"):
                plan_power(lp, alpha, changed)
    dual = exact_dual(lp, slope_after(power, alpha))
    assert dual_bound(lp, alpha, dual) == power(alpha)
    for number in range(len(dual.accept)):
        lowered = [gain - tiny * (k == number) for k, gain in enumerate(dual.accept)]
        with pytest.raises(ValueError, match="not a solution of the dual"):
            dual_bound(lp, alpha, replace(dual, accept=lowered))
    with pytest.raises(ValueError, match="not a solution of the dual"):
        dual_bound(lp, alpha, replace(dual, flow=[dual.flow[0] - tiny, *dual.flow[1:]]))


@pytest.mark.parametrize("factor", [Fraction(99, 100), Fraction(101, 100)])
def test_another_slope_proves_less(factor: Fraction) -> None:
    lp, power = program(TwoRound(), 2), curve(TwoRound(), 2)
    for alpha in alphas(power)[1::2]:
        assert dual_bound(lp, alpha, exact_dual(lp, factor * slope_after(power, alpha))) > power(alpha)
