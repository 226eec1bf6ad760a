"""The testing region of a two-world game as a linear program in sequence form, with exact certificates.

A randomised adversary is a realisation plan: a weight r(h, m) >= 0 for every visible history h and move m.  At the
root the weights sum to 1, at a later history to the weight of the move that led to it.  A randomised test accepts a
leaf with weight 0 <= a(leaf) <= r(the leaf's last move).  With P_b(leaf) the probability of the leaf's outputs in
world b when its moves are submitted,

    alpha = sum P0(leaf) a(leaf),    power = sum P1(leaf) a(leaf),

and the power function at alpha is the largest power at that alpha.  Floats only guess: `exact_plan` and `exact_dual`
turn the guess into rational solutions of the primal and of the dual, and `plan_power` and `dual_bound` check these
constraint by constraint before they say what they prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from oracles.hidden import NEVER, Hops, Mass, Moves, State, StepLaw, Symbol, cached_step_law, legal_next, split_both
from oracles.paired import ONE, ZERO, Legal
from scipy.optimize import linprog
from scipy.sparse import csr_array

Kernel: TypeAlias = Callable[[State, Symbol], StepLaw]
Row: TypeAlias = dict[int, Fraction]  # coefficients by column

NEAR = 1e-7  # a share of a decision closer than this to 0 or 1 is read as 0 or 1


# ---------------------------------------------------------------- the game as a tree of visible histories


@dataclass(frozen=True)
class Leaf:
    """A complete history, and the probability of its outputs in either world when its moves are submitted."""

    mass0: Fraction
    mass1: Fraction


@dataclass(frozen=True)
class Turn:
    """A history at which the adversary moves: for every legal move, the histories that can follow.

    The masses are those of its outputs so far, as at a leaf.
    """

    mass0: Fraction
    mass1: Fraction
    options: tuple[tuple[Node, ...], ...]


Node: TypeAlias = Leaf | Turn


def started(mechanism: Any) -> tuple[State, Kernel]:
    """The state before round 1, and the joint law of (visible output, next state) by state and input."""
    if hasattr(mechanism, "step"):
        return mechanism.initial, cached_step_law(mechanism)
    if not hasattr(mechanism, "advance"):
        return (), lambda prefix, x: _core_law(mechanism.law((*prefix, x)), (*prefix, x))
    return mechanism.initial, lambda state, x: _core_law(
        mechanism.law(mechanism.advance(state, x)), mechanism.advance(state, x)
    )


def _core_law(law: Any, after: State) -> StepLaw:
    return {(y, after): mass for y, mass in law.items()}


def game_tree(mechanism: Any, horizon: int, legal: Legal | Hops, halt: object = NEVER) -> Turn:
    """Every visible history of the game, each with its own masses: nothing is merged, normalised or pruned."""
    initial, law = started(mechanism)

    def turn(history: Moves, mass0: Mass, mass1: Mass) -> Turn:
        moves = legal_next(mechanism.alphabet, legal, history)
        return Turn(_total(mass0), _total(mass1), tuple(after((*history, m), mass0, mass1) for m in moves))

    def after(history: Moves, mass0: Mass, mass1: Mass) -> tuple[Node, ...]:
        return tuple(
            Leaf(_total(next0), _total(next1))
            if visible is halt or len(history) == horizon
            else turn(history, next0, next1)
            for visible, next0, next1 in split_both(law, mass0, mass1, history[-1])
        )

    return turn((), {initial: ONE}, {initial: ONE})


def _total(masses: Mass) -> Fraction:
    return sum(masses.values(), ZERO)


# ---------------------------------------------------------------- the program


@dataclass(frozen=True)
class Decision:
    """The columns r(h, .) of a turn, and the column of the move that led to it (None at the root)."""

    moves: tuple[int, ...]
    after: int | None


@dataclass(frozen=True)
class Test:
    """The column a(leaf), the column of the leaf's last move, and the leaf."""

    __test__ = False  # no class of tests

    column: int
    after: int
    leaf: Leaf


