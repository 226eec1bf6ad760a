"""Code that keeps sets, and code that finds out in which order they list what they hold."""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from instances.keeping import Count, Keeps


class Distinct(Count):
    """How many things were seen."""

    def __init__(self, rng: Any) -> None:
        super().__init__(rng)
        self.seen: set[Any] = set()

    def __call__(self, x: int) -> int:
        self.seen.add(x + self.rng.getrandbits(1))
        return len(self.seen)


class Words(Distinct):
    """Texts, of which the last may leave."""

    def __call__(self, x: int) -> bool:
        word = "yes" if x else "no"
        if self.rng.random() < 0.25:
            self.seen.discard(word)
        else:
            self.seen |= {word}
        return "yes" in self.seen


class Orders(Distinct):
    """The same in two orders, with room left from others."""

    def __call__(self, x: int) -> Any:
        if self.rng.getrandbits(1):
            self.seen = {0, 8}
        else:
            self.seen = {8, 0, 16, 24, 32, 40}
            for i in range(16, 41):
                self.seen.discard(i)
        return len(self.seen) + x


class Unites(Distinct):
    def __call__(self, x: int) -> Any:
        other = frozenset(range(x + self.rng.getrandbits(1)))
        self.seen = self.seen.union(other) if x else self.seen & other
        try:
            self.seen.remove(0)
        except KeyError:
            return max(len(self.seen), 1), other.issubset(self.seen)
        return len(other - self.seen), self.seen == other


@dataclass
class Basket:
    """Things, and who else has them."""

    things: Any = field(default_factory=set)


class Raises(Distinct):
    """Says in an error what it has seen, in its order."""

    def __call__(self, x: int) -> Any:
        if self.seen:
            raise LookupError(self.seen)
        self.seen = {0, 8} if self.rng.getrandbits(1) else {8, 0}
        return x


class Shared(Keeps):
    """Two that are one, or not."""

    def keep(self, u: int) -> Any:
        one = Basket()
        return one, Basket(one.things if u else set())

    def read(self) -> Any:
        self.kept[0].things.add(1)
        return len(self.kept[1].things)


class InPlace(Keeps):
    """A set that is changed in place shows in another name; one that is frozen does not."""

    def keep(self, u: int) -> Any:
        return {1} if u else frozenset((1,))

    def read(self) -> Any:
        other = self.kept
        other |= {2}
        return 2 in self.kept


class Default(Keeps):
    """An argument that was changed."""

    def noted(self, u: int, seen: Any = set()) -> Any:  # noqa: B006 - what it is about
        if u < 0:
            seen.clear()
        seen.add(u)
        return len(seen)

    def __init__(self, rng: Any) -> None:
        super().__init__(rng)
        self.noted(-1)

    def keep(self, u: int) -> Any:
        return self.noted(u) * 0

    def read(self) -> Any:
        return self.noted(1)


class Types(Keeps):
    """Sets that are equal, and show it when they are released."""

    def keep(self, u: int) -> Any:
        return {True if u else 1, 0.5}

    def read(self) -> Any:
        return frozenset(self.kept)


COLLECTING = [Distinct, Words, Orders, Unites, Shared, InPlace, Default, Types]
"""Sets of which nobody asks the order."""


class OfOrder(Keeps):
    """Two sets that are equal, of which one lists 0 first, and the other 8."""

    def keep(self, u: int) -> Any:
        return self.made({0, 8} if u else {8, 0})

    def made(self, members: Any) -> Any:
        return members

    def told(self, members: Any) -> Any:
        raise NotImplementedError

    def read(self) -> Any:
        return self.told(self.kept)


def telling(name: str, tell: Any, make: Any = None) -> Any:
    """A class that tells by a function the order of the set that it keeps."""
    space = {"told": lambda _, members: tell(members), "__module__": __name__}
    if make is not None:
        space["made"] = lambda _, members: make(members)
    return type(name, (OfOrder,), space)


def loop(members: Any) -> Any:
    for one in members:
        return one
    return None


def either(members: Any) -> Any:
    for one in members if members else range(2):
        return one
    return None


def unpack(members: Any) -> Any:
    one, _ = members
    return one


