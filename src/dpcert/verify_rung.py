"""Checks what may follow a certificate: the one-round curves of a core, which make fixed streams as good as any.

The header of a certificate may name a rung; lines after it then hold the core once more, its laws by state and input,
and for every challenge (a round and two inputs that differ there) the curve of that round and of each later one. These
are worked out anew, whatever is submitted before and after, the same in both worlds; what follows rests on a theorem.

- FUTURE_STABLE: inputs after a challenge change no curve. Nothing is listed.
- CONTEXT_STABLE: nor do those before it.
- VECTOR: what decides the curve of a round is the difference of the inputs of its index set, added up.
- SCALAR: how large that difference is decides it, and the curves rise with it.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any, TextIO

from dpcert.verify_certificate import (
    MOST_CHARACTERS,
    Curve,
    Invalid,
    digest,
    holds,
    need,
    parsed,
    rational,
    wholes,
)


def label(text: Any) -> str:
    """A text without what parts the lines and columns of a digest."""
    need(type(text) is str and "\n" not in text and "\t" not in text, "a label on one line")
    return str(text)


THEOREMS = {
    "SCALAR": "thm:noise-ind-DP/adaptive_safety (proved in Coq)",
    "VECTOR": "rem:vector_quant_decomp/the_vector_form_lifts (proved in Coq)",
    "CONTEXT_STABLE": "sec:cert/context_stability_suffices (proved in Coq)",
    "FUTURE_STABLE": "sec:cert/future_stability_suffices (proved in Coq)",
}
"""What is known of one-round curves, and the theorem that then makes fixed streams as good as any adversary."""
DISTANCES = {"sum": sum, "largest": lambda sizes: max(sizes, default=0)}
KEYS = {
    "start": ["start"],
    "law": ["law", "to", "then"],
    "aggregate": ["aggregate", "modulus", "distance", "index_sets"],
    "challenge": ["challenge", "curves"],
}
"""The keys of a line of each kind."""
Law = dict[str, Fraction]
Segments = frozenset[tuple[Fraction, Fraction]]
"""A curve by its segments, those of one slope as one."""


class RungChecker:
    """Reads the lines of a rung in order; `verdict` is the name of the theorem that is taken as given in the end."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.header, self.digits, self.horizon = header, header["digits"], header["horizon"]
        self.inputs = range(len(header["alphabet"]))
        alone = header["game"] == "paired" and header["adjacency"] == "hamming" and header["hops"] == 1
        need(header["rung"] in THEOREMS, "a rung that is known")
        need(alone and not header["hidden"], "a core, for one hop of hamming")
        self.rung, self.start = header["rung"], ""
        self.laws, self.after = dict[tuple[str, int], Law](), dict[tuple[str, int], str]()
        self.aggregate: tuple[Any, ...] | None = None
        self.curves = dict[tuple[str, int, str, int], Segments]()
        self.rows, self.costs = dict[tuple[int, int, int], tuple[Segments, ...]](), dict[Any, Curve]()

    def read(self, line: Mapping[str, Any]) -> None:
        """One line."""
        kind = next(iter(line), "")
        need(list(line) == KEYS[kind], "the keys of the format, and no others")
        getattr(self, f"on_{kind}")(*line.values())

    def on_start(self, start: str) -> None:
        """The state in which the core starts."""
        need(not self.start, "one start")
        self.start = label(start)

    def on_law(self, law: list[Any], to: dict[str, str], then: str) -> None:
        """The law of a state under an input, and the state after it."""
        state, x = label(law[0]), law[1]
        need(len(law) == 2 and type(x) is int and x in self.inputs and (state, x) not in self.laws, "a law, given once")
        weights = {label(visible): rational(weight, self.digits) for visible, weight in to.items()}
        need(sum(weights.values()) == 1 and all(weights.values()), "probabilities that sum to 1")
        self.laws[state, x], self.after[state, x] = weights, label(then)

    def on_aggregate(self, aggregate: list[Any], modulus: int, distance: str | None, index_sets: list[Any]) -> None:
        """Inputs as whole numbers, one or several each, and the rounds whose inputs add up in every round."""
        need(self.rung == ("VECTOR" if distance is None else "SCALAR"), "an aggregate for SCALAR or VECTOR")
        need(distance is None or distance in DISTANCES, "a distance that is known")
        need(
            len(aggregate) == len(self.inputs) and len({len(one) for one in aggregate}) == 1, "a vector for each input"
        )
        need(len(index_sets) == self.horizon and type(modulus) is int and modulus >= 0, "an index set for each round")
        need(all(type(n) is int for one in (*aggregate, *index_sets) for n in one), "whole numbers")
        need(self.aggregate is None and not self.rows, "one aggregate, before the challenges")
        self.aggregate = aggregate, modulus, distance, index_sets

    def on_challenge(self, challenge: list[int], curves: list[Any]) -> None:
        """The curves of a challenge, from its round on."""
        first, x0, x1 = challenge
        need(all(type(n) is int for n in challenge), "whole numbers")
        need((first, x0, x1) not in self.rows and self.rung != "FUTURE_STABLE", "a challenge, given once")
        read = [Curve(1, *(wholes(text, self.digits) for text in curve)) for curve in curves]
        self.rows[first, x0, x1] = tuple(map(segments, read))
        for round_, curve in enumerate(read, first):
            key = round_, self.discrepancy(round_, first, x0, x1)
            other = self.costs.setdefault(key, curve)
            need(segments(other) == segments(curve), "one curve for each discrepancy of a round")

    def discrepancy(self, round_: int, first: int, x0: int, x1: int) -> Any:
        """What is to decide the curve of a round, after a challenge."""
        if self.aggregate is None:
            return first, x0, x1
        values, modulus, distance, index_sets = self.aggregate
        inside = first in index_sets[round_ - 1]
        steps = [(u - v) * inside for u, v in zip(values[x0], values[x1], strict=True)]
        vector = [step % modulus if modulus else step for step in steps]
        sizes = [min(d, modulus - d) if modulus else abs(d) for d in vector]
        return tuple(vector) if distance is None else DISTANCES[distance](sizes)

    def ahead(self) -> dict[tuple[int, int, int], set[Any]]:
        """Per challenge, the curves from its round on, in every context; None where later inputs change them."""
        contexts, pairs = self.reach()
        later, made = dict[tuple[str, str], Any](), dict[tuple[int, int, int], set[Any]]()
        for left, level in enumerate(pairs):
            before, later = later, {}
            for s0, s1 in level:
                curves = {self.move(before, s0, x, s1, x) for x in self.inputs} if left else {()}
                later[s0, s1] = curves.pop() if len(curves) == 1 else None
            first = self.horizon - left
            for x0, x1 in self.challenges(first):
                made[first, x0, x1] = {self.move(later, s, x0, s, x1) for s in contexts[first - 1]}
        return made

    def reach(self) -> tuple[list[set[str]], list[set[tuple[str, str]]]]:
        """The states before each round, and by how many rounds are left the pairs of states after a challenge."""
        contexts, after = [{self.start}], self.after
        pairs = [set[tuple[str, str]]() for _ in range(self.horizon)]
        for first in range(1, self.horizon + 1):
            states, level = contexts[-1], pairs[self.horizon - first]
            level |= {(after[s, x0], after[s, x1]) for x0, x1 in self.challenges(first) for s in states}
            if first < self.horizon:
                pairs[self.horizon - first - 1] |= {(after[s, x], after[t, x]) for s, t in level for x in self.inputs}
            contexts.append({after[s, x] for s in states for x in self.inputs})
        return contexts, pairs

    def challenges(self, first: int) -> list[tuple[int, int]]:
        """The pairs of inputs that may be a round's challenge."""
        return list(permutations(self.inputs, 2)) if self.header["challenge_round"] in (None, first) else []

    def move(self, later: Mapping[tuple[str, str], Any], state0: str, x0: int, state1: str, x1: int) -> Any:
        """The curve of a round and those after it; None where later inputs change them."""
        rest = later[self.after[state0, x0], self.after[state1, x1]]
        return None if rest is None else (self.one_round(state0, x0, state1, x1), *rest)

    def one_round(self, state0: str, x0: int, state1: str, x1: int) -> Segments:
        """The curve of one release, worked out once."""
        laws = state0, x0, state1, x1
        if laws not in self.curves:
            self.curves[laws] = curve_of(self.laws[state0, x0], self.laws[state1, x1])
        return self.curves[laws]

    def verdict(self) -> str:
        """The theorem, after the last line."""
        self.bound_by_digests()
        need((self.aggregate is None) is (self.rung not in ("SCALAR", "VECTOR")), "an aggregate for SCALAR and VECTOR")
        ahead = self.ahead()
        need(not any(None in curves for curves in ahead.values()), "curves that later common inputs do not change")
        if self.rung != "FUTURE_STABLE":
            need(
                ahead == {key: {curves} for key, curves in self.rows.items()},
                "the curves of the laws, in every context",
            )
        for low, high in pairwise(sorted(self.costs)) if self.rung == "SCALAR" else ():
            rises = low[0] < high[0] or holds(self.costs[high], [(1, 1, self.costs[low])], 1)
            need(rises, "curves that rise with the distance")
        return THEOREMS[self.rung]

    def bound_by_digests(self) -> None:
        """Refuses laws, next states and a start that are not those of the certificate."""
        outcomes = [
            f"({state}, {self.header['alphabet'][x]})\t{visible}\t{self.after[state, x]}\t{weight}"
            for (state, x), law in self.laws.items()
            for visible, weight in law.items()
        ]
        need(self.header["game_digest"] == digest([*outcomes, self.start]), "the game of the certificate")


