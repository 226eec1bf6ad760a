"""Scripted generators: the exact law of every call that is supported."""

import _random
import functools
import itertools
import math
import numbers
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import comb, inf, nan
from typing import Any

import numpy as np
import pytest
from instances.drawing import Draw, law, numpy_law

from dpcert import (
    MechanismError,
    Pmf,
    bernoulli,
    from_weights,
    point,
    uniform,
)
from dpcert.audit.identity import value_of

STEP = Fraction(1, 2**53)


def shuffled(rng: Any, items: Any) -> tuple[Any, ...]:
    rng.shuffle(items)
    return tuple(items)


def plain(output: Any) -> Any:
    """An output without its types: what is drawn, for comparison with a closed form."""
    value = value_of(output)
    value = value.tolist() if hasattr(value, "tolist") else value
    return tuple(map(plain, value)) if isinstance(value, (tuple, list)) else value


ORDERS = uniform(itertools.permutations((1, 2, 3)))
PAIRS = uniform(itertools.permutations(range(4), 2))
TENTH = Fraction(0.1)
"""What 0.1 stands for."""


@pytest.mark.parametrize(
    ("draw", "closed_form"),
    [
        (lambda r: r.randrange(5), uniform(range(5))),
        (lambda r: r.randrange(2, 5), uniform(range(2, 5))),
        (lambda r: r.randrange(10, 0, -3), uniform((10, 7, 4, 1))),
        (lambda r: r.randint(-1, 1), uniform((-1, 0, 1))),
        (lambda r: r.choice("aab"), from_weights({"a": 2, "b": 1})),
        (lambda r: r.choices("ab")[0], uniform("ab")),
        (lambda r: r.choices("abc", [1, 0, 3]), from_weights({("a",): 1, ("c",): 3})),
        (lambda r: r.choices("ab", np.array([1, 3]))[0], from_weights({"a": 1, "b": 3})),
        (lambda r: r.choices("ab", [0.1, 1])[0], Pmf({"a": TENTH / (1 + TENTH), "b": 1 / (1 + TENTH)})),
        (lambda r: r.choices("ab", cum_weights=[Fraction(1, 3), 1])[0], from_weights({"a": 1, "b": 2})),
        (lambda r: r.choices("ab", [1, 3], k=2), bernoulli(Fraction(3, 4)).product(bernoulli(Fraction(3, 4))).map(
            lambda pair: tuple("ab"[i] for i in pair))),
        (lambda r: r.choices("ab", k=0), point(())),
        (lambda r: r.sample(range(4), 2), PAIRS),
        (lambda r: r.sample(range(100), 1)[0], uniform(range(100))),
        (lambda r: r.sample("ab", k=1, counts=[3, 1])[0], from_weights({"a": 3, "b": 1})),
        (lambda r: shuffled(r, [1, 2, 3]), ORDERS),
        (lambda r: r.getrandbits(3), uniform(range(8))),
        (lambda r: r.getrandbits(0), point(0)),
    ],
)  # fmt: skip
def test_the_law_of_every_call_of_random(draw: Draw, closed_form: Pmf[Any]) -> None:
    assert law(draw).map(plain) == closed_form


@pytest.mark.parametrize(
    ("draw", "closed_form"),
    [
        (lambda r: r.integers(5), uniform(range(5))),
        (lambda r: r.integers(2, 5), uniform(range(2, 5))),
        (lambda r: r.integers(2, high=5, endpoint=True, dtype=np.uint8), uniform(range(2, 6))),
        (lambda r: r.integers(5, endpoint=True), uniform(range(6))),
        (lambda r: r.integers(2, size=2), uniform(itertools.product(range(2), repeat=2))),
        (lambda r: r.integers(2, size=(1, 2)), uniform(((a, b),) for a in range(2) for b in range(2))),
        (lambda r: r.choice(3), uniform(range(3))),
        (lambda r: r.choice(["a", "b"]), uniform("ab")),
        (lambda r: r.choice(2, p=[0.25, 0.75]), bernoulli(Fraction(3, 4))),
        (lambda r: r.choice(2, p=[0.1, 0.9]), bernoulli(Fraction(0.9) / (TENTH + Fraction(0.9)))),
        (lambda r: r.choice(4, 2, replace=False), PAIRS),
        (lambda r: r.choice([[1, 2], [3, 4]]), uniform(((1, 2), (3, 4)))),
        (lambda r: r.choice([[1, 2], [3, 4]], size=1, axis=1), uniform((((1,), (3,)), ((2,), (4,))))),
        (lambda r: r.permutation([1, 2, 3]), ORDERS),
        (lambda r: r.permutation(3) + 1, ORDERS),
        (lambda r: shuffled(r, [1, 2, 3]), ORDERS),
        (lambda r: shuffled(r, np.array([1, 2, 3])), ORDERS),
        (lambda r: r.binomial(3, 0.25), Pmf({k: Fraction(comb(3, k) * 3 ** (3 - k), 64) for k in range(4)})),
        (lambda r: r.binomial(1, 0.1), bernoulli(TENTH)),
        (lambda r: r.binomial(1, 0.5, size=2), uniform(itertools.product(range(2), repeat=2))),
        (lambda r: r.random() < 0.25, Pmf({True: Fraction(1, 4), False: Fraction(3, 4)})),
    ],
)
def test_the_law_of_every_call_of_numpy(draw: Draw, closed_form: Pmf[Any]) -> None:
    assert numpy_law(draw).map(plain) == closed_form


