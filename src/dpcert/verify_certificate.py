"""Checks a certificate of privacy (dpcert.certificate/2): python verify_certificate.py FILE.

One file, the standard library alone, whole numbers and fractions throughout; nothing here is shared with the solver.
A certificate is a game, from its last round to its first, with a claimed curve at every position. A curve is a concave
chain of segments (mass in world 0, mass in world 1) from (0, 0) to (1, 1), steepest first. V(a, b), the largest
b y - a x over its corners, is to bound what any adversary can still make of the position: the sum of
max(0, b P1 - a P0) over what is seen. It does if at every position, for every legal pair of inputs and all a, b >= 0,
the sum over outcomes of V_next(a k0, b k1) is at most V(a, b). The left side is convex in (a, b) and the right side is
linear between the rays of the curve's own segments, so that it is enough to compare at those (`holds`).
A line is referred to by its number and says which line uses it last; then it is forgotten. So no more is held at once
than the widest rounds need, and texts of laws, for their digest.
"""

import hashlib
import json
import sys
from collections import Counter, defaultdict, namedtuple
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, product
from math import gcd, lcm
from operator import gt, le, mul
from typing import Any, TextIO

BEGINNING = '{"schema":"dpcert.certificate/2",'
READER, WRITER = json.JSONDecoder(), json.JSONEncoder(separators=(",", ":"))
MOST_DIGITS, MOST_LIVE, MOST_CHARACTERS, MOST_NUMBER = 4_000, 5_000_000, 1 << 28, 10**12
"""Digits of a number, lines in use at once, characters of a line, numbers of lines: past these it is refused unread."""


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


LINES: dict[str, dict[str, Any]] = {
    "schema": {
        "schema": str, "target": str, "game_digest": str, "game": str, "hidden": bool,
        "alphabet": [str], "null": (str,), "horizon": int, "adjacency": str, "hops": int, "challenge_round": (int,),
        "exp_epsilons": [rational], "gap": rational, "rung": (str,), "digits": int, "live": int, "lines": int,
    },
    "kernel": {"kernel": ["state", int], "to": [[str, "state", wholes]], "of": rational, "last": int},
    "moves": {"moves": [[int, int, (int,)]], "last": int}, "curve": {"curve": [wholes, wholes], "last": int},
    "state": {"state": str, "last": int}, "mirror": {"mirror": "curve", "last": int}, "round": {"round": int},
    "position": {"position": [int, str, str], "moves": "moves", "curve": "curve", "last": int},
    "play": {"play": "position", "pair": [int, int], "then": dict, "last": int},
    "front": {"front": ["position"], "curves": [["curve"]], "by": [[("front",), [int]]], "last": int},
    "claim": {"claim": str, "exp_epsilon": rational, "order": str, "upper": rational, "lower": (rational,),
              "play": ("play",), "front": ("front",)},
}  # fmt: skip
"""What stands at the keys of a line of each kind, the header first: a type; how a text is read; the kind of line whose
number it is. In brackets, one of each, or any number of one; in parentheses, that or null."""
Position = namedtuple("Position", "round key moves releases laws curve spare")
"""`releases`: by pair of inputs, a total, and {output: (its weight in either world, key of what follows)}; by `laws`.
`spare`: how many hops streams may still come to be apart, as far as legal pairs are listed; -1 for no streams."""
Play = namedtuple("Play", "round key chances unit hops streams")
"""An adversary: the chances of its event, times `unit`; how far apart its pairs are; these, if nothing seen counts."""
Front = namedtuple("Front", "round keys rows")
"""Rows of curves, by the key of a position, of which one bounds every pair of streams."""


