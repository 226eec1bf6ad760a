"""Checks a certificate of privacy (dpcert.certificate/1): python verify_certificate.py FILE.

One file, the standard library alone, whole numbers and fractions throughout; nothing here is shared with the solver.

A certificate is a game, written out from its last round to its first, with a claimed curve at every position. A curve
is a concave chain of segments (mass in world 0, mass in world 1) from (0, 0) to (1, 1), steepest first; V(a, b), the
largest b y - a x over its corners, bounds what any adversary can still make of the position: the sum of
max(0, b P1 - a P0) over what it sees. That is so if at every position, for every legal pair of inputs and all a, b >= 0,
the sum over outcomes of V_next(a k0, b k1) is at most V(a, b). The left side is convex in (a, b) and the right side is
linear between the rays that belong to the segments, so it is enough to compare at those rays (`holds`).

Every line is referred to by its number and says which line uses it last; after that it is forgotten, so no more is
held at once than the widest round needs (and a line of text for each law, for their digest).
"""

import hashlib
import json
import sys
from fractions import Fraction
from itertools import accumulate, pairwise
from math import gcd, lcm

SCHEMA = "dpcert.certificate/1"
MOST_DIGITS = 4_000
"""Digits of a number past which a certificate is refused, before the number is worked out."""
MOST_LIVE = 5_000_000
"""Lines in use at once past which a certificate is refused."""
BLOCK = 64
"""Rays that are passed over at once, where that is enough."""
MOST_CHARACTERS = 1 << 28
"""Characters of one line past which a certificate is refused."""
HEADER = {
    "schema": str, "target": str, "kernel_digest": str, "game": str, "hidden": bool, "alphabet": list,
    "null": (str, type(None)), "horizon": int, "adjacency": str, "hops": int, "challenge_round": (int, type(None)),
    "exp_epsilons": list, "gap": str, "digits": int, "live": int, "lines": int,
}  # fmt: skip
KEYS = {
    "state": {"state", "last"},
    "kernel": {"kernel", "to", "of", "last"},
    "moves": {"moves", "last"},
    "curve": {"curve", "last"},
    "mirror": {"mirror", "last"},
    "round": {"round"},
    "position": {"position", "moves", "curve", "last"},
    "play": {"play", "pair", "then", "last"},
    "front": {"front", "curves", "by", "last"},
    "adaptive": {"adaptive", "order", "upper", "lower", "play"},
    "fixed": {"fixed", "order", "upper", "front", "lower", "play"},
}
ORDERS = ("0-1", "1-0")


class Invalid(Exception):
    """A line that does not show what it claims."""


class Unreadable(Exception):
    """No certificate at all."""


def said(belief):
    """{state: mass} as a text, in lowest terms, by state."""
    common = gcd(*belief.values())
    return " ".join(f"{state}:{belief[state] // common}" for state in sorted(belief))


def longer(one, two):
    """The longer of two lists of pairs that agree as far as both go; None where they do not, or one is None."""
    if one is None or two is None or any(x != y for x, y in zip(one, two)):
        return None
    return max(one, two, key=len)


def hamming(inputs):
    """Any two inputs are one hop apart."""
    return {(x, y): int(x != y) for x in range(len(inputs)) for y in range(len(inputs))}


def unit_hamming(inputs, hops):
    """Whole numbers are as many hops apart as they differ by, where those in between are inputs as well."""
    at, made = [int(x) for x in inputs], {}
    for x, y in ((x, y) for x in range(len(at)) for y in range(len(at))):
        through = set(range(min(at[x], at[y]), max(at[x], at[y]))) <= set(at)
        if through and abs(at[x] - at[y]) <= hops:
            made[x, y] = abs(at[x] - at[y])
    return made


def need(condition, what):
    """Refuses what does not hold."""
    if not condition:
        raise Invalid(what)


