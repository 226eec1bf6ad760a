"""What plain code may do with arrays says the same wherever they lie in memory, bit by bit."""

import itertools
import operator
import random
from typing import Any

import numpy as np
import pytest

from dpcert.audit.scripted import plain_arrays
from dpcert.audit.scripted.plain_arrays import CALLED, OF_ARRAYS, is_array, unchanged
from dpcert.audit.scripted.unknown import Unknown

PAIRS = {
    "add", "append", "array_equal", "divide", "maximum", "minimum", "multiply", "subtract",
}  # fmt: skip
WITH_NUMBERS = {"clip": (-1, 1), "full": (2,), "round": (1,), "where": (1.0, 0.0), "fill": (2.0,), "astype": (int,)}
MADE = {"arange", "full", "ones", "zeros"}
SYMBOLS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, divmod,
           operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)  # fmt: skip
IN_PLACE = (operator.iadd, operator.isub, operator.imul, operator.ifloordiv, operator.imod)


def lying(numbers: Any, at: int) -> Any:
    """The same numbers, so many bytes after a place that can be divided by 64."""
    memory = np.zeros(numbers.nbytes + 192, dtype=np.uint8)
    begin = -memory.ctypes.data % 64 + at
    array = memory[begin : begin + numbers.nbytes].view(numbers.dtype).reshape(numbers.shape)
    array[...] = numbers
    return array


def bits(value: Any) -> Any:
    """What a value is, bit by bit."""
    if isinstance(value, tuple | list):
        return [bits(one) for one in value]
    return type(value), np.asarray(value).tobytes(), np.shape(value)


def all_of(one: Any, other: Any) -> list[Any]:
    """What everything that plain code may do makes of two arrays."""
    made: list[Any] = [operate(one, other) for operate in SYMBOLS]
    made += [operate(one.copy(), other) for operate in IN_PLACE]
    made += [one**2, operator.ipow(one.copy(), 2), one[..., 1:] ** 2, one[..., ::2] ** 2]
    made += [one / other, *([operator.itruediv(one.copy(), other)] if one.dtype == float else [])]
    made += [sum(one.ravel()), max(one.ravel()), one[..., 1:].sum(), one[..., ::2].sum(), one[..., 1:] * other[..., 1:]]
    for name in sorted(CALLED - MADE):
        call = getattr(np, name)
        made.append(call(one, other) if name in PAIRS else call((one, other)) if name == "concatenate" else
                    call(one, *WITH_NUMBERS.get(name, ())))  # fmt: skip
    for name in sorted(OF_ARRAYS):
        part = getattr(one.copy(), name)
        if name != "item":
            made.append(part(*WITH_NUMBERS.get(name, ())) if callable(part) else part)
    made += [one.sum(axis=0), one.mean(axis=-1), one.max(axis=0), one.cumsum(axis=0)]
    return made


def number(rng: random.Random) -> float:
    return rng.choice([0.0, -0.0, rng.gauss(0, 1), rng.uniform(-1e9, 1e9), 1e-300, 5e-324, rng.randrange(-3, 4) / 4])


@pytest.mark.parametrize("shape", [(3,), (17,), (40,), (300,), (5, 7)])
def test_nothing_depends_on_where_arrays_lie(shape: tuple[int, ...]) -> None:
    rng = random.Random(str(shape))
    one, other = (np.array([number(rng) for _ in range(np.prod(shape))]).reshape(shape) for _ in range(2))
    whole = one.astype(np.int64) % 7, other.astype(np.int64) % 5 + 1
    with np.errstate(all="ignore"):
        for numbers in ((one, other), whole):
            expected = bits(all_of(*numbers))
            for places in [(0, 8), (8, 0), (24, 40), (56, 16), (32, 32)]:
                both = (lying(array, at) for array, at in zip(numbers, places, strict=True))
                assert bits(all_of(*both)) == expected


def test_arrays_of_their_own_are_taken() -> None:
    assert is_array(np.zeros((2, 3)))
    assert is_array(np.zeros(0))
    assert is_array(np.array(1))
    assert not is_array([1])


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(3)[1:], np.zeros((2, 3)).T, np.zeros((2, 3), order="F"), np.zeros(2, ">f8"), np.zeros(2, "f4"),
        np.frombuffer(b"12345678"), np.array([float("nan")]), np.zeros(2, np.longlong), np.zeros(2, object),
    ],
)  # fmt: skip
def test_other_arrays_are_not_plain(array: Any) -> None:
    with pytest.raises(Unknown):
        is_array(array)


@pytest.mark.parametrize("made", [len, lambda *_: 0, np.frompyfunc(len, 1, 1), np.vectorize(len)])
def test_functions_that_were_put_into_numpy_are_not_plain(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    unchanged()
    for name in itertools.islice(sorted(plain_arrays.CALLED), None, None, 5):
        with monkeypatch.context() as changing:
            changing.setattr(np, name, made)
            with pytest.raises(Unknown, match=f"{name} was changed"):
                unchanged()