class Curve:
    """A concave chain: segments of falling mass1 / mass0, by the number of its line; `twin` is that of its mirror."""

    def __init__(self, name: int, mass0: list[int], mass1: list[int]) -> None:
        falls = len(mass0) == len(mass1) and all(map(gt, map(mul, mass1, mass0[1:]), map(mul, mass0, mass1[1:])))
        need(falls and any(mass0) and any(mass1), "segments of falling slope, and mass in either world")
        self.mass0, self.mass1, self.name, self.twin = mass0, mass1, name, name if mass0 == mass1[::-1] else -name
        self.sum0, self.sum1 = [0, *accumulate(mass0)], [0, *accumulate(mass1)]
        self.total0, self.total1 = self.sum0[-1], self.sum1[-1]

    def delta(self, e: Fraction, order: str) -> Fraction:
        """The largest P_first(S) - e P_second(S) that the curve allows, the first world named by `order`."""
        a, b = (e.numerator, e.denominator) if order == "1-0" else (e.denominator, e.numerator)
        most = max(b * self.total0 * y - a * self.total1 * x for x, y in zip(self.sum0, self.sum1, strict=True))
        return Fraction(most, e.denominator * self.total0 * self.total1) + Fraction(a, e.denominator) - e


OVER = Curve(0, [1], [1])  # nothing more can be learnt