def curve_of(law0: Law, law1: Law) -> Segments:
    """The curve of one release by itself: masses in both worlds, added up where their ratio is the same."""
    masses = dict[Fraction, tuple[Fraction, Fraction]]()
    for visible in law0.keys() | law1.keys():
        p, q = law0.get(visible, Fraction(0)), law1.get(visible, Fraction(0))
        p0, q0 = masses.get(p / (p + q), (Fraction(0), Fraction(0)))
        masses[p / (p + q)] = p0 + p, q0 + q
    return frozenset(masses.values())


def segments(curve: Curve) -> Segments:
    """A listed curve, as probabilities."""
    both = zip(curve.mass0, curve.mass1, strict=True)
    return frozenset((Fraction(m0, curve.total0), Fraction(m1, curve.total1)) for m0, m1 in both)


def verify_rung(lines: TextIO, header: Mapping[str, Any]) -> str:
    """The theorem that the lines after a valid certificate rest on.

    Args:
        lines: Where they are read from.
        header: That of the certificate.
    Raises: Invalid: they do not show what they say.
    """
    number = header["lines"]
    try:
        checker = RungChecker(header)
        for text in iter(lambda: lines.readline(MOST_CHARACTERS), ""):
            number += 1
            checker.read(parsed(text))
        return checker.verdict()
    except Invalid as error:
        raise Invalid(f"line {number}: expected {error}") from None
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError):
        raise Invalid(f"line {number}: expected every part in its form") from None
