"""Checks a certificate of privacy (dpcert.certificate/2): python verify_certificate.py FILE.

One file, the standard library alone, whole numbers and fractions throughout; nothing here is shared with the solver.

A certificate is a game, from its last round to its first, with a claimed curve at every position. A curve is a concave
chain of segments (mass in world 0, mass in world 1) from (0, 0) to (1, 1), steepest first. V(a, b), the largest
b y - a x over its corners, is to bound what any adversary can still make of the position: the sum of
max(0, b P1 - a P0) over what is seen. It does if at every position, for every legal pair of inputs and all a, b >= 0,
the sum over outcomes of V_next(a k0, b k1) is at most V(a, b). The left side is convex in (a, b) and the right side is
linear between the rays of the curve's own segments, so that it is enough to compare at those (`holds`).

A line is referred to by its number and says which line uses it last; then it is forgotten, so that no more is held at
once than the widest round needs, and texts of laws, for their digest.
"""

import hashlib
import json
import sys
from bisect import bisect_left
from collections import Counter, defaultdict, namedtuple
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, product
from math import gcd, lcm
from operator import gt, le, mul
from typing import Any, TextIO

BEGINNING = '{"schema":"dpcert.certificate/2",'
MOST_DIGITS, MOST_LIVE, MOST_CHARACTERS = 4_000, 5_000_000, 1 << 28
"""Digits of a number, lines in use at once, characters of a line: past these a certificate is refused unread."""
BLOCK = 128
"""Rays that are passed over at once where their neighbours settle it."""


class Invalid(Exception):
    """What was expected and is not so."""


def need(condition: object, what: str) -> None:
    """Refuses what does not hold."""
    if not condition:
        raise Invalid(what)


def wholes(text: str, digits: int) -> list[int]:
    """Whole numbers of at most so many digits, each written in one way only, with single spaces between them."""
    words = text.split(" ")
    need(not text.encode().translate(None, b"0123456789 "), "digits alone")
    need(max(map(len, words)) <= digits, "no more digits than stated")
    need(" 0" not in f" {text}" or not [w for w in words if w[0] == "0" != w], "no number that begins with 0")
    return list(map(int, words))


def rational(text: str, digits: int) -> Fraction:
    """A fraction in lowest terms, at least 0; a whole number stands alone."""
    numerator, denominator = wholes(text.replace("/", " ") if "/" in text else f"{text} 1", digits)
    need(gcd(numerator, denominator) == 1 and ("/" in text) is (denominator > 1), "a fraction in lowest terms")
    return Fraction(numerator, denominator)


def label(text: str, _digits: int = 0) -> str:
    """A text without what parts the lines and columns of a digest."""
    need(type(text) is str and "\n" not in text and "\t" not in text, "a label on one line")
    return text


LINES: dict[str, dict[str, Any]] = {
    "schema": {
        "schema": str, "target": str, "game_digest": str, "game": str, "hidden": bool,
        "alphabet": [label], "null": (label,), "horizon": int, "adjacency": str, "hops": int, "challenge_round": (int,),
        "exp_epsilons": [rational], "gap": rational, "rung": (str,), "digits": int, "live": int, "lines": int,
    },
    "state": {"state": label, "last": int},
    "kernel": {"kernel": list, "to": list, "of": rational, "last": int},
    "moves": {"moves": list, "last": int},
    "curve": {"curve": [wholes], "last": int},
    "mirror": {"mirror": "curve", "last": int},
    "round": {"round": int},
    "position": {"position": list, "moves": "moves", "curve": "curve", "last": int},
    "play": {"play": "position", "pair": list, "then": dict, "last": int},
    "front": {"front": ["position"], "curves": [["curve"]], "by": list, "last": int},
    "claim": {
        "claim": str, "exp_epsilon": rational, "order": str, "upper": rational, "lower": (rational,),
        "play": ("play",), "front": ("front",),
    },
}  # fmt: skip
"""What stands at the keys of a line of each kind, the header first: a type; how a text is read; the kind of line whose
number it is. In brackets, several of that; in parentheses, that or null. What has a last use is for later lines."""
Position = namedtuple("Position", "round key moves releases curve allowed")
"""`releases`: what each pair may lead to. `allowed`: how many hops streams may still come to be apart, as far as legal
pairs are listed; -1 for no streams."""
Release = namedtuple("Release", "totals outcomes")
"""What a pair may lead to: each output with its weights in both worlds and the key of what follows; their sums."""
Play = namedtuple("Play", "round key chances hops streams")
"""An adversary: the chances of its event, how far apart its pairs are, and these if it looks at nothing it sees."""
Front = namedtuple("Front", "round keys rows")
"""Rows of curves, by the key of a position, of which one bounds every pair of streams."""