@dataclass
class Program:
    """max mass1 . x over x >= 0 with flow x = (1, 0, .., 0), accept x <= 0 and mass0 . x = alpha.

    Decisions come before those that they lead to, the root's first.
    """

    decisions: list[Decision] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    columns: int = 0

    def flow(self) -> list[Row]:
        """One row a decision: its weights sum to the weight that reaches it."""
        return [dict.fromkeys(d.moves, ONE) | ({} if d.after is None else {d.after: -ONE}) for d in self.decisions]

    def accept(self) -> list[Row]:
        """One row a leaf: it is accepted with no more than the weight that reaches it."""
        return [{test.column: ONE, test.after: -ONE} for test in self.tests]

    def masses(self) -> tuple[Row, Row]:
        """The rows of alpha and of power."""
        return {t.column: t.leaf.mass0 for t in self.tests}, {t.column: t.leaf.mass1 for t in self.tests}


def program_of(tree: Turn) -> Program:
    """The program of a game."""
    program = Program()

    def enter(turn: Turn, after: int | None) -> None:
        first = program.columns
        program.columns += len(turn.options)
        program.decisions.append(Decision(tuple(range(first, program.columns)), after))
        for move, nodes in enumerate(turn.options, first):
            for node in nodes:
                if isinstance(node, Turn):
                    enter(node, move)
                else:
                    program.tests.append(Test(program.columns, move, node))
                    program.columns += 1

    enter(tree, None)
    return program


@dataclass(frozen=True)
class Optimum:
    """What the float solver found: a value, a solution, and the multiplier of alpha."""

    value: float
    solution: Sequence[float]
    slope: float


