"""The curves of a record held against themselves: vertices, constants, and what is read off at each point."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import parse
from dpcert.audit.frozen import frozen

CLOSE = Fraction(1, 10**25)
"""The share by which two irrational numbers may differ that a record has and that are worked out anew."""


@frozen(slots=True)
class Row:
    """A delta at one e^epsilon, between bounds."""

    at: Fraction
    lower: Fraction
    upper: Fraction


@frozen
class Curve:
    """One curve of a record: its bounds, which are one where it is exact.

    Attributes:
        written: The record's own object.
        upper, lower: Through the vertices that are given; where these are thinned, above and below what was known.
        complete: Whether all vertices are given, of both.
        broken: Why the vertices are no curve, where they are none.
    """

    written: Mapping[str, Any]
    upper: PowerFunction
    lower: PowerFunction
    complete: bool
    deltas: tuple[Row, ...]
    broken: str = ""

    @property
    def exact(self) -> bool:
        """Whether both bounds are one."""
        return "lower" not in self.written

    def total_variation(self, *, low: bool) -> Fraction:
        """One end of the total variation, as the record has it."""
        written = self.written["lower"] if low and not self.exact else self.written
        return parse(written["total_variation"], "total_variation")

    def faults(self) -> Iterator[str]:
        """What the curve says of itself that is not so."""
        if self.broken:
            yield self.broken
            return
        if (self.written["tier"] == "exact") != self.exact:
            yield f"it is {self.written['tier']} with{'out' if self.exact else ''} a lower bound"
        yield from _one(self.written, self.upper, above=True)
        if not self.exact:
            yield from (f"lower bound: {fault}" for fault in _one(self.written["lower"], self.lower, above=False))
            if self.complete and not self.lower <= self.upper:
                yield "its lower bound lies above its upper one"
            for row, low in zip(self.deltas, self.written["lower"]["delta"], strict=False):
                if row.lower not in {parse(low["lower"], "delta")} & {parse(low["upper"], "delta")}:
                    yield "its deltas are not those of its lower bound"
        yield from self._rows()

    def _rows(self) -> Iterator[str]:
        for row in self.deltas:
            if not 0 <= row.lower <= row.upper <= 1:
                yield "a delta whose bounds are out of order"
            if self.complete and (row.lower, row.upper) != (self.lower.delta(row.at), self.upper.delta(row.at)):
                yield "a delta that is not the curve's"
            if not self.complete and (row.upper > self.upper.delta(row.at) or self.lower.delta(row.at) > row.lower):
                if self.exact and row.lower == row.upper <= self.upper.delta(row.at):
                    continue
                yield "a delta outside the curve's bounds"
        for one, two in pairwise(self.deltas):
            if one.at >= two.at or one.lower < two.lower or one.upper < two.upper:
                yield "deltas that grow with e^epsilon"


def curve_of(side: Mapping[str, Any]) -> Curve:
    """The curve of a side of a record."""
    low = side.get("lower", side)
    names = ("exp_epsilon", "lower", "upper")
    rows = tuple(Row(*(parse(row[name], name) for name in names)) for row in side["delta"])
    try:
        upper = through(side["power"])
        lower = upper if low is side else through(low["power"])
    except ValueError:
        nothing = PowerFunction.identity()
        return Curve(side, nothing, nothing, False, (), "its vertices are no power function")
    if any(row.at < 1 for row in rows):
        return Curve(side, upper, lower, False, (), "an e^epsilon below 1")
    return Curve(side, upper, lower, side["complete"] and low["complete"], rows)


def through(vertices: list[list[str]]) -> PowerFunction:
    """The power function with the vertices of a record. Raises: ArgumentError: there is none."""
    return PowerFunction.from_vertices([(parse(x, "vertex"), parse(y, "vertex")) for x, y in vertices])


def _one(table: Mapping[str, Any], power: PowerFunction, *, above: bool) -> Iterator[str]:
    """One power function; where its vertices are thinned, its numbers lie on the right side of what is left."""
    count, given = table["vertices"], len(table["power"])
    if table["complete"] != (count == given) or (table["complete"] and count != len(power.chain) + 1):
        yield "it has another number of vertices than it says"
    total = parse(table["total_variation"], "total_variation")
    at_infinity = parse(table["delta_at_infinity"], "delta_at_infinity")
    largest = None if table["largest_ratio"] is None else parse(table["largest_ratio"], "largest_ratio")
    if table["complete"]:
        if (total, at_infinity, largest) != (power.total_variation, power.delta_at_infinity, power.largest_ratio):
            yield "its constants are not those of its vertices"
    elif not 0 <= at_infinity <= total <= 1 or _beyond(total, power.total_variation, above):
        yield "its constants are out of order"
    if (largest is None) != (at_infinity > 0):
        yield "its largest ratio does not fit its delta at infinity"
    yield from _epsilons(table, power)
    for row in table["delta_at_epsilon"]:
        low, high, e = (parse(row[name], name) for name in ("lower", "upper", "epsilon"))
        if not 0 <= low <= high <= 1:
            yield "a delta at an epsilon whose bounds are out of order"
        elif table["complete"] and not _overlap((low, high), power.delta_at(e).lower, power.delta_at(e).upper):
            yield "a delta at an epsilon that is not the curve's"


def _beyond(value: Fraction, end: Fraction, above: bool) -> bool:
    return value > end if above else value < end


def _epsilons(side: Mapping[str, Any], power: PowerFunction) -> Iterator[str]:
    for row in side["epsilon"]:
        low, high = (None if row[end] == "infinite" else parse(row[end], "epsilon") for end in ("lower", "upper"))
        slope = None if row["exp_epsilon"] is None else parse(row["exp_epsilon"], "exp_epsilon")
        if (low is None) != (slope is None) or (high is None) != (slope is None):
            yield "an epsilon that is infinite in one place and not in another"
        elif low is not None and high is not None and not 0 <= low <= high:
            yield "an epsilon whose bounds are out of order"
        elif side["complete"]:
            delta = parse(row["delta"], "delta")
            again = power.epsilon_for(delta)
            if power.exp_epsilon_for(delta) != slope or (
                low is not None and high is not None and not _overlap((low, high), again.lower, again.upper)
            ):
                yield "an epsilon that is not the curve's"


def _overlap(ends: tuple[Fraction, Fraction], low: Fraction | None, high: Fraction | None) -> bool:
    """Two enclosures of one number, computed alike."""
    if low is None or high is None:
        return False
    return close(ends[0], low) and close(ends[1], high)


def close(one: Fraction, two: Fraction) -> bool:
    """The same end of an enclosure, up to the rounding of one version of a library or another."""
    return abs(one - two) <= CLOSE * max(Fraction(1), abs(one))


def follow(strategy: Mapping[str, Any]) -> Iterator[str]:
    """A fixed stream's or an adversary's numbers: its delta from its event, its event from its nodes."""
    if strategy.get("event") is None:
        if strategy.get("replayed") is not None:
            yield "a delta that was replayed, without an event"
        return
    events = [parse(share, "event") for share in strategy["event"]]
    first, second = events if strategy["order"] == "0-1" else events[::-1]
    value = first - parse(strategy["exp_epsilon"], "exp_epsilon") * second
    if any(not 0 <= share <= 1 for share in events):
        yield "an event whose probability is none"
    if {value} != {parse(strategy["delta"], "delta"), parse(strategy["replayed"] or "2", "replayed")}:
        yield "a delta that is not that of its event"
    if strategy["complete"] and strategy["nodes"] and _event(strategy["nodes"]) != events:
        yield "an event that is not that of its nodes"


def _event(nodes: list[Mapping[str, Any]]) -> list[Fraction] | None:
    """The event's probability in both worlds, node by node; None where the nodes are no policy."""
    mass = {0: [Fraction(1), Fraction(1)]}
    won = [Fraction(0), Fraction(0)]
    for number, node in enumerate(nodes):
        here = mass.get(number)
        if here is None or node["id"] != number:
            return None
        shares = [[parse(p, "probability") for p in branch["probability"]] for branch in node["branches"]]
        if any(sum(column) != 1 or min(column) < 0 for column in zip(*shares, strict=True)):
            return None
        for branch, share in zip(node["branches"], shares, strict=True):
            arriving = [m * p for m, p in zip(here, share, strict=True)]
            if branch["next"] is None:
                won = [w + a * bool(branch["in_event"]) for w, a in zip(won, arriving, strict=True)]
                continue
            if not number < branch["next"] < len(nodes):
                return None
            known = mass.setdefault(branch["next"], [Fraction(0), Fraction(0)])
            mass[branch["next"]] = [k + a for k, a in zip(known, arriving, strict=True)]
    return won