@pytest.mark.parametrize(
    ("comparison", "probability"),
    [
        (lambda u: u < Fraction(1, 3), Fraction(-(-(2**53) // 3), 2**53)),
        (lambda u: u <= Fraction(1, 3), Fraction(2**53 // 3 + 1, 2**53)),
        (lambda u: u > Fraction(1, 3), 1 - Fraction(2**53 // 3 + 1, 2**53)),
        (lambda u: u >= Fraction(1, 3), 1 - Fraction(-(-(2**53) // 3), 2**53)),
        (lambda u: u < 0.5, Fraction(1, 2)),
        (lambda u: u <= 0.5, Fraction(1, 2) + STEP),
        (lambda u: u < 0.1, Fraction(-(-TENTH * 2**53 // 1), 2**53)),
        (lambda u: u < Decimal("0.5"), Fraction(1, 2)),
        (lambda u: u < np.float64(0.5), Fraction(1, 2)),
        (lambda u: Fraction(1, 2) <= u, Fraction(1, 2)),
        (lambda u: Fraction(1, 4) < u < 0.5, Fraction(1, 4) - STEP),
        (lambda u: u < 0, 0),
        (lambda u: u <= 0, STEP),
        (lambda u: u >= 0, 1),
        (lambda u: u < 1, 1),
        (lambda u: u > np.int64(1), 0),
        (lambda u: u < inf, 1),
        (lambda u: u > -inf, 1),
        (lambda u: u < -inf, 0),
        (lambda u: u < nan or u >= nan, 0),
        (lambda u: max(u, 0.25) is u, 1 - Fraction(1, 4)),
    ],
)
def test_random_is_a_whole_multiple_of_two_to_the_minus_53(
    comparison: Callable[[Any], bool], probability: Fraction
) -> None:
    assert law(lambda r: bool(comparison(r.random()))).probability(True) == probability


def test_one_number_compared_again_and_again_is_one_number() -> None:
    found = law(lambda r: (lambda u: (u < 0.75, u < 0.5, u >= 0.75))(r.random()))
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert found == Pmf({(True, True, False): half, (True, False, False): quarter, (False, False, True): quarter})


def test_the_generators_are_what_code_asks_them_to_be() -> None:
    assert law(lambda r: isinstance(r, random.Random)) == point(True)
    assert numpy_law(lambda r: isinstance(r, np.random.Generator) and np.random.default_rng(r) is r) == point(True)
    assert numpy_law(str) == point("Generator(scripted)")


@functools.singledispatch
def dispatched(number: object) -> int:
    del number
    return 0


@dispatched.register
def _(number: float) -> int:
    return 1 + (number < 0.5)


def matched(u: Any) -> int:
    match u:
        case int():
            return 2
        case float(v) if v < 0.5:
            return 1
        case _:
            return 0


THIRD, THIRDS = 2**53 // 3 + 1, (2**54 - 2) // 3 + 1  # 3 u is rounded to even between 1 and 2, once up to 2


HALF = bernoulli(Fraction(1, 2))


@pytest.mark.parametrize(
    ("use", "closed_form"),
    [
        (lambda u: int(u < 0.5) if isinstance(u, float) else 3, HALF),
        (lambda u: int(u < 0.5) if isinstance(u, numbers.Real) else 3, HALF),
        (lambda u: int(u < 0.5) if u.__class__ is float else 3, HALF),
        (dispatched, HALF.map(lambda y: y + 1)),
        (matched, HALF),
        (lambda u: int(u - 0.5 < 0), HALF),
        (lambda u: int(4 * u + 1), from_weights({1: 2**51, 2: 2**51, 3: 2**51, 4: 2**51 - 1, 5: 1})),
        (lambda u: math.floor(u * 3), from_weights({0: THIRD, 1: THIRDS - THIRD, 2: 2**53 - THIRDS})),
        (lambda u: round(u), Pmf({0: Fraction(1, 2) + STEP, 1: Fraction(1, 2) - STEP})),
        (lambda u: round(u, 0), Pmf({0.0: Fraction(1, 2) + STEP, 1.0: Fraction(1, 2) - STEP})),
        (lambda u: (2 * u) // 1, Pmf({0.0: Fraction(1, 2), 1.0: Fraction(1, 2)})),
        (lambda u: int(abs(u - 0.5) < 0.25), Pmf({1: Fraction(1, 2) - STEP, 0: Fraction(1, 2) + STEP})),
        (lambda u: math.copysign(1, u - 0.5), Pmf({-1.0: Fraction(1, 2), 1.0: Fraction(1, 2)})),
        (lambda u: u == 0.5, Pmf({True: STEP, False: 1 - STEP})),
        (lambda u: u in (0.25, 0.5), Pmf({True: 2 * STEP, False: 1 - 2 * STEP})),
        (bool, Pmf({False: STEP, True: 1 - STEP})),
        (lambda u: 1 / (1 - u) >= 2, Pmf({True: Fraction(1, 2), False: Fraction(1, 2)})),
        (lambda u: u**2 < 0.25, Pmf({True: Fraction(1, 2), False: Fraction(1, 2)})),
        (lambda u: (u - 1) ** 2 > 0.25, Pmf({True: Fraction(1, 2), False: Fraction(1, 2)})),
        (lambda u: math.log(1 - u) > math.log(0.5), Pmf({True: Fraction(1, 2), False: Fraction(1, 2)})),
        (lambda u: math.isnan(u) or math.isinf(u), point(False)),
        (lambda u: -u < -0.5, Pmf({True: Fraction(1, 2) - STEP, False: Fraction(1, 2) + STEP})),
        (lambda u: Fraction(1, 2) - u > 0, Pmf({True: Fraction(1, 2), False: Fraction(1, 2)})),
        (lambda u: float("-inf") if math.isinf(-u) else u * 0 < 1, point(True)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("generator", ["random", "numpy"])
def test_what_everyday_code_does_with_a_number(use: Draw, closed_form: Pmf[Any], generator: str) -> None:
    assert law(lambda r: use(r.random()), generator) == closed_form


@pytest.mark.parametrize(
    ("use", "closed_form"),
    [
        (lambda u: int(np.floor(4 * u)), uniform(range(4))),
        (lambda u: bool(np.abs(u - 0.5) >= 0.25), Pmf({False: Fraction(1, 2) - STEP, True: Fraction(1, 2) + STEP})),
        (lambda u: int(np.log(1 - u) < np.log(0.5)), Pmf({0: Fraction(1, 2) + STEP, 1: Fraction(1, 2) - STEP})),
        (lambda u: int(np.float64(2) * u), HALF),
        (lambda u: int(np.sign(u - 0.5)), Pmf({-1: Fraction(1, 2), 0: STEP, 1: Fraction(1, 2) - STEP})),
        (
            lambda u: bool(np.float32(0.5) > u),
            Pmf({True: (1 - Fraction(1, 2**25)) / 2, False: (1 + Fraction(1, 2**25)) / 2}),
        ),
    ],
)
def test_what_everyday_code_does_with_numpy(use: Draw, closed_form: Pmf[Any]) -> None:
    found = law(lambda r: use(r.random()), "numpy")
    assert found == closed_form or found.map(bool) == closed_form


def test_a_number_for_which_a_function_raises_is_an_exception_that_rare() -> None:
    def caught(u: Any) -> str:
        try:
            return "less" if math.log(u) < -1 else "more"
        except ValueError:
            return "raised"

    found = law(lambda r: caught(r.random()))
    assert found.probability("raised") == STEP
    assert abs(found.probability("less") - Fraction(0.36787944117144233)) < 4 * STEP


def test_draws_past_the_generators_own_calls_are_found() -> None:
    for past in (
        lambda r: _random.Random.random(r) < 0.5,
        lambda r: _random.Random.getrandbits(r, 1),
        lambda r: r.__class__.__mro__[2].random(r) < 2,
        lambda r: super(type(r), r).random() < 2,
        lambda r: random.Random.random(r) < 2,
    ):
        with pytest.raises(MechanismError, match="to be a function of its inputs and draws: it"):
            law(past)
    for past in (
        lambda r: np.random.Generator.random(r) < 2,
        lambda r: np.random.Generator.integers(r, 2) < 2,
        lambda r: np.random.Generator.bit_generator.__get__(r).random_raw() < 0,
        lambda r: super(type(r), r).standard_normal() < 9,
    ):
        with pytest.raises(MechanismError, match="to be a function of its inputs and draws: it"):
            law(past, "numpy")