def holds(curve: Curve, outcomes: Sequence[tuple[int, int, Curve]], total: int) -> bool:
    """Whether the sum over outcomes (k0, k1, next) of V_next(a k0, b k1) is at most total V(a, b) for all a, b >= 0.

    It is compared at the rays of all segments (p, q), where b q = a p and both ends of the segment attain V. Of the
    curve of an outcome the corner attains it that follows all steeper segments. Masses of a world have one unit.
    """
    unit0, unit1 = lcm(*(n.total0 for *_, n in outcomes)), lcm(*(n.total1 for *_, n in outcomes))
    unit0, unit1 = lcm(curve.total0, total * unit0), lcm(curve.total1, total * unit1)
    own0, own1 = unit0 // curve.total0, unit1 // curve.total1
    ps, qs = [own0 * m for m in curve.mass0], [own1 * m for m in curve.mass1]
    xs, ys = [-own0 * x for x in curve.sum0[:-1]], [-own1 * y for y in curve.sum1[:-1]]
    for weight0, weight1, n in outcomes:
        k0, k1 = weight0 * (unit0 // (total * n.total0)), weight1 * (unit1 // (total * n.total1))
        mass0, mass1 = [*[k0 * m for m in n.mass0], 1], [*[k1 * m for m in n.mass1], 0]
        a, b, at, corners = mass0[0], mass1[0], 0, list[int]()
        for p, q in zip(ps, qs, strict=True):
            while p * b > q * a:
                at += 1
                a, b = mass0[at], mass1[at]
            corners.append(at)
        xs = [x + k0 * n.sum0[at] for x, at in zip(xs, corners, strict=True)]
        ys = [y + k1 * n.sum1[at] for y, at in zip(ys, corners, strict=True)]
    return all(map(le, map(mul, ps, ys), map(mul, qs, xs)))


def legal_costs(header: Mapping[str, Any], inputs: Sequence[str], round_: int) -> dict[tuple[int, int], int]:
    """How many hops apart the inputs of each legal pair of a round are, for relations that are known here."""
    name, null, one, challenge = header["adjacency"], header["null"], header["hops"] == 1, header["challenge_round"]
    plain, costs = header["game"] == "paired" and len(set(inputs)) == len(inputs), dict[tuple[int, int], int]()
    ours = plain and (name == "zero-out") is (null is not None)
    for x, y in product(range(len(header["alphabet"])), range(len(inputs))) if ours else ():
        near = name == "unit-hamming" and one and abs(int(inputs[x]) - int(inputs[y])) <= 1
        zero = name == "zero-out" and one and (x == y or inputs[y] == null)
        now = challenge is None or (x != y) == (round_ == challenge) or (x == y and not one)
        if now and (near or zero or name in ("hamming", "any")):
            costs[x, y] = int(x != y and name != "any")
    return costs


def belief_text(belief: Mapping[int, int]) -> str:
    """{state: mass} as a text, by state, in lowest terms."""
    common = gcd(*belief.values()) or 1
    return " ".join(f"{state}:{belief[state] // common}" for state in sorted(belief))


def digest(texts: Iterable[str]) -> str:
    """SHA-256 of texts of one line each, in whatever order they come."""
    return "sha256:" + hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


class Checker:
    """Reads the lines of a certificate in order, and refuses one that does not follow from those before it."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.header, self.line, self.digits = header, 1, header["digits"]
        need(0 < self.digits <= MOST_DIGITS and 0 < header["live"] <= MOST_LIVE, "digits and live lines within limits")
        self.live, self.due = dict[int, tuple[str, Any]](), defaultdict[int, list[int]](list)
        self.uses, self.here, self.equal, self.complete = dict[int, int](), dict[Any, int](), set[Any](), True
        self.labels, self.outcomes = dict[Any, int](), list[str]()
        parts = self.part(header, LINES["schema"])
        self.horizon, self.hops, self.hidden, null = (parts[name] for name in ("horizon", "hops", "hidden", "null"))
        need(self.horizon > 0 and self.hops > 0 and parts["game"] in ("paired", "npp"), "a game of at least one round")
        challenge, slopes = parts["challenge_round"], parts["exp_epsilons"]
        need(challenge is None or 1 <= challenge <= self.horizon, "a challenge in one of the rounds")
        need(slopes == sorted({*slopes}) and min(slopes, default=0) >= 1, "rising e^epsilon of at least 1")
        self.inputs = parts["alphabet"] + [null] * (null is not None and null not in parts["alphabet"])
        self.round, self.claims = self.horizon + 1, list(product(("adaptive", "fixed"), slopes, ("0-1", "1-0")))

    def read(self, line: Mapping[str, Any]) -> None:
        """One line after the header; then those are forgotten that it was to use last."""
        self.line += 1
        kind = next(iter(line), "")
        parts = self.part(line, LINES.get(kind, {}))
        last, what = parts.pop("last", None), getattr(self, f"on_{kind}")(**parts)
        if last is not None:
            need(last > self.line, "a line says which later line uses it last")
            self.live[self.line] = "curve" if kind == "mirror" else kind, what
            need(len(self.live) <= self.header["live"], "no more lines in use at once than the header says")
            self.due[last].append(self.line)
        for one in self.due.pop(self.line, ()):
            need(self.live.pop(one) and self.uses.pop(one, 0) == self.line, f"line {one} is used last where it says")

    def part(self, value: Any, form: Any) -> Any:
        """What is written, read in its form; of a number, where that is the kind of its line, what the line says."""
        if isinstance(form, str):
            kind, what = self.live.get(value, ("", None))
            if kind != form or type(value) is not int:
                raise Invalid(f"a {form} that is in use")
            self.uses[value] = self.line
            return what
        if isinstance(form, type):
            need(type(value) is form and (type(value) is not int or 0 <= value < MOST_NUMBER), "a value of its kind")
            need(form is not str or ("\n" not in value and "\t" not in value), "a label on one line")
            return value
        if isinstance(form, dict):
            need(value.keys() == form.keys(), "the keys of the format, and no others")
            return {name: self.part(value[name], each) for name, each in form.items()}
        if isinstance(form, tuple):
            return None if value is None else self.part(value, form[0])
        if isinstance(form, list):
            need(type(value) is list, "a list")
            shape = form * len(value) if len(form) == 1 else form
            return [self.part(one, each) for one, each in zip(value, shape, strict=True)]
        return form(value, self.digits)

    def on_state(self, state: str) -> tuple[int, str]:
        """A state of the mechanism, by its label."""
        need(self.labels.setdefault(state, self.line) == self.line, "a state has a label of its own")
        return self.line, state

    def on_kernel(self, kernel: list[Any], to: list[Any], of: Fraction) -> tuple[Any, ...]:
        """The law of a round from a state under an input: (visible output, next state, weight), weights over `of`."""
        ((state, name), x), entries = kernel, dict[tuple[str, int], int]()
        need(x < len(self.inputs) and (state, x) not in self.labels, "the law of an input, given once")
        need(to and sum(weight for *_, (weight,) in to) == of, "the weights of a law sum to its total")
        for visible, (after, there), (weight,) in to:
            need(weight and (visible, after) not in entries, "an outcome with a weight, given once")
            entries[visible, after] = weight
            self.outcomes.append(f"({name}, {self.inputs[x]})\t{visible}\t{there}\t{weight / of}")
        need(self.hidden or len({after for _, after in entries}) == 1, "a core's next state is no matter of chance")
        self.labels[state, x] = self.line
        return entries, int(of)

    def on_moves(self, moves: list[Any]) -> list[Any]:
        """The pairs of inputs that may be submitted, each with the relation's state after it, null for none."""
        need(moves and max(max(x0, x1) for x0, x1, _ in moves) < len(self.inputs), "pairs of inputs")
        need(len({(x0, x1) for x0, x1, _ in moves}) == len(moves), "a pair is listed once")
        return moves

    def on_curve(self, curve: list[list[int]]) -> Curve:
        """A curve by the masses of its segments in both worlds."""
        return Curve(self.line, *curve)

    def on_mirror(self, mirror: Curve) -> Curve:
        """The mirror of a curve."""
        return Curve(mirror.twin, mirror.mass1[::-1], mirror.mass0[::-1])

    def on_round(self, round: int) -> None:
        """From here on positions are of one round earlier; what is remembered within a round is forgotten."""
        need(round == self.round - 1 > 0, "rounds run from the last to the first")
        need(self.round > self.horizon or self.here, "a round has positions")
        self.round, self.after, self.here = round, self.here, dict[Any, int]()
        self.pushes, self.known, self.equal = dict[tuple[str, int], Any](), self.equal, set[Any]()
        self.costs = legal_costs(self.header, self.inputs, round)

    def on_position(self, position: list[Any], moves: list[Any], curve: Curve) -> Position:
        """A position, whose curve bounds what follows. A hidden state may tell the worlds apart, which ends it."""
        key, reach = tuple(position), dict[tuple[int, int], int]()
        need(key not in self.here and self.round <= self.horizon, "a position is given once, in a round")
        _, later = self.live.get(self.after.get(key, 0), ("", None))
        same = later is not None and later.moves is moves and self.round + 1 < self.horizon
        releases, laws = (later.releases, later.laws) if same else (dict[tuple[int, int], Any](), set[int]())
        for x0, x1, relation in () if same else moves:
            (total0, outputs0, laws0), (total1, outputs1, laws1) = self.outputs(key[1], x0), self.outputs(key[2], x1)
            none0, none1 = ((0, "" if self.hidden else next(iter(after.values()))[1]) for after in (outputs0, outputs1))
            total, outcomes = releases[x0, x1] = lcm(total0, total1), dict[str, tuple[int, int, Any]]()
            laws |= {*laws0, *laws1}
            for visible in {**outputs0, **outputs1}:
                (k0, after0), (k1, after1) = outputs0.get(visible, none0), outputs1.get(visible, none1)
                over = self.hidden and (not k0 or not k1 or visible == "HALT")
                next_ = None if over or relation is None or self.round == self.horizon else (relation, after0, after1)
                outcomes[visible] = k0 * (total // total0), k1 * (total // total1), next_
        need(laws <= self.live.keys(), "a kernel that is in use")
        self.uses |= dict.fromkeys(laws, self.line)
        keys = {n for _, outcomes in releases.values() for *_, n in outcomes.values() if n}
        after = {n: self.part(self.after.get(n), "position") for n in keys}
        curves = {n: there.curve for n, there in after.items()}
        for x0, x1, relation in moves:
            self.compare(curve, releases[x0, x1], curves)
            spare = [after[n].spare for *_, n in releases[x0, x1][1].values() if n]
            stops = relation is None and self.round < self.horizon
            reach[x0, x1] = -1 if stops else min(spare, default=self.hops)
        lists = [reach.get(pair, -1) + cost for pair, cost in self.costs.items()]
        self.here[key] = self.line
        return Position(self.round, key, moves, releases, laws, curve, min(self.hops, *lists) if lists else -1)

    def outputs(self, text: str, x: int) -> Any:
        """Total, {visible output: (mass, belief after it)} and laws of an input under a belief `state:weight ...`."""
        if (text, x) not in self.pushes:
            numbers = wholes(text.replace(":", " "), max(self.digits, 12))
            belief = dict(zip(numbers[::2], numbers[1::2], strict=True))
            small = all(0 < weight < 10**self.digits for weight in belief.values())
            need(small and belief_text(belief) == text, "a belief in lowest terms")
            lines, masses = [self.labels.get((state, x)) for state in belief], defaultdict[str, Counter[int]](Counter)
            laws = [self.part(line, "kernel") for line in lines]
            scale = lcm(*(total for _, total in laws))
            for weight, (entries, total) in zip(belief.values(), laws, strict=True):
                for (visible, after), w in entries.items():
                    masses[visible][after] += weight * (scale // total) * w
            table = {visible: (sum(there.values()), belief_text(there)) for visible, there in masses.items()}
            self.pushes[text, x] = scale * sum(belief.values()), table, lines
        return self.pushes[text, x]

    def compare(self, curve: Curve, release: tuple[int, dict[str, Any]], row: Mapping[Any, Curve]) -> None:
        """Refuses a curve that does not bound what follows; nothing, nor its mirror, is compared twice in a round."""
        total, parts = release[0], [(k0, k1, row[key] if key else OVER) for k0, k1, key in release[1].values()]
        one = curve.name, total, *sorted((n.name, k0, k1) for k0, k1, n in parts)
        if one not in self.equal:
            need(one in self.known or holds(curve, parts, total), "a curve bounds what follows")
            self.equal |= {one, (curve.twin, total, *sorted((n.twin, k1, k0) for k0, k1, n in parts))}

    def on_play(self, play: Position, pair: list[int], then: dict[str, Any]) -> Play:
        """What an adversary submits at a position, and after each output goes on with, or bets on."""
        (total, outcomes), nexts = play.releases[pair[0], pair[1]], list[Play]()
        need(then.keys() == outcomes.keys() and play.round == self.round, "an answer to every output")
        for visible, (*_, key) in outcomes.items():
            on, bet = then[visible], type(then[visible]) is bool
            nexts.append(Play(self.round + 1, key, (on, on), 1, 0, ()) if bet else self.part(on, "play"))
            need(nexts[-1][:2] == (self.round + 1, key), "a play that goes on where it leads")
        unit, pairs = lcm(*(n.unit for n in nexts)), list(zip(outcomes.values(), nexts, strict=True))
        chances = [sum([k[world] * n.chances[world] * (unit // n.unit) for k, n in pairs]) for world in (0, 1)]
        longest = max((n.streams or () for n in nexts), key=len)
        fixed = all(n.streams is not None and n.streams == longest[: len(n.streams)] for n in nexts)
        hops = max(n.hops for n in nexts) + self.costs.get((pair[0], pair[1]), self.hops + 1)
        return Play(self.round, play.key, chances, unit * total, hops, (tuple(pair), *longest) if fixed else None)

    def on_front(self, front: list[Position], curves: list[list[Curve]], by: list[Any]) -> Front:
        """Rows of curves for fixed streams, at positions that a pair leads to; `by` names what bounds what follows."""
        own = [p.key for p in front]
        alike = all(p.moves is front[0].moves and p.round == self.round for p in front)
        need(curves and alike and len(set(own)) == len(own), "positions of one kind, each once")
        for (x0, x1, _), (after, bounds) in zip(front[0].moves, by, strict=True):
            releases = [p.releases[x0, x1] for p in front]
            keys = {key for _, outcomes in releases for *_, key in outcomes.values() if key}
            ahead = Front(self.round + 1, set(), [{}]) if after is None else after
            need((ahead.round, ahead.keys) == (self.round + 1, keys), "the positions that follow")
            for at, row in zip(bounds, ahead.rows, strict=True):
                for release, curve in zip(releases, curves[at], strict=True):
                    self.compare(curve, release, row)
        return Front(self.round, set(own), [dict(zip(own, row, strict=True)) for row in curves])

    def on_claim(self, claim: str, exp_epsilon: Fraction, order: str, upper: Fraction, lower: Fraction | None,
                 play: Play | None, front: Front | None) -> None:  # fmt: skip
        """delta against every adversary, or against fixed streams, is at least `lower` and at most `upper`."""
        need(self.claims and self.claims.pop(0) == (claim, exp_epsilon, order), "the claims of the header, in order")
        need(self.round == 1 and len(self.here) == 1, "claims come last, of the one position of round 1")
        root = self.part(next(iter(self.here.values())), "position")
        need(root.key[1] == root.key[2] and " " not in root.key[1], "both worlds start in the same state")
        need(front is None or (claim == "fixed" and front.round == 1), "streams from round 1 on")
        rows = [{root.key: root.curve}] if front is None else front.rows
        need(upper >= max(row[root.key].delta(exp_epsilon, order) for row in rows), "the curves bound delta")
        need(play is not None or not lower, "a lower bound above 0 has a play")
        self.complete &= root.spare >= self.hops and (play is None or play.hops <= self.hops)
        if play is not None:
            first, second = play.chances if order == "0-1" else play.chances[::-1]
            need(play.round == 1 and first - exp_epsilon * second >= lower * play.unit, "the play attains its bound")
            need(claim == "adaptive" or play.streams is not None, "streams that do not depend on what is seen")


def parsed(text: str) -> Any:
    """What a line says, which is written in one way only."""
    need(text, "all lines that the header counts")
    line, _ = READER.raw_decode(text)
    need(text == WRITER.encode(line) + "\n", "a whole line, as JSON is written shortest")
    return line


def verify(lines: TextIO) -> tuple[list[str], Mapping[str, Any]]:
    """Names of what a valid certificate takes as given, and its header. Raises: Invalid; OSError: no certificate."""
    text, number = lines.readline(MOST_CHARACTERS), 1
    if not text.startswith(BEGINNING):
        raise OSError("Expected a dpcert.certificate/2 but got another file")
    try:
        checker = Checker(parsed(text))
        while number < checker.header["lines"]:
            number += 1
            checker.read(parsed(lines.readline(MOST_CHARACTERS)))
        header, rung = checker.header, checker.header["rung"]
        need(not checker.claims and (rung or not lines.readline(1)), "all lines that the header counts, and no more")
        need(not checker.live and not checker.due, "every line is used last where it says")
        start = next(belief for _, belief, _ in checker.here)
        texts = checker.outcomes + [state for state, line in checker.labels.items() if f"{line}:1" == start]
        need(header["game_digest"] == digest(texts), "the header's digest is that of the game")
        names = [] if checker.complete else [f"relation:{header['adjacency']}"]
        return names + [f"rung:{rung}"] * (rung is not None), header
    except (Invalid, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError) as error:
        what = error if isinstance(error, Invalid) else "every part in its form"
        raise Invalid(f"line {number}: expected {what}") from None


def main(arguments: Sequence[str]) -> int:
    """The exit status: 0 valid, 1 invalid, 2 not readable, 3 valid but for what is named."""
    try:
        (path,) = arguments
        with open(path, encoding="utf-8", newline="\n") as lines:
            names, _ = verify(lines)
    except Invalid as error:
        print(f"invalid: {error}")
        return 1
    except (OSError, ValueError) as error:
        print(f"verify_certificate.py FILE: {error}", file=sys.stderr)
        return 2
    print("valid" + (f" but for {', '.join(names)}" if names else ""))
    return 3 if names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
