"""Scripted generators: the exact law of every supported call, and one line for every other."""

import _random
import copy
import datetime
import functools
import itertools
import json
import marshal
import math
import numbers
import pickle
import random
import statistics
import struct
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import comb, inf, log, nan
from typing import Any

import numpy as np
import pytest

from dpcert import (
    MechanismError,
    Pmf,
    bernoulli,
    examine,
    from_weights,
    point,
    scripted,
    uniform,
)
from dpcert.audit.identity import value_of
from dpcert.audit.scripted import cells, generators, generators_numpy, tape

Draw = Callable[[Any], Any]
STEP = Fraction(1, 2**53)


def once(draw: Draw, generator: str = "random") -> Any:
    """The mechanism that answers draw(generator), whatever is asked."""
    return scripted(lambda rng: lambda _: draw(rng), alphabet=(0,), generator=generator)


def law(draw: Draw, generator: str = "random") -> Pmf[Any]:
    """The law of draw(generator)."""
    mechanism = once(draw, generator)
    return mechanism.seeds(1).map(lambda seeds: mechanism.respond(seeds, (0,))[0])


def numpy_law(draw: Draw) -> Pmf[Any]:
    return law(draw, "numpy")


def shuffled(rng: Any, items: Any) -> tuple[Any, ...]:
    rng.shuffle(items)
    return tuple(items)


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


def methods(kind: type, supported: tuple[str, ...]) -> list[str]:
    """Every public method that is not in the subset, as this version of the library has them."""
    return [n for n in dir(kind) if not n.startswith("_") and callable(getattr(kind, n)) and n not in supported]


@pytest.mark.parametrize("name", methods(random.Random, generators.SUPPORTED))
def test_every_other_call_of_random_is_refused_by_name(name: str) -> None:
    with pytest.raises(MechanismError, match=rf"supported call .*got random\.Random\.{name} \(.*test_calls\.py:\d+\)"):
        law(lambda r: getattr(r, name)())


@pytest.mark.parametrize("name", methods(np.random.Generator, generators_numpy.SUPPORTED))
def test_every_other_call_of_numpy_is_refused_by_name(name: str) -> None:
    with pytest.raises(MechanismError, match=rf"got numpy\.random\.Generator\.{name} \(.*test_calls\.py:\d+\)"):
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
        hash, str, repr, lambda u: f"{u:.2f}", lambda u: u // 0.3, lambda u: 2**u, lambda u: u,
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

    with pytest.raises(MechanismError, match=r"Expected .*random\(\).* \(.*test_calls\.py:\d+\)"):
        law(lambda r: str(survivor(r.random())))


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
        assert "test_calls.py:" in str(caught.value)


def test_a_refused_call_that_the_code_survives_still_ends_the_run() -> None:
    def survivor(rng: Any) -> int:
        try:
            return int(rng.gauss(0, 1))
        except Exception:  # noqa: BLE001 - what careless code does
            return 0

    with pytest.raises(MechanismError, match=r"got random\.Random\.gauss \(.*test_calls\.py"):
        law(survivor)


def plain(output: Any) -> Any:
    """An output without its types: what is drawn, for comparison with a closed form."""
    value = value_of(output)
    value = value.tolist() if hasattr(value, "tolist") else value
    return tuple(map(plain, value)) if isinstance(value, (tuple, list)) else value


def test_outputs_keep_their_types() -> None:
    """An observer can tell a list from a tuple, and numpy's numbers from Python's."""
    outputs = [1, np.int64(1), np.int32(1), True, np.bool_(1), 1.0, (1,), [1], np.array([1]), np.array([[1]]), {1: 1}]
    laws = [numpy_law(lambda _, y=y: y) for y in outputs]
    assert [i for i, one in enumerate(laws) for j, two in enumerate(laws) if (one == two) != (i == j)] == []


def test_an_output_that_is_changed_later_is_what_it_was() -> None:
    """Every round shows the list of all inputs so far, one and the same object."""

    def factory(_: Any) -> Any:
        seen: list[int] = []

        def call(x: int) -> list[int]:
            seen.append(x)
            return seen

        return call

    (answer,) = {scripted(factory, alphabet=(0, 1)).respond(((), ()), (0, 1))}
    assert [value_of(y) for y in answer] == [[0], [0, 1]]


def test_what_cannot_be_an_output_is_refused() -> None:
    with pytest.raises(MechanismError, match="an output with an identity"):
        examine(once(lambda _: object()))


def looping(rng: Any) -> int:
    count = 0
    while rng.random() < 0.5:
        count += 1
    return count


def looping_the_other_way(rng: Any) -> int:
    count = 0
    while rng.random() >= 0.5:
        count += 1
    return count


def looping_for_nothing(rng: Any) -> int:
    while rng.randrange(1) == 0:
        pass
    return 0


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (looping, f"at most {tape.MOST_DRAWS_A_RUN} draws in one run of "),
        (looping_the_other_way, "a loop of draws without an end"),
        (looping_for_nothing, "Expected every loop of draws to end but "),
        (lambda r: r.getrandbits(10**9), "a draw with too many outcomes"),
        (lambda r: r.choices("ab", range(2 * tape.MOST_SEEDS)), "number of weights"),
        (lambda r: r.randrange(2**64), "a draw with too many outcomes"),
    ],
)
def test_too_many_draws_end_in_one_line(draw: Draw, words: str) -> None:
    with pytest.raises(MechanismError) as caught:
        law(draw)
    assert words in str(caught.value)
    assert "test_calls.py:" in str(caught.value)


def test_too_many_outcomes_in_numpy_end_in_one_line() -> None:
    for draw in (lambda r: r.integers(2**40), lambda r: r.binomial(10**6, 0.5)):
        with pytest.raises(MechanismError, match="a draw with too many outcomes"):
            numpy_law(draw)


def test_too_many_runs_end_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_CODE_RUNS", 7)
    with pytest.raises(MechanismError, match="Expected at most 7 runs in all but "):
        law(lambda r: r.randrange(8))
    assert len(law(lambda r: r.randrange(7))) == 7
