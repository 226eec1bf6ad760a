"""Certificates that somebody has changed, a little or at a place that matters."""

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

Line = dict[str, Any]
Lines = list[Line]
DIGITS = re.compile("[0-9]+")


def forged(text: str, rng: Random) -> tuple[str, str]:
    """What was done to a certificate, and what came of it; the same text where it could not be done."""
    lines = [json.loads(line) for line in text.splitlines()]
    name, change = rng.choice(list(CHANGES.items()))
    made = change(lines, rng)
    return name, "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in made)


def of_kind(lines: Lines, *kinds: str) -> list[int]:
    return [i for i, line in enumerate(lines) if next(iter(line)) in kinds]


def number_moved(lines: Lines, rng: Random) -> Lines:
    """One number of one line by the least amount."""
    at = rng.choice(of_kind(lines, "kernel", "moves", "curve", "mirror", "round", "position", "play", "claim"))
    plain = json.dumps(lines[at])
    found = rng.choice(list(DIGITS.finditer(plain)) or [None])  # type: ignore[list-item]
    if found is not None:
        value = max(0, int(found[0]) + rng.choice((-1, 1)))
        lines[at] = json.loads(plain[: found.start()] + str(value) + plain[found.end() :])
    return lines


def curve_lowered(lines: Lines, rng: Random) -> Lines:
    """A mass of a curve by the least amount, taken from its other end or from nowhere."""
    at = rng.choice(of_kind(lines, "curve"))
    world = rng.randrange(2)
    masses = [int(word) for word in lines[at]["curve"][world].split(" ")]
    i, j = rng.randrange(len(masses)), rng.randrange(len(masses))
    masses[i] = max(0, masses[i] - 1)
    masses[j] += rng.randrange(2)
    lines[at]["curve"][world] = " ".join(map(str, masses))
    return lines


def bound_lowered(lines: Lines, rng: Random) -> Lines:
    """A claim whose upper bound is a little less, or whose lower bound a little more."""
    line = lines[rng.choice(of_kind(lines, "claim"))]
    side = rng.choice(("upper", "lower"))
    if line[side] is not None:
        value = Fraction(line[side]) + Fraction(1 if side == "lower" else -1, 10**12)
        line[side] = str(max(Fraction(0), value))
        lines[0]["digits"] = 200
    return lines


def root_lowered(lines: Lines, rng: Random) -> Lines:
    """The curve of the first round a little lower, and all claims with it."""
    at = lines[of_kind(lines, "position")[-1]]["curve"] - 1
    at = at if "curve" in lines[at] else lines[at]["mirror"] - 1
    zeros, ones = ([int(word) for word in masses.split(" ")] for masses in lines[at]["curve"])
    share = rng.choice((2, 1_000, 10**9))
    zeros, ones = [share * m for m in zeros], [share * m for m in ones]
    i = rng.randrange(len(zeros))
    zeros[i] += min(ones[i], 1)
    lines[at]["curve"] = [" ".join(map(str, masses)) for masses in (zeros, ones)]
    lines[0]["digits"] = 200
    corners = [(Fraction(sum(zeros[:k]), sum(zeros)), Fraction(sum(ones[:k]), sum(ones))) for k in range(len(ones) + 1)]
    for line in (line for line in lines if "claim" in line):
        e = Fraction(line["exp_epsilon"])
        values = [y - e * x if line["order"] == "1-0" else (1 - x) - e * (1 - y) for x, y in corners]
        line["upper"] = str(max(values))
    return lines


def dropped(lines: Lines, rng: Random) -> Lines:
    """A line left out, and all numbers of lines put right."""
    at = rng.choice(of_kind(lines, "position", "play", "moves", "curve", "kernel", "state", "round"))
    return renumbered([*lines[:at], *lines[at + 1 :]], lambda n: n - (n > at + 1))


def dropped_plainly(lines: Lines, rng: Random) -> Lines:
    """A line left out, and nothing put right."""
    at = rng.randrange(1, len(lines))
    return [*lines[:at], *lines[at + 1 :]]


def pair_dropped(lines: Lines, rng: Random) -> Lines:
    """A legal pair left out."""
    line = lines[rng.choice(of_kind(lines, "moves"))]
    del line["moves"][rng.randrange(len(line["moves"]))]
    return lines


def curves_swapped(lines: Lines, rng: Random) -> Lines:
    """Two curves in each other's place, or the curve of a position another one."""
    if rng.randrange(2):
        one, two = (rng.choice(of_kind(lines, "curve")) for _ in range(2))
        lines[one]["curve"], lines[two]["curve"] = lines[two]["curve"], lines[one]["curve"]
    else:
        position = lines[rng.choice(of_kind(lines, "position"))]
        position["curve"] = rng.choice(of_kind(lines, "curve", "mirror")) + 1
    return lines


