"""Exact value of the "two-round-repeated" privacy game, computed by the Storm model checker.

A benchmark peer: it runs alone in an environment of its own (``pip install stormpy==1.14.0``; standard
library and stormpy only) and prints one JSON line.

The game.  Round 1 has the challenge bit ``b`` as its input and outputs 1 with probability 68/100 (b=0) or
65/100 (b=1).  In a later round with input ``q`` the output is 1 with probability ``p[b][q]``, where
``p[0] = [28/100, 20/100]`` and ``p[1] = [19/100, 28/100]``.  World 0 has b=0, world 1 has b=1; the later
inputs are common to both worlds and chosen adaptively from the earlier outputs.  The value after T rounds is
the maximum, over adversaries, of the sum over transcripts of ``max(0, P0(transcript) - A * P1(transcript))``.

The encoding.  The probabilities of a transcript depend only on the first output y and on the counts
(a, b, c, d) of (q, output) = (0, 1), (0, 0), (1, 1), (1, 0), so the game is an acyclic MDP over (y, counts)
with a payoff on leaving it, and the value is a maximal expected reward.  It is checked in Storm's exact
(rational number) engine.  The ways of building that MDP (``--method``), fastest first:

``split``
    a sparse matrix made here, one MDP for each first output, and without the states whose payoff no longer
    depends on the adversary (see ``Tables.decided``).  Fair coins drive the MDP and the reward carries the
    transcript probabilities, scaled to integers, so that Storm's rationals keep small denominators.
``merged``
    the same as one MDP.
``counts``
    the same as one MDP with every count state kept.
``prism-decided``
    a PRISM program built by Storm's explicit exact builder, with world-1 transitions and the likelihood
    ratio as payoff, which stops at decided states.
``prism``
    that program without stopping early: the plain count encoding.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import stormpy

# Percentages of (q, output) = (0, 1), (0, 0), (1, 1), (1, 0) in each world; of the first output 0, 1.
WEIGHTS = ((28, 72, 20, 80), (19, 81, 28, 72))
FIRST = ((32, 68), (35, 65))
# The indices above with the largest (28/19) and the smallest (20/28) likelihood ratio of world 0 to world 1.
UP, DOWN = 0, 2
# For each q, the indices with the lower and the higher likelihood ratio.
SIDES = ((1, 0), (2, 3))

PROPERTY = 'R{"gain"}max=? [F "done"]'
# Storm's topological solver handles an acyclic MDP in one backward pass; the model checker refuses its
# "acyclic" solver here, and value iteration does not promise exact results.
SOLVERS = ("topological", "policy_iteration", "rational_search")

Rational = Any  # stormpy.Rational: a GMP rational
Run = tuple[int, int, int]  # of kept states: the least and the largest c, and the index of the first one
Layer = dict[tuple[int, int, int], Run]  # by (y, a, b), for one total count


class Model(NamedTuple):
    """An exact MDP and the factor which turns its maximal reward into its part of the value."""

    mdp: Any
    factor: Fraction


def powers(base: int, count: int) -> list[int]:
    """Return base**0 .. base**count."""
    result = [1]
    for _ in range(count):
        result.append(result[-1] * base)
    return result


def rational_powers(base: int, count: int) -> list[Rational]:
    """Return base**0 .. base**count as Storm's rationals (which parse long literals slowly)."""
    result, factor = [stormpy.Rational(1)], stormpy.Rational(base)
    for _ in range(count):
        result.append(result[-1] * factor)
    return result


