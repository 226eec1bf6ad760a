"""A draw that passes for a float: code that looks at what it is, in whatever way, sees one or is refused."""

import copy
import datetime
import decimal
import functools
import json
import math
import numbers
import pickle
import re
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpcert import MechanismError, examine, scripted

Leak = Callable[[Any, int], int]


def swallowing(look: Callable[[Any], object]) -> Leak:
    """Releases the input where nothing is wrong with the draw, as with a real float."""

    def leak(u: Any, x: int) -> int:
        try:
            look(u)
        except (TypeError, ValueError, AttributeError, MechanismError):
            return 0
        return x

    return leak


def matched(u: Any, x: int) -> int:
    match u:
        case float():
            return x
        case _:
            return 0


@functools.singledispatch
def dispatched(u: Any, x: int) -> int:
    del u, x
    return 0


@dispatched.register
def _(u: float, x: int) -> int:
    del u
    return x


LEAKS: list[Leak] = [
    lambda u, x: x if isinstance(u, float) else 0,
    lambda u, x: x if isinstance(u, numbers.Real) else 0,
    lambda u, x: x if isinstance(u, int | float) else 0,
    lambda u, x: x if type(u) is float else 0,
    lambda u, x: x if u.__class__ is float else 0,
    lambda u, x: x if str(type(u)) == "<class 'float'>" else 0,
    lambda u, x: x if issubclass(type(u), float) else 0,
    lambda u, x: x if hasattr(u, "is_integer") else 0,
    lambda u, x: x if "hex" in dir(u) else 0,
    lambda u, x: x if np.array([u]).dtype == float else 0,
    matched,
    dispatched,
    swallowing(lambda u: json.dumps({"draw": u})),
    swallowing(decimal.Decimal),
    swallowing(lambda u: datetime.timedelta(seconds=u)),
    swallowing(Fraction),
    swallowing(copy.deepcopy),
    swallowing(pickle.dumps),
    swallowing(lambda u: struct.pack("d", u)),
    swallowing(np.float64),
    swallowing(math.isnan),
    swallowing(math.floor),
    swallowing("{:.3f}".format),
    swallowing(lambda u: f"{u}"),
    swallowing(float),
    swallowing(lambda u: {u: 1}),
    swallowing(lambda u: u == 0.5),
]


@pytest.mark.in_turns
@pytest.mark.parametrize("leak", LEAKS)
def test_code_that_looks_at_a_draw_sees_a_float_or_is_refused(leak: Leak) -> None:
    class Looks:
        def __init__(self, rng: Any) -> None:
            self.rng = rng

        def __call__(self, x: int) -> int:
            return leak(self.rng.random(), x)

    try:
        found = examine(scripted(Looks, alphabet=(0, 1), horizon=1))["adaptive"]["total_variation"]
    except MechanismError as error:
        found = str(error)
    if found != "1":  # what it is with a real float
        assert re.match(r"Expected random\(\) to be compared with a number|Expected .*Looks to use what random", found)
        assert "test_type_of_draw.py:" in found


def test_what_a_draw_is_compared_with_may_be_looked_at() -> None:
    class Looks:
        def __init__(self, rng: Any) -> None:
            self.rng = rng

        def __call__(self, x: int) -> int:
            threshold = 0.5 if type(x) is int and isinstance(x, numbers.Real) else 1
            return x if self.rng.random() < threshold else 0

    assert examine(scripted(Looks, alphabet=(0, 1), horizon=1))["adaptive"]["total_variation"] == "1/2"
