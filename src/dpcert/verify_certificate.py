"""Checks a certificate of privacy (dpcert.certificate/1): python verify_certificate.py FILE.

One file, the standard library alone, whole numbers and fractions throughout; nothing here is shared with the solver.

A certificate is a game, from its last round to its first, with a claimed curve at every position. A curve is a concave
chain of segments (mass in world 0, mass in world 1) from (0, 0) to (1, 1), steepest first. V(a, b), the largest
b y - a x over its corners, is to bound what any adversary can still make of the position: the sum of
max(0, b P1 - a P0) over what is seen. It does if at every position, for every legal pair of inputs and all a, b >= 0,
the sum over outcomes of V_next(a k0, b k1) is at most V(a, b). The left side is convex in (a, b) and the right side is
linear between the rays of the curve's own segments, so that it is enough to compare at those (`holds`).

A line is referred to by its number and says which line uses it last; then it is forgotten, so that no more is held at
once than the widest round needs, and a text for each law and state, for their digest.
"""

import hashlib
import json
import sys
from collections import Counter, defaultdict, namedtuple
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, product
from math import gcd, lcm
from operator import gt
from typing import Any, TextIO

SCHEMA = "dpcert.certificate/1"
MOST_DIGITS, MOST_LIVE, MOST_CHARACTERS = 4_000, 5_000_000, 1 << 28
"""Digits of a number, lines in use at once, characters of a line: past these a certificate is refused unread."""
ONE_LINE = frozenset("\n\t")
"""What parts the laws in their digest, and stands in no label."""
BLOCK = 128
"""Rays that are passed over at once where their neighbours settle it."""
HEADER: dict[str, type] = {
    "schema": str, "target": str, "kernel_digest": str, "game": str, "hidden": bool, "alphabet": list, "null": str,
    "horizon": int, "adjacency": str, "hops": int, "challenge_round": int, "exp_epsilons": list, "gap": str,
    "rung": str, "digits": int, "live": int, "lines": int,
}  # fmt: skip
KINDS: dict[str, dict[str, type]] = {
    "state": {"state": str, "last": int},
    "kernel": {"kernel": list, "to": list, "of": str, "last": int},
    "moves": {"moves": list, "last": int},
    "curve": {"curve": list, "last": int},
    "mirror": {"mirror": int, "last": int},
    "round": {"round": int},
    "position": {"position": list, "moves": int, "curve": int, "last": int},
    "play": {"play": int, "pair": list, "then": dict, "last": int},
    "front": {"front": list, "curves": list, "by": list, "last": int},
    "challenge": {"challenge": list, "curves": list},
    "claim": {"claim": str, "exp_epsilon": str, "order": str, "upper": str, "lower": str, "play": int, "front": int},
}
"""The keys of a line of each kind, and what stands there; where OPTIONAL allows it, null may."""
RUNGS = {
    "CONTEXT_STABLE": "sec:cert/context_stability_suffices (proved in Coq)",
    "FUTURE_STABLE": "sec:cert/future_stability_suffices (proved in Coq)",
}
"""What is known of one-round curves, and the theorem that then makes fixed streams as good as any adversary."""
OPTIONAL = {
    ("schema", "null"),
    ("schema", "challenge_round"),
    ("schema", "rung"),
    *product(["claim"], ["lower", "play", "front"]),
}
Belief = list[tuple[int, int]]
Seen = tuple[int, dict[str, tuple[int, str]]]
Position = namedtuple("Position", "round key beliefs moves curve allowed steady")
"""`allowed`: how many hops streams may still come to be apart, as far as legal pairs are listed; -1 for no streams.
`steady`: the one-round curves from here on, where all common inputs lead to the same ones; else None."""
Play = namedtuple("Play", "round key chances hops streams")
"""An adversary: the chances of its event, how far apart its pairs are, and these if it looks at nothing it sees."""
Front = namedtuple("Front", "round keys rows")
"""Rows of curves, by the key of a position, of which one bounds every pair of streams."""


class Invalid(Exception):
    """What was expected and is not so."""


def need(condition: object, what: str) -> None:
    """Refuses what does not hold."""
    if not condition:
        raise Invalid(what)


