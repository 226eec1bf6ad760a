"""A `numpy.random.Generator` that draws from a tape: the documented subset of its calls, every other refused by name.

numpy's own generator checks the arguments and says of which type and shape the answer is; its numbers are thrown away.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, NoReturn

import numpy as np

from dpcert.audit.scripted.generators import number, unsupported, weights_read
from dpcert.audit.scripted.tape import MOST_SEEDS, Tape, too_many_seeds

SUPPORTED = ("binomial", "choice", "integers", "permutation", "random", "shuffle")
"""The calls of a `numpy.random.Generator` that code may make."""
_ANY = np.random.PCG64()
_REAL = np.random.Generator(_ANY)


class ScriptedGenerator(np.random.Generator):
    """The generator that code is given. Whole numbers are exactly uniform in numpy, and so they are here."""

    _tape: Tape

    def __init__(self, tape: Tape) -> None:
        self._bits = np.random.PCG64()
        super().__init__(self._bits)
        self._tape = tape
        self._before = self._bits.state

    def _untouched(self) -> bool:
        """Whether nothing was drawn past this class, by a function of its base class."""
        return bool(self._bits.state == self._before)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """A whole multiple of 2^-53, known only by what it is compared with; one at a time."""
        if size is not None or out is not None or np.dtype(dtype) != np.float64:
            self._refuse("random() with size, dtype or out")
        return number(self._tape.once())

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Whole numbers from low up to high, which counts with endpoint=True."""
        if np.ndim(low) or np.ndim(high):
            self._refuse("integers() with an array of bounds")
        real = _REAL.integers(low, high, size, dtype, endpoint)
        first, last = (0, int(low)) if high is None else (int(low), int(high))
        count = last - first + int(endpoint)
        if size is None:
            self._tape.once()
        return _like(real, lambda: first + self._tape.below(count))

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Elements of `a`, or of range(a); p is read exactly and divided by its exact sum."""
        if not replace and (p is not None or not shuffle):
            self._refuse("choice() without replacement and with p, or without shuffle")
        real = _REAL.choice(a, size, replace, p, axis, shuffle)
        array = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        count = array.shape[axis]
        if np.ndim(a):
            real = _REAL.choice(count, size, replace, p, 0, shuffle)
        if p is not None:
            shares = weights_read(np.asarray(p).tolist())
            places = _like(real, lambda: self._tape.pick(shares))
        elif replace:
            places = _like(real, lambda: self._tape.below(count))
        else:
            left = list(range(count))
            places = _like(real, lambda: left.pop(self._tape.below(len(left))))
        if np.ndim(a) == 0:
            return places
        return array[places] if array.ndim == 1 and size is None else array.take(places, axis=axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """A shuffled copy of `x`, or of range(x)."""
        if axis != 0:
            self._refuse("permutation() along another axis than the first")
        array = np.arange(x) if isinstance(x, int | np.integer) else np.array(x)
        return array[self._order(len(array))]

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffles `x` in place."""
        if axis != 0:
            self._refuse("shuffle() along another axis than the first")
        order = self._order(len(x))
        if isinstance(x, np.ndarray):
            x[...] = x[order]
        else:
            x[:] = [x[i] for i in order]

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """The ideal binomial law, p read exactly."""
        if np.ndim(n) or np.ndim(p):
            self._refuse("binomial() with arrays of parameters")
        real = _REAL.binomial(n, p, size)
        if n >= MOST_SEEDS:
            self._tape.refuse(too_many_seeds(self._tape.name))
        weights = _binomial(int(n), *weights_read([p]))
        return _like(real, lambda: self._tape.pick(weights))

    def _order(self, count: int) -> list[int]:
        left = list(range(count))
        return [left.pop(self._tape.below(len(left))) for _ in range(count)]

    def _refuse(self, call: str) -> NoReturn:
        self._tape.refuse(unsupported(f"numpy.random.Generator.{call}", SUPPORTED))

    @property
    def bit_generator(self) -> Any:
        """Refused: whoever has it can draw anything."""
        self._refuse("bit_generator")

    def __reduce__(self) -> NoReturn:
        self._refuse("__reduce__ (a copy draws the same numbers again)")

    def __repr__(self) -> str:
        return "Generator(scripted)"

    __str__ = __repr__


def _like(real: Any, draw: Callable[[], int]) -> Any:
    """As many draws as `real` has numbers, with its type and shape."""
    if isinstance(real, np.ndarray):
        numbers = np.empty(real.shape, dtype=real.dtype)  # which is an array of its own, as numpy's is
        numbers.flat[:] = [draw() for _ in range(real.size)]
        return numbers
    return type(real)(draw())


@lru_cache(maxsize=256)
def _binomial(n: int, p: Fraction) -> tuple[Fraction, ...]:
    return tuple(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))


def _unsupported(name: str) -> Callable[..., NoReturn]:
    def call(self: ScriptedGenerator, *_: object, **__: object) -> NoReturn:
        self._refuse(name)

    return call


for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in {*SUPPORTED, "bit_generator"}:
        setattr(ScriptedGenerator, _name, _unsupported(_name))
