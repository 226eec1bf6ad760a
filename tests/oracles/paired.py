"""Brute-force values of the two-world paired game, written to be obviously right rather than fast.

A mechanism answers round t with a fresh random output whose law depends on the inputs x_1..x_t.
In round t the adversary, having seen y_1..y_{t-1}, submits a pair of inputs; world b receives
component b.  Order "0-1" scores a transcript max(0, P0 - A*P1); order "1-0" swaps the worlds.
Stopping early is not modelled: a shorter view is a function of a longer one, so it never scores more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from math import prod
from numbers import Rational
from typing import Any, Literal, NamedTuple, TypeAlias

Symbol: TypeAlias = Any  # any hashable input
Outcome: TypeAlias = Any  # any hashable output
Pair: TypeAlias = tuple[Symbol, Symbol]
Pairs: TypeAlias = tuple[Pair, ...]
Transcript: TypeAlias = tuple[Outcome, ...]
Adversary: TypeAlias = dict[Transcript, Pair]
Law: TypeAlias = dict[Transcript, Fraction]
Legal: TypeAlias = Callable[[Pairs], bool]
Order: TypeAlias = Literal["0-1", "1-0"]
Vertices: TypeAlias = Sequence[tuple[Fraction, Fraction]]

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Table:
    """Input alphabet, and the exact law of the round-t output given the inputs x_1..x_t."""

    alphabet: tuple[Symbol, ...]
    law: Callable[[tuple[Symbol, ...]], Mapping[Outcome, Fraction]]


def hamming(pairs: Pairs) -> bool:
    """Whether at most one round has two different inputs."""
    return len([pair for pair in pairs if pair[0] != pair[1]]) <= 1


def hamming_at(changed_round: int) -> Legal:
    """Predicate: the inputs differ in round `changed_round` (counted from 1) and in no other round."""
    if changed_round < 1:
        raise ValueError("rounds are counted from 1")
    return lambda pairs: all((x0 != x1) == (t == changed_round) for t, (x0, x1) in enumerate(pairs, 1))


def check_query(horizon: int, exp_epsilon: Fraction, order: Order) -> None:
    """Nothing; raises when the horizon, the weight A or the order is not meaningful."""
    if not isinstance(exp_epsilon, Rational):
        raise TypeError("exp_epsilon must be an exact rational")
    if exp_epsilon <= 0 or horizon < 0 or order not in ("0-1", "1-0"):
        raise ValueError("need exp_epsilon > 0, horizon >= 0 and order '0-1' or '1-0'")


def round_law(table: Table, pairs: Pairs, world: int) -> Mapping[Outcome, Fraction]:
    """Law, in one world, of the output of the round whose pair is the last of `pairs`."""
    law = table.law(tuple(pair[world] for pair in pairs))
    if not all(isinstance(mass, Rational) for mass in law.values()):
        raise TypeError("probabilities must be exact rationals")
    if min(law.values(), default=ZERO) < 0 or sum(law.values()) != 1:
        raise ValueError("a law must be nonnegative and sum to 1")
    return law


def outcomes(table: Table, pairs: Pairs) -> list[Outcome]:
    """Outputs listed by at least one world's law for the last round of `pairs`."""
    return list(dict.fromkeys([*round_law(table, pairs, 0), *round_law(table, pairs, 1)]))


def transcript_mass(table: Table, pairs: Pairs, world: int, transcript: Transcript) -> Fraction:
    """Probability of `transcript` in one world when the submitted pairs are `pairs`."""
    laws = (round_law(table, pairs[:t], world) for t in range(1, len(pairs) + 1))
    return prod((law.get(y, ZERO) for law, y in zip(laws, transcript, strict=True)), start=ONE)


def legal_moves(table: Table, legal: Legal, history: Pairs) -> list[Pair]:
    """All pairs that may legally follow `history`; raises when there is none."""
    moves = [pair for pair in product(table.alphabet, repeat=2) if legal((*history, pair))]
    if not moves:
        raise ValueError("a legal history has no legal continuation")
    return moves


def score(mass0: Fraction, mass1: Fraction, exp_epsilon: Fraction, order: Order) -> Fraction:
    """Contribution of one transcript (or atom) with these two masses to the hockey stick."""
    ahead, behind = (mass0, mass1) if order == "0-1" else (mass1, mass0)
    return max(ZERO, ahead - exp_epsilon * behind)


