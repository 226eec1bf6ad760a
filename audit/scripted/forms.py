"""Canonical forms of what code keeps: equal only where nothing that the code can read tells two states apart.

A form lists all that can be reached from some roots in a fixed order: types, values by their bits, what holds what,
what is the very object that came before, dictionaries in their order, cells of closures, the globals that functions
name, attributes of classes. No address is part of it, and none of the user's is called. Roots are plain (`plain`), or
what a form says is not enough.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from types import MemberDescriptorType
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.outside.guards import place_of
from dpcert.audit.scripted.form_kinds import form_of
from dpcert.audit.scripted.traversal import Lasting, Traversal
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.untouched import Untouched

Form = tuple[Any, ...]
"""Atoms: what one of them is follows from those before it, so that equal forms stand for the same objects."""

_SAY_NOTHING = int, property, staticmethod, classmethod, MemberDescriptorType
"""Types of parts that are not looked at: whole numbers, and what leads to functions, which are."""


@dataclass
class Forms:
    """Forms of the states of one mechanism's code."""

    _lasting: Lasting = field(default_factory=Lasting)

    def __len__(self) -> int:
        """How many objects that no run makes anew were met."""
        return len(self._lasting)

    def lasting(self) -> tuple[str, ...]:
        """What each of them is, in words. Raises: Unknown: it has none."""
        return self._lasting.words()

    def of(self, roots: Iterable[Any], generator: Any, looked: Container[int] | None = None) -> Form:
        """The form of all that can be reached from the roots; the generator is known as such.

        Raises: Unknown: it has none, or there is something of it at which nobody has looked; `looked` are the places.
        """
        return self.whole(roots, generator, looked).form

    def whole(
        self,
        roots: Iterable[Any],
        generator: Any,
        looked: Container[int] | None = None,
        unread: frozenset[tuple[type, str]] = frozenset(),
    ) -> "WholeForm":
        """The same, with what was met. Attributes that are `unread`, of a class under a name, are no part of it."""
        traversal = Traversal(self._lasting, form_of, generator, unread)
        try:
            for root in roots:
                traversal.add(root)
        except RecursionError:
            raise Unknown("it is nested too deeply") from None
        if looked is not None:
            _all_looked_at(traversal.kept, looked)
        return WholeForm(tuple(traversal.atoms), traversal)


@frozen
class WholeForm:
    """The form of all that can be reached from somewhere, and what was met on the way."""

    form: Form
    traversal: Traversal

    def untouched(self) -> Untouched:
        """What says whether any of it holds something else since."""
        return Untouched(self.traversal)


def _all_looked_at(values: Iterable[Any], looked: Container[int]) -> None:
    """Raises: Unknown: one of these values was not looked at, and is none of those that say nothing."""
    for value in values:
        if place_of(value) not in looked and not any(type(value) is one for one in _SAY_NOTHING):
            raise Unknown(f"there is a {type(value).__name__} at which nobody has looked")
