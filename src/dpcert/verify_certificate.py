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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import gcd, lcm
from typing import Any, NamedTuple, TextIO

SCHEMA = "dpcert.certificate/1"
MOST_DIGITS, MOST_LIVE, MOST_CHARACTERS = 4_000, 5_000_000, 1 << 28
"""Digits of a number, lines in use at once, characters of a line: past these a certificate is refused unread."""
BLOCK = 64
"""Rays that are passed over at once where their neighbours settle it."""
HEADER = {
    "schema": str, "target": str, "kernel_digest": str, "game": str, "hidden": bool, "alphabet": list,
    "null": str | None, "horizon": int, "adjacency": str, "hops": int, "challenge_round": int | None,
    "exp_epsilons": list, "gap": str, "digits": int, "live": int, "lines": int,
}  # fmt: skip
KEYS = {
    "state": {"last"},
    "kernel": {"to", "of", "last"},
    "moves": {"last"},
    "curve": {"last"},
    "mirror": {"last"},
    "round": set(),
    "position": {"moves", "curve", "last"},
    "play": {"pair", "then", "last"},
    "front": {"curves", "by", "last"},
    "adaptive": {"order", "upper", "lower", "play"},
    "fixed": {"order", "upper", "front", "lower", "play"},
}  # fmt: skip
"""What a line of each kind says beside its first key."""
Belief = list[tuple[int, int]]
Key = tuple[int, str, str]


class Invalid(Exception):
    """A line that does not show what it claims."""


class Unreadable(Exception):
    """No certificate at all."""


def need(condition: object, what: str) -> None:
    """Refuses what does not hold."""
    if not condition:
        raise Invalid(what)


