"""Whether somebody's code asks items for anything but whether one is another: what else they say, values may not."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dpcert.audit.relations.tags import REFUSALS, Tag

NOTED = (
    "__dir__", "__format__", "__getattribute__", "__hash__", "__reduce__", "__reduce_ex__", "__repr__", "__sizeof__",
    "__str__",
)  # fmt: skip
"""What an item answers otherwise than its values do, and raises nothing."""
_OWN = {name: vars(Tag)[name] for name in NOTED if name in vars(Tag)}


@dataclass(eq=False)
class Looks:
    """Whether somebody's code asked an item for anything but whether it is another one, and be it in vain.

    Attributes:
        found: Whether it did.
        wanted: Whether anybody wants to know.

    >>> from dpcert.audit.relations.tags import NEW, OTHER
    >>> looks = Looks()
    >>> with looks.noted():
    ...     NEW == OTHER, looks.found, NEW in {OTHER}, looks.found
    (False, False, False, True)
    """

    found: bool = False
    wanted: bool = True

    @contextmanager
    def noted(self) -> Iterator[None]:
        """In its body, whatever an item is asked for is noted, where that is wanted and not known yet."""
        if self.found or not self.wanted:
            yield
            return
        refused = REFUSALS.count
        for name in NOTED:
            setattr(Tag, name, self._noting(getattr(Tag, name)))
        try:
            yield
        finally:
            self.found |= REFUSALS.count != refused
            for name in NOTED:
                if name in _OWN:
                    setattr(Tag, name, _OWN[name])
                else:
                    delattr(Tag, name)

    def _noting(self, asked: Any) -> Any:
        def noted(tag: Tag, *arguments: Any) -> Any:
            self.found = True
            return asked(tag, *arguments)

        return noted
