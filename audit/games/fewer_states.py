"""Another mechanism of the same releases, to be explored in place of one of dpcert's own that has more states."""

from collections.abc import Callable, Mapping
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar

from dpcert.audit.frozen import frozen

M = TypeVar("M", bound=type)


@frozen
class FewerStates:
    """How a class is explored, and what it was when that was written.

    Attributes:
        of: Makes of a mechanism of that class the one that is explored in its place.
        members: What the class and those that it inherits from were made of.
    """

    of: Callable[[Any], Any]
    members: Mapping[tuple[type, str], Any]

    def holds_for(self, mechanism: Any) -> bool:
        """Whether nothing of the mechanism's code stands for something else, in its class or in itself."""
        kind = type(mechanism)
        members = _members(kind)
        same = members.keys() == self.members.keys() and all(members[key] is one for key, one in self.members.items())
        kept = {name for (_, name), one in members.items() if isinstance(one, cached_property)}
        return same and vars(mechanism).keys() <= kept | set(kind.__dataclass_fields__)


_EXPLORED: dict[type, FewerStates] = {}


def explored_as(fewer: Callable[[Any], Any]) -> Callable[[M], M]:
    """Marks a dataclass of dpcert's own: whatever it is handed, its releases have the laws of those of `fewer` of it.

    It holds for the class itself, as it is: a subclass may do something else, and so may a method that is put in the
    place of one of its own. A user's mechanism is explored as it is.

    Args:
        fewer: Makes of a mechanism of that class the one that is explored in its place.
    """

    def marked(mechanism: M) -> M:
        _EXPLORED[mechanism] = FewerStates(fewer, _members(mechanism))
        return mechanism

    return marked


def explored(mechanism: Any) -> Any:
    """What is explored in place of a mechanism; mostly itself."""
    fewer = _EXPLORED.get(type(mechanism))
    return fewer.of(mechanism) if fewer is not None and fewer.holds_for(mechanism) else mechanism


def _members(kind: type) -> dict[tuple[type, str], Any]:
    """All that a class and those that it inherits from are made of, but what Python keeps of them besides: of names
    between double underscores the functions, such as one that answers whatever an instance is asked for."""
    return {
        (one, name): value
        for one in kind.__mro__
        if one is not object
        for name, value in vars(one).items()
        if (isinstance(value, FunctionType) if name.startswith("__") else name != "_abc_impl")
    }