class Curve:
    """A concave chain: segments with strictly falling mass1 / mass0, and the sums of the first of them.

    It shares its name with its mirror, the same with the worlds swapped; `turned` tells them apart where they differ.
    """

    def __init__(self, name: int, mass0: list[int], mass1: list[int], turned: bool = False) -> None:
        need(len(mass0) == len(mass1) > 0, "a curve has as many masses in either world, and at least one")
        before0, before1 = 0, 1
        for m0, m1 in zip(mass0, mass1, strict=True):
            need(before1 * m0 > m1 * before0 or (not before0 and not m0 and m1), "a curve's segments fall in slope")
            before0, before1 = m0, m1
        self.mass0, self.mass1 = mass0, mass1
        self.sum0, self.sum1 = [0, *accumulate(mass0)], [0, *accumulate(mass1)]
        self.total0, self.total1 = self.sum0[-1], self.sum1[-1]
        need(self.total0 and self.total1, "a curve has mass in either world")
        self.turns = mass0[0] != mass1[-1] or mass0 != mass1[::-1]
        self.name, self.turned = name, turned and self.turns

    def delta(self, e: Fraction, order: str) -> Fraction:
        """The largest P_first(S) - e P_second(S) that the curve allows, the first world named by `order`."""
        t0, t1, corners = self.total0, self.total1, list(zip(self.sum0, self.sum1, strict=True))
        if order == "1-0":
            return max(Fraction(y, t1) - e * Fraction(x, t0) for x, y in corners)
        return max(Fraction(t0 - x, t0) - e * Fraction(t1 - y, t1) for x, y in corners)

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
    unit0, unit1 = lcm(*(total0 * n.total0 for *_, n in outcomes)), lcm(*(total1 * n.total1 for *_, n in outcomes))
    common0, common1 = gcd(curve.total0, unit0), gcd(curve.total1, unit1)
    factor0, factor1 = curve.total1 // common1 * (unit0 // common0), curve.total0 // common0 * (unit1 // common1)
    scale, mass0, mass1 = (unit0 // common0) * (unit1 // common1), curve.mass0, curve.mass1
    parts = [(k0 * (unit0 // (total0 * n.total0)), k1 * (unit1 // (total1 * n.total1)), n) for k0, k1, n in outcomes]

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
            if v * left_before + u * left > v * right_before + u * across:
                rays = [(mass0[i] * factor0, mass1[i] * factor1) for i in range(at + 1, ray)]
                between = zip(sums(rays, start, parts), range(at + 1, ray), strict=True)
                if any(one > worth(i, i) for one, i in between):
                    return False
        at, start, left_before, right_before = ray, reached, left, right
    return True


def sums(rays: Sequence[tuple[int, int]], start: Sequence[int], parts: Sequence[Part]) -> list[int]:
    """The left side at each of some neighbouring rays."""
    made = [0] * len(rays)
    for at, (by0, by1, n) in zip(start, parts, strict=True):
        mass0, mass1, sum0, sum1, count = n.mass0, n.mass1, n.sum0, n.sum1, len(n.mass0)
        for i, (p, q) in enumerate(rays):
            p_next, q_next = p * by1, q * by0
            while at < count and p_next * mass1[at] > q_next * mass0[at]:
                at += 1
            made[i] += p_next * sum1[at] - q_next * sum0[at]
    return made


class Position(NamedTuple):
    """The relation's state and what is believed in either world, with the claimed curve.

    `allowed` is how many hops streams may still come to be apart, as far as legal pairs are listed; -1 for no streams.
    """

    round: int
    key: Key
    beliefs: list[Belief]
    moves: list[list[Any]]
    curve: Curve
    allowed: int


class Play(NamedTuple):
    """An adversary from a position on: the probabilities of its event, and its pairs where it looks at nothing."""

    round: int
    key: Key
    chances: list[Fraction]
    streams: tuple[Any, ...] | None


class Front(NamedTuple):
    """Rows of curves, by position, of which one bounds every pair of streams."""

    round: int
    keys: set[Key]
    rows: list[dict[Key, Curve]]


class Checker:
    """Reads the lines of a certificate in order; `verdict` is what is said of it in the end."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        need(header.keys() == HEADER.keys(), "the header has the keys of this format, and no others")
        for name, kind in HEADER.items():
            need(isinstance(header[name], kind) and (kind is bool or type(header[name]) is not bool), f"header: {name}")  # type: ignore[arg-type]
        self.header, self.line, self.digits, self.horizon = header, 1, header["digits"], header["horizon"]
        self.hops, self.hidden, self.challenge = header["hops"], header["hidden"], header["challenge_round"]
        need(0 < self.digits <= MOST_DIGITS and 0 < header["live"] <= MOST_LIVE, "digits and live lines within limits")
        need(self.horizon > 0 and self.hops > 0 and header["game"] in ("paired", "npp"), "a game of at least one round")
        need(self.challenge is None or 1 <= self.challenge <= self.horizon, "a challenge in one of the rounds")
        null, self.alphabet = header["null"], header["alphabet"]
        need(all(isinstance(x, str) for x in self.alphabet), "inputs are labels")
        self.inputs = self.alphabet + ([null] if null is not None and null not in self.alphabet else [])
        slopes = [self.rational(e) for e in header["exp_epsilons"]]
        need(slopes and slopes[0] >= 1 and all(e < f for e, f in pairwise(slopes)), "e^epsilon, rising from 1 on")
        need(self.rational(header["gap"]) >= 0, "a gap")
        self.claims = list(product(("adaptive", "fixed"), slopes, ("0-1", "1-0")))
        self.live: dict[int, tuple[str, Any]] = {}
        self.used: dict[int, int] = {}
        self.due: dict[int, list[int]] = {}
        self.kernels: dict[tuple[int, int], int] = {}
        self.defined: set[tuple[int, int]] = set()
        self.labels: set[str] = set()
        self.laws: list[tuple[str, str]] = []
        self.core_laws: dict[str, str] = {}
        self.round, self.covered = self.horizon + 1, -1
        self.here: dict[Key, int] = {}
        self.start_round({})

    def start_round(self, after: dict[Key, int]) -> None:
        """Begins a round; what is remembered within one is forgotten."""
        self.after, self.here = after, {}
        self.pushed: dict[tuple[str, int], tuple[int, dict[str, tuple[int, str]]]] = {}
        self.compared: set[tuple[Any, ...]] = set()
        self.costs = self.hops_of_pairs()

    def whole(self, text: Any, digits: int | None = None) -> int:
        """A whole number of at most so many digits, written in one way only."""
        plain = isinstance(text, str) and 0 < len(text) <= (digits or self.digits) and text.isascii() and text.isdigit()
        need(plain and (text[0] != "0" or text == "0"), "a whole number of at most the stated digits")
        return int(text)

    def wholes(self, text: Any) -> list[int]:
        """Whole numbers with one space between."""
        words = text.split(" ") if isinstance(text, str) and text.isascii() else [""]
        need(max(map(len, words)) <= self.digits, "whole numbers of at most the stated digits")
        need(all(map(str.isdigit, words)) and not any(w[0] == "0" != w for w in words), "whole numbers")
        return list(map(int, words))

    def rational(self, text: Any) -> Fraction:
        """A fraction in lowest terms, at least 0."""
        need(isinstance(text, str), "a rational is a text")
        above, slash, below = text.partition("/")
        numerator, denominator = self.whole(above), self.whole(below) if slash else 1
        need(gcd(numerator, denominator) == 1 and (denominator > 1) is bool(slash), "a fraction in lowest terms")
        return Fraction(numerator, denominator)

    def input(self, x: Any) -> int:
        """The number of an input."""
        need(type(x) is int and 0 <= x < len(self.inputs), "an input is the number of one")
        return int(x)

    def keep(self, kind: str, last: Any, what: Any) -> None:
        """A line that later ones use, `last` the last of them."""
        need(type(last) is int and last > self.line, "a line says which later line uses it last")
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
        """One line after the header; then those are forgotten that were to be used last by it."""
        self.line += 1
        kind = next(iter(line), "")
        need(kind in KEYS and line.keys() == KEYS[kind] | {kind}, "a line of a known kind, with its keys and no others")
        getattr(self, f"on_{kind}")(line)
        for number in self.due.pop(self.line, ()):
            found, what = self.live.pop(number)
            need(self.used.pop(number, 0) == self.line, f"line {number} is used last where it says")
            if found == "kernel":
                del self.kernels[what[0]]

    def on_state(self, line: dict[str, Any]) -> None:
        """A state of the mechanism, by its label."""
        label = line["state"]
        need(isinstance(label, str) and label not in self.labels, "a state has a label of its own")
        self.labels.add(label)
        self.keep("state", line["last"], label)

    def on_kernel(self, line: dict[str, Any]) -> None:
        """The law of a round from a state under an input: (visible output, next state), whole weights, their total."""
        need(all(isinstance(listed, list) and listed for listed in (line["kernel"], line["to"])), "lists")
        need(len(line["kernel"]) == 2 and all(isinstance(e, list) and len(e) == 3 for e in line["to"]), "their lengths")
        state, x, total = line["kernel"][0], self.input(line["kernel"][1]), self.whole(line["of"])
        label, entries, shares, there = self.use(state, "state"), {}, [], ""
        for visible, after, weight in line["to"]:
            there = self.use(after, "state")
            need(isinstance(visible, str) and (visible, after) not in entries, "an outcome is given once")
            entries[visible, after] = self.whole(weight)
            need(0 < entries[visible, after] <= total, "an outcome has a weight")
            seen = f"({visible}, {there})" if self.hidden else visible
            shares.append(f"{seen}:{Fraction(entries[visible, after], total)}")
        need(sum(entries.values()) == total, "the weights of a law sum to its total")
        need((state, x) not in self.defined, "a law is given once")
        self.defined.add((state, x))
        law = " ".join(sorted(shares))
        if self.hidden:
            self.laws.append((f"({label}, {self.inputs[x]})", law))
        else:
            need(len({after for _, after in entries}) == 1, "a core's next state is no matter of chance")
            need(self.core_laws.setdefault(there, law) == law, "a core's law belongs to its state")
        self.kernels[state, x] = self.line
        self.keep("kernel", line["last"], ((state, x), [(v, s, w) for (v, s), w in entries.items()], total))

    def on_moves(self, line: dict[str, Any]) -> None:
        """The pairs of inputs that may be submitted, each with the relation's state after it, null for none."""
        moves = line["moves"]
        need(isinstance(moves, list) and moves, "at least one pair is legal")
        need(all(isinstance(move, list) and len(move) == 3 for move in moves), "a legal pair has a state after it")
        need(all(move[2] is None or type(move[2]) is int for move in moves), "a state of the relation is a number")
        need(len({(self.input(x0), self.input(x1)) for x0, x1, _ in moves}) == len(moves), "a pair is listed once")
        self.keep("moves", line["last"], moves)

    def on_curve(self, line: dict[str, Any]) -> None:
        """A curve by the masses of its segments."""
        need(isinstance(line["curve"], list) and len(line["curve"]) == 2, "a curve has masses in two worlds")
        self.keep("curve", line["last"], Curve(self.line, *map(self.wholes, line["curve"])))

    def on_mirror(self, line: dict[str, Any]) -> None:
        """The mirror of a curve."""
        of = self.use(line["mirror"], "curve")
        self.keep("curve", line["last"], Curve(of.name, of.mass1[::-1], of.mass0[::-1], not of.turned))

    def on_round(self, line: dict[str, Any]) -> None:
        """From here on positions are of one round earlier."""
        need(
            type(line["round"]) is int and line["round"] == self.round - 1 > 0, "rounds run from the last to the first"
        )
        need(self.round > self.horizon or self.here, "a round has positions")
        self.round = line["round"]
        self.start_round(self.here)

    def on_position(self, line: dict[str, Any]) -> None:
        """A position with its curve: for every legal pair, what follows is worth no more than the curve."""
        key, beliefs = self.place(line["position"])
        need(key not in self.here and self.round <= self.horizon, "a position is given once, in a round")
        here = Position(
            self.round, key, beliefs, self.use(line["moves"], "moves"), self.use(line["curve"], "curve"), -1
        )
        reach = {}
        for x0, x1, relation in here.moves:
            outcomes, totals = self.released(here, x0, x1, relation)
            found = [self.use(self.after.get(after), "position") if after else None for *_, after in outcomes]
            ends = relation is None and self.round < self.horizon
            reach[x0, x1] = -1 if ends else min((n.allowed for n in found if n), default=self.hops)
            parts = [(k0, k1, n.curve if n else OVER) for (_, k0, k1, _), n in zip(outcomes, found, strict=True)]
            if self.new(here.curve, parts, totals):
                need(holds(here.curve, parts, *totals), f"the curve bounds what follows the pair ({x0}, {x1})")
        allowed = -1
        while allowed < self.hops and all(
            reach.get(pair, -1) > allowed - cost for pair, cost in self.costs.items() if cost <= allowed + 1
        ):
            allowed += 1
        self.here[key] = self.line
        self.keep("position", line["last"], here._replace(allowed=allowed))

    def new(self, curve: Curve, parts: Sequence[Part], totals: tuple[int, int]) -> bool:
        """Whether a comparison was not made in this round, nor its mirror, in which both worlds are swapped."""
        one = sorted((n.name, n.turned, k0, k1) for k0, k1, n in parts)
        two = sorted((n.name, n.turned != n.turns, k1, k0) for k0, k1, n in parts)
        keys = (curve.name, curve.turned, *totals, *one), (curve.name, curve.turned != curve.turns, *totals[::-1], *two)
        known = not self.compared.isdisjoint(keys)
        self.compared.add(keys[0])
        return not known

    def place(self, position: Any) -> tuple[Key, list[Belief]]:
        """The key of a position: the relation's state, and two beliefs `state:weight` as texts; and those read."""
        need(isinstance(position, list) and len(position) == 3 and type(position[0]) is int, "a position: three parts")
        beliefs = []
        for text in position[1:]:
            parts = [part.split(":") for part in text.split(" ")] if isinstance(text, str) else []
            need(parts and all(len(part) == 2 for part in parts), "a belief is of states and weights")
            beliefs.append([(self.whole(state, 12), self.whole(weight)) for state, weight in parts])
            need(said(dict(beliefs[-1])) == text and all(w for _, w in beliefs[-1]), "a belief is in lowest terms")
        return (position[0], position[1], position[2]), beliefs

    def seen(self, text: str, belief: Belief, x: int) -> tuple[int, dict[str, tuple[int, str]]]:
        """The total, and {visible output: (mass, belief after it)}, of an input under a belief."""
        kernels = [self.use(self.kernels.get((state, x)), "kernel") for state, _ in belief]
        if (text, x) not in self.pushed:
            scale = lcm(*(total for *_, total in kernels))
            masses: dict[str, dict[int, int]] = {}
            for (_, weight), (_, entries, total) in zip(belief, kernels, strict=True):
                for visible, after, w in entries:
                    there = masses.setdefault(visible, {})
                    there[after] = there.get(after, 0) + weight * (scale // total) * w
            after = {visible: (sum(there.values()), said(there)) for visible, there in masses.items()}
            self.pushed[text, x] = scale * sum(w for _, w in belief), after
        return self.pushed[text, x]

    def released(
        self, here: Position, x0: int, x1: int, relation: int | None
    ) -> tuple[list[tuple[str, int, int, Key | None]], tuple[int, int]]:
        """(visible output, weight in world 0, in world 1, what follows or None) of a pair, and both totals."""
        (total0, seen0), (total1, seen1) = (
            self.seen(text, belief, x) for text, belief, x in zip(here.key[1:], here.beliefs, (x0, x1), strict=True)
        )
        over, made = relation is None or here.round == self.horizon, []
        none0, none1 = ((0, "" if self.hidden else next(iter(seen.values()))[1]) for seen in (seen0, seen1))
        for visible in dict.fromkeys((*seen0, *seen1)):
            (k0, after0), (k1, after1) = seen0.get(visible, none0), seen1.get(visible, none1)
            ends = over or (self.hidden and (not k0 or not k1 or visible == "HALT"))
            made.append((visible, k0, k1, None if ends or relation is None else (relation, after0, after1)))
        return made, (total0, total1)

    def hops_of_pairs(self) -> dict[tuple[int, int], int]:
        """How many hops apart the inputs of a legal pair are in this round, of relations that are known here."""
        name, size, made = self.header["adjacency"], range(len(self.inputs)), {(-1, -1): 0}
        if self.header["game"] == "npp" or len(set(self.inputs)) < len(self.inputs):
            return made
        if name in ("hamming", "any"):
            made = {(x, y): int(x != y and name == "hamming") for x in size for y in size}
        elif name == "unit-hamming":
            at = list(map(int, self.inputs))
            pairs = [(x, y) for x in size for y in size if set(range(*sorted((at[x], at[y])))) <= set(at)]
            made = {(x, y): abs(at[x] - at[y]) for x, y in pairs}
        elif name == "zero-out" and self.hops == 1 and self.header["null"] is not None:
            null = self.inputs.index(self.header["null"])
            made = {(x, y): int(x != y) for x in range(len(self.alphabet)) for y in (x, null)}
        here = self.challenge == self.round
        return {
            (x, y): cost
            for (x, y), cost in made.items()
            if self.challenge is None or (x != y) is here or x < 0 or (here and self.hops > 1)
        }

    def on_play(self, line: dict[str, Any]) -> None:
        """What an adversary submits at a position, and after each output goes on with, or bets on."""
        here, pair, then = self.use(line["play"], "position"), line["pair"], line["then"]
        relations = [after for *legal, after in here.moves if legal == pair]
        need(len(relations) == 1 and here.round == self.round, "a play submits a legal pair in its round")
        outcomes, totals = self.released(here, *pair, relations[0])
        need(isinstance(then, dict) and {o[0] for o in outcomes} == then.keys(), "a play answers every output")
        chances, streams = [Fraction(0), Fraction(0)], [()]
        for visible, *weights, key in outcomes:
            bets = then[visible] if isinstance(then[visible], bool) else None
            play = (
                Play(0, here.key, [Fraction(bool(bets))] * 2, ())
                if bets is not None
                else self.use(then[visible], "play")
            )
            need(bets is not None or (play.round, play.key) == (self.round + 1, key), "a play goes on where it leads")
            streams.append(play.streams)
            chances = [
                c + Fraction(k, t) * d for c, k, t, d in zip(chances, weights, totals, play.chances, strict=True)
            ]
        longest = None if None in streams else max(streams, key=len)
        fixed = longest is not None and all(one == longest[: len(one)] for one in streams)
        self.keep("play", line["last"], Play(self.round, here.key, chances, (tuple(pair), *longest) if fixed else None))

    def on_front(self, line: dict[str, Any]) -> None:
        """Curves for fixed streams, at positions that one pair of streams can lead to, a row of them for all.

        For every legal pair and every row of what follows, `by` names the row that bounds it at every position.
        """
        need(all(isinstance(line[name], list) and line[name] for name in ("front", "curves", "by")), "lists")
        group = [self.use(number, "position") for number in line["front"]]
        rows = [[self.use(curve, "curve") for curve in row] for row in line["curves"]]
        need(all(len(row) == len(group) for row in rows), "a curve for every position in every row")
        need(all(p.moves is group[0].moves and p.round == self.round for p in group), "positions with the same pairs")
        need(len(line["by"]) == len(group[0].moves), "an answer for every pair")
        for (x0, x1, relation), (number, by) in zip(group[0].moves, line["by"], strict=True):
            released = [self.released(p, x0, x1, relation) for p in group]
            keys = {after for outcomes, _ in released for *_, after in outcomes if after}
            after = self.use(number, "front") if keys else Front(self.round + 1, set(), [{}])
            need(after.keys == keys and (keys or number is None), "the positions that follow")
            for at, row in zip(by, after.rows, strict=True):
                need(type(at) is int and 0 <= at < len(rows), "the number of a row")
                for (outcomes, totals), curve in zip(released, rows[at], strict=True):
                    parts = [(k0, k1, row[key] if key else OVER) for _, k0, k1, key in outcomes]
                    if self.new(curve, parts, totals):
                        need(holds(curve, parts, *totals), "a row bounds what follows")
        keys = {p.key for p in group}
        made = [{p.key: c for p, c in zip(group, row, strict=True)} for row in rows]
        self.keep("front", line["last"], Front(self.round, keys, made))

    def on_adaptive(self, line: dict[str, Any]) -> None:
        """delta against every adversary, and what one attains."""
        root, e = self.claimed("adaptive", line)
        need(self.rational(line["upper"]) >= root.curve.delta(e, line["order"]), "the curve bounds delta")
        self.attained(line, e)

    def on_fixed(self, line: dict[str, Any]) -> None:
        """delta against streams that are fixed in advance, and what two of them attain."""
        root, e = self.claimed("fixed", line)
        front = (
            Front(1, {root.key}, [{root.key: root.curve}])
            if line["front"] is None
            else self.use(line["front"], "front")
        )
        need(front.round == 1, "streams from round 1 on")
        bound = max(row[root.key].delta(e, line["order"]) for row in front.rows)
        need(self.rational(line["upper"]) >= bound, "the curves bound delta")
        play = self.attained(line, e)
        need(play is None or play.streams is not None, "streams that do not depend on what is seen")

    def claimed(self, kind: str, line: dict[str, Any]) -> tuple[Position, Fraction]:
        """The next claim, of its kind, slope and order: about the one position of round 1, of one and the same state."""
        need(self.claims and self.round == 1 and len(self.here) == 1, "claims come last, of one position of round 1")
        need(self.claims.pop(0) == (kind, self.rational(line[kind]), line["order"]), "the claims in order")
        ((key, number),) = self.here.items()
        need(key[1] == key[2] and " " not in key[1], "both worlds start in the same state")
        root: Position = self.use(number, "position")
        self.covered = root.allowed
        return root, self.rational(line[kind])

    def attained(self, line: dict[str, Any], e: Fraction) -> Play | None:
        """The play that attains the lower bound, if it is above 0."""
        if line["play"] is None:
            need(line["lower"] in (None, "0"), "a lower bound above 0 has a play")
            return None
        play: Play = self.use(line["play"], "play")
        first, second = play.chances if line["order"] == "0-1" else play.chances[::-1]
        need(play.round == 1 and first - e * second >= self.rational(line["lower"]), "the play attains its bound")
        return play

    def verdict(self) -> list[str]:
        """Names of what is taken as given, after the last line."""
        need(self.line == self.header["lines"] and not self.claims, "all lines that the header counts")
        need(not self.live and not self.due, "every line is used last where it says")
        laws = sorted(f"{label}\t{law}" for label, law in (*self.laws, *self.core_laws.items()))
        digest = hashlib.sha256("\n".join(laws).encode()).hexdigest()
        need(self.header["kernel_digest"] == f"sha256:{digest}", "the header's digest is that of the laws")
        return [] if self.covered >= self.hops else [f"relation:{self.header['adjacency']}"]


def said(belief: Mapping[int, int]) -> str:
    """{state: mass} as a text, by state, in lowest terms."""
    common = gcd(*belief.values()) or 1
    return " ".join(f"{state}:{belief[state] // common}" for state in sorted(belief))


def refuse(_: object) -> None:
    """A number with a point, or none at all."""
    raise Invalid("no number but a small whole one stands without quotation marks")


def small(text: str) -> int:
    """A number of a line, a round or an input."""
    return int(text) if len(text) <= 12 else refuse(text)  # type: ignore[return-value]


def once(items: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no key comes twice."""
    need(len(dict(items)) == len(items), "a key comes once")
    return dict(items)


def parsed(text: str) -> dict[str, Any]:
    """One line of JSON, an object."""
    need(text.endswith("\n"), f"lines of at most {MOST_CHARACTERS} characters, ended")
    try:
        made = json.loads(text, parse_int=small, parse_float=refuse, parse_constant=refuse, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise Invalid("a line of JSON") from None
    need(isinstance(made, dict), "a line is an object")
    return dict(made)


def verify(lines: TextIO) -> tuple[list[str], Mapping[str, Any]]:
    """Names of what a valid certificate takes as given, and its header. Raises: Invalid; Unreadable."""
    read: Iterator[str] = iter(lambda: lines.readline(MOST_CHARACTERS), "")
    number = 1
    try:
        header = parsed(next(read, ""))
        if header.get("schema") != SCHEMA:
            raise Unreadable(f"Expected a {SCHEMA} but got another file")
        checker = Checker(header)
        for number, text in enumerate(read, 2):  # noqa: B007 - the error names it
            checker.read(parsed(text))
        return checker.verdict(), header
    except (Invalid, TypeError, ValueError, LookupError) as error:
        if number == 1 and isinstance(error, Invalid) and "header" not in str(error):
            raise Unreadable(f"Expected a {SCHEMA} but got another file") from None
        said = error if isinstance(error, Invalid) else "every part of a line has its form"
        raise Invalid(f"line {number}: expected that {said}") from None


def main(arguments: Sequence[str]) -> int:
    """The exit status: 0 valid, 1 invalid, 2 not readable, 3 valid but for what is named."""
    try:
        if len(arguments) != 1:
            raise Unreadable("Expected one FILE")
        with open(arguments[0], encoding="utf-8", newline="\n") as lines:
            given, _ = verify(lines)
    except Invalid as error:
        print(f"invalid: {error}")
        return 1
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"valid{' but for ' + ', '.join(given) if given else ''}")
    return 3 if given else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