class Curve:
    """A concave chain: segments with strictly falling mass1 / mass0, and the sums of the first of them.

    A curve and its mirror, which is the same with the worlds swapped, share a name; `turned` tells them apart where they differ (`turns`).
    """

    __slots__ = ("mass0", "mass1", "name", "sum0", "sum1", "total0", "total1", "turned", "turns")

    def __init__(self, name, mass0, mass1, *, turned=False):
        need(len(mass0) == len(mass1) > 0, "a curve has as many masses in world 0 as in world 1, and at least one")
        before0, before1 = 0, 1
        for m0, m1 in zip(mass0, mass1):
            need(before1 * m0 > m1 * before0 or (not m0 and m1 and not before0), "a curve's segments fall in slope")
            before0, before1 = m0, m1
        self.mass0, self.mass1 = mass0, mass1
        self.sum0, self.sum1 = [0, *accumulate(mass0)], [0, *accumulate(mass1)]
        self.total0, self.total1 = self.sum0[-1], self.sum1[-1]
        need(self.total0 and self.total1, "a curve has mass in both worlds")
        self.turns = mass0[0] != mass1[-1] or mass0 != mass1[::-1]
        self.name, self.turned = name, turned and self.turns

    def mirror(self):
        """The same with the worlds swapped."""
        return Curve(self.name, self.mass1[::-1], self.mass0[::-1], turned=not self.turned)

    def delta(self, exp_epsilon, order):
        """The largest P_first(S) - e^epsilon P_second(S) that the curve allows, the first world named by `order`."""
        t0, t1, e = self.total0, self.total1, exp_epsilon
        if order == "1-0":
            return max(Fraction(y, t1) - e * Fraction(x, t0) for x, y in zip(self.sum0, self.sum1))
        return max(Fraction(t0 - x, t0) - e * Fraction(t1 - y, t1) for x, y in zip(self.sum0, self.sum1))

    def passed(self, low, p, q):
        """How many segments are steeper than q / p, at least the first `low` of them."""
        high = len(self.mass0)
        while low < high:
            middle = (low + high) // 2
            if p * self.mass1[middle] > q * self.mass0[middle]:
                low = middle + 1
            else:
                high = middle
        return low


OVER = Curve(0, [1], [1])
"""Nothing more can be learnt."""