class Curve:
    """A concave chain: segments with strictly falling mass1 / mass0, and the sums of the first of them.

    It shares its name with its mirror, the same with the worlds swapped; `turned` tells them apart where they differ.
    """

    def __init__(self, name: int, mass0: list[int], mass1: list[int], turned: bool | None = None) -> None:
        if turned is None:
            before0, before1 = 0, 0
            for m0, m1 in zip(mass0, mass1, strict=True):
                need(
                    before1 * m0 > m1 * before0 or not (before0 or before1 or m0 + m1 == 0), "segments of falling slope"
                )
                before0, before1 = m0, m1
        self.mass0, self.mass1, self.name = mass0, mass1, name
        self.sum0, self.sum1 = [0, *accumulate(mass0)], [0, *accumulate(mass1)]
        self.total0, self.total1 = self.sum0[-1], self.sum1[-1]
        need(self.total0 and self.total1, "a curve with mass in either world")
        self.turns = mass0[0] != mass1[-1] or mass0 != mass1[::-1]
        self.turned = bool(turned) and self.turns

    def delta(self, e: Fraction, order: str) -> Fraction:
        """The largest P_first(S) - e P_second(S) that the curve allows, the first world named by `order`."""
        a, b = (e, Fraction(1)) if order == "1-0" else (Fraction(1), e)
        at = self.passed(0, b.numerator * a.denominator * self.total0, a.numerator * b.denominator * self.total1)
        return b * Fraction(self.sum1[at], self.total1) - a * Fraction(self.sum0[at], self.total0) + a - e

    def segments(self) -> frozenset[Any]:
        """Its segments as probabilities."""
        both = zip(self.mass0, self.mass1, strict=True)
        return frozenset((Fraction(m0, self.total0), Fraction(m1, self.total1)) for m0, m1 in both)

    def passed(self, low: int, p: int, q: int) -> int:
        """How many segments are steeper than q / p, the first `low` of which are known to be."""
        high = len(self.mass0)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if p * self.mass1[middle] > q * self.mass0[middle] else (low, middle)
        return low


OVER = Curve(0, [1], [1])
"""Nothing more can be learnt."""
Part = tuple[int, int, Curve]


