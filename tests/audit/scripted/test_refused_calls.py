"""What scripted generators cannot do is refused in one line that names the call and its place."""

import copy
import datetime
import json
import marshal
import math
import pickle
import random
import statistics
import struct
from decimal import Decimal
from math import inf, log
from typing import Any

import numpy as np
import pytest
from instances.drawing import Draw, law, numpy_law

from dpcert import (
    MechanismError,
)
from dpcert.audit.scripted import generators, generators_numpy


def methods(kind: type, supported: tuple[str, ...]) -> list[str]:
    """Every public method that is not in the subset, as this version of the library has them."""
    return [n for n in dir(kind) if not n.startswith("_") and callable(getattr(kind, n)) and n not in supported]


@pytest.mark.parametrize("name", methods(random.Random, generators.SUPPORTED))
def test_every_other_call_of_random_is_refused_by_name(name: str) -> None:
    with pytest.raises(
        MechanismError, match=rf"supported call .*got random\.Random\.{name} \(.*test_refused_calls\.py:\d+\)"
    ):
        law(lambda r: getattr(r, name)())


@pytest.mark.parametrize("name", methods(np.random.Generator, generators_numpy.SUPPORTED))
def test_every_other_call_of_numpy_is_refused_by_name(name: str) -> None:
    with pytest.raises(MechanismError, match=rf"got numpy\.random\.Generator\.{name} \(.*test_refused_calls\.py:\d+\)"):
        numpy_law(lambda r: getattr(r, name)())


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda r: r.random(3), "random() with size"),
        (lambda r: r.random(dtype=np.float32), "random() with size, dtype"),
        (lambda r: r.integers([1, 2]), "integers() with an array"),
        (lambda r: r.binomial([1, 2], 0.5), "binomial() with arrays"),
        (lambda r: r.choice(3, 2, replace=False, p=[0.5, 0.25, 0.25]), "choice() without replacement"),
        (lambda r: r.choice(3, 2, replace=False, shuffle=False), "without shuffle"),
        (lambda r: r.permutation([[1, 2]], axis=1), "permutation() along another axis"),
        (lambda r: r.shuffle(np.ones((2, 2)), axis=1), "shuffle() along another axis"),
        (lambda r: r.bit_generator, "bit_generator"),
        (copy.copy, "a copy draws the same numbers again"),
        (copy.deepcopy, "a copy draws the same numbers again"),
    ],
)
def test_what_numpy_can_do_and_this_cannot_is_named(call: Draw, named: str) -> None:
    with pytest.raises(MechanismError) as caught:
        numpy_law(call)
    assert f"got numpy.random.Generator.{named}" in str(caught.value) or named in str(caught.value)


@pytest.mark.parametrize(
    "use",
    [
        lambda u: u + 1, lambda u: 2 * u, lambda u: -u, float, lambda u: u + u, lambda u: u * u, lambda u: u % 0.5,
        hash, str, repr, lambda u: f"{u:.2f}", lambda u: u // 0.3, lambda u: (u - 1) ** 0.5 == 2,
        lambda u: 2**u, lambda u: u,
        lambda u: u.hex(), lambda u: u.real, copy.copy, copy.deepcopy, lambda u: [u], lambda u: u < "a",
        lambda u: u < None, lambda u: u == "a", lambda u: sorted([u, u]), lambda u: {u: 1}, lambda u: log(u) < -1,
        lambda u: math.sin(u) < 0.5, lambda u: np.sin(u) < 0.5, lambda u: u < np.array([0.5]), np.array, np.float64,
        lambda u: struct.pack("d", u), complex, pickle.dumps, lambda u: math.ldexp(u, 3), lambda u: divmod(u, 1),
        lambda u: statistics.mean([u]), lambda u: random.Random(u), lambda u: (u * 2**53) // 1,
    ],
)  # fmt: skip
@pytest.mark.parametrize("generator", ["random", "numpy"])
def test_what_would_need_the_number_itself_is_refused(use: Draw, generator: str) -> None:
    with pytest.raises(MechanismError, match=r"Expected random\(\) to be compared with a number, moved"):
        law(lambda r: use(r.random()), generator)


@pytest.mark.parametrize(
    "use",
    [
        json.dumps, Decimal, marshal.dumps, lambda u: datetime.timedelta(u), lambda u: type(u) is float,
        lambda u: type(u).__name__, lambda u: float.hex(u), lambda u: float.__lt__(u, 0.5),
        lambda u: issubclass(type(u), float), lambda u: {float: 1}.get(type(u), 2), lambda u: int.__class__(u) is float,
        lambda u: u.__class__ is type(u), lambda u: object.__getattribute__(u, "__doc__") == float.__doc__,
        lambda u: u.__slots__, lambda u: u._steps, lambda u: callable(getattr(u, "then", None)),
    ],
)  # fmt: skip
def test_what_takes_another_way_than_on_a_float_is_refused(use: Draw) -> None:
    def survivor(u: Any) -> Any:
        try:
            return use(u)
        except Exception:  # noqa: BLE001 - what careless code does
            return None

    with pytest.raises(MechanismError, match=r"Expected .*random\(\).* \(.*(?:test_refused_calls|drawing)\.py:\d+\)"):
        law(lambda r: str(survivor(r.random())))


def test_what_random_refuses_is_refused_with_its_own_words() -> None:
    for draw, words in [
        (lambda r: r.randrange(0), "ValueError: empty range"),
        (lambda r: r.choice([]), "IndexError"),
        (lambda r: r.choices([]), "IndexError"),
        (lambda r: r.choices("ab", [1]), "ValueError: The number of weights"),
        (lambda r: r.choices("ab", [0, 0]), "ValueError: Total of weights must be greater than zero"),
        (lambda r: r.choices("ab", [1, inf]), "ValueError: Total of weights must be finite"),
        (lambda r: r.choices("ab", ["a", 1]), "TypeError: weights are numbers"),
        (lambda r: r.choices("ab", [1, 1], cum_weights=[1, 2]), "TypeError: Cannot specify both"),
        (lambda r: r.choices("ab", [-1, 2]), "Expected weights of at least 0"),
        (lambda r: r.sample("ab", 3), "ValueError: Sample larger than population"),
        (lambda r: r.sample({1, 2}, 1), "TypeError: Population must be a sequence"),
        (lambda r: r.getrandbits(-1), "ValueError: number of bits"),
    ]:  # fmt: skip
        with pytest.raises(MechanismError) as caught:
            law(draw)
        assert words in str(caught.value)
    for draw, words in [
        (lambda r: r.integers(3, 3), "ValueError: low >= high"),
        (lambda r: r.choice(2, p=[0.5, 0.6]), "ValueError"),
        (lambda r: r.choice(2, 3, replace=False), "ValueError"),
        (lambda r: r.choice(2.5), "ValueError: a must be a sequence or an integer"),
        (lambda r: r.binomial(2, 1.5), "ValueError"),
    ]:
        with pytest.raises(MechanismError) as caught:
            numpy_law(draw)
        assert words in str(caught.value)
        assert "test_refused_calls.py:" in str(caught.value)


def test_a_refused_call_that_the_code_survives_still_ends_the_run() -> None:
    def survivor(rng: Any) -> int:
        try:
            return int(rng.gauss(0, 1))
        except Exception:  # noqa: BLE001 - what careless code does
            return 0

    with pytest.raises(MechanismError, match=r"got random\.Random\.gauss \(.*test_refused_calls\.py"):
        law(survivor)
