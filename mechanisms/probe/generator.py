"""A `numpy.random.Generator` whose normal and Laplace draws come from a script; every other call is refused by name.

numpy's own generator checks the arguments and says of which type and shape the answer is; its numbers are thrown away.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import numpy as np

from dpcert.mechanisms.probe.script import DrawPlace, Family, Script

DRAWN_BY = ("laplace", "normal", "standard_normal")
"""The calls that draw."""
_REAL = np.random.Generator(np.random.PCG64())
_RUNNING: "WeakValueDictionary[int, Script]" = WeakValueDictionary()


class ProbedGenerator(np.random.Generator):
    """The generator that probed code is given. It may be copied, pickled, set back and spawned from, as numpy's may."""

    def __init__(self, script: Script, generator: tuple[int, ...] = (), number: int = 0) -> None:
        self._bits = np.random.PCG64()
        super().__init__(self._bits)
        self._before = self._bits.state
        self._script, self._generator, self.position = script, generator, number
        _RUNNING[id(script)] = script

    def is_untouched(self) -> bool:
        """Whether nothing was drawn past this class, by a function of its base class."""
        return bool(self._bits.state == self._before)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Numbers of the script."""
        real = _REAL.standard_normal(size, dtype, None if out is None else np.empty_like(out))
        drawn = self._drawn(real, Family.NORMAL, 0.0, np.ones_like(real))
        if out is None:
            return drawn
        out[...] = drawn
        return out

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """loc + scale times numbers of the script."""
        return self._drawn(_REAL.normal(loc, scale, size), Family.NORMAL, loc, scale)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """loc + scale times numbers of the script."""
        return self._drawn(_REAL.laplace(loc, scale, size), Family.LAPLACE, loc, scale)

    def spawn(self, n_children: int) -> list[Any]:
        """Generators of their own draws."""
        return [ProbedGenerator(self._script, name) for name in self._script.spawn(self._generator, n_children)]

    @property
    def bit_generator(self) -> Any:
        """What has the state, and nothing that draws."""
        return ScriptPosition(self)

    def refuse(self, call: str) -> NoReturn:
        """Raises: MechanismError: a call that is none of those supported."""
        calls = ", ".join(DRAWN_BY)
        self._script.refuse(f"Expected noise drawn by {calls} but got numpy.random.Generator.{call}, which is no part")

    def _drawn(self, real: Any, family: Family, loc: Any, scale: Any) -> Any:
        """As many draws as `real` has numbers, with its type and shape."""
        shape = np.shape(real)
        scales = np.broadcast_to(np.asarray(scale, dtype=np.float64), shape)
        if not np.isfinite(scales).all():
            self._script.refuse("Expected noise of a finite scale but got another")
        units = np.array([self._one(family, Fraction(s)) for s in scales.ravel().tolist()]).reshape(shape)
        found = np.asarray(loc) + scales * units
        return found.astype(real.dtype) if isinstance(real, np.ndarray) else type(real)(found)

    def _one(self, family: Family, scale: Fraction) -> float:
        place = DrawPlace(self._generator, self.position)
        self.position += 1
        return self._script.number(place, family, scale)

    def __copy__(self) -> "ProbedGenerator":
        return ProbedGenerator(self._script, self._generator, self.position)

    def __deepcopy__(self, _memo: Any) -> "ProbedGenerator":
        return self.__copy__()

    def __reduce__(self) -> Any:
        return _again, (id(self._script), self._generator, self.position)

    def __repr__(self) -> str:
        return "Generator(scripted)"

    __str__ = __repr__


def _again(script: int, generator: tuple[int, ...], number: int) -> ProbedGenerator:
    """A generator out of its pickle, inside the same run."""
    return ProbedGenerator(_RUNNING[script], generator, number)


class ScriptPosition:
    """The `bit_generator` of a probed generator: its `state` can be kept and set back."""

    def __init__(self, of: ProbedGenerator) -> None:
        self._of = of

    @property
    def state(self) -> dict[str, Any]:
        """Which number comes next."""
        return {"bit_generator": "scripted", "state": self._of.position}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        self._of.position = int(value["state"])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._of.refuse(f"bit_generator.{name}")


def _unsupported(name: str) -> Callable[..., NoReturn]:
    def call(self: ProbedGenerator, *_: object, **__: object) -> NoReturn:
        self.refuse(name)

    return call


for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in {*DRAWN_BY, "bit_generator", "spawn"}:
        setattr(ProbedGenerator, _name, _unsupported(_name))