class Curve:
    """A concave chain: segments with strictly falling mass1 / mass0, and the sums of the first of them.

    `name` is the number of its line, and `twin` that of its mirror, the same with the worlds swapped.
    """

    def __init__(self, name: int, mass0: list[int], mass1: list[int]) -> None:
        steps = map(gt, map(mul, mass1, mass0[1:]), map(mul, mass0, mass1[1:]))
        need(len(mass0) == len(mass1) and all(steps), "segments of falling slope")
        need(any(mass0) and any(mass1), "a curve with mass in either world")
        self.mass0, self.mass1, self.name = mass0, mass1, name
        self.sum0, self.sum1 = [0, *accumulate(mass0)], [0, *accumulate(mass1)]
        self.total0, self.total1 = self.sum0[-1], self.sum1[-1]
        self.twin = name if mass0 == mass1[::-1] else -name

    def steeper(self, p: int, q: int, low: int = 0) -> int:
        """How many segments are steeper than q / p, the first `low` of which are known to be."""
        rest = range(low, len(self.mass0))
        return low + bisect_left(rest, True, key=lambda i: p * self.mass1[i] <= q * self.mass0[i])

    def delta(self, e: Fraction, order: str) -> Fraction:
        """The largest P_first(S) - e P_second(S) that the curve allows, the first world named by `order`."""
        a, b = (e, Fraction(1)) if order == "1-0" else (Fraction(1), e)
        at = self.steeper(b.numerator * a.denominator * self.total0, a.numerator * b.denominator * self.total1)
        return b * Fraction(self.sum1[at], self.total1) - a * Fraction(self.sum0[at], self.total0) + a - e


OVER = Curve(0, [1], [1])
"""Nothing more can be learnt."""
Part = tuple[int, int, Curve]
"""What an outcome is worth at a ray (p, q): V(q k0, p k1) for weights k0, k1 and a curve."""


