"""The parameters of a mechanism's class or factory: what it takes by name, and what a text stands for."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import InitVar
from functools import partial
from types import SimpleNamespace
from typing import Any, get_type_hints

from dpcert.audit.errors import TargetError, one_line
from dpcert.audit.frozen import frozen

BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@frozen
class FactoryParameters:
    """What a factory takes by name.

    Attributes:
        keywords: Its parameters, in order.
        also: Names that it takes through `**`: of the classes that it is made from, or named in its docstring.
        known: False where nothing is known of it (compiled code): then it takes anything.
    """

    keywords: Mapping[str, inspect.Parameter]
    also: frozenset[str] = frozenset()
    known: bool = True

    def takes(self, name: str) -> bool:
        """Whether it does."""
        return not self.known or name in self.keywords or name in self.also


def taken(factory: Any, names: frozenset[str] = frozenset()) -> FactoryParameters:
    """What a factory takes by name; of `names`, also those in its docstring if it takes `**`."""
    try:
        parameters = inspect.signature(factory).parameters
    except Exception:  # noqa: BLE001 - compiled code has none, and a signature of the user's own may fail in any way
        return FactoryParameters({}, known=False)
    by_name = {name: p for name, p in parameters.items() if p.kind in BY_NAME}
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return FactoryParameters(by_name)
    text = str(getattr(factory, "__doc__", None) or "")
    documented = {name for name in names if re.search(rf"\b{re.escape(name)}\b", text)}
    return FactoryParameters(by_name, frozenset(documented | _of_bases(factory)))


def _of_bases(factory: Any) -> set[str]:
    """What the classes that a class is made from take by name in their own `__init__`."""
    bases = factory.__mro__[1:-1] if isinstance(factory, type) else ()
    names: set[str] = set()
    for base in bases:
        try:
            names |= {n for n, p in inspect.signature(vars(base)["__init__"]).parameters.items() if p.kind in BY_NAME}
        except (KeyError, TypeError, ValueError):
            continue
    return names - {"self"}


def read(factory: Any, target: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The values of the parameters that were written.

    Raises: TargetError: an unknown name, or one that is missing. ArgumentError: a text that is no such value.
    """
    signature = taken(factory, frozenset(parameters))
    unknown = [name for name in parameters if not signature.takes(name)]
    if unknown:
        from difflib import get_close_matches

        names = sorted(signature.keywords) if len(signature.keywords) > 12 else list(signature.keywords)
        close = get_close_matches(unknown[0], [*signature.keywords, *signature.also], n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise TargetError(
            f"Expected a parameter of {one_line(target)} ({', '.join(names) or 'none'}) but got {listed(unknown)}{hint}"
        )
    missing = [n for n, p in signature.keywords.items() if p.default is inspect.Parameter.empty and n not in parameters]
    if missing:
        needs = "this parameter" if len(missing) == 1 else "these parameters"
        raise TargetError(f"Expected --param for {listed(missing)}: {one_line(target)} needs {needs}")
    if not parameters:
        return {}
    from dpcert.audit.kernels.written import converted

    hints = _hints(factory)
    return {name: converted(text, _hint(name, hints, signature), name) for name, text in parameters.items()}


def _hint(name: str, hints: Mapping[str, Any], signature: FactoryParameters) -> Any:
    """What a parameter is annotated with; without that, what its default shows. None for nothing known."""
    if name in hints:
        hint = hints[name]
        return hint.type if isinstance(hint, InitVar) else hint
    default = signature.keywords[name].default if name in signature.keywords else inspect.Parameter.empty
    return None if default is inspect.Parameter.empty or default is None else shown_by(default)


def shown_by(default: object) -> Any:
    """The kind of values that a default belongs to."""
    if isinstance(default, (bool, str, tuple, list)) or hasattr(type(default), "__members__"):
        return type(default)
    return complex if isinstance(default, (int, float)) else None


def whole(factory: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters with their values, in order: what is given, and defaults."""
    named = taken(factory).keywords
    defaults = {name: p.default for name, p in named.items() if p.default is not inspect.Parameter.empty}
    order = [*named, *(name for name in arguments if name not in named)]
    return {name: (defaults | dict(arguments))[name] for name in order if name in arguments or name in defaults}


def listed(names: Any) -> str:
    """Names with commas between them."""
    return ", ".join(one_line(str(name)) for name in names)


def _hints(factory: Any) -> dict[str, Any]:
    """The annotations that resolve; of the others nothing is known."""
    function = _function(factory)
    scope = getattr(function, "__globals__", {})
    hints: dict[str, Any] = {}
    for name, hint in dict(getattr(function, "__annotations__", {})).items():
        try:
            hints |= get_type_hints(SimpleNamespace(__annotations__={name: hint}), scope)
        except Exception:  # noqa: BLE001 - annotations are the user's, and may fail in any way
            continue
    return hints


def _function(factory: Any) -> Any:
    """The function that takes the parameters."""
    while isinstance(factory, partial):
        factory = factory.func
    if isinstance(factory, type):
        own = factory.__init__  # type: ignore[misc]  # looked at, not called
        return own if own is not object.__init__ else factory.__new__
    return inspect.unwrap(factory if hasattr(factory, "__annotations__") else type(factory).__call__)