def worlds_swapped(lines: Lines, rng: Random) -> Lines:
    """The worlds of a curve, a position, a play or a claim."""
    line = lines[rng.choice(of_kind(lines, "curve", "position", "play", "claim"))]
    kind = next(iter(line))
    if kind == "curve":
        line["curve"] = [" ".join(reversed(masses.split(" "))) for masses in reversed(line["curve"])]
    elif kind == "position":
        line["position"] = [line["position"][0], *reversed(line["position"][1:])]
    elif kind == "play":
        line["pair"] = line["pair"][::-1]
    else:
        line["order"] = line["order"][::-1]
    return lines


def weight_moved(lines: Lines, rng: Random) -> Lines:
    """A weight from one outcome of a law to another."""
    to = lines[rng.choice(of_kind(lines, "kernel"))]["to"]
    one, two = rng.choice(to), rng.choice(to)
    if int(two[2]) > 1:
        two[2] = str(int(two[2]) - 1)
        one[2] = str(int(one[2]) + 1)
    return lines


def laws_swapped(lines: Lines, rng: Random) -> Lines:
    """The laws of two inputs or states."""
    one, two = (rng.choice(of_kind(lines, "kernel")) for _ in range(2))
    for key in ("to", "of"):
        lines[one][key], lines[two][key] = lines[two][key], lines[one][key]
    return lines


def row_changed(lines: Lines, rng: Random) -> Lines:
    """Which row bounds another, or which curve a row has."""
    found = of_kind(lines, "front")
    if found:
        line = lines[rng.choice(found)]
        rows = rng.choice(line["by"])[1]
        rows[rng.randrange(len(rows))] = rng.randrange(len(line["curves"]))
        if rng.randrange(2):
            row = rng.choice(line["curves"])
            row[rng.randrange(len(row))] = rng.choice(rng.choice(line["curves"]))
    return lines


def row_dropped(lines: Lines, rng: Random) -> Lines:
    """A row of the first round left out, and claims on fixed streams that are too good."""
    found = of_kind(lines, "front")
    if found and len(lines[found[-1]]["curves"]) > 1:
        line = lines[found[-1]]
        del line["curves"][rng.randrange(len(line["curves"]))]
        line["by"] = [[n, [min(at, len(line["curves"]) - 1) for at in rows]] for n, rows in line["by"]]
        for claim in (claim for claim in lines if claim.get("claim") == "fixed"):
            claim["upper"] = str(Fraction(claim["upper"]) * 999 / 1000)
        lines[0]["digits"] = 200
    return lines


def bet_changed(lines: Lines, rng: Random) -> Lines:
    """What an adversary bets on after one output, or where it goes on."""
    found = of_kind(lines, "play")
    if found:
        then = lines[rng.choice(found)]["then"]
        visible = rng.choice(list(then))
        then[visible] = rng.choice([True, False, *(at + 1 for at in found)])
    return lines


def header_changed(lines: Lines, rng: Random) -> Lines:
    """One field of the header."""
    header = lines[0]
    changes: dict[str, list[Any]] = {
        "game_digest": ["sha256:" + "0" * 64],
        "game": ["paired", "npp"],
        "hidden": [not header["hidden"]],
        "alphabet": [header["alphabet"][::-1], header["alphabet"][:-1], [*header["alphabet"], "9"]],
        "null": ["0", "1", None],
        "horizon": [header["horizon"] - 1, header["horizon"] + 1],
        "adjacency": ["hamming", "unit-hamming", "zero-out", "any"],
        "hops": [1, 2, 3],
        "challenge_round": [None, 1, 2],
        "exp_epsilons": [["1", "2", "3"], header["exp_epsilons"][:-1]],
        "digits": [header["digits"] - 1, 5_000],
        "live": [header["live"] - 1],
        "lines": [header["lines"] - 1, header["lines"] + 1],
        "schema": ["dpcert.certificate/2"],
    }
    name = rng.choice(list(changes))
    header[name] = rng.choice(changes[name])
    return lines


def order_changed(lines: Lines, rng: Random) -> Lines:
    """Two lines in each other's place, with or without their numbers put right."""
    one, two = sorted(rng.sample(range(1, len(lines)), 2))
    if rng.randrange(2):
        two = min(one + 1, len(lines) - 1)
    lines[one], lines[two] = lines[two], lines[one]
    places = {one + 1: two + 1, two + 1: one + 1}
    return renumbered(lines, lambda n: places.get(n, n)) if rng.randrange(2) else lines


def last_use_moved(lines: Lines, rng: Random) -> Lines:
    """A last use that is early or late."""
    line = lines[rng.choice([i for i, line in enumerate(lines) if "last" in line])]
    line["last"] = max(2, line["last"] + rng.choice((-2, -1, 1, 2)))
    return lines


def key_added(lines: Lines, rng: Random) -> Lines:
    """A key that the format does not have, or one too few."""
    line = lines[rng.randrange(len(lines))]
    if rng.randrange(2):
        line["note"] = 1
    else:
        del line[rng.choice(list(line))]
    return lines