def starred(members: Any) -> Any:
    one, *_ = members
    return one


def lengthened(members: Any) -> Any:
    kept: Any = []
    kept += members
    return kept[0]


LIST: Any = [0]


def lengthened_global(members: Any) -> Any:
    kept = LIST * 0
    kept += members
    return kept[0]


def first_of(*given: Any) -> Any:
    return given[0]


def put_in(members: Any) -> Any:
    kept: Any = {}
    kept.update({(one, 0) for one in range(1)})
    kept |= members
    return 0


def in_error(members: Any) -> Any:
    error: Any = ValueError()
    error.args = members
    return error.args[0]


def in_syntax(members: Any) -> Any:
    return SyntaxError("", (members | {16, 24})).lineno


class Odd(SyntaxError):
    """An error that goes through what it is made of."""


def in_odd(members: Any) -> Any:
    return Odd("", (members | {16, 24})).lineno


class Pair(NamedTuple):
    """Two things."""

    one: Any
    other: Any


MAX, TUPLE = max, tuple


class Log:
    """Which was asked first."""

    first: Any = None


def asked(self: Any) -> Any:
    if not Log.first:
        Log.first = (self.kept,)
    return self.kept


def put(self: Any, value: Any) -> None:
    self.kept = value


@dataclass(unsafe_hash=True)
class Holds:
    """Something that what Python writes into a class reads of it."""

    thing: Any


class Notes(Holds):
    """Notes when it is read."""

    thing: Any = property(asked, put)


class Plain:
    """Nothing but an object, whose hash is an address."""


def compared(members: Any) -> Any:
    one, other = Plain(), Plain()
    two = {Notes(one), Notes(other)}
    members = len(members) if two <= {Notes(one), Notes(other)} else 0
    told, Log.first = Log.first, None
    return members if told[0] == one else 0


def written(members: Any) -> Any:
    two = {Notes(Plain()), Notes(Plain())}
    try:
        raise ValueError(f"{two}")
    except ValueError:
        told, Log.first = Log.first, None
    return len(members) if told[0] else 0


def with_key(members: Any) -> Any:
    return max(members, key=abs)


def named_max(members: Any) -> Any:
    return (named := max)(members) + named(1, 2)


NOT_COLLECTING = [
    telling("Loop", loop), telling("Either", either), telling("Unpack", unpack), telling("Starred", starred),
    telling("Lengthened", lengthened), telling("LengthenedGlobal", lengthened_global),
    telling("Star", lambda members: first_of(*members)), telling("PutIn", put_in), telling("InError", in_error),
    telling("InSyntax", in_syntax), telling("InOdd", in_odd),
    telling("ComparedByField", compared), telling("WrittenByField", written),
    telling("OfPair", lambda members: Pair._make(members).one),
    telling("Pop", lambda members: members.pop()),
    telling("List", lambda members: list(members)[-1]),
    telling("Tuple", lambda members: tuple(members)[-1]),
    telling("Alias", lambda members: TUPLE(members)[0]),
    telling("Sorted", lambda members: sorted(members, key=lambda _: 0)[0]),
    telling("Any", lambda members: any(members)),
    telling("Greatest", lambda members: max(members)),
    telling("AliasOfMax", lambda members: MAX(members)),
    telling("WithKey", with_key), telling("WithDefault", lambda members: max(members, default=0)),
    telling("NamedMax", named_max), telling("Sum", lambda members: math.fsum(members)),
    telling("Product", lambda members: math.prod(members)), telling("Mapped", lambda members: map(abs, members)),
    telling("Inner", lambda members: {one for one in members}),  # noqa: C416 - what it is about
    telling("Generated", lambda members: 1 in (one for one in members)),
    telling("Joined", lambda members: "".join(members)), telling("Splat", lambda members: [0, *members][1]),
    telling("Keys", lambda members: {**members}), telling("Zip", lambda members: zip(members, members, strict=True)),
    telling("Compared", lambda members: np.array([*members])[0]),
    telling("Objects", lambda members: 0 in members, make=lambda members: {Basket} | members),
]  # fmt: skip
"""What shows the order of a set, or might."""
