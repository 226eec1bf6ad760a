"""Code that raises errors and catches them, and code that looks at what it has caught."""

import math
from dataclasses import dataclass
from typing import Any

from instances.keeping import Count, Keeps


class Overdrawn(Exception):
    """An error of the user's."""


class Empty(Overdrawn):
    """A kind of it."""


class Parses(Count):
    """Counts what is a number."""

    def __call__(self, x: int) -> int:
        try:
            self.count += int("1" if x else "none")
        except ValueError:
            self.count += 2
        return self.count + self.rng.getrandbits(1)


class Checks(Count):
    """Raises what it catches itself."""

    def checked(self, x: int) -> int:
        if x:
            raise ValueError(f"expected 0, not {x}")
        return x + 1

    def __call__(self, x: int) -> int:
        try:
            self.count += self.checked(x)
        except ValueError:
            self.count = 0
        return self.count + self.rng.getrandbits(1)


class Account(Count):
    """Refuses to pay more than there is, by errors of the user's."""

    def __init__(self, rng: Any) -> None:
        super().__init__(rng)
        self.count = 2

    def pay(self, sum_: int) -> None:
        if not self.count:
            raise Empty
        if sum_ > self.count:
            raise Overdrawn("too much")
        self.count -= sum_

    def __call__(self, x: int) -> Any:
        try:
            self.pay(x + self.rng.getrandbits(1))
        except Empty:
            return "empty"
        except (Overdrawn, OverflowError):
            self.count = 2
        return self.count


class Again(Account):
    """Raises it once more, and catches that a level above."""

    def twice(self, x: int) -> None:
        try:
            self.pay(x)
        except Empty:
            raise
        except Overdrawn:
            raise Empty from None

    def __call__(self, x: int) -> Any:
        try:
            self.twice(x + self.rng.getrandbits(1))
        except Empty:
            self.count = 1 + x
        return self.count


class Domain(Count):
    """A logarithm of what may be 0, and an exponential of what may be too large."""

    def __call__(self, x: int) -> Any:
        try:
            told = math.log(self.count)
        except ValueError:
            told = 0.0
        try:
            self.count += x + self.rng.getrandbits(1)
            told += math.exp(400 * self.count)
        except OverflowError:
            self.count = 0
        return told


RAISING = [Parses, Checks, Account, Again, Domain]
"""Errors that nobody looks at."""


@dataclass
class Cell:
    """Something with an address."""

    number: int = 0


class Looks(Keeps):
    """Looks at what it has caught."""

    def keep(self, u: int) -> Any:
        try:
            [0].index(u)
        except ValueError as error:
            return error.args
        return ()


class HoldsError(Keeps):
    """Keeps an error, which holds what no attribute does."""

    def keep(self, u: int) -> Any:
        return Overdrawn(u)

    def read(self) -> Any:
        return self.kept.args[0]


class Down(Keeps):
    """How deep the stack is."""

    def down(self, n: int) -> int:
        raise NotImplementedError

    def keep(self, u: int) -> Any:
        return self.down(u)


class Deep(Down):
    """By an error of which a caught one is a kind."""

    def down(self, n: int) -> int:
        try:
            return self.down(n + 1)
        except RuntimeError:
            return n


class AllOfThem(Down):
    def down(self, n: int) -> int:
        try:
            return self.down(n + 1)
        except Exception:  # noqa: BLE001 - what it is about
            return n


class Types(Keeps):
    """An error that says which types there are."""

    def keep(self, u: int) -> Any:
        try:
            return u + ""  # type: ignore[operator]
        except TypeError:
            return 0


Changing: Any = Overdrawn


class Renames(Down):
    """Gives an error of the user's another meaning for a while."""

    def down(self, n: int) -> int:
        try:
            return self.down(n + 1)
        except Changing:
            return n

    def keep(self, u: int) -> Any:
        global Changing
        Changing = RecursionError
        depth = self.down(u)
        Changing = Overdrawn
        return depth


Renamed: Any = 0


class RenamesAnother(Down):
    """Lets what is no error be one for a while."""

    def down(self, n: int) -> int:
        try:
            return self.down(n + 1)
        except Renamed:
            return n

    def keep(self, u: int) -> Any:
        global Renamed
        Renamed = RecursionError
        depth = self.down(u)
        Renamed = 0
        return depth


class Ends(Keeps):
    """Does something in the end, whatever was raised."""

    def keep(self, u: int) -> Any:
        try:
            self.count = u
        finally:
            self.count += 1
        return u


class Given(Down):
    """An error that is no name of a module."""

    error: Any = RecursionError

    def down(self, n: int) -> int:
        try:
            return self.down(n + 1)
        except self.error:
            return n


class Meta(type):
    """Whose classes are asked what is one of them."""


class Asked(Exception, metaclass=Meta):
    """An error with a class of its own kind."""


class Catches(Keeps):
    def keep(self, u: int) -> Any:
        try:
            raise Asked
        except Asked:
            return u


class Groups(Keeps):
    """Errors in groups."""

    def keep(self, u: int) -> Any:
        try:
            raise ValueError
        except* ValueError:
            u += 1
        return u


class Words(Keeps):
    """Puts an address into words, and catches the error before it is made."""

    def keep(self, u: int) -> Any:
        told: Any = 0
        try:
            raise ValueError(told := f"{self}", [][0])
        except IndexError:
            return told, u


class WordsOfOne(Keeps):
    """Puts them into an error of the user's, which keeps them."""

    def keep(self, u: int) -> Any:
        error = Overdrawn(f"{self}")
        try:
            raise error
        except Overdrawn:
            return error.args[0] > "a", u


NOT_RAISING = [
    Looks, Deep, AllOfThem, Types, Renames, RenamesAnother, Ends, Given, Catches, Groups, Words, WordsOfOne,
]  # fmt: skip
"""Errors that say more than that there was one."""