def renumbered(lines: Lines, number: Callable[[int], int]) -> Lines:
    """The lines with every number of a line replaced, and the header's count put right."""
    made = []
    for line in lines:
        new = dict(line)
        for key in ("last", "curve", "moves", "mirror", "play", "front"):
            if type(line.get(key)) is int:
                new[key] = number(line[key])
        if "kernel" in line:
            new["kernel"] = [number(line["kernel"][0]), line["kernel"][1]]
            new["to"] = [[v, number(s), w] for v, s, w in line["to"]]
        if "position" in line:
            beliefs = (
                " ".join(f"{number(int(s))}:{w}" for s, w in (part.split(":") for part in belief.split(" ")))
                for belief in line["position"][1:]
            )
            new["position"] = [line["position"][0], *beliefs]
        if "by" in line:
            new["front"] = [number(n) for n in line["front"]]
            new["curves"] = [[number(n) for n in row] for row in line["curves"]]
            new["by"] = [[None if n is None else number(n), rows] for n, rows in line["by"]]
        if "then" in line:
            new["then"] = {v: on if isinstance(on, bool) else number(on) for v, on in line["then"].items()}
        made.append(new)
    return [{**made[0], "lines": len(made)}, *made[1:]]


def reference_moved(lines: Lines, rng: Random) -> Lines:
    """A reference to another line of its kind, of whatever round, which is then in use long enough."""
    places = [(at, *place) for at, line in enumerate(lines) for place in references(line)]
    return refer(lines, *rng.choice(places), rng)


def front_moved(lines: Lines, rng: Random) -> Lines:
    """A front that goes on with one of another round, whose positions may have the same names."""
    found = of_kind(lines, "front")
    at = rng.choice(found or [0])
    for pair in lines[at].get("by", ()):
        if pair[0] is not None and rng.randrange(2):
            refer(lines, at, pair, 0, rng)
            rows = lines[pair[0] - 1]["curves"]
            pair[1] = [rng.randrange(len(lines[at]["curves"])) for _ in rows]
    return lines


def references(line: Line) -> Iterator[tuple[Any, Any]]:
    """Where a line refers to others: what holds the number, and the key or the place in it."""
    yield from ((line, key) for key in ("curve", "moves", "mirror", "play", "front") if type(line.get(key)) is int)
    lists = [*line.get("curves", ()), *([line["front"]] if type(line.get("front")) is list else ())]
    yield from ((numbers, i) for numbers in lists for i in range(len(numbers)))
    yield from ((pair, 0) for pair in line.get("by", ()) if pair[0] is not None)
    yield from ((line["then"], v) for v, on in line.get("then", {}).items() if type(on) is int)


def refer(lines: Lines, at: int, holder: Any, key: Any, rng: Random) -> Lines:
    """Another line of the same kind in place of one that is referred to."""
    kind = next(iter(lines[holder[key] - 1]))
    other = rng.choice(of_kind(lines[:at], *(("curve", "mirror") if kind in ("curve", "mirror") else (kind,))))
    holder[key] = other + 1
    lines[other]["last"] = max(lines[other]["last"], at + 1)
    lines[0]["live"] += 1_000
    return lines


def position_repeated(lines: Lines, rng: Random) -> Lines:
    """A position given twice, the second time with another curve, or in another round."""
    at = rng.choice(of_kind(lines, "position"))
    to = rng.choice([at + 1, rng.randrange(at, len(lines)) + 1])
    moved = renumbered([*lines[:to], dict(lines[at]), *lines[to:]], lambda n: n + (n > to))
    refer(moved, to, moved[to], "curve", rng)
    return moved


def transition_changed(lines: Lines, rng: Random) -> Lines:
    """Where an input leads: another state after it, for some outcomes or for all."""
    to = lines[rng.choice(of_kind(lines, "kernel"))]["to"]
    state = rng.choice(of_kind(lines, "state")) + 1
    for outcome in to if rng.randrange(2) else [rng.choice(to)]:
        outcome[1] = state
    return lines


def support_changed(lines: Lines, rng: Random) -> Lines:
    """What is seen: an outcome that looks like another one, or like none that there was."""
    kernels = of_kind(lines, "kernel")
    outcome = rng.choice(lines[rng.choice(kernels)]["to"])
    outcome[0] = rng.choice([*(one[0] for one in lines[rng.choice(kernels)]["to"]), "HALT", "new"])
    return lines


CHANGES: dict[str, Callable[[Lines, Random], Lines]] = {
    change.__name__: change
    for change in (
        number_moved,
        curve_lowered,
        bound_lowered,
        root_lowered,
        dropped,
        dropped_plainly,
        pair_dropped,
        curves_swapped,
        worlds_swapped,
        weight_moved,
        laws_swapped,
        row_changed,
        row_dropped,
        bet_changed,
        header_changed,
        order_changed,
        last_use_moved,
        key_added,
        reference_moved,
        front_moved,
        position_repeated,
        transition_changed,
        support_changed,
    )
}