def score_of_laws(laws: tuple[Law, Law], exp_epsilon: Fraction, order: Order) -> Fraction:
    """Hockey stick between two transcript laws listed over the same transcripts."""
    law0, law1 = laws
    return sum((score(law0[view], law1[view], exp_epsilon, order) for view in law0), ZERO)


def played(adversary: Adversary, transcript: Transcript, rounds: int) -> Pairs:
    """Pairs submitted by the adversary in the first `rounds` rounds along `transcript`."""
    return tuple(adversary[transcript[:t]] for t in range(rounds))


def transcript_laws(table: Table, horizon: int, adversary: Adversary) -> tuple[Law, Law]:
    """Both worlds' transcript laws against one adversary, over transcripts possible in some world."""
    laws: tuple[Law, Law] = ({(): ONE}, {(): ONE})
    for t in range(1, horizon + 1):
        longer: tuple[Law, Law] = ({}, {})
        for seen in laws[0]:
            pairs = played(adversary, seen, t)
            for view in ((*seen, y) for y in outcomes(table, pairs)):
                mass0, mass1 = (transcript_mass(table, pairs, world, view) for world in (0, 1))
                if mass0 > 0 or mass1 > 0:
                    longer[0][view], longer[1][view] = mass0, mass1
        laws = longer
    return laws


def adversaries(table: Table, horizon: int, legal: Legal) -> Iterator[Adversary]:
    """Every deterministic adaptive adversary, as the pair it submits after each reachable transcript."""
    if horizon == 0:
        yield {}
        return
    for partial in adversaries(table, horizon - 1, legal):
        reachable = list(transcript_laws(table, horizon - 1, partial)[0])
        menus = [legal_moves(table, legal, played(partial, seen, horizon - 1)) for seen in reachable]
        for choices in product(*menus):
            yield partial | dict(zip(reachable, choices, strict=True))


def deterministic_adversaries(table: Table, horizon: int, legal: Legal) -> Iterator[tuple[Law, Law]]:
    """The two worlds' transcript laws, for every deterministic adaptive adversary in turn."""
    if horizon < 0:
        raise ValueError("need horizon >= 0")
    for adversary in adversaries(table, horizon, legal):
        yield transcript_laws(table, horizon, adversary)


def literal_hockey_stick(table: Table, horizon: int, legal: Legal, exp_epsilon: Fraction, order: Order) -> Fraction:
    """Adaptive hockey stick, as a maximum over the list of all deterministic adversaries."""
    check_query(horizon, exp_epsilon, order)
    every = deterministic_adversaries(table, horizon, legal)
    return max(score_of_laws(laws, exp_epsilon, order) for laws in every)


def transcript_tree_hockey_stick(
    table: Table, horizon: int, legal: Legal, exp_epsilon: Fraction, order: Order
) -> Fraction:
    """Adaptive hockey stick, choosing the best legal pair separately at every transcript."""
    check_query(horizon, exp_epsilon, order)

    def best(node: Node) -> Fraction:
        if not node.following:
            return score(node.mass0, node.mass1, exp_epsilon, order)
        return max(sum(map(best, after), ZERO) for after in node.following)

    return best(tree(table, horizon, legal))


class Node(NamedTuple):
    """The probability of a transcript in either world, and what may follow each legal pair, if it goes on."""

    mass0: Fraction
    mass1: Fraction
    following: tuple[tuple[Node, ...], ...] = ()


@lru_cache(maxsize=16)
def tree(table: Table, horizon: int, legal: Legal) -> Node:
    """Every transcript after every legal history, from the empty one: one tree for all weights and orders."""

    def node(pairs: Pairs, mass0: Fraction, mass1: Fraction) -> Node:
        if len(pairs) == horizon:
            return Node(mass0, mass1)
        moves = legal_moves(table, legal, pairs)
        return Node(mass0, mass1, tuple(after((*pairs, move), mass0, mass1) for move in moves))

    def after(pairs: Pairs, mass0: Fraction, mass1: Fraction) -> tuple[Node, ...]:
        law0, law1 = round_law(table, pairs, 0), round_law(table, pairs, 1)
        masses = ((mass0 * law0.get(y, ZERO), mass1 * law1.get(y, ZERO)) for y in outcomes(table, pairs))
        return tuple(node(pairs, *both) for both in masses if max(both) > 0)

    return node((), ONE, ONE)


def fixed_stream_pairs(table: Table, horizon: int, legal: Legal) -> list[Pairs]:
    """All sequences of `horizon` pairs, chosen in advance, whose every prefix is legal."""
    streams = product(product(table.alphabet, repeat=2), repeat=horizon)
    return [pairs for pairs in streams if all(legal(pairs[:t]) for t in range(1, horizon + 1))]