def first_index(count: int, predicate: Callable[[int], bool]) -> int:
    """Return the least index below count from which the monotone predicate holds, or count."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if predicate(middle):
            high = middle
        else:
            low = middle + 1
    return low


class Tables:
    """Integer powers, and which states of a run are decided."""

    def __init__(self, horizon: int, exp_epsilon: Fraction) -> None:
        """Tabulate the powers for up to `horizon` rounds and A = exp_epsilon."""
        self.horizon = horizon
        self.scale = (exp_epsilon.denominator, exp_epsilon.numerator)
        self.powers = [[powers(weight, horizon) for weight in row] for row in WEIGHTS]
        self.pairs = [
            [[row[2][c] * row[3][m - c] for c in range(m + 1)] for m in range(horizon)] for row in self.powers
        ]

    def decided(self, y: int, a: int, b: int, m: int, left: int) -> tuple[int, int]:
        """Return the least and the largest undecided c in 0..m (with d = m - c), the ratio falling with c.

        With `left` rounds to go, a state is decided if even the most favourable outputs cannot lift the
        likelihood ratio above A (payoff 0), or the least favourable ones push it below A (payoff P0 - A P1,
        whatever the adversary does).  All c below the least are decided the second way, all above the
        largest the first way.
        """
        (scale0, scale1), (table0, table1) = self.scale, self.powers
        pair0, pair1 = self.pairs[0][m], self.pairs[1][m]
        start0 = scale0 * FIRST[0][y] * table0[0][a] * table0[1][b]
        start1 = scale1 * FIRST[1][y] * table1[0][a] * table1[1][b]
        down0, down1 = start0 * table0[DOWN][left], start1 * table1[DOWN][left]
        low = first_index(m + 1, lambda c: down0 * pair0[c] < down1 * pair1[c])
        up0, up1 = start0 * table0[UP][left], start1 * table1[UP][left]
        high = first_index(m + 1, lambda c: up0 * pair0[c] <= up1 * pair1[c]) - 1
        return low, max(high, low - 1)


def state_layers(tables: Tables, outputs: tuple[int, ...], keep_all: bool) -> tuple[list[Layer], int]:
    """Return the runs of states after 1..T rounds, which follow state 0, and the index after the last."""
    index, layers = 1, []
    for total in range(tables.horizon):
        left, layer = tables.horizon - 1 - total, {}
        for y, a in product(outputs, range(total + 1)):
            for b in range(total - a + 1):
                m = total - a - b
                low, high = (0, m) if keep_all and left else tables.decided(y, a, b, m, left)
                layer[y, a, b] = (low, high, index)
                index += high - low + 1
        layers.append(layer)
    return layers, index


def extend_targets(targets: list[int], run: Run, start: int, count: int, sink: int) -> int:
    """Append the targets of `count` successors c = start, start + 1, ..; return how many are paid off."""
    low, high, base = run
    offset = base - low + start
    if low <= start and start + count - 1 <= high:
        targets += range(offset, offset + count)
        return 0
    above = min(max(low - start, 0), count)
    below = min(max(start + count - 1 - high, 0), count - above)
    targets += [sink] * above
    targets += range(offset + above, offset + count - below)
    targets += [sink] * below
    return above


class Payoffs:
    """Rewards of the actions with decided successors: 100**T * 2**t * (q P0 - p P1) after t rounds, A = p/q.

    Under fair coins the factor 2**t makes the values plain sums over the outputs.
    """

    def __init__(self, tables: Tables) -> None:
        """Tabulate the powers as Storm's rationals."""
        self.horizon = horizon = tables.horizon
        self.zero = stormpy.Rational(0)
        self.hundred, self.two = rational_powers(100, horizon), rational_powers(2, horizon)
        self.powers = [[rational_powers(weight, horizon) for weight in row] for row in WEIGHTS]
        self.pairs = [
            [[row[2][c] * row[3][m - c] for c in range(m + 1)] for m in range(horizon)] for row in self.powers
        ]
        self.first = [[stormpy.Rational(str(s * n)) for n in row] for s, row in zip(tables.scale, FIRST, strict=True)]

    def weights(self, y: int, a: int, b: int, m: int, cs: range) -> list[tuple[Rational, Rational]]:
        """Return (q P0, p P1) * 100**t of the states c in cs."""
        start0, start1 = (self.first[w][y] * self.powers[w][0][a] * self.powers[w][1][b] for w in (0, 1))
        pair0, pair1 = self.pairs[0][m], self.pairs[1][m]
        return [(start0 * pair0[c], start1 * pair1[c]) for c in cs]

    def factors(self, t: int) -> "Factors":
        """Return what the weights of a state after t rounds are multiplied by."""
        rest = self.horizon - 1 - t
        part = self.hundred[rest] * self.two[t]
        highs = [[stormpy.Rational(row[high]) * part for row in WEIGHTS] for _, high in SIDES]
        return Factors(self.hundred[rest + 1] * self.two[t], highs)


class Factors(NamedTuple):
    """Factors of the weights for a pay-off on both outputs, or by [q][world] on the higher ratio only."""

    whole: Rational
    highs: list[list[Rational]]

    def rewards(self, weights: list[tuple[Rational, Rational]], q: int, both: int, some: int) -> list[Rational]:
        """Return the rewards of action q in the first `some` states, `both` of them paid on both outputs."""
        whole, (high0, high1) = self.whole, self.highs[q]
        rewards = [(x0 - x1) * whole for x0, x1 in weights[:both]]
        rewards += [x0 * high0 - x1 * high1 for x0, x1 in weights[both:some]]
        return rewards


class LayerRows(NamedTuple):
    """Targets (lower and higher ratio for q=0, then for q=1) and rewards (by q) of the states of a layer."""

    targets: tuple[list[int], list[int], list[int], list[int]]
    rewards: tuple[list[Rational], list[Rational]]