def holds(curve, outcomes, total0, total1):
    """Whether sum over outcomes (k0, k1, next) of V_next(a k0 / total0, b k1 / total1) <= V(a, b) for all a, b >= 0.

    At the ray of a segment (m0, m1), where b m1 / t1 = a m0 / t0, both ends of the segment attain V; at the two axes
    both sides are equal. Rays are compared steepest first. Between two of them the left side lies below its chord, and
    V above the two corners beside them: where that settles it, the rays in between are passed over.
    """
    unit0, unit1 = lcm(*(total0 * n.total0 for *_, n in outcomes)), lcm(*(total1 * n.total1 for *_, n in outcomes))
    common0, common1 = gcd(curve.total0, unit0), gcd(curve.total1, unit1)
    factor0, factor1 = curve.total1 // common1 * (unit0 // common0), curve.total0 // common0 * (unit1 // common1)
    scale = (unit0 // common0) * (unit1 // common1)
    parts = [(k0 * (unit0 // (total0 * n.total0)), k1 * (unit1 // (total1 * n.total1)), n) for k0, k1, n in outcomes]
    mass0, mass1, sum0, sum1 = curve.mass0, curve.mass1, curve.sum0, curve.sum1
    at, last, start, before = None, len(mass0) - (1 if mass1[-1] else 2), [0] * len(parts), (0, 0)
    first = 0 if mass0[0] else 1

    def worth(ray, corner):
        """scale (b y - a x) of a corner at a ray."""
        return scale * (mass0[ray] * sum1[corner] - mass1[ray] * sum0[corner])

    for ray in (*range(first, last, BLOCK), last) if first <= last else ():
        p, q = mass0[ray] * factor0, mass1[ray] * factor1
        reached = [n.passed(low, p * by1, q * by0) for low, (by0, by1, n) in zip(start, parts)]
        left = sum(p * by1 * n.sum1[i] - q * by0 * n.sum0[i] for i, (by0, by1, n) in zip(reached, parts))
        right = worth(ray, ray)
        if left > right:
            return False
        if at is not None and ray - at > 1:
            across, back = worth(ray, at + 1), worth(at, ray)
            u, v = before[1] - back, right - across
            if v * before[0] + u * left > v * before[1] + u * across and not between(
                list(zip(mass0[at + 1 : ray], mass1[at + 1 : ray])), (factor0, factor1), start, parts,
                [worth(i, i) for i in range(at + 1, ray)],
            ):  # fmt: skip
                return False
        at, before, start = ray, (left, right), reached
    return True


def between(rays, factors, start, parts, allowed):
    """The same at each of some neighbouring rays."""
    scaled, reached = [(p * factors[0], q * factors[1]) for p, q in rays], [0] * len(rays)
    for at, (by0, by1, n) in zip(start, parts):
        mass0, mass1, sum0, sum1, count = n.mass0, n.mass1, n.sum0, n.sum1, len(n.mass0)
        for i, (p, q) in enumerate(scaled):
            p, q = p * by1, q * by0
            while at < count and p * mass1[at] > q * mass0[at]:
                at += 1
            reached[i] += p * sum1[at] - q * sum0[at]
    return all(left <= right for left, right in zip(reached, allowed))


class Line:
    """A line in use: what it says, and the last line that used it."""

    __slots__ = ("kind", "number", "used", "what")

    def __init__(self, kind, number, what):
        self.kind, self.number, self.what, self.used = kind, number, what, 0


class Kernel:
    """The law of (visible output, next state) from a state under an input: whole weights over their total."""

    __slots__ = ("entries", "key", "total")

    def __init__(self, key, entries, total):
        self.key, self.entries, self.total = key, entries, total


class Position:
    """The relation's state and what is believed in either world, with the claimed curve."""

    __slots__ = ("allowed", "beliefs", "curve", "key", "moves", "round")

    def __init__(self, round_, key, beliefs, moves, curve):
        self.round, self.key, self.beliefs, self.moves, self.curve = round_, key, beliefs, moves, curve
        self.allowed = -1


class Play:
    """What an adversary makes of a position: its event's probability in both worlds, and its pairs if those are fixed."""

    __slots__ = ("chances", "key", "round", "streams")

    def __init__(self, round_, key, chances, streams):
        self.round, self.key, self.chances, self.streams = round_, key, chances, streams


class Checker:
    """Reads the lines of a certificate in order; `verdict` is what is said of it in the end."""

    def __init__(self, header):
        self.line = 1
        self.header = header
        self.checked_header()
        self.live, self.due = {}, {}
        self.round = self.horizon + 1
        self.here, self.after = {}, {}
        self.kernels, self.defined, self.labels, self.laws = {}, set(), set(), []
        self.law_of = {}
        self.covered = -1
        self.claims = [(kind, e, order) for kind in ("adaptive", "fixed") for e in self.slopes for order in ORDERS]
        self.forget()

    # What a line may look like

    def checked_header(self):
        """The header's fields, each of its type and in its range."""
        header = self.header
        need(header.keys() == HEADER.keys(), "the header has the keys of this format, and no others")
        for name, kind in HEADER.items():
            need(isinstance(header[name], kind) and not (kind is int and header[name] is True), f"header: {name}")
        self.digits = header["digits"]
        need(0 < self.digits <= MOST_DIGITS and 0 < header["live"] <= MOST_LIVE, "digits and live lines within limits")
        self.horizon, self.hops, self.hidden = header["horizon"], header["hops"], header["hidden"]
        need(self.horizon > 0 and self.hops > 0 and header["game"] in ("paired", "npp"), "a game of at least one round")
        need(header["challenge_round"] is None or 1 <= header["challenge_round"] <= self.horizon, "a challenge round")
        need(all(isinstance(x, str) for x in header["alphabet"]), "inputs are labels")
        self.slopes = [self.rational(e) for e in header["exp_epsilons"]]
        rising = all(a < b for a, b in pairwise(self.slopes))
        need(self.slopes and self.slopes[0] >= 1 and rising and self.rational(header["gap"]) >= 0, "slopes and a gap")
        null = header["null"]
        self.inputs = header["alphabet"] + ([null] if null is not None and null not in header["alphabet"] else [])

    def whole(self, text):
        """A whole number of at most so many digits, written in one way only."""
        plain = isinstance(text, str) and 0 < len(text) <= self.digits and text.isascii() and text.isdigit()
        need(plain and (text[0] != "0" or text == "0"), "a whole number of at most the stated digits")
        return int(text)

    def wholes(self, text):
        """Whole numbers with one space between."""
        need(isinstance(text, str) and text.isascii(), "whole numbers with one space between")
        words = text.split(" ")
        need(
            max(map(len, words)) <= self.digits and "".join(words).isdigit(),
            "whole numbers of at most the stated digits",
        )
        need("" not in words and not any(w[0] == "0" != w for w in words), "a whole number is written in one way only")
        return list(map(int, words))

    def rational(self, text):
        """A fraction in lowest terms, at least 0."""
        need(isinstance(text, str), "a rational is a text")
        above, slash, below = text.partition("/")
        value = Fraction(self.whole(above), self.whole(below) if slash else 1) if below != "0" else None
        need(
            value is not None and text == (f"{value.numerator}/{value.denominator}" if slash else above), "lowest terms"
        )
        need(not slash or value.denominator > 1, "lowest terms")
        return value

    def input(self, x):
        """The number of an input."""
        need(type(x) is int and 0 <= x < len(self.inputs), "an input is the number of one")
        return x

    # Lines that are in use

    def keep(self, kind, last, what):
        """A line that later ones use, `last` the last of them."""
        need(type(last) is int and last > self.line, "a line says which later line uses it last")
        self.live[self.line] = Line(kind, self.line, what)
        need(len(self.live) <= self.header["live"], "no more lines in use at once than the header says")
        self.due.setdefault(last, []).append(self.line)

    def use(self, number, kind):
        """What a line in use says."""
        found = self.live.get(number) if type(number) is int else None
        need(found is not None and found.kind == kind, f"a {kind} that is in use")
        found.used = self.line
        return found.what

    def done(self):
        """Forgets what this line was to use last."""
        for number in self.due.pop(self.line, ()):
            line = self.live.pop(number)
            need(line.used == self.line, f"line {number} is used last where it says")
            if line.kind == "kernel":
                del self.kernels[line.what.key]

    def forget(self):
        """Forgets what is remembered within a round."""
        self.pushed, self.known = {}, set()

    # One method a kind of line

    def read(self, line):
        """One line after the header."""
        self.line += 1
        kind = next((name for name in KEYS if next(iter(line), None) == name), None)
        need(kind is not None and line.keys() == KEYS[kind], "a line of a known kind, with its keys and no others")
        getattr(self, f"on_{kind}")(line)
        self.done()

    def on_state(self, line):
        """A state of the mechanism, by its label."""
        label = line["state"]
        need(isinstance(label, str) and label not in self.labels, "a state is a label of its own")
        self.labels.add(label)
        self.keep("state", line["last"], label)

    def on_kernel(self, line):
        """The law of a round from a state under an input; its text goes into the digest of all laws."""
        need(isinstance(line["kernel"], list) and len(line["kernel"]) == 2, "a kernel is of a state and an input")
        state, x = line["kernel"]
        label, key, entries, texts = self.use(state, "state"), (state, self.input(x)), [], []
        need(key not in self.defined and isinstance(line["to"], list) and line["to"], "a kernel is given once")
        self.defined.add(key)
        total = self.whole(line["of"])
        for entry in line["to"]:
            need(
                isinstance(entry, list) and len(entry) == 3 and isinstance(entry[0], str), "an outcome has three parts"
            )
            visible, after, weight = entry[0], entry[1], self.whole(entry[2])
            there = self.use(after, "state")
            need(weight > 0, "an outcome has a weight")
            entries.append((visible, after, weight))
            share = Fraction(weight, total) if total else 0
            texts.append(f"({visible}, {there}):{share}" if self.hidden else f"{visible}:{share}")
        need(len({(v, after) for v, after, _ in entries}) == len(entries), "an outcome is given once")
        need(sum(weight for *_, weight in entries) == total, "the weights of a law sum to its total")
        law = " ".join(sorted(texts))
        if self.hidden:
            self.laws.append(f"({label}, {self.inputs[x]})\t{law}")
        else:
            need(len({after for _, after, _ in entries}) == 1, "a core's next state is no matter of chance")
            if self.law_of.setdefault(there, law) is law:
                self.laws.append(f"{there}\t{law}")
            need(self.law_of[there] == law, "a core's law belongs to its state")
        self.kernels[key] = self.line
        self.keep("kernel", line["last"], Kernel(key, entries, total))

    def on_moves(self, line):
        """The pairs of inputs that may be submitted, each with the relation's state after it."""
        moves = line["moves"]
        need(isinstance(moves, list) and moves, "at least one pair is legal")
        for move in moves:
            need(isinstance(move, list) and len(move) == 3, "a legal pair has a state after it")
            self.input(move[0]), self.input(move[1])
            need(move[2] is None or type(move[2]) is int, "a state of the relation is a number")
        need(len({(x0, x1) for x0, x1, _ in moves}) == len(moves), "a pair is listed once")
        self.keep("moves", line["last"], moves)

    def on_curve(self, line):
        """A curve by the masses of its segments."""
        curve = line["curve"]
        need(isinstance(curve, list) and len(curve) == 2, "a curve has masses in two worlds")
        self.keep("curve", line["last"], Curve(self.line, *map(self.wholes, curve)))

    def on_mirror(self, line):
        """The mirror of a curve."""
        self.keep("curve", line["last"], self.use(line["mirror"], "curve").mirror())

    def on_round(self, line):
        """From here on positions are of one round earlier."""
        need(
            line["round"] == self.round - 1 > 0 and type(line["round"]) is int, "rounds run from the last to the first"
        )
        need(self.round > self.horizon or self.here, "a round has positions")
        self.round, self.here, self.after = line["round"], {}, self.here
        self.forget()

    def on_position(self, line):
        """A position with its curve: for every legal pair, what follows is worth no more than the curve."""
        key, beliefs = self.place(line["position"])
        need(key not in self.here and self.round <= self.horizon, "a position is given once, in a round")
        curve = self.use(line["curve"], "curve")
        here = Position(self.round, key, beliefs, self.use(line["moves"], "moves"), curve)
        nexts = {}
        for x0, x1, relation in here.moves:
            outcomes, (total0, total1) = self.released(here, x0, x1, relation)
            found = [self.use(self.after.get(o[3]), "position") if o[3] else None for o in outcomes]
            nexts[x0, x1] = (
                -1
                if relation is None and self.round < self.horizon
                else min((n.allowed for n in found if n), default=self.hops)
            )
            option = [(o[1], o[2], n.curve if n else OVER) for o, n in zip(outcomes, found)]
            if self.new(curve, option, total0, total1):
                need(holds(curve, option, total0, total1), f"the curve bounds what follows pair ({x0}, {x1})")
        here.allowed = self.allowed(nexts)
        self.here[key] = self.line
        self.keep("position", line["last"], here)

    def new(self, curve, option, total0, total1):
        """Whether a comparison was not made in this round, nor its mirror, in which both worlds are swapped."""
        flat = sorted((n.name, n.turned, k0, k1) for k0, k1, n in option)
        turned = sorted((n.name, n.turned != n.turns, k1, k0) for k0, k1, n in option)
        key = curve.name, curve.turned, total0, total1, *flat
        if key in self.known or (curve.name, curve.turned != curve.turns, total1, total0, *turned) in self.known:
            return False
        self.known.add(key)
        return True

    def place(self, position):
        """The key of a position, and its two beliefs as {state: weight}."""
        need(
            isinstance(position, list) and len(position) == 3 and type(position[0]) is int, "a position has three parts"
        )
        beliefs = []
        for text in position[1:]:
            need(isinstance(text, str), "a belief is a text")
            belief = [tuple(map(self.whole, part.split(":"))) for part in text.split(" ")]
            need(all(len(part) == 2 and part[1] > 0 for part in belief), "a belief is of states and weights")
            need(all(s < t for (s, _), (t, _) in pairwise(belief)), "a belief's states are in order")
            need(gcd(*(w for _, w in belief)) == 1, "a belief is in lowest terms")
            beliefs.append(belief)
        return tuple(position), beliefs

    def seen(self, text, belief, x):
        """Total and {visible output: (mass, belief after it)} of an input under a belief."""
        known = self.pushed.get((text, x))
        numbers = [self.kernels.get((state, x)) for state, _ in belief]
        kernels = [self.use(number, "kernel") for number in numbers]
        if known is None:
            scale, masses = lcm(*(kernel.total for kernel in kernels)), {}
            for (_, weight), kernel in zip(belief, kernels):
                for visible, after, w in kernel.entries:
                    there = masses.setdefault(visible, {})
                    there[after] = there.get(after, 0) + weight * (scale // kernel.total) * w
            known = (
                scale * sum(w for _, w in belief),
                {v: (sum(there.values()), said(there)) for v, there in masses.items()},
            )
            self.pushed[text, x] = known
        return known

    def released(self, position, x0, x1, relation):
        """[visible output, k0, k1, key of what follows or None] for every outcome of a pair, and both totals."""
        (_, text0, text1), (belief0, belief1) = position.key, position.beliefs
        (total0, seen0), (total1, seen1) = self.seen(text0, belief0, x0), self.seen(text1, belief1, x1)
        over, made = relation is None or position.round == self.horizon, []
        none0, none1 = ((0, "" if self.hidden else next(iter(seen.values()))[1]) for seen in (seen0, seen1))
        for visible in dict.fromkeys((*seen0, *seen1)):
            (k0, after0), (k1, after1) = seen0.get(visible, none0), seen1.get(visible, none1)
            ends = over or (self.hidden and (not k0 or not k1 or visible == "HALT"))
            made.append((visible, k0, k1, None if ends else (relation, after0, after1)))
        return made, (total0, total1)

    def allowed(self, nexts):
        """How far apart streams may still come to be from here; -1 if not even equal ones are all listed."""
        costs, most = self.costs(), -1
        for hops in range(self.hops + 1):
            needed = [(pair, cost) for pair, cost in costs.items() if cost <= hops]
            if any(nexts.get(pair, -1) < hops - cost for pair, cost in needed):
                break
            most = hops
        return most

    def costs(self):
        """How many hops a legal pair of this round takes of the named relation; nothing of one that is not known here."""
        name, challenge = self.header["adjacency"], self.header["challenge_round"]
        inputs, null, found = self.inputs, self.header["null"], {(-1, -1): 0}
        if self.header["game"] == "npp" or len(set(inputs)) < len(inputs):
            return found
        if name in ("hamming", "any"):
            found = {pair: cost if name == "hamming" else 0 for pair, cost in hamming(inputs).items()}
        elif name == "unit-hamming":
            found = unit_hamming(inputs, self.hops)
        elif name == "zero-out" and null is not None and self.hops == 1:
            at = inputs.index(null)
            found = {(x, x): 0 for x in range(len(self.header["alphabet"]))}
            found |= {(x, at): 1 for x in range(len(self.header["alphabet"])) if x != at}
        if challenge is None:
            return found
        here = self.round == challenge
        return {(x, y): c for (x, y), c in found.items() if (x != y) == here or (here and self.hops > 1)}

    def on_play(self, line):
        """What an adversary submits at a position, and after each output goes on with, or bets on."""
        here = self.use(line["play"], "position")
        need(isinstance(line["pair"], list) and len(line["pair"]) == 2 and isinstance(line["then"], dict), "a play")
        relation = [after for *pair, after in here.moves if pair == line["pair"]]
        need(len(relation) == 1 and here.round == self.round, "a play submits a legal pair in its round")
        outcomes, totals = self.released(here, *line["pair"], relation[0])
        need({o[0] for o in outcomes} == line["then"].keys(), "a play answers every output")
        chances, streams = [Fraction(0), Fraction(0)], ()
        for visible, k0, k1, key in outcomes:
            then = line["then"][visible]
            if isinstance(then, bool):
                made = (Fraction(then), Fraction(then))
            else:
                play = self.use(then, "play")
                need(
                    key is not None and (play.round, play.key) == (self.round + 1, key), "a play goes on where it leads"
                )
                made, streams = play.chances, longer(streams, play.streams)
            for world, k in enumerate((k0, k1)):
                chances[world] += Fraction(k, totals[world]) * made[world]
        fixed = None if streams is None else (tuple(line["pair"]), *streams)
        self.keep("play", line["last"], Play(self.round, here.key, chances, fixed))

    def on_front(self, line):
        """Curves for streams that are fixed in advance, at positions that they can lead to side by side.

        Every row of `curves` has one for each position. For every legal pair and every row of what follows, `by` names
        the row that bounds them all.
        """
        group = [self.use(number, "position") for number in self.numbers(line["front"])]
        need(line["front"] == sorted(set(line["front"])) and isinstance(line["curves"], list), "positions in order")
        rows = [[self.use(c, "curve") for c in self.numbers(row)] for row in line["curves"]]
        need(rows and all(len(row) == len(group) for row in rows), "a curve for every position in every row")
        need(all(p.moves is group[0].moves and p.round == self.round for p in group), "positions with the same pairs")
        need(isinstance(line["by"], list) and len(line["by"]) == len(group[0].moves), "an answer for every pair")
        for (x0, x1, relation), by in zip(group[0].moves, line["by"]):
            need(isinstance(by, list) and len(by) == 2 and isinstance(by[1], list), "what follows, and rows")
            released = [self.released(p, x0, x1, relation) for p in group]
            keys = {o[3] for outcomes, _ in released for o in outcomes if o[3]}
            after = self.use(by[0], "front") if keys else {"rows": [{}]}
            need((by[0] is None and not keys) or (keys and after["keys"] == keys), "the positions that follow")
            need(len(by[1]) == len(after["rows"]), "a row for every row that follows")
            for at, row in zip(by[1], after["rows"]):
                need(type(at) is int and 0 <= at < len(rows), "the number of a row")
                for (outcomes, totals), curve in zip(released, rows[at]):
                    option = [(k0, k1, row[key] if key else OVER) for _, k0, k1, key in outcomes]
                    need(holds(curve, option, *totals), "a row bounds what follows")
        keys = [p.key for p in group]
        made = {"keys": set(keys), "rows": [dict(zip(keys, row)) for row in rows], "round": self.round}
        self.keep("front", line["last"], made)

    def numbers(self, listed):
        """A list of line numbers, at least one."""
        need(isinstance(listed, list) and listed, "a list of lines")
        return listed

    # What is claimed

    def on_adaptive(self, line):
        """delta against every adversary, and what one attains."""
        _, e, order = self.claimed("adaptive", line)
        need(self.rational(line["upper"]) >= self.root().curve.delta(e, order), "the curve bounds delta")
        self.attained(line, e, order)

    def on_fixed(self, line):
        """delta against streams that are fixed in advance, and what two attain."""
        _, e, order = self.claimed("fixed", line)
        root = self.root()
        if line["front"] is None:
            bound = root.curve.delta(e, order)  # which holds against every adversary
        else:
            front = self.use(line["front"], "front")
            need(front["round"] == 1, "the streams from round 1 on")
            bound = max(curve.delta(e, order) for row in front["rows"] for curve in row.values())
        need(line["upper"] is None or self.rational(line["upper"]) >= bound, "the curves bound delta")
        need(line["upper"] is not None or line["front"] is None, "a bound where there are curves for it")
        play = self.attained(line, e, order)
        need(play is None or play.streams is not None, "streams that do not depend on what is seen")

    def claimed(self, kind, line):
        """The next claim, of its kind, slope and order."""
        need(self.claims and self.round == 1, "claims come last")
        claim = self.claims.pop(0)
        need(claim == (kind, self.rational(line[kind]), line["order"]), "the claims of the header, in order")
        return claim

    def root(self):
        """The one position of round 1: one sure state, the same in both worlds."""
        need(len(self.here) == 1, "round 1 has one position")
        ((key, number),) = self.here.items()
        need(key[1] == key[2] and " " not in key[1], "both worlds start in the same state")
        root = self.use(number, "position")
        self.covered = root.allowed
        return root

    def attained(self, line, e, order):
        """The play that attains the lower bound, if it is above 0."""
        need(line["play"] is not None or line["lower"] in (None, "0"), "a lower bound above 0 has a play")
        if line["play"] is None:
            return None
        play = self.use(line["play"], "play")
        first, second = play.chances[:: 1 if order == "0-1" else -1]
        need(play.round == 1 and first - e * second >= self.rational(line["lower"]), "the play attains its bound")
        return play

    def verdict(self):
        """What was not checked, after the last line: names of what is taken as given."""
        need(self.line == self.header["lines"] and not self.claims, "all lines of the header are there")
        need(not self.live and not self.due, "every line is used last where it says")
        digest = hashlib.sha256("\n".join(sorted(self.laws)).encode()).hexdigest()
        need(self.header["kernel_digest"] == f"sha256:{digest}", "the header's digest is that of the laws")
        return [] if self.covered >= self.hops else [f"relation:{self.header['adjacency']}"]


def refuse(_):
    """A number with a point, or none at all."""
    raise Invalid("no number but a whole one stands without quotation marks")


def small(text):
    """A number of a line, a round or an input."""
    need(len(text) <= 12, "a number without quotation marks is small")
    return int(text)


def pairs(items):
    """An object in which no key comes twice."""
    made = dict(items)
    need(len(made) == len(items), "a key comes once")
    return made


def parsed(text):
    """One line of JSON, an object."""
    need(text.endswith("\n") and len(text) < MOST_CHARACTERS, "lines of a length within the limit")
    try:
        made = json.loads(text, parse_int=small, parse_float=refuse, parse_constant=refuse, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        raise Invalid("a line of JSON") from None
    need(isinstance(made, dict), "a line is an object")
    return made


def verify(lines):
    """What a certificate leaves unchecked, and its checked header. Raises: Invalid, Unreadable."""
    read = iter(lambda: lines.readline(MOST_CHARACTERS), "")
    try:
        header = parsed(next(read, ""))
    except Invalid:
        raise Unreadable(f"Expected a {SCHEMA} file but got another one") from None
    if header.get("schema") != SCHEMA:
        raise Unreadable(f"Expected a {SCHEMA} file but got another schema")
    number = 1
    try:
        checker = Checker(header)
        for number, text in enumerate(read, 2):
            checker.read(parsed(text))
        return checker.verdict(), header
    except Invalid as error:
        raise Invalid(f"line {number}: expected that {error}") from None


def main(arguments):
    """The exit status: 0 valid, 1 invalid, 2 not readable, 3 valid but for what is named."""
    try:
        if len(arguments) != 1:
            raise Unreadable("Expected one FILE")
        with open(arguments[0], encoding="utf-8", newline="\n") as lines:
            given, header = verify(lines)
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