def fixed_stream_hockey_stick(
    table: Table, horizon: int, legal: Legal, exp_epsilon: Fraction, order: Order
) -> Fraction:
    """Non-adaptive hockey stick, as a maximum over all legal pairs of fixed streams."""
    check_query(horizon, exp_epsilon, order)
    listed = fixed_stream_masses(table, horizon, legal)
    if not listed:
        raise ValueError("there is no legal pair of streams")
    return max(sum((score(*both, exp_epsilon, order) for both in masses), ZERO) for masses in listed)


@lru_cache(maxsize=16)
def fixed_stream_masses(table: Table, horizon: int, legal: Legal) -> list[list[tuple[Fraction, Fraction]]]:
    """For every legal pair of fixed streams, the probability of every transcript in either world."""

    def masses(pairs: Pairs) -> list[tuple[Fraction, Fraction]]:
        views = product(*(outcomes(table, pairs[:t]) for t in range(1, horizon + 1)))
        return [(transcript_mass(table, pairs, 0, view), transcript_mass(table, pairs, 1, view)) for view in views]

    return [masses(pairs) for pairs in fixed_stream_pairs(table, horizon, legal)]


def segments(vertices: Vertices) -> list[tuple[Fraction, Fraction]]:
    """Nonzero steps (dx, dy) of a concave nondecreasing chain from (0,0) to (1,1); raises otherwise."""
    if len(vertices) < 2 or vertices[0] != (ZERO, ZERO) or vertices[-1] != (ONE, ONE):
        raise ValueError("the chain must run from (0,0) to (1,1)")
    steps = [(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairwise(vertices) if (x0, y0) != (x1, y1)]
    if any(dx < 0 or dy < 0 for dx, dy in steps):
        raise ValueError("the chain must be nondecreasing")
    if any(dx0 * dy1 > dy0 * dx1 for (dx0, dy0), (dx1, dy1) in pairwise(steps)):
        raise ValueError("the chain must be concave")
    return steps


def curve_points(vertices: Vertices) -> list[Fraction]:
    """Weights A at which agreement of the "1-0" hockey sticks forces a curve to be this chain.

    Let f be the chain and g any power curve: concave, nondecreasing, closed, with g(1) = 1.  Write
    h(A) = max over x of (curve(x) - A*x) for A >= 0; it is convex, nonincreasing, and h(0) = 1 for
    both curves.  h_f is affine between consecutive positive finite slopes s_1 < ... < s_n of f.
    Suppose h_g = h_f at the returned points; then h_g = h_f on every piece:
    - [s_i, s_{i+1}]: a convex function meeting a line at both ends and at an interior point (the
      midpoint) is that line in between.
    - [0, s_1]: the same with the known value h(0) = 1 at the left end and the point below s_1.
    - [s_n, oo): h_f is constant.  h_g is nonincreasing with equal values at s_n and at the point
      above it, so it is flat there; later its slope is >= 0 by convexity and <= 0, so it stays flat.
    If there is no such slope, f is 1 throughout, h_f = 1, and one point suffices: equal values at 0
    and there make h_g flat, as in the last case.  Finally, h determines a closed concave nondecreasing
    curve, as curve(x) = inf over A > 0 of (h(A) + A*x).  Hence g = f.
    """
    slopes = sorted({dy / dx for dx, dy in segments(vertices) if dx > 0 and dy > 0})
    if not slopes:
        return [ONE]
    middles = [(low + high) / 2 for low, high in pairwise(slopes)]
    return sorted([slopes[0] / 2, *slopes, *middles, slopes[-1] + 1])


def hockey_stick_of_vertices(vertices: Vertices, exp_epsilon: Fraction, order: Order) -> Fraction:
    """Hockey stick read off a power curve's vertices (x = world-0 mass, y = world-1 mass).

    "1-0": y - A*x is linear on each segment, so the largest value over the chain is at a vertex.
    "0-1": the complement of a test with masses (x, y) scores (1-x) - A*(1-y), which is the sum of
    dx - A*dy over the segments right of (x, y).  By concavity dx/dy grows to the right, so the best
    cut keeps exactly the positive terms: the sum over segments of max(0, dx - A*dy).
    """
    check_query(0, exp_epsilon, order)
    steps = segments(vertices)
    if order == "1-0":
        return max(y - exp_epsilon * x for x, y in vertices)
    return sum((score(dx, dy, exp_epsilon, order) for dx, dy in steps), ZERO)