def layer_rows(layers: list[Layer], total: int, payoffs: Payoffs, sink: int) -> LayerRows:
    """Return the transitions of the states with the given total count, in the order of their indices."""
    rows = LayerRows(([], [], [], []), ([], []))
    after, factors, zeros = layers[total + 1], payoffs.factors(total + 1), [payoffs.zero]
    for (y, a, b), (low, high, _) in layers[total].items():
        count = high - low + 1
        if count <= 0:
            continue
        same = after[y, a, b]
        runs = ((after[y, a, b + 1], low), (after[y, a + 1, b], low), (same, low + 1), (same, low))
        paid = [extend_targets(t, *run, count, sink) for t, run in zip(rows.targets, runs, strict=True)]
        if most := max(paid):
            weights = payoffs.weights(y, a, b, total - a - b, range(low, low + most))
            for q in (0, 1):
                rows.rewards[q].extend(factors.rewards(weights, q, paid[2 * q], paid[2 * q + 1]))
        for q in (0, 1):
            rows.rewards[q].extend(zeros * (count - paid[2 * q + 1]))
    return rows


def interleaved(*columns: Any) -> list[Any]:
    """Return x0, y0, .., x1, y1, .. of equally long sequences."""
    result: list[Any] = [None] * (len(columns) * len(columns[0]))
    for position, column in enumerate(columns):
        result[position :: len(columns)] = column
    return result


class Builder:
    """Storm's exact matrix builder, filled in bulk, with the action rewards."""

    def __init__(self, states: int) -> None:
        """Start the MDP: every state between the first and the last has two actions with two outputs."""
        self.states, choices = states, 2 * states - 2
        self.matrix = stormpy.ExactSparseMatrixBuilder(
            rows=choices,
            columns=states,
            entries=4 * states,
            force_dimensions=False,
            has_custom_row_grouping=True,
            row_groups=states,
        )
        self.rewards: list[Rational] = []

    def add_state(self, targets: list[int], reward: Rational) -> None:
        """Add a state with one action leading to each target with the same probability."""
        row, share = len(self.rewards), stormpy.Rational(1) / stormpy.Rational(len(targets))
        self.matrix.add_next_values([row] * len(targets), targets, [share] * len(targets), [row])
        self.rewards.append(reward)

    def add_layer(self, layer: LayerRows) -> None:
        """Add states with two actions, each tossing a fair coin."""
        start, count = len(self.rewards), len(layer.targets[0])
        rows, half = range(start, start + 2 * count), stormpy.Rational(1) / stormpy.Rational(2)
        if count:
            self.matrix.add_next_values(
                interleaved(rows, rows), interleaved(*layer.targets), [half] * (4 * count), rows[::2]
            )
            self.rewards += interleaved(*layer.rewards)

    def mdp(self) -> Any:
        """Return the MDP which starts in the first state and is done in the last one."""
        labeling = stormpy.StateLabeling(self.states)
        for label, state in (("init", 0), ("done", self.states - 1)):
            labeling.add_label(label)
            labeling.add_label_to_state(label, state)
        gain = stormpy.SparseExactRewardModel(optional_state_action_reward_vector=self.rewards)
        matrix = self.matrix.build()
        return stormpy.SparseExactMdp(stormpy.SparseExactModelComponents(matrix, labeling, {"gain": gain}))


def matrix_model(horizon: int, exp_epsilon: Fraction, outputs: tuple[int, ...], keep_all: bool) -> Model:
    """Build the MDP of the given first outputs as a sparse matrix."""
    tables = Tables(horizon, exp_epsilon)
    payoffs = Payoffs(tables)
    layers, sink = state_layers(tables, outputs, keep_all)
    builder = Builder(sink + 1)
    first: list[int] = []
    paid = [y for y in outputs if extend_targets(first, layers[0][y, 0, 0], 0, 1, sink)]
    gains = [(payoffs.first[0][y] - payoffs.first[1][y]) * payoffs.hundred[horizon - 1] for y in paid]
    share = stormpy.Rational(2) / stormpy.Rational(len(outputs))
    builder.add_state(first, sum(gains, payoffs.zero) * share)
    for total in range(horizon - 1):
        builder.add_layer(layer_rows(layers, total, payoffs, sink))
    builder.add_state([sink], payoffs.zero)
    return Model(builder.mdp(), Fraction(len(outputs), 2 * exp_epsilon.denominator * 100**horizon))


