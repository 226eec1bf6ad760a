"""Canonical forms of what code keeps: equal only where nothing that the code can read tells two states apart.

A form lists all that can be reached from some roots in a fixed order: types, values by their bits, what holds what,
what is the very object that came before, dictionaries in their order, cells of closures, the globals that functions
name, attributes of classes. No address is part of it, and none of the user's is called. Roots are plain (`plain`), or
what a form says is not enough.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit.scripted.form_kinds import form_of
from dpcert.audit.scripted.traversal import Lasting, Traversal
from dpcert.audit.scripted.unknown import Unknown

Form = tuple[Any, ...]
"""Atoms: what one of them is follows from those before it, so that equal forms stand for the same objects."""


@dataclass
class Forms:
    """Forms of the states of one mechanism's code."""

    _lasting: Lasting = field(default_factory=Lasting)

    def of(self, roots: Iterable[Any], generator: Any) -> Form:
        """The form of all that can be reached from the roots; the generator is known as such.

        Raises: Unknown: it has none.
        """
        traversal = Traversal(self._lasting, form_of, generator)
        try:
            for root in roots:
                traversal.add(root)
        except RecursionError:
            raise Unknown("it is nested too deeply") from None
        return tuple(traversal.atoms)
