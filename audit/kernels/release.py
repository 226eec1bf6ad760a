"""What a step releases: a visible and a hidden part; HALT ends the interaction."""

from collections.abc import Hashable
from typing import Generic, TypeVar

from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import as_is, held, structural, value_of

V = TypeVar("V", bound=Hashable)
Y = TypeVar("Y", bound=Hashable)


class Halt:
    """The visible output that ends the interaction; there is one, HALT. An observer sees that it came, and when.

    Source: none; ours.

    >>> HALT, Halt() is HALT
    (HALT, True)
    """

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


@frozen(slots=True)
class Release(Generic[V, Y]):
    """(v_t, y_t), the output of one round: the adversary sees `visible`; `hidden` may feed another mechanism.

    Args:
        visible: v_t, hashable; HALT ends the interaction.
        hidden: y_t, hashable; None for nothing.
    Source: paper.tex, sec:modular_comp (interactive mechanisms with hidden outputs).

    >>> Release("a").hidden is None
    True
    """

    visible: V | Halt
    hidden: Y | None = None


@frozen(slots=True)
class Published(Generic[Y, V]):
    """(y_t, phi_t), a visible output in two parts: the core release, and a value made, it is said, of releases alone.

    An audit checks that every value published so far is a function of the core releases so far, and then goes on with
    the core.

    Args:
        core: y_t, hashable.
        value: phi_t(y_1, ..., y_t), hashable.
    Raises: ArgumentError: HALT as the core release, which is released by itself.
    Source: paper.tex, sec:cert (post-processing only afterward).

    >>> Published(core=3, value="odd").value
    'odd'
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