def holds(curve: Curve, outcomes: Sequence[Part], total0: int, total1: int) -> bool:
    """Whether sum over outcomes (k0, k1, next) of V_next(a k0 / total0, b k1 / total1) <= V(a, b) for all a, b >= 0.

    It is compared at the rays of all segments (m0, m1), where b m1 / t1 = a m0 / t0 and both ends of the segment attain
    V. Some are passed over: what a corner is worth is linear, and at most V. Where that is no less than the left side
    at two rays, it is so at all between them, since the left side is convex.
    """
    unit0 = lcm(curve.total0, *(total0 * n.total0 for *_, n in outcomes))
    unit1 = lcm(curve.total1, *(total1 * n.total1 for *_, n in outcomes))
    own = (unit0 // curve.total0, unit1 // curve.total1, curve)
    parts = [(k0 * (unit0 // (total0 * n.total0)), k1 * (unit1 // (total1 * n.total1)), n) for k0, k1, n in outcomes]
    at, start, left, last = 0, [0] * len(parts), 0, len(curve.mass0) - 1
    for ray in (*range(0, last, BLOCK), last):
        p, q = ends = curve.mass0[ray] * own[0], curve.mass1[ray] * own[1]
        reached = [n.steeper(p * k1, q * k0, low) for low, (k0, k1, n) in zip(start, parts, strict=True)]
        here = sum(worth(part, corner, ends) for corner, part in zip(reached, parts, strict=True))
        before, middle = (curve.mass0[at] * own[0], curve.mass1[at] * own[1]), (at + ray + 1) // 2
        passed = left <= worth(own, middle, before) and here <= worth(own, middle, ends)
        high = here > worth(own, ray, ends)
        if high or not (passed or covers(own, at, ray, zip(parts, start, reached, strict=True))):
            return False
        at, start, left = ray, reached, here
    return True


def worth(part: Part, corner: int, ray: tuple[int, int]) -> int:
    """What a corner of a part is worth at a ray."""
    (k0, k1, curve), (p, q) = part, ray
    return p * k1 * curve.sum1[corner] - q * k0 * curve.sum0[corner]


def covers(own: Part, at: int, ray: int, parts: Iterable[tuple[Part, int, int]]) -> bool:
    """Whether a curve is worth what parts are at its own rays from one to another.

    Of each part come the numbers of the segments that lie between these rays.
    """
    k0, k1, curve = own
    ps, qs = [k0 * m for m in curve.mass0[at:ray]], [k1 * m for m in curve.mass1[at:ray]]
    xs, ys = [-k0 * x for x in curve.sum0[at:ray]], [-k1 * y for y in curve.sum1[at:ray]]
    for (k0, k1, n), low, end in parts:
        x, y = k0 * n.sum0[low], k1 * n.sum1[low]
        steps = zip([k0 * m for m in n.mass0[low:end]] + [1], [k1 * m for m in n.mass1[low:end]] + [0], strict=True)
        m0, m1 = next(steps)
        for i, (p, q) in enumerate(zip(ps, qs, strict=True)):
            while p * m1 > q * m0:
                x, y, (m0, m1) = x + m0, y + m1, next(steps)
            xs[i] += x
            ys[i] += y
    return all(map(le, map(mul, ps, ys), map(mul, qs, xs)))


def legal_costs(header: Mapping[str, Any], inputs: Sequence[str], round_: int) -> dict[tuple[int, int], int]:
    """How many hops apart the inputs of each legal pair of a round are, for relations that are known here."""
    name, one, challenge = header["adjacency"], header["hops"] == 1, header["challenge_round"]
    plain = header["game"] == "paired" and len(set(inputs)) == len(inputs)
    known, made = plain and (name == "zero-out") is (header["null"] is not None), dict[tuple[int, int], int]()
    for x, y in product(range(len(header["alphabet"])), range(len(inputs))) if known else ():
        near = name == "unit-hamming" and one and abs(int(inputs[x]) - int(inputs[y])) <= 1
        zeroed = name == "zero-out" and one and (x == y or inputs[y] == header["null"])
        now = challenge is None or (x != y) == (round_ == challenge) or (x == y and not one)
        if now and (near or zeroed or name in ("hamming", "any")):
            made[x, y] = int(x != y and name != "any")
    return made


def mean(weights: Iterable[int], total: int, values: Sequence[Any]) -> Fraction:
    """The mean of values by weights that sum to a total."""
    scale = lcm(*[value.denominator for value in values])
    parts = [k * value.numerator * (scale // value.denominator) for k, value in zip(weights, values, strict=True)]
    return Fraction(sum(parts), total * scale)


def said(belief: Mapping[int, int]) -> str:
    """{state: mass} as a text, by state, in lowest terms."""
    common = gcd(*belief.values()) or 1
    return " ".join(f"{state}:{belief[state] // common}" for state in sorted(belief))


def digest(texts: Iterable[str]) -> str:
    """SHA-256 of texts of one line each, in whatever order they come."""
    return "sha256:" + hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


class Checker:
    """Reads the lines of a certificate in order; `verdict` is what is said of it in the end."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.header, self.line, self.digits, self.live = header, 1, header["digits"], dict[int, tuple[str, Any]]()
        need(0 < self.digits <= MOST_DIGITS and 0 < header["live"] <= MOST_LIVE, "digits and live lines within limits")
        known, self.above = self.parts(header), 10**self.digits
        self.horizon, self.hops, self.hidden, null = (known[name] for name in ("horizon", "hops", "hidden", "null"))
        need(self.horizon > 0 and self.hops > 0 and known["game"] in ("paired", "npp"), "a game of at least one round")
        challenge, slopes = known["challenge_round"], known["exp_epsilons"]
        need(challenge is None or 1 <= challenge <= self.horizon, "a challenge in one of the rounds")
        need(slopes == sorted(set(slopes)), "rising e^epsilon")
        need(slopes and slopes[0] >= 1, "e^epsilon of at least 1")
        self.inputs = known["alphabet"] + [null] * (null is not None and null not in known["alphabet"])
        self.claims = list(product(("adaptive", "fixed"), slopes, ("0-1", "1-0")))
        self.used, self.due, self.kernels = dict[int, int](), defaultdict[int, list[int]](list), dict[Any, int]()
        self.labels, self.outcomes, self.start, self.covered = dict[Any, int](), list[str](), 0, True
        self.begin(self.horizon + 1, {})

    def begin(self, round_: int, after: dict[Any, int]) -> None:
        """A round; what is remembered within one is forgotten."""
        self.round, self.after, self.here = round_, after, dict[Any, int]()
        self.pushed: dict[tuple[str, int], tuple[int, dict[str, tuple[int, str]]]] = {}
        self.beliefs, self.compared = dict[str, dict[int, int]](), set[tuple[Any, ...]]()
        self.costs = legal_costs(self.header, self.inputs, round_)

    def parts(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """What stands at the keys of a line, as its kind has it."""
        kind = next(iter(line), "")
        need(kind in LINES, "a line of a known kind")
        need(line.keys() == LINES[kind].keys(), "the keys of the format, and no others")
        return {name: self.part(line[name], wanted) for name, wanted in LINES[kind].items()}

    def part(self, value: Any, wanted: Any) -> Any:
        """One of them, read as it is wanted."""
        if isinstance(wanted, type):
            need(type(value) is wanted, "another kind of value")
            return value
        if isinstance(wanted, str):
            return self.use(value, wanted)
        if isinstance(wanted, list):
            need(type(value) is list, "a list")
            return [self.part(one, wanted[0]) for one in value]
        if isinstance(wanted, tuple):
            return None if value is None else self.part(value, wanted[0])
        return wanted(value, self.digits)

    def use(self, number: Any, kind: str) -> Any:
        """What a line in use says."""
        found, what = self.live.get(number, ("", None))
        need(found == kind and type(number) is int, f"a {kind} that is in use")
        self.used[number] = self.line
        return what

    def read(self, line: Mapping[str, Any]) -> None:
        """One line after the header; then those are forgotten that it was to use last."""
        self.line += 1
        parts = self.parts(line)
        last = parts.pop("last", None)
        kind, what = getattr(self, f"on_{next(iter(parts))}")(**parts)
        if last is not None:
            need(last > self.line, "a line says which later line uses it last")
            self.live[self.line] = kind, what
            need(len(self.live) <= self.header["live"], "no more lines in use at once than the header says")
            self.due[last].append(self.line)
        for number in self.due.pop(self.line, ()):
            kind, what = self.live.pop(number)
            need(self.used.pop(number, 0) == self.line, f"line {number} is used last where it says")
            if kind == "kernel":
                del self.kernels[what[0]]

    def on_state(self, state: str) -> tuple[str, Any]:
        """A state of the mechanism, by its label."""
        need(state not in self.labels, "a state has a label of its own")
        self.labels[state] = self.line
        return "state", state

    def on_kernel(self, kernel: list[int], to: list[Any], of: Fraction) -> tuple[str, Any]:
        """The law of a round from a state under an input: (visible output, next state, weight), weights over `of`."""
        (state, x), entries = kernel, dict[tuple[str, int], int]()
        need(x in range(len(self.inputs)) and (state, x) not in self.labels, "the law of an input, given once")
        self.labels[state, x] = self.line
        asked = f"({self.use(state, 'state')}, {self.inputs[x]})"
        weights = wholes(" ".join(weight for *_, weight in to), self.digits)
        need(sum(weights) == of, "the weights of a law sum to its total")
        for (visible, after, _), weight in zip(to, weights, strict=True):
            there, share = self.use(after, "state"), weight / of
            need(weight and (label(visible), after) not in entries, "an outcome with a weight, given once")
            entries[visible, after] = weight
            self.outcomes.append(f"{asked}\t{visible}\t{there}\t{share}")
        need(self.hidden or len({after for _, after in entries}) == 1, "a core's next state is no matter of chance")
        self.kernels[state, x] = self.line
        return "kernel", ((state, x), [(v, s, w) for (v, s), w in entries.items()], sum(weights))

    def on_moves(self, moves: list[Any]) -> tuple[str, Any]:
        """The pairs of inputs that may be submitted, each with the relation's state after it, null for none."""
        known = range(len(self.inputs))
        need(moves and all(x0 in known and x1 in known for x0, x1, _ in moves), "pairs of inputs")
        need(all(after is None or type(after) is int for *_, after in moves), "a state of the relation is a number")
        need(len({(x0, x1) for x0, x1, _ in moves}) == len(moves), "a pair is listed once")
        return "moves", moves

    def on_curve(self, curve: list[list[int]]) -> tuple[str, Any]:
        """A curve by the masses of its segments."""
        mass0, mass1 = curve
        return "curve", Curve(self.line, mass0, mass1)

    def on_mirror(self, mirror: Curve) -> tuple[str, Any]:
        """The mirror of a curve."""
        return "curve", Curve(mirror.twin, mirror.mass1[::-1], mirror.mass0[::-1])

    def on_round(self, round: int) -> tuple[str, Any]:
        """From here on positions are of one round earlier."""
        need(round == self.round - 1 > 0, "rounds run from the last to the first")
        need(self.round > self.horizon or self.here, "a round has positions")
        self.begin(round, self.here)
        return "round", round

    def on_position(self, position: list[Any], moves: list[Any], curve: Curve) -> tuple[str, Any]:
        """A position with its curve: for every legal pair, what follows is worth no more than the curve."""
        key, beliefs = tuple(position), [self.belief(text) for text in position[1:]]
        need(type(key[0]) is int and len(beliefs) == 2, "a state of the relation, and two beliefs")
        need(key not in self.here and self.round <= self.horizon, "a position is given once, in a round")
        releases, reach = dict[tuple[int, int], Release](), dict[tuple[int, int], int]()
        for x0, x1, relation in moves:
            release = releases[x0, x1] = self.released(key, beliefs, (x0, x1), relation)
            after = [self.use(self.after.get(key), "position") if key else None for *_, key in release.outcomes]
            self.compare(curve, release, [n.curve if n else OVER for n in after])
            ends = relation is None and self.round < self.horizon
            reach[x0, x1] = -1 if ends else min((n.allowed for n in after if n), default=self.hops)
        lists = [reach.get(pair, -1) + cost for pair, cost in self.costs.items()]
        self.here[key], self.start = self.line, min(beliefs[0])
        allowed = min(self.hops, *lists) if lists else -1
        return "position", Position(self.round, key, moves, releases, curve, allowed)

    def compare(self, curve: Curve, release: Release, following: Sequence[Curve]) -> None:
        """Refuses a curve that does not bound what follows; nothing, nor its mirror, is compared twice in a round."""
        parts = [(k0, k1, n) for (_, k0, k1, _), n in zip(release.outcomes, following, strict=True)]
        one = curve.name, *release.totals, *sorted((n.name, k0, k1) for k0, k1, n in parts)
        if one not in self.compared:
            need(holds(curve, parts, *release.totals), "a curve bounds what follows")
            two = curve.twin, *release.totals[::-1], *sorted((n.twin, k1, k0) for k0, k1, n in parts)
            self.compared |= {one, two}

    def belief(self, text: str) -> dict[int, int]:
        """{state: weight} as a text has it, `state:weight` for each."""
        if text not in self.beliefs:
            numbers = wholes(text.replace(":", " "), max(self.digits, 12))
            belief = self.beliefs[text] = dict(zip(numbers[::2], numbers[1::2], strict=True))
            need(said(belief) == text and all(0 < w < self.above for w in belief.values()), "a belief in lowest terms")
        return self.beliefs[text]

    def seen(self, text: str, belief: dict[int, int], x: int) -> tuple[int, dict[str, tuple[int, str]]]:
        """The total, and {visible output: (mass, belief after it)}, of an input under a belief."""
        kernels = [self.use(self.kernels.get((state, x)), "kernel") for state in belief]
        if (text, x) not in self.pushed:
            scale, masses = lcm(*(total for *_, total in kernels)), defaultdict[str, Counter[int]](Counter)
            for weight, (_, entries, total) in zip(belief.values(), kernels, strict=True):
                for visible, after, w in entries:
                    masses[visible][after] += weight * (scale // total) * w
            known = {visible: (sum(there.values()), said(there)) for visible, there in masses.items()}
            self.pushed[text, x] = scale * sum(belief.values()), known
        return self.pushed[text, x]

    def released(self, key: tuple[Any, ...], beliefs: Sequence[Any], pair: tuple[int, int], relation: Any) -> Release:
        """What a pair may lead to from a position. A hidden state may tell the worlds apart, and then all is over."""
        (total0, seen0), (total1, seen1) = map(self.seen, key[1:], beliefs, pair)
        none0, none1 = ((0, "" if self.hidden else next(iter(seen.values()))[1]) for seen in (seen0, seen1))
        outcomes = []
        for visible in dict.fromkeys((*seen0, *seen1)):
            (k0, after0), (k1, after1) = seen0.get(visible, none0), seen1.get(visible, none1)
            over = self.hidden and (not k0 or not k1 or visible == "HALT")
            ends = over or relation is None or self.round == self.horizon
            outcomes.append((visible, k0, k1, None if ends else (relation, after0, after1)))
        return Release((total0, total1), outcomes)

    def on_play(self, play: Position, pair: list[int], then: dict[str, Any]) -> tuple[str, Any]:
        """What an adversary submits at a position, and after each output goes on with, or bets on."""
        release, following = play.releases[tuple(pair)], list[Play]()
        answered = {output for output, *_ in release.outcomes} == then.keys()
        need(answered and play.round == self.round, "an answer to every output")
        for output, *_, key in release.outcomes:
            on = then[output]
            following.append(Play(self.round + 1, key, (on, on), 0, ()) if type(on) is bool else self.use(on, "play"))
            need(following[-1][:2] == (self.round + 1, key), "a play that goes on where it leads")
        _, *weights, _ = zip(*release.outcomes, strict=True)
        after = zip(*(n.chances for n in following), strict=True)
        chances = tuple(mean(*world) for world in zip(weights, release.totals, after, strict=True))
        longest = max((n.streams or () for n in following), key=len)
        fixed = all(n.streams is not None and n.streams == longest[: len(n.streams)] for n in following)
        hops = max(n.hops for n in following) + self.costs.get((pair[0], pair[1]), self.hops + 1)
        return "play", Play(self.round, play.key, chances, hops, (tuple(pair), *longest) if fixed else None)

    def on_front(self, front: list[Position], curves: list[list[Curve]], by: list[Any]) -> tuple[str, Any]:
        """Curves for fixed streams, at positions that one pair of streams can lead to, a row of them for all.

        For every legal pair and every row of what follows, `by` names the row that bounds it at every position.
        """
        alike = all(p.moves is front[0].moves and p.round == self.round for p in front)
        need(curves and alike, "positions of one kind")
        for (x0, x1, _), (number, bounds) in zip(front[0].moves, by, strict=True):
            releases = [p.releases[x0, x1] for p in front]
            keys, over = {key for r in releases for *_, key in r.outcomes if key}, Front(self.round + 1, set(), [{}])
            following = over if number is None else self.use(number, "front")
            need((following.round, following.keys) == (self.round + 1, keys), "the positions that follow")
            for at, row in zip(bounds, following.rows, strict=True):
                need(at in range(len(curves)), "the number of a row")
                for release, curve in zip(releases, curves[at], strict=True):
                    self.compare(curve, release, [row[key] if key else OVER for *_, key in release.outcomes])
        own = [p.key for p in front]
        need(len(set(own)) == len(own), "a position once")
        return "front", Front(self.round, set(own), [dict(zip(own, row, strict=True)) for row in curves])

    def on_claim(self, claim: str, exp_epsilon: Fraction, order: str, upper: Fraction, lower: Fraction | None,
                 play: Play | None, front: Front | None) -> tuple[str, Any]:  # fmt: skip
        """delta against every adversary, or against fixed streams, is at least `lower` and at most `upper`."""
        need(self.claims and self.claims.pop(0) == (claim, exp_epsilon, order), "the claims of the header, in order")
        need(self.round == 1 and len(self.here) == 1, "claims come last, of the one position of round 1")
        ((key, number),) = self.here.items()
        root = self.use(number, "position")
        need(key[1] == key[2] and " " not in key[1], "both worlds start in the same state")
        need(front is None or (claim == "fixed" and front.round == 1), "streams from round 1 on")
        rows = [{key: root.curve}] if front is None else front.rows
        need(upper >= max(row[key].delta(exp_epsilon, order) for row in rows), "the curves bound delta")
        need(play is not None or not lower, "a lower bound above 0 has a play")
        self.covered &= root.allowed >= self.hops and (play is None or play.hops <= self.hops)
        if play is not None:
            first, second = play.chances if order == "0-1" else play.chances[::-1]
            need(play.round == 1 and first - exp_epsilon * second >= lower, "the play attains its bound")
            need(claim == "adaptive" or play.streams is not None, "streams that do not depend on what is seen")
        return "claim", None

    def digest(self) -> str:
        """That of all laws with what is seen and what follows, and the state of the first position."""
        return digest([*self.outcomes, *(state for state, line in self.labels.items() if line == self.start)])

    def verdict(self) -> list[str]:
        """Names of what is taken as given, after the last line."""
        need(not self.claims, "all lines that the header counts")
        need(not self.live and not self.due, "every line is used last where it says")
        need(self.header["game_digest"] == self.digest(), "the header's digest is that of the game")
        return [] if self.covered else [f"relation:{self.header['adjacency']}"]


def bounded(text: str) -> int:
    """The number of a line, a round or an input: no other stands without quotation marks."""
    need(len(text) <= 12 and text.lstrip("-").isdigit(), "a small whole number")
    return int(text)


READER = json.JSONDecoder(parse_int=bounded, parse_float=bounded, parse_constant=bounded)
WRITER = json.JSONEncoder(separators=(",", ":"))


def parsed(text: str) -> Any:
    """What a line says, which is written in one way only."""
    need(text, "all lines that the header counts")
    line = READER.decode(text)
    need(text == WRITER.encode(line) + "\n", "a whole line, as JSON is written shortest")
    return line


def verify(lines: TextIO) -> tuple[list[str], Mapping[str, Any]]:
    """Names of what a valid certificate takes as given, and its header. Raises: Invalid; OSError: no certificate.

    Where the header names a rung, the lines that are left are those of verify_rung.py.
    """
    text, number = lines.readline(MOST_CHARACTERS), 1
    if not text.startswith(BEGINNING):
        raise OSError("Expected a dpcert.certificate/2 but got another file")
    try:
        checker = Checker(parsed(text))
        while number < checker.header["lines"]:
            number += 1
            checker.read(parsed(lines.readline(MOST_CHARACTERS)))
        rung = checker.header["rung"]
        need(rung or not lines.readline(1), "all lines that the header counts, and no more")
        return checker.verdict() + [f"rung:{rung}"] * (rung is not None), checker.header
    except (Invalid, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError) as error:
        what = error if isinstance(error, Invalid) else "every part in its form"
        raise Invalid(f"line {number}: expected {what}") from None


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