class Solver:
    """HiGHS' dual simplex on one program, for one alpha after the other; its solutions are basic."""

    def __init__(self, program: Program) -> None:
        mass0, mass1 = program.masses()
        self._gain = -np.array([float(mass1.get(column, ZERO)) for column in range(program.columns)])
        self._equal = _sparse([*program.flow(), mass0], program.columns)
        self._below = _sparse(program.accept(), program.columns)

    def at(self, alpha: Fraction) -> Optimum:
        """The largest power at alpha."""
        right = np.zeros(self._equal.shape[0])
        right[0], right[-1] = 1, float(alpha)
        found = linprog(
            self._gain,
            A_ub=self._below,
            b_ub=np.zeros(self._below.shape[0]),
            A_eq=self._equal,
            b_eq=right,
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status != 0:
            raise ValueError(f"the linear program at alpha={alpha} has no solution: {found.message}")
        return Optimum(-float(found.fun), found.x.tolist(), -float(found.eqlin.marginals[-1]))


def _sparse(rows: list[Row], columns: int) -> Any:
    entries = [(number, column, float(value)) for number, row in enumerate(rows) for column, value in row.items()]
    at, column, values = zip(*entries, strict=True)
    return csr_array((values, (at, column)), shape=(len(rows), columns))


# ---------------------------------------------------------------- the primal, exactly


@dataclass(frozen=True)
class Plan:
    """A rational solution, and whether it mixes two moves somewhere (rather than cut a leaf, or be pure)."""

    weights: list[Fraction]
    mixes_moves: bool


def exact_plan(program: Program, solution: Sequence[float], alpha: Fraction) -> Plan:
    """The basic solution near a float one: pure but for at most one decision or leaf, whose share alpha determines.

    Raises ValueError where the float solution is not basic, or where no share gives that alpha.
    """
    moves = {decision: _played(decision, solution) for decision in program.decisions}
    answers = {test: _answered(test, solution) for test in program.tests}
    spare = [len(m) - 1 for m in moves.values()] + [len(a) - 1 for a in answers.values()]
    if sum(spare) > 1:
        raise ValueError(f"expected a basic solution but it has {sum(spare)} shares to choose")
    one, two = ({d: m[k % len(m)] for d, m in moves.items()} for k in (0, 1))
    accepted, widened = ({t: a[k % len(a)] for t, a in answers.items()} for k in (0, 1))
    first, second = _pure(program, one, accepted), _pure(program, two, widened)
    mass0, _ = program.masses()
    before, after = _dot(mass0, first), _dot(mass0, second)
    share = (alpha - before) / (after - before) if before != after else ZERO
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share in [0, 1] but alpha={alpha} needs share={share}")
    weights = [(1 - share) * a + share * b for a, b in zip(first, second, strict=True)]
    return Plan(weights, any(len(options) > 1 for options in moves.values()))


def _played(decision: Decision, solution: Sequence[float]) -> list[int]:
    """The moves with a positive share; any one where the decision is not reached."""
    reach = 1.0 if decision.after is None else solution[decision.after]
    taken = [move for move in decision.moves if solution[move] > NEAR * max(reach, NEAR)]
    return taken or [decision.moves[0]]


def _answered(test: Test, solution: Sequence[float]) -> list[bool]:
    """Whether a leaf is accepted; both answers where it is cut."""
    reach, accepted = solution[test.after], solution[test.column]
    slack = NEAR * max(reach, NEAR)
    return [answer for answer, share in ((False, reach - accepted), (True, accepted)) if share > slack] or [False]


def _pure(program: Program, moves: Mapping[Decision, int], accepted: Mapping[Test, bool]) -> list[Fraction]:
    """The plan of a deterministic adversary and a deterministic test."""
    weights = [ZERO] * program.columns
    for decision in program.decisions:
        if decision.after is None or weights[decision.after]:
            weights[moves[decision]] = ONE
    for test in program.tests:
        if accepted[test]:
            weights[test.column] = weights[test.after]
    return weights


def plan_power(program: Program, alpha: Fraction, weights: Sequence[Fraction]) -> Fraction:
    """The power that a plan attains at alpha, a lower bound on the power function; raises unless it is feasible."""
    mass0, mass1 = program.masses()
    flows = [_dot(row, weights) for row in program.flow()]
    if min(weights) < 0 or flows != [ONE, *[ZERO] * (len(flows) - 1)] or _dot(mass0, weights) != alpha:
        raise ValueError("not a realisation plan of this alpha")
    if any(_dot(row, weights) > 0 for row in program.accept()):
        raise ValueError("a leaf is accepted with more weight than reaches it")
    return _dot(mass1, weights)


def _dot(row: Row, weights: Sequence[Fraction]) -> Fraction:
    return sum((value * weights[column] for column, value in row.items() if weights[column]), ZERO)


# ---------------------------------------------------------------- the dual, exactly


@dataclass(frozen=True)
class Dual:
    """Multipliers of the rows: of alpha, of the flow (free) and of acceptance (at least 0)."""

    slope: Fraction
    flow: list[Fraction]
    accept: list[Fraction]


def exact_dual(program: Program, slope: Fraction) -> Dual:
    """The least multipliers at a slope: what is left to gain, power - slope * alpha, at every history, backwards."""
    accept = [max(ZERO, test.leaf.mass1 - slope * test.leaf.mass0) for test in program.tests]
    behind = [ZERO] * program.columns
    for test, gain in zip(program.tests, accept, strict=True):
        behind[test.after] += gain
    flow = [ZERO] * len(program.decisions)
    for number, decision in reversed(list(enumerate(program.decisions))):
        flow[number] = max(behind[move] for move in decision.moves)
        if decision.after is not None:
            behind[decision.after] += flow[number]
    return Dual(slope, flow, accept)


def dual_bound(program: Program, alpha: Fraction, dual: Dual) -> Fraction:
    """The upper bound on the power function at alpha that multipliers prove; raises unless they are feasible."""
    mass0, mass1 = program.masses()
    reduced = [mass1.get(column, ZERO) - dual.slope * mass0.get(column, ZERO) for column in range(program.columns)]
    for column, cost in _weighted([*program.flow(), *program.accept()], [*dual.flow, *dual.accept]):
        reduced[column] -= cost
    if max(reduced) > 0 or min(dual.accept) < 0:
        raise ValueError("not a solution of the dual")
    return dual.flow[0] + dual.slope * alpha


def _weighted(rows: list[Row], multipliers: list[Fraction]) -> Iterator[tuple[int, Fraction]]:
    for row, multiplier in zip(rows, multipliers, strict=True):
        if multiplier:
            for column, value in row.items():
                yield column, value * multiplier
