"""Code that finds out what was kept by what no list of contents names: layouts, texts of errors, odd classes."""

from collections.abc import Callable
from typing import Any

from instances.keeping import Keeps


class Once(Keeps):
    """Keeps what a method says, and reads it a round later."""

    def store(self, u: int) -> None:
        raise NotImplementedError

    def keep(self, u: int) -> Any:
        self.store(u)
        return 0


class Layout(Once):
    """How many places of a dictionary are used up, as a loop over it tells that takes out and puts in."""

    def store(self, u: int) -> None:
        self.table = {0: 0, 1: 0}
        for key in (7, 8, 9) if u else ():
            self.table[key] = 0
            self.table.pop(key)

    def listed(self) -> Any:
        return self.table

    def read(self) -> Any:
        seen = []
        for key in self.listed():
            seen.append(key)
            if len(seen) == 2:
                break
            self.table.pop(0)
            self.table[2] = 0
        return seen[-1]


class LayoutOfValues(Layout):
    """The same by what the dictionary holds."""

    def listed(self) -> Any:
        return self.table.values()


class Holes(Layout):
    """As many places are used up, and others of them are empty."""

    def store(self, u: int) -> None:
        self.table = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}
        self.table.pop(1 if u else 4)
        kept = self.table.pop(4 if u else 1)
        self.table.update({0: kept * 0})

    def read(self) -> Any:
        seen = []
        for key in self.table:
            seen.append(key)
            if len(seen) == 2:
                break
            self.table.pop(0)
            self.table[9] = 0
        return seen[-1]


class Renaming(Layout):
    """Every key of a table grows by ten, in the table itself."""

    def read(self) -> Any:
        moved = 0
        for key in self.table:
            if key < 10:
                self.table[key + 10] = self.table.pop(key)
                moved += 1
            if moved == 2:
                break
        return 0 in self.table or 1 in self.table


HIDING: list[Callable[..., Any]] = [Layout, LayoutOfValues, Holes, Renaming]
"""What is told apart by its form."""
HIDDEN: list[Callable[..., Any]] = []
"""What is not plain."""
