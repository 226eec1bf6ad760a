"""Values of a mechanism (inputs, outputs, states, parameters) as text, the same on every run."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from inspect import getattr_static, isroutine, signature
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.errors import one_line
from dpcert.audit.identity import Held
from dpcert.audit.kernels.release import Published

LONGEST = 200
"""Characters of a value past which an error message cuts it short."""


def label(value: object) -> str:
    """`value` for a report: numbers as they are written, strings quoted, containers item by item.

    >>> label((Fraction(1, 2), "a", 3))
    "(1/2, 'a', 3)"
    >>> label(partial(Fraction, denominator=2))
    'Fraction(denominator=2)'
    """
    return one_line(in_full(value), LONGEST)


def in_full(value: object) -> str:
    """`label` at any length, for digests."""
    if type(value) is int:
        return integer_text(value)
    if type(value) is str:
        return _foreign(value)
    if type(value) is Held:
        return in_full(value.value)
    if _is(value, Fraction):
        return text(value)  # type: ignore[arg-type]  # as just seen
    if _is(value, int) and type(value) is not bool and type(value).__repr__ is int.__repr__:
        return integer_text(value)  # type: ignore[arg-type]  # as just seen
    if type(value) is tuple:
        return "(" + ", ".join(map(in_full, value)) + ("," if len(value) == 1 else "") + ")"
    if type(value) in {frozenset, set}:
        return "{" + ", ".join(sorted(map(in_full, value))) + "}"  # type: ignore[call-overload]  # a set, as just seen
    if _is(value, Pmf):
        outcomes = value.items()  # type: ignore[attr-defined]  # as just seen
        return "{" + ", ".join(f"{in_full(y)}: {text(w)}" for y, w in outcomes) + "}"
    if _is(value, type) or isroutine(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    if type(value) is partial:
        given = [*map(in_full, value.args), *(f"{name}={in_full(v)}" for name, v in value.keywords.items())]
        return f"{in_full(value.func)}({', '.join(given)})"
    return _foreign(value)


_INTEGERS = frozenset({int})
WRITTEN_OUT = (bool, float, complex, Fraction, Decimal)
"""Types whose values are written out in full, and like nothing else, by `in_full`."""


def exactly(token: object) -> str:
    """A token as text that no other token has, the same in every process: for digests and comparisons.

    >>> from dpcert.audit.identity import held
    >>> exactly(held(True)), exactly((1, "a")), exactly(held((1, frozenset({2}))))
    ('True', "(1, 'a')", '(1, frozenset[{2}])')
    """
    if type(token) is Published:
        return f"Published({exactly(token.core)}, {exactly(token.value)})"
    if type(token) is frozenset:
        return "{" + ", ".join(sorted(map(exactly, token))) + "}"
    if type(token) is tuple:
        if _INTEGERS.issuperset(map(type, token)):
            return exactly_of_numbers(token)
        return "(" + ", ".join(map(exactly, token)) + ("," if len(token) == 1 else "") + ")"
    if type(token) is not Held:
        return in_full(token)
    kind, parts = token[1], token[2:]
    if issubclass(kind, type):
        return ".".join(parts[:2])  # a class, without where it stands in memory
    if kind in WRITTEN_OUT:
        return in_full(token.value)
    if kind is tuple:
        return exactly(parts)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{name}[{', '.join(map(exactly, parts))}]"


def exactly_of_numbers(token: tuple[object, ...]) -> str:
    """`exactly` of a token that is made of whole numbers and names in tuples, in a tenth of the time.

    >>> exactly_of_numbers(("round", 2, ((1, 2),))) == exactly(("round", 2, ((1, 2),)))
    True
    """
    try:
        return repr(token)
    except ValueError:  # a number of more digits than Python writes
        return "(" + ", ".join(map(exactly, token)) + ("," if len(token) == 1 else "") + ")"


def _is(value: object, kind: type) -> bool:
    """Whether it is one, whatever it says of its class."""
    return issubclass(type(value), kind)


def _foreign(value: object) -> str:
    try:
        shown = repr(value)
    except Exception:  # noqa: BLE001 - a foreign repr may raise anything
        return f"<{type(value).__name__}>"
    return f"<{type(value).__name__}>" if " at 0x" in shown else shown


def parameters_of(mechanism: object) -> dict[str, Any]:
    """The fields of a dataclass mechanism, by name; of another object what it keeps under its parameters' names."""
    if is_dataclass(mechanism) and not _is(mechanism, type):
        return {f.name: getattr(mechanism, f.name) for f in fields(mechanism) if f.init}
    attributes = getattr_static(mechanism, "__dict__", None)
    attributes = vars(mechanism) if attributes is not None and not _is(mechanism, type) else {}
    try:
        names = signature(type(mechanism)).parameters
    except (TypeError, ValueError):
        return {}
    return {name: attributes[name] for name in names if name in attributes}


def all_parameters(mechanism: object, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The mechanism's own, and those that its class or factory was given; where a factory made something else of one,
    both, the given one under `--param NAME`."""
    own = parameters_of(mechanism)
    if not is_dataclass(mechanism):
        return {**own, **arguments}
    other = {n: value for n, value in arguments.items() if n in own and in_full(own[n]) != in_full(value)}
    return {
        **own,
        **{n: v for n, v in arguments.items() if n not in own},
        **{f"--param {n}": v for n, v in other.items()},
    }
