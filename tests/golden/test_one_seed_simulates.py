"""Row 20, fact:exact_sim: one seed whose laws are as close as the adaptive curve answers every adversary."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from golden.exact_curves import ONE, ZERO, adaptive, q, through

from dpcert import Pmf, PowerFunction, bernoulli
from dpcert.mechanisms.two_round import TwoRound

Pair = tuple[int, int]
Answers = tuple[int, ...]
Response = tuple[int, dict[Pair, int]]  # y_1, and y_2 by the second pair

FIRST = [bernoulli(p) for p in TwoRound.first]
SECOND = [[bernoulli(p) for p in row] for row in TwoRound.second]
ORDERED_PAIRS: tuple[Pair, ...] = ((0, 0), (0, 1), (1, 0), (1, 1))
Law = Pmf[Any]  # of Answers


def apart(p: Pmf[int], r: Pmf[int]) -> Pmf[Pair]:
    """A coupling of two bits that are never 1 together."""
    a, b = p.probability(1), r.probability(1)
    return Pmf({(0, 0): 1 - a - b, (1, 0): a, (0, 1): b})


def seed_laws(pair: Pair) -> tuple[Law, Law]:
    """In both worlds, the law of all answers after a first pair: y_1, then y_2 for each second pair that is legal."""
    if pair[0] != pair[1]:  # the challenge is over: (y_1, y_2 at q = 0, y_2 at q = 1)
        parts = [FIRST[b].product(apart(*SECOND[b])).map(lambda y: (y[0], *y[1])) for b in pair]
        return parts[0], parts[1]
    table = SECOND[pair[0]]
    equal = FIRST[pair[0]].product(table[0].product(table[1]))
    crossed = [apart(table[0], table[1]), apart(table[1], table[0])]  # y_2 at (0, 1) and at (1, 0)
    made = [equal.product(part).map(lambda y: (y[0][0], *y[0][1], *y[1])) for part in crossed]
    return made[0], made[1]


def response(pair: Pair, answers: Answers) -> Response:
    second = [(0, 0), (1, 1)] if pair[0] != pair[1] else [(0, 0), (1, 1), (0, 1), (1, 0)]
    return answers[0], dict(zip(second, answers[1:], strict=True))


@dataclass(frozen=True)
class Piece:
    """Mass of both worlds that a channel sends to one outcome; `shares[i]` of input atom i goes there."""

    mass0: Fraction
    mass1: Fraction
    shares: dict[int, Fraction]

    def times(self, share: Fraction) -> "Piece":
        return Piece(self.mass0 * share, self.mass1 * share, {i: s * share for i, s in self.shares.items()})


def merged(pieces: Iterable[Piece]) -> Piece:
    mass0 = mass1 = ZERO
    shares: dict[int, Fraction] = {}
    for piece in pieces:
        mass0, mass1 = mass0 + piece.mass0, mass1 + piece.mass1
        for i, s in piece.shares.items():
            shares[i] = shares.get(i, ZERO) + s
    return Piece(mass0, mass1, shares)


def cut(pieces: list[Piece], x: Fraction) -> tuple[list[Piece], list[Piece]]:
    """The pieces left and right of world-0 mass x; one of them may be split."""
    left: list[Piece] = []
    right: list[Piece] = []
    for piece in pieces:
        share = min(ONE, max(ZERO, x / piece.mass0))
        x -= piece.mass0
        left += [piece.times(share)] if share else []
        right += [piece.times(1 - share)] if share < 1 else []
    return left, right


def channel(strong: PowerFunction, weak: PowerFunction) -> list[Piece]:
    """A channel that turns the atoms of `strong` into those of `weak`, which lies below it (both without zeros).

    Each line through a segment of `weak` cuts a cap off the curve that is left; flattening a cap merges its atoms.
    """
    pieces = [Piece(a, b, {i: ONE}) for i, (a, b) in enumerate(strong.segments)]
    for (x0, y0), (x1, y1) in pairwise(weak.vertices):
        slope = (y1 - y0) / (x1 - x0)
        corners = [(x, y - y0 - slope * (x - x0)) for x, y in PowerFunction.from_segments(as_atoms(pieces)).vertices]
        above = [x for x, d in corners if d >= 0]
        crossings = [x + (u - x) * d / (d - e) for (x, d), (u, e) in pairwise(corners) if d * e < 0]
        left, rest = cut(pieces, min([*above, *crossings]))
        cap, right = cut(rest, max([*above, *crossings]) - min([*above, *crossings]))
        pieces = [*left, *([merged(cap)] if cap else []), *right]
    atoms = []
    for mass, _ in weak.segments:
        atom, pieces = cut(pieces, mass)
        atoms.append(merged(atom))
    return atoms


def as_atoms(pieces: list[Piece]) -> list[tuple[Fraction, Fraction]]:
    return [(piece.mass0, piece.mass1) for piece in pieces]


def simulated(power: PowerFunction) -> tuple[list[tuple[Fraction, Fraction]], list[dict[Pair, Response]]]:
    """Seeds as (N_0, N_1) masses, and what each seed answers to every first and second pair.

    A seed is an atom of `power` and a cell of [0, 1] that picks the answers, with one law in both worlds.
    """
    quantiles: dict[Pair, list[list[tuple[Fraction, Answers]]]] = {}
    for pair in ORDERED_PAIRS:
        law0, law1 = seed_laws(pair)
        quantiles[pair] = [[] for _ in power.segments]
        weak = PowerFunction.from_laws(law0, law1)
        for atom, (a, b) in zip(channel(power, weak), weak.segments, strict=True):
            same = {y: w / a for y, w in law0.items() if law1.probability(y) * a == w * b}
            for i, share in atom.shares.items():
                quantiles[pair][i] += [(share * w, y) for y, w in same.items()]
    masses, tables = [], []
    for i, (a, b) in enumerate(power.segments):
        ends = {pair: list(accumulate(w for w, _ in quantiles[pair][i])) for pair in ORDERED_PAIRS}
        for low, high in pairwise(sorted({ZERO, *(e for listed in ends.values() for e in listed)})):
            masses.append((a * (high - low), b * (high - low)))
            picked = {pair: sum(e <= low for e in ends[pair]) for pair in ORDERED_PAIRS}
            tables.append({pair: response(pair, quantiles[pair][i][n][1]) for pair, n in picked.items()})
    return masses, tables


def test_one_seed_simulates_the_two_round_game() -> None:
    """fact:exact_sim: two seed laws as close as the adaptive curve answer every adversary as the mechanism does."""
    power = adaptive(TwoRound(), 2)
    masses, tables = simulated(power)
    assert [sum(m[b] for m in masses) for b in (0, 1)] == [1, 1]
    assert PowerFunction.from_segments(masses) == power
    # The view of an adversary has probabilities P(y_1, y_2 | pairs), so the views agree if these do.
    for first in ORDERED_PAIRS:
        for second in tables[0][first][1]:
            for b in (0, 1):
                view: dict[Pair, Fraction] = {}
                for mass, table in zip(masses, tables, strict=True):
                    y1, then = table[first]
                    view[y1, then[second]] = view.get((y1, then[second]), ZERO) + mass[b]
                law: Law = Pmf(view)
                assert law == FIRST[first[b]].product(SECOND[first[b]][second[b]])


def test_the_seed_laws_of_the_papers_adversary() -> None:
    """After the pair (0, 1), y_2 at q = 0 and y_2 at q = 1 are never both 1; independent ones would tell too much."""
    law0, law1 = seed_laws((0, 1))
    assert dict(law0.items()) == {
        (0, 0, 0): q("104/625"), (0, 1, 0): q("56/625"), (0, 0, 1): q("8/125"),
        (1, 0, 0): q("221/625"), (1, 1, 0): q("119/625"), (1, 0, 1): q("17/125"),
    }  # fmt: skip
    attained = PowerFunction.from_laws(law0, law1)
    assert attained == PowerFunction.from_laws(*FIRST).tensor(through("1/5 7/25", "18/25 81/100"))
    assert attained <= adaptive(TwoRound(), 2)
    loose = PowerFunction.from_laws(*(FIRST[b].product(SECOND[b][0].product(SECOND[b][1])) for b in (0, 1)))
    assert not loose <= adaptive(TwoRound(), 2)
