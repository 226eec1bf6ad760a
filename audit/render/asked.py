"""What was claimed of (epsilon, delta), as numbers: read off the names that requirements have in a record."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.algebra.rational import written
from dpcert.audit.errors import ArgumentError
from dpcert.audit.frozen import frozen
from dpcert.audit.render.cells import plain

_NAMES = (
    re.compile(r"\((?P<epsilon>[^,()]+), (?P<delta>[^,()]+)\)-DP"),
    re.compile(r"delta <= (?P<delta>\S+) at e\^epsilon = (?P<exp_epsilon>\S+)"),
)
"""As `verdicts.requirements` writes them."""
MOST_EPSILON_DRAWN = 100
"""Claims of a larger epsilon are not drawn."""


@frozen
class ClaimedPoint:
    """One point that a claim names, for a figure: e^epsilon in the middle of its enclosure."""

    name: str
    exp_epsilon: float
    delta: float


def points(document: Mapping[str, Any]) -> list[ClaimedPoint]:
    """Every (epsilon, delta) that was asked to hold, and what the mechanism promises of itself."""
    return [*_promised(document), *_claimed(document)]


def _promised(document: Mapping[str, Any]) -> Iterator[ClaimedPoint]:
    dp = (document["bound"] or {}).get("dp")
    if dp:
        yield from _point("promise", written(dp["exp_epsilon"], "promise"), written(dp["delta"], "promise"))


def _claimed(document: Mapping[str, Any]) -> Iterator[ClaimedPoint]:
    for one in document["requirements"]:
        name = plain(one["requirement"])
        for pattern in _NAMES:
            if (found := pattern.fullmatch(name)) is not None:
                yield from _read(name, found.groupdict())


def _read(name: str, parts: Mapping[str, str]) -> Iterator[ClaimedPoint]:
    try:
        delta = written(parts["delta"], "claim")
        if "exp_epsilon" in parts:
            yield from _point(name, written(parts["exp_epsilon"], "claim"), delta)
        elif (epsilon := written(parts["epsilon"], "claim")) <= MOST_EPSILON_DRAWN:
            yield from _point(name, exponential(epsilon).finite().upper, delta)
    except ArgumentError:  # a name that was cut where it is long
        return


def _point(name: str, exp_epsilon: Fraction, delta: Fraction) -> Iterator[ClaimedPoint]:
    if 1 <= exp_epsilon < 2**140 and 0 <= delta <= 1:
        yield ClaimedPoint(name, float(exp_epsilon), float(delta))
