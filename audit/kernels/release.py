"""What a step releases: a visible and a hidden part; HALT ends the interaction."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from dpcert.audit.errors import expected
from dpcert.audit.identity import as_is, held, structural, value_of

V = TypeVar("V", bound=Hashable)
Y = TypeVar("Y", bound=Hashable)


class Halt:
    """The visible output that ends the interaction; there is one, HALT."""

    _the_one: "Halt | None" = None

    def __new__(cls) -> "Halt":
        if cls._the_one is None:
            cls._the_one = super().__new__(cls)
        return cls._the_one

    def __repr__(self) -> str:
        return "HALT"


HALT = Halt()
as_is(Halt)


class Over:
    """In place of the state of what has halted: no state that a user can name."""

    def __repr__(self) -> str:
        return "over"


OVER = Over()
as_is(Over)


@dataclass(frozen=True, slots=True)
class Release(Generic[V, Y]):
    """One round's output: the adversary sees `visible`; `hidden` may feed another mechanism.

    Source: paper.tex, sec:modular_comp (interactive mechanisms with hidden outputs).
    """

    visible: V | Halt
    hidden: Y | None = None


@dataclass(frozen=True, slots=True)
class Published(Generic[Y, V]):
    """A visible output in two parts: the core release, and a value said to be made from core releases alone.

    An audit checks that every value published so far is a function of the core releases so far, and then goes on with
    the core. Source: paper.tex, sec:cert (post-processing only afterward).
    """

    core: Y
    value: V

    def __post_init__(self) -> None:
        if self.core is HALT:
            raise expected("HALT to be released by itself", core=HALT, value=self.value)


structural(
    Published,
    lambda published: Published(held(published.core, "core release"), held(published.value, "published value")),
    lambda token: Published(value_of(token.core), value_of(token.value)),
)