def prism_program(horizon: int, exp_epsilon: Fraction, stop_early: bool) -> str:
    """Return the count encoding in the PRISM language.

    Storm may evaluate guards in floating point, so stopping early leaves a margin; rewards are exact.
    """
    last, a = horizon - 1, f"({exp_epsilon})"
    open_, margin = f"k<{last}", Fraction(1, 10**6)
    if stop_early:
        open_ += f" & L * pow(28/19, {last}-k) > ({1 - margin}) * {a}"
        open_ += f" & L * pow(5/7, {last}-k) < ({1 + margin}) * {a}"
    counts = "\n".join(f"  {name} : [0..{max(last, 1)}];" for name in ("n01", "n00", "n11", "n10"))
    return f"""mdp
formula k = n01 + n00 + n11 + n10;
formula L = (y=1 ? 68/65 : 32/35) * pow(28/19, n01) * pow(8/9, n00) * pow(5/7, n11) * pow(10/9, n10);
formula open = {open_};
module game
  y : [0..3] init 2;
{counts}
  [] y=2 -> 35/100 : (y'=0) + 65/100 : (y'=1);
  [q0] y<2 & open -> 19/100 : (n01'=n01+1) + 81/100 : (n00'=n00+1);
  [q1] y<2 & open -> 28/100 : (n11'=n11+1) + 72/100 : (n10'=n10+1);
  [stop] y<2 & !(open) -> (y'=3) & (n01'=0) & (n00'=0) & (n11'=0) & (n10'=0);
endmodule
rewards "gain"
  [stop] true : max(0, L - {a});
endrewards
label "done" = y=3;
"""


def prism_model(horizon: int, exp_epsilon: Fraction, stop_early: bool) -> Model:
    """Build the MDP with Storm's explicit exact builder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "game.nm")
        path.write_text(prism_program(horizon, exp_epsilon, stop_early), encoding="utf-8")
        program = stormpy.parse_prism_program(str(path))
    formulas = [prop.raw_formula for prop in stormpy.parse_properties(PROPERTY, program)]
    return Model(stormpy.build_sparse_exact_model(program, formulas), Fraction(1))


def models(method: str, horizon: int, exp_epsilon: Fraction) -> Iterator[Model]:
    """Build one after the other the MDPs whose values add up to the value of the game."""
    if method.startswith("prism"):
        yield prism_model(horizon, exp_epsilon, method == "prism-decided")
        return
    for outputs in ((0,), (1,)) if method == "split" else ((0, 1),):
        yield matrix_model(horizon, exp_epsilon, outputs, method == "counts")


def solve(model: Model, solver: str) -> Fraction:
    """Return the exact value of an MDP."""
    environment = stormpy.Environment()
    environment.solver_environment.set_force_exact(True)
    environment.solver_environment.minmax_solver_environment.method = getattr(stormpy.MinMaxMethod, solver)
    formula = stormpy.parse_properties(PROPERTY)[0]
    result = stormpy.model_checking(model.mdp, formula, only_initial_states=True, environment=environment)
    value = result.at(model.mdp.initial_states[0])
    if not isinstance(value, stormpy.Rational):
        raise TypeError(f"the result is not an exact rational: {value!r}")
    return Fraction(str(value)) * model.factor


def run(method: str, horizon: int, exp_epsilon: Fraction, solver: str) -> dict[str, Any]:
    """Build and solve the game; return the measurements."""
    value, states, build_seconds, solve_seconds = Fraction(0), 0, 0.0, 0.0
    start = time.perf_counter()
    for model in models(method, horizon, exp_epsilon):
        built = time.perf_counter()
        build_seconds += built - start
        value += solve(model, solver)
        states += model.mdp.nr_states
        del model
        start = time.perf_counter()
        solve_seconds += start - built
    return {
        "horizon": horizon,
        "exp_epsilon": str(exp_epsilon),
        "value": str(value),
        "states": states,
        "build_seconds": round(build_seconds, 4),
        "solve_seconds": round(solve_seconds, 4),
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "method": method,
        "solver": solver,
        "stormpy": stormpy.__version__,
    }


def main() -> None:
    """Parse the command line and print the measurements."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--horizon", type=int, required=True, help="number of rounds T, at least 1")
    parser.add_argument("--exp-epsilon", type=Fraction, default=Fraction(1), help="A = e^eps as a rational")
    methods = ("split", "merged", "counts", "prism-decided", "prism")
    parser.add_argument("--method", choices=methods, default="split", help="how the model is built")
    parser.add_argument("--solver", choices=SOLVERS, default="topological", help="Storm's exact method")
    options = parser.parse_args()
    if options.horizon < 1 or options.exp_epsilon < 0:
        parser.error("the horizon must be at least 1 and exp-epsilon must not be negative")
    if not hasattr(stormpy, "ExactSparseMatrixBuilder"):
        parser.error(f"stormpy 1.13 or 1.14 is needed, found {stormpy.__version__}")
    stormpy.set_loglevel_error()  # warnings would go to the standard output
    print(json.dumps(run(options.method, options.horizon, options.exp_epsilon, options.solver)))


if __name__ == "__main__":
    main()