def holds(curve: Curve, outcomes: Sequence[Part], total0: int, total1: int) -> bool:
    """Whether sum over outcomes (k0, k1, next) of V_next(a k0 / total0, b k1 / total1) <= V(a, b) for all a, b >= 0.

    At the ray of a segment (m0, m1), where b m1 / t1 = a m0 / t0, both ends of the segment attain V; at the two axes
    the sides are equal. Rays are taken steepest first. Between two of them the left side lies below its chord, and V
    above the two corners beside them: where that settles it, the rays in between are passed over.
    """
    unit = lcm(*(total0 * n.total0 for *_, n in outcomes)), lcm(*(total1 * n.total1 for *_, n in outcomes))
    common0, common1 = gcd(curve.total0, unit[0]), gcd(curve.total1, unit[1])
    factor0, factor1 = curve.total1 // common1 * (unit[0] // common0), curve.total0 // common0 * (unit[1] // common1)
    scale, mass0, mass1 = (unit[0] // common0) * (unit[1] // common1), curve.mass0, curve.mass1
    parts = [
        (k0 * (unit[0] // (total0 * n.total0)), k1 * (unit[1] // (total1 * n.total1)), n) for k0, k1, n in outcomes
    ]

    def worth(ray: int, corner: int) -> int:
        """scale (b y - a x) of a corner at a ray."""
        return scale * (mass0[ray] * curve.sum1[corner] - mass1[ray] * curve.sum0[corner])

    first, last = 0 if mass0[0] else 1, len(mass0) - (1 if mass1[-1] else 2)
    at, start, left_before, right_before = -1, [0] * len(parts), 0, 0
    for ray in (*range(first, last, BLOCK), last) if first <= last else ():
        p, q = mass0[ray] * factor0, mass1[ray] * factor1
        reached = [n.passed(low, p * by1, q * by0) for low, (by0, by1, n) in zip(start, parts, strict=True)]
        left = sum(p * by1 * n.sum1[i] - q * by0 * n.sum0[i] for i, (by0, by1, n) in zip(reached, parts, strict=True))
        right = worth(ray, ray)
        if left > right:
            return False
        if 0 <= at < ray - 1:
            across, back = worth(ray, at + 1), worth(at, ray)
            u, v = right_before - back, right - across
            touching = unit == (curve.total0, curve.total1) and (left_before, left) == (right_before, right)
            if v * left_before + u * left > v * right_before + u * across and not (
                touching and same(mass0[at:ray], mass1[at:ray], start, reached, parts)
            ):
                masses = list(zip(mass0[at + 1 : ray], mass1[at + 1 : ray], strict=True))
                own = zip(masses, curve.sum0[at + 1 : ray], curve.sum1[at + 1 : ray], strict=True)
                allowed = [scale * (m0 * y - m1 * x) for (m0, m1), x, y in own]
                between = sums([(m0 * factor0, m1 * factor1) for m0, m1 in masses], start, reached, parts)
                if any(map(gt, between, allowed)):
                    return False
        at, start, left_before, right_before = ray, reached, left, right
    return True


def same(
    mass0: Sequence[int], mass1: Sequence[int], start: Sequence[int], reached: Sequence[int], parts: Sequence[Part]
) -> bool:
    """Whether the segments from `start` to `reached` are these; then the left side touches V all along, or nowhere."""
    heads = list(start)
    for m0, m1 in zip(mass0, mass1, strict=True):
        left0, left1 = m0, m1
        for i, (by0, by1, n) in enumerate(parts):
            if heads[i] < reached[i]:
                n0, n1 = n.mass0[heads[i]] * by0, n.mass1[heads[i]] * by1
                if n0 * m1 == n1 * m0:
                    left0, left1, heads[i] = left0 - n0, left1 - n1, heads[i] + 1
        if left0 or left1:
            return False
    return heads == reached


def sums(rays: Sequence[Any], start: Sequence[int], reached: Sequence[int], parts: Sequence[Part]) -> list[int]:
    """The left side at each of some neighbouring rays, which segments from `start` to `reached` are as steep as."""
    xs, ys = [0] * len(rays), [0] * len(rays)
    for low, high, (by0, by1, n) in zip(start, reached, parts, strict=True):
        rest = iter([(m0 * by0, m1 * by1) for m0, m1 in zip(n.mass0[low:high], n.mass1[low:high], strict=True)])
        x, y, (m0, m1) = n.sum0[low] * by0, n.sum1[low] * by1, next(rest, (1, 0))
        for i, (p, q) in enumerate(rays):
            while p * m1 > q * m0:
                x, y, (m0, m1) = x + m0, y + m1, next(rest, (1, 0))
            xs[i], ys[i] = xs[i] + x, ys[i] + y
    return [p * y - q * x for (p, q), x, y in zip(rays, xs, ys, strict=True)]


class Checker:
    """Reads the lines of a certificate in order; `verdict` is what is said of it in the end."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        shaped(header, HEADER)
        self.header, self.line, self.digits, self.horizon = header, 1, header["digits"], header["horizon"]
        self.hops, self.hidden, self.challenge = header["hops"], header["hidden"], header["challenge_round"]
        need(0 < self.digits <= MOST_DIGITS and 0 < header["live"] <= MOST_LIVE, "digits and live lines within limits")
        need(self.horizon > 0 and self.hops > 0 and header["game"] in ("paired", "npp"), "a game of at least one round")
        need(self.challenge is None or 1 <= self.challenge <= self.horizon, "a challenge in one of the rounds")
        null, self.alphabet = header["null"], header["alphabet"]
        need(all(isinstance(x, str) for x in self.alphabet), "inputs are labels")
        self.inputs = self.alphabet + ([null] if null is not None and null not in self.alphabet else [])
        slopes = [self.rational(e) for e in header["exp_epsilons"]]
        need(self.rational(header["gap"]) >= 0 and slopes == sorted(set(slopes)), "rising e^epsilon")
        need(slopes and slopes[0] >= 1, "e^epsilon of at least 1")
        self.claims = list(product(("adaptive", "fixed"), slopes, ("0-1", "1-0")))
        known: list[dict[Any, Any]] = [{} for _ in range(5)]
        self.live, self.used, self.due, self.kernels, self.core_laws = known
        self.challenged: dict[tuple[int, ...], set[Any]] = {}
        alone = header["game"] == "paired" and header["adjacency"] == "hamming" and self.hops == 1 and not self.hidden
        need(header["rung"] is None or (header["rung"] in RUNGS and alone), "a rung of a core, for one hop of hamming")
        self.defined, self.laws, self.round, self.covered = set[Any](), list[Any](), self.horizon + 1, True
        self.start_round({})

    def start_round(self, after: dict[Any, int]) -> None:
        """Begins a round; what is remembered within one is forgotten."""
        self.after, self.here = after, dict[Any, int]()
        self.pushed: dict[tuple[str, int], Seen] = {}
        self.compared: set[tuple[Any, ...]] = set()
        self.costs = self.hops_of_pairs()

    def whole(self, text: str, digits: int | None = None) -> int:
        """A whole number of at most so many digits, written in one way only."""
        need(text.isascii() and text.isdigit() and len(text) <= (digits or self.digits), "no more digits than stated")
        need(text[0] != "0" or text == "0", "a number that does not begin with 0")
        return int(text)

    def rational(self, text: str) -> Fraction:
        """A fraction in lowest terms, at least 0."""
        above, slash, below = text.partition("/")
        numerator, denominator = self.whole(above), self.whole(below) if slash else 1
        need(gcd(numerator, denominator) == 1 and (denominator > 1) is bool(slash), "a fraction in lowest terms")
        return Fraction(numerator, denominator)

    def keep(self, kind: str, last: int, what: Any) -> None:
        """A line that later ones use, `last` the last of them."""
        need(last > self.line, "a line says which later line uses it last")
        self.live[self.line] = kind, what
        need(len(self.live) <= self.header["live"], "no more lines in use at once than the header says")
        self.due.setdefault(last, []).append(self.line)

    def use(self, number: Any, kind: str) -> Any:
        """What a line in use says."""
        found, what = self.live.get(number, ("", None)) if type(number) is int else ("", None)
        need(found == kind, f"a {kind} that is in use")
        self.used[number] = self.line
        return what

    def read(self, line: dict[str, Any]) -> None:
        """One line after the header; then those are forgotten that it was to use last."""
        self.line += 1
        kind = next(iter(line), "")
        need(kind in KINDS, "a line of a known kind")
        shaped(line, KINDS[kind])
        getattr(self, f"on_{kind}")(**line)
        for number in self.due.pop(self.line, ()):
            found, what = self.live.pop(number)
            need(self.used.pop(number, 0) == self.line, f"line {number} is used last where it says")
            if found == "kernel":
                del self.kernels[what[0]]

    def on_state(self, state: str, last: int) -> None:
        """A state of the mechanism, by its label."""
        need(state not in self.defined and ONE_LINE.isdisjoint(state), "a state has a label of its own, on one line")
        self.defined.add(state)
        self.keep("state", last, state)

    def on_kernel(self, kernel: list[Any], to: list[Any], of: str, last: int) -> None:
        """The law of a round from a state under an input: (visible output, next state, weight), weights over `of`."""
        (state, x), total, entries, shares, there = kernel, self.whole(of), {}, [], ""
        label = self.use(state, "state")
        need(x in range(len(self.inputs)) and (state, x) not in self.defined, "the law of an input, given once")
        self.defined.add((state, x))
        for visible, after, weight in to:
            there = self.use(after, "state")
            need(
                (visible, after) not in entries and ONE_LINE.isdisjoint(visible),
                "an outcome is given once, on one line",
            )
            entries[visible, after] = self.whole(weight)
            need(0 < entries[visible, after] <= total, "an outcome has a weight")
            seen = f"({visible}, {there})" if self.hidden else visible
            shares.append(f"{seen}:{Fraction(entries[visible, after], total)}")
        need(entries and sum(entries.values()) == total, "the weights of a law sum to its total")
        law = " ".join(sorted(shares))
        if self.hidden:
            self.laws.append((f"({label}, {self.inputs[x]})", law))
        else:
            need(len({after for _, after in entries}) == 1, "a core's next state is no matter of chance")
            need(self.core_laws.setdefault(there, law) == law, "a core's law belongs to its state")
        self.kernels[state, x] = self.line
        self.keep("kernel", last, ((state, x), [(v, s, w) for (v, s), w in entries.items()], total))

    def on_moves(self, moves: list[Any], last: int) -> None:
        """The pairs of inputs that may be submitted, each with the relation's state after it, null for none."""
        known = range(len(self.inputs))
        need(moves and all(x0 in known and x1 in known for x0, x1, _ in moves), "pairs of inputs")
        need(all(after is None or type(after) is int for *_, after in moves), "a state of the relation is a number")
        need(len({(x0, x1) for x0, x1, _ in moves}) == len(moves), "a pair is listed once")
        self.keep("moves", last, moves)

    def on_curve(self, curve: list[str], last: int) -> None:
        """A curve by the masses of its segments."""
        words = [text.split(" ") for text in curve]
        need(max(map(len, (*words[0], *words[1]))) <= self.digits, "no more digits than stated")
        for text in curve:
            need(text.isascii() and not any(sign in text for sign in "+-_\t\n\v\f\r\x1c\x1d\x1e\x1f"), "digits alone")
            zeros = text.count(" 0 ") + text.endswith(" 0")
            need(
                text.count(" 0") == zeros and (text[0] != "0" or text[:2] in ("0", "0 ")),
                "no number that begins with 0",
            )
        mass0, mass1 = ([int(word) for word in text] for text in words)
        self.keep("curve", last, Curve(self.line, mass0, mass1))

    def on_mirror(self, mirror: int, last: int) -> None:
        """The mirror of a curve."""
        of = self.use(mirror, "curve")
        self.keep("curve", last, Curve(of.name, of.mass1[::-1], of.mass0[::-1], not of.turned))

    def on_round(self, round: int) -> None:
        """From here on positions are of one round earlier."""
        need(round == self.round - 1 > 0, "rounds run from the last to the first")
        need(self.round > self.horizon or self.here, "a round has positions")
        self.round = round
        self.start_round(self.here)

    def on_position(self, position: list[Any], moves: int, curve: int, last: int) -> None:
        """A position with its curve: for every legal pair, what follows is worth no more than the curve."""
        key, beliefs = self.place(position)
        need(key not in self.here and self.round <= self.horizon, "a position is given once, in a round")
        here = Position(self.round, key, beliefs, self.use(moves, "moves"), self.use(curve, "curve"), -1, None)
        reach, steady = {}, set[Any]()
        for x0, x1, relation in here.moves:
            outcomes, totals = self.released(here, x0, x1, relation)
            found = [self.use(self.after.get(after), "position") if after else None for *_, after in outcomes]
            ends = relation is None and self.round < self.horizon
            reach[x0, x1] = -1 if ends else min((n.allowed for n in found if n), default=self.hops)
            parts = [(k0, k1, n.curve if n else OVER) for (_, k0, k1, _), n in zip(outcomes, found, strict=True)]
            self.compare(here.curve, parts, totals)
            if self.header["rung"]:
                later = {n.steady for n in found if n} or {()}
                ahead = None if None in later or len(later) > 1 else (one_round(parts, totals), *later.pop())
                (steady if x0 == x1 else self.challenged.setdefault((self.round, x0, x1), set())).add(ahead)
        past = all(x0 == x1 for x0, x1, _ in here.moves) and len(steady) == 1
        allowed = -1
        while allowed < self.hops and all(
            reach.get(pair, -1) > allowed - cost for pair, cost in self.costs.items() if cost <= allowed + 1
        ):
            allowed += 1
        self.here[key] = self.line
        self.keep("position", last, here._replace(allowed=allowed, steady=steady.pop() if past else None))

    def compare(self, curve: Curve, parts: Sequence[Part], totals: tuple[int, int]) -> None:
        """Refuses a curve that does not bound what follows; nothing, nor its mirror, is compared twice in a round."""
        one = sorted((n.name, n.turned, k0, k1) for k0, k1, n in parts)
        two = sorted((n.name, n.turned != n.turns, k1, k0) for k0, k1, n in parts)
        keys = (curve.name, curve.turned, *totals, *one), (curve.name, curve.turned != curve.turns, *totals[::-1], *two)
        need(not self.compared.isdisjoint(keys) or holds(curve, parts, *totals), "a curve bounds what follows")
        self.compared.add(keys[0])

    def place(self, position: list[Any]) -> tuple[Any, list[Belief]]:
        """The key of a position: the relation's state, and two beliefs `state:weight` as texts; and those read."""
        relation, *texts = position
        need(type(relation) is int and len(texts) == 2, "a position has three parts")
        beliefs = []
        for text in texts:
            pairs = [part.split(":") for part in text.split(" ")]
            beliefs.append([(self.whole(state, 12), self.whole(weight)) for state, weight in pairs])
            need(said(dict(beliefs[-1])) == text and all(w for _, w in beliefs[-1]), "a belief is in lowest terms")
        return tuple(position), beliefs

    def seen(self, text: str, belief: Belief, x: int) -> Seen:
        """The total, and {visible output: (mass, belief after it)}, of an input under a belief."""
        kernels = [self.use(self.kernels.get((state, x)), "kernel") for state, _ in belief]
        if (text, x) not in self.pushed:
            scale, masses = lcm(*(total for *_, total in kernels)), defaultdict[str, Counter[int]](Counter)
            for (_, weight), (_, entries, total) in zip(belief, kernels, strict=True):
                for visible, after, w in entries:
                    masses[visible][after] += weight * (scale // total) * w
            known = {visible: (sum(there.values()), said(there)) for visible, there in masses.items()}
            self.pushed[text, x] = scale * sum(w for _, w in belief), known
        return self.pushed[text, x]

    def released(self, here: Any, x0: int, x1: int, relation: int | None) -> tuple[list[Any], tuple[int, int]]:
        """(visible output, weight in world 0, in world 1, what follows or None) of a pair, and both totals."""
        sides = zip(here.key[1:], here.beliefs, (x0, x1), strict=True)
        (total0, seen0), (total1, seen1) = (self.seen(text, belief, x) for text, belief, x in sides)
        none0, none1 = ((0, "" if self.hidden else next(iter(seen.values()))[1]) for seen in (seen0, seen1))
        made = []
        for visible in dict.fromkeys((*seen0, *seen1)):
            (k0, after0), (k1, after1) = seen0.get(visible, none0), seen1.get(visible, none1)
            over = self.hidden and (not k0 or not k1 or visible == "HALT")
            ends = over or relation is None or here.round == self.horizon
            made.append((visible, k0, k1, None if ends else (relation, after0, after1)))
        return made, (total0, total1)

    def hops_of_pairs(self) -> dict[tuple[int, int], int]:
        """How many hops apart the inputs of a legal pair are in this round, of relations that are known here."""
        name, own, made = self.header["adjacency"], len(self.alphabet), dict[tuple[int, int], int]()
        plain = self.header["game"] == "paired" and len(set(self.inputs)) == len(self.inputs)
        known = plain and (name == "zero-out") is (self.header["null"] is not None)
        for x, y in product(range(own), range(len(self.inputs))) if known else ():
            near = name == "unit-hamming" and self.hops == 1 and abs(int(self.inputs[x]) - int(self.inputs[y])) <= 1
            zeroed = name == "zero-out" and self.hops == 1 and (x == y or self.inputs[y] == self.header["null"])
            here = self.challenge is None or (x != y) == (self.round == self.challenge)
            if (near or zeroed or name in ("hamming", "any")) and (here or (x == y and self.hops > 1)):
                made[x, y] = int(x != y and name != "any")
        return made or {(-1, -1): 0}

    def on_play(self, play: int, pair: list[int], then: dict[str, Any], last: int) -> None:
        """What an adversary submits at a position, and after each output goes on with, or bets on."""
        here, hops, streams, chances = self.use(play, "position"), 0, [()], [Fraction(0), Fraction(0)]
        (relation,) = (after for *legal, after in here.moves if legal == pair)
        outcomes, totals = self.released(here, pair[0], pair[1], relation)
        need({o[0] for o in outcomes} == then.keys() and here.round == self.round, "an answer to every output")
        for visible, *weights, key in outcomes:
            bet = isinstance(then[visible], bool)
            on = Play(0, key, [Fraction(then[visible])] * 2, 0, ()) if bet else self.use(then[visible], "play")
            need(bet or (on.round, on.key) == (self.round + 1, key), "a play that goes on where it leads")
            hops, streams = max(hops, on.hops), [*streams, on.streams]
            chances = [c + Fraction(k, t) * d for c, k, t, d in zip(chances, weights, totals, on.chances, strict=True)]
        longest = () if None in streams else max(streams, key=len)
        fixed = None not in streams and all(one == longest[: len(one)] for one in streams)
        hops += self.costs.get((pair[0], pair[1]), self.hops + 1)
        self.keep("play", last, Play(self.round, here.key, chances, hops, (tuple(pair), *longest) if fixed else None))

    def on_front(self, front: list[Any], curves: list[Any], by: list[Any], last: int) -> None:
        """Curves for fixed streams, at positions that one pair of streams can lead to, a row of them for all.

        For every legal pair and every row of what follows, `by` names the row that bounds it at every position.
        """
        group = [self.use(number, "position") for number in front]
        rows = [[self.use(curve, "curve") for curve in row] for row in curves]
        need(rows and all(p.moves is group[0].moves and p.round == self.round for p in group), "positions of one kind")
        for (x0, x1, relation), (number, bounds) in zip(group[0].moves, by, strict=True):
            released = [self.released(p, x0, x1, relation) for p in group]
            keys = {after for outcomes, _ in released for *_, after in outcomes if after}
            following = self.use(number, "front") if keys else Front(0, set(), [{}])
            need(following.keys == keys and following.round in (0, self.round + 1), "the positions that follow")
            for at, row in zip(bounds, following.rows, strict=True):
                need(at in range(len(rows)), "the number of a row")
                for (outcomes, totals), curve in zip(released, rows[at], strict=True):
                    self.compare(curve, [(k0, k1, row[key] if key else OVER) for _, k0, k1, key in outcomes], totals)
        made = [{p.key: curve for p, curve in zip(group, row, strict=True)} for row in rows]
        self.keep("front", last, Front(self.round, {p.key for p in group}, made))

    def on_challenge(self, challenge: list[int], curves: list[int]) -> None:
        """The one-round curves of a pair that differs in a round, from there on, whatever else is submitted."""
        need(
            self.header["rung"] == "CONTEXT_STABLE" and self.round == 1, "a challenge of a certificate that lists them"
        )
        listed = tuple(self.use(curve, "curve").segments() for curve in curves)
        need(self.challenged.pop(tuple(challenge), None) == {listed}, "the curves of the laws, in every context")

    def on_claim(self, claim: str, exp_epsilon: str, order: str, upper: str, lower: Any, play: Any, front: Any) -> None:
        """delta against every adversary, or against fixed streams, is at least `lower` and at most `upper`."""
        e = self.rational(exp_epsilon)
        need(self.claims and self.claims.pop(0) == (claim, e, order), "the claims of the header, in order")
        need(self.round == 1 and len(self.here) == 1, "claims come last, of the one position of round 1")
        ((key, number),) = self.here.items()
        root = self.use(number, "position")
        need(key[1] == key[2] and len(root.beliefs[0]) == 1, "both worlds start in the same state")
        self.covered &= root.allowed >= self.hops
        need(front is None or claim == "fixed", "a bound on every adversary")
        above = Front(1, set(), [{key: root.curve}]) if front is None else self.use(front, "front")
        need(above.round == 1, "streams from round 1 on")
        need(self.rational(upper) >= max(row[key].delta(e, order) for row in above.rows), "the curves bound delta")
        need(play is not None or lower in (None, "0"), "a lower bound above 0 has a play")
        if play is not None:
            found = self.use(play, "play")
            first, second = found.chances if order == "0-1" else found.chances[::-1]
            self.covered &= found.hops <= self.hops
            need(found.round == 1 and first - e * second >= self.rational(lower), "the play attains its bound")
            need(claim == "adaptive" or found.streams is not None, "streams that do not depend on what is seen")

    def verdict(self) -> list[str]:
        """Names of what is taken as given, after the last line."""
        need(self.line == self.header["lines"] and not self.claims, "all lines that the header counts")
        need(not self.live and not self.due, "every line is used last where it says")
        laws = sorted(f"{label}\t{law}" for label, law in (*self.laws, *self.core_laws.items()))
        digest = hashlib.sha256("\n".join(laws).encode()).hexdigest()
        need(self.header["kernel_digest"] == f"sha256:{digest}", "the header's digest is that of the laws")
        rung, found = self.header["rung"], self.challenged
        need(rung != "CONTEXT_STABLE" or not found, "every challenge with its curves")
        need(not any(None in ahead for ahead in found.values()), "curves that later common inputs do not change")
        relation = [] if self.covered else [f"relation:{self.header['adjacency']}"]
        return relation + ([RUNGS[rung]] if rung else [])


def one_round(outcomes: Sequence[Part], totals: tuple[int, int]) -> frozenset[Any]:
    """The curve of one release by itself: its segments, those of one slope as one."""
    masses = Counter[tuple[int, int]]()
    for k0, k1, _ in outcomes:
        common = gcd(k0, k1)
        masses[k0 // common, k1 // common] += common
    return frozenset((Fraction(k0 * m, totals[0]), Fraction(k1 * m, totals[1])) for (k0, k1), m in masses.items())


def said(belief: Mapping[int, int]) -> str:
    """{state: mass} as a text, by state, in lowest terms."""
    common = gcd(*belief.values()) or 1
    return " ".join(f"{state}:{belief[state] // common}" for state in sorted(belief))


def shaped(line: Mapping[str, Any], keys: Mapping[str, type]) -> None:
    """Refuses a line with other keys, or with something else at one of them."""
    need(line.keys() == keys.keys(), "the keys of the format, and no others")
    for name, kind in keys.items():
        free = line[name] is None and (next(iter(keys)), name) in OPTIONAL
        need(free or type(line[name]) is kind, f"another kind of value at {name}")


def bounded(text: str) -> int:
    """The number of a line, a round or an input: no other stands without quotation marks."""
    need(len(text) <= 12 and text.lstrip("-").isdigit(), "a small whole number")
    return int(text)


def verify(lines: TextIO) -> tuple[list[str], Mapping[str, Any]]:
    """Names of what a valid certificate takes as given, and its header. Raises: Invalid; OSError: no certificate."""
    checker, number = None, 0
    try:
        for text in iter(lambda: lines.readline(MOST_CHARACTERS), ""):
            number += 1
            line = json.loads(text, parse_int=bounded, parse_float=bounded, parse_constant=bounded)
            if checker is None and not (isinstance(line, dict) and line.get("schema") == SCHEMA):
                break
            need(text == json.dumps(line, separators=(",", ":")) + "\n", "a whole line, as JSON is written shortest")
            if checker is None:
                checker = Checker(line)
            else:
                checker.read(line)
        if checker is not None:
            return checker.verdict(), checker.header
    except Invalid as error:
        if checker is not None or number == 1:
            raise Invalid(f"line {number}: expected {error}") from None
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError):
        if checker is not None:
            raise Invalid(f"line {number}: expected every part in its form") from None
    raise OSError(f"Expected a {SCHEMA} but got another file")


def main(arguments: Sequence[str]) -> int:
    """The exit status: 0 valid, 1 invalid, 2 not readable, 3 valid but for what is named."""
    try:
        (path,) = arguments
        with open(path, encoding="utf-8", newline="\n") as lines:
            given, _ = verify(lines)
    except Invalid as error:
        print(f"invalid: {error}")
        return 1
    except (OSError, ValueError) as error:
        print(f"verify_certificate.py FILE: {error}", file=sys.stderr)
        return 2
    print("valid" + (f" but for {', '.join(given)}" if given else ""))
    return 3 if given else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
