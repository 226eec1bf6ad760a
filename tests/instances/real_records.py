"""Real records of several kinds, and one of their values changed."""

import copy
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from dpcert import Budget, examine
from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

F = Fraction
BOTH = Requirements((claim("eps=1,delta=1/10"), required_delta("2:1/100"), claim("mu=1")), no_gap=True, certified=True)
POINTS: dict[str, Any] = {"deltas": (F(1, 50), 0), "epsilons": (F(1, 3),)}
RATIONAL = re.compile(r"-?\d+(/\d+)?")
PROSE = {"detail", "scope", "text", "position", "observation", "slope", "pair", "stream0", "stream1", "contexts"}
"""What is not computed anew: sentences, and the names of positions, inputs and observations."""


@cache
def made(name: str) -> str:
    """A record by the kind of thing that it holds."""
    records = {
        "gap": lambda: examine(TwoRound(), **POINTS),
        "certified": lambda: examine(BinaryTree(), horizon=2, requirements=BOTH, **POINTS),
        "asked": lambda: examine(TwoRound(), requirements=BOTH, **POINTS),
        "hidden": lambda: examine(SharedCoin(), horizon=2, **POINTS),
        "cut": lambda: examine(TwoRoundRepeated(), horizon=4, budget=Budget(max_positions=8), **POINTS),
        "inf": lambda: examine(RandomizedResponse(), horizon="inf", requirements=BOTH, **POINTS),
        "long": lambda: examine(RandomizedResponse(), horizon=130, **POINTS),
        "npp": lambda: examine(RandBinToy(), game="npp", horizon=9, **POINTS),
        "silent": lambda: examine(RandomizedResponse(F(1, 2)), **POINTS),
    }
    return records[name]().to_json()


KINDS = ("gap", "certified", "asked", "hidden", "cut", "inf", "long", "npp", "silent")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where numbers of a curve, of its evidence and of the first words stand."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in PROSE:
                yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    elif isinstance(value, str) and (RATIONAL.fullmatch(value) or value == "infinite"):
        yield path


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def changed(text: str, path: tuple[Any, ...], value: Any) -> str:
    document = copy.deepcopy(json.loads(text))
    at(document, path[:-1])[path[-1]] = value
    return json.dumps(document)
