"""Another mechanism of the same releases, to be explored in place of one of dpcert's own that has more states."""

from collections.abc import Callable
from typing import Any, TypeVar

M = TypeVar("M", bound=type)
_EXPLORED: dict[type, Callable[[Any], Any]] = {}


def explored_as(fewer: Callable[[Any], Any]) -> Callable[[M], M]:
    """Marks a class of dpcert's own: whatever it is handed, its releases have the laws of those of `fewer` of it.

    It holds for the class itself: a subclass may do something else. A user's mechanism is explored as it is.

    Args:
        fewer: Makes of a mechanism of that class the one that is explored in its place.
    """

    def marked(mechanism: M) -> M:
        _EXPLORED[mechanism] = fewer
        return mechanism

    return marked


def explored(mechanism: Any) -> Any:
    """What is explored in place of a mechanism; mostly itself."""
    fewer = _EXPLORED.get(type(mechanism))
    return mechanism if fewer is None else fewer(mechanism)
