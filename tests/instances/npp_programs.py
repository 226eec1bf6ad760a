"""Random mechanisms of the npp game as people write them: of statements on events, some of which look at values."""

from dataclasses import dataclass
from random import Random

HEAD = """
import collections, enum, json, operator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, NamedTuple
from dpcert import Release, bernoulli, uniform


class Colour(enum.Enum):
    RED, LIME, BLUE, TEAL, PINK = range(5)


class Grade(enum.IntEnum):
    A, B, C, D, E = range(5)


class Day(enum.Enum):
    MON, TUE, WED, THU, FRI, SAT, SUN = "abcdefg"


@dataclass(frozen=True)
class Sale:
    buyer: str
    day: int = field(default=0, compare=False)


@dataclass(frozen=True, order=True)
class Visit:
    who: int
    where: str = "x"

    @property
    def late(self):
        return self.who > 1


class Spot(NamedTuple):
    row: int
    column: int


class Nothing:
    def __init__(self, key=None):
        self.key = key

    name, initial = "anything", 0

    def after(self, state, items, outputs):
        return 0
"""

ALPHABETS = (
    "(0, 1, 2, 3, 4)",
    "(4, 0, 3, 1, 2)",
    "('a', 'b', 'c', 'd', 'e')",
    "('ab', 'b', 'a', '', 'ba')",
    "tuple(Colour)",
    "tuple(Grade)",
    "(0, 1, True, 1.0, 2)",
    "((0, 1), (1, 0), (1, 1), (0, 0), (2,))",
    "((1,), (2,), (True,), (3,), (4,))",
    "(0.0, 1.0, -0.0, 2.0, 3.5)",
    "(Sale('a', 1), Sale('b'), Sale('a', 2), Sale('c'), Sale('d'))",
    "tuple(Visit(n % 3, 'xy'[n > 2]) for n in range(5))",
    "tuple(Spot(n, 4 - n) for n in range(5))",
    "(Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(0))",
    "(b'a', b'b', b'ab', b'', b'c')",
    "(frozenset({0}), frozenset({1}), frozenset({0, 1}), frozenset(), frozenset({2}))",
    "(False, True, 2, 3, 4)",
    "(Grade.A, 1, Grade.C, 2, Colour.RED)",
    "tuple(range(7))",
    "tuple('abcdefg')",
    "tuple(Day)",
    "tuple(Sale('abcabde'[n], n) for n in range(7))",
    "((0.0,), (1.0,), (2.0,), (-0.0,), (3.0,), (4.0,), (5.0,))",
)
HARMLESS = (
    "{a} == {b}", "{a} != {b}", "{a} is None", "{a} in ({b}, {c})", "({a}, {b}) == ({b}, {c})", "n % 2", "n > 1",
    "({b}, {a}).count({c})", "[{a}, {b}, {c}].index({b})", "sum(1 for kept in ({b}, {c}) if kept is not None)",
    "draw(bernoulli(Fraction(1, 3)))", "len([{a}, {b}])", "any({a} == kept for kept in ({b}, {c}))",
    "None in ({a}, {b})",
)  # fmt: skip
"""On events a, b and c, of which some may be None, and a count n of rounds."""
LOOKING = (
    "({a}, {b}) in PAIRS", "TABLE.get({a}, 0)", "TABLE.get(({a}, {b}), 0)", "{a} in CERTAIN",
    "{{{a}, {b}}} == {{FIRST, LAST}}", "frozenset(({a}, {b})) in SETS", "{a} is FIRST and {b} is LAST",
    "{a} is FIRST", "f'{{{a}}}-{{{b}}}' in TEXTS", "'%s-%s' % ({a}, {b}) in TEXTS", "repr(({a}, {b})) in TEXTS",
    "str({a})[-1:] == '1'", "len(str({a}))",
    "isinstance({a}, KIND) and isinstance({b}, KIND) and ({a}, {b}) in PAIRS", "isinstance({a}, KIND)",
    "type({a}).__name__", "type({a}) is type({b}) and ({a}, {b}) in PAIRS",
    "caught(lambda: ({a}, {b}) == (FIRST, LAST))", "caught(lambda: {a} == FIRST)", "caught(lambda: int({a}) % 2)",
    "caught(lambda: {a} < {b})", "caught(lambda: {a}[0])", "caught(lambda: json.dumps([{a}, {b}]) in TEXTS)",
    "caught(lambda: sorted([{a}, {b}])[0] == {a})", "sorted([{a}, {b}], key=str)[0] == {a}",
    "min(({a}, {b}), key=repr) == {b}", "sorted(({a}, {b}, {c}), key=lambda v: v is LAST)[0] == {a}",
    "Like(FIRST) == {a} and Like(LAST) == {b}", "Is(FIRST) == {a} and Is(LAST) == {b}", "looked({a}, {b})",
    "kind_of({a}) is KIND and kind_of({b}) is KIND and ({a}, {b}) in PAIRS",
    "has_kind({a}, KIND) and has_kind({b}, KIND) and ({a}, {b}) in PAIRS", "matched({a}, {b})",
    "getattr({a}, 'real', 0)", "collections.Counter([{a}, {b}])[FIRST]",
    "operator.is_({a}, FIRST) and operator.is_({b}, LAST)", "hash(({a}, n)) % 2",
    "next((at for at, v in enumerate(ALL) if v is {a}), -1)",
    "next((at for at, v in enumerate(ALL) if caught(lambda: v == {a})), -1)",
    "[v for v in ALL if v is {a} or v is {b}] == [FIRST, LAST]", "bool({a})", "{a} or 0", "callable({a})",
    "Made({a}, {b}).hit", "list({{{a}, {b}}})[0] == {a}", "FIRST.__eq__({a}) is True and LAST.__eq__({b}) is True",
    "caught(lambda: {a} > FIRST)", "draw(bernoulli(Fraction(1 + (({a}, {b}) in PAIRS), 4)))",
    "sum(v is {a} for v in ALL[:2]) + 2 * sum(v is {b} for v in ALL[3:])",
    "caught(lambda: dict.fromkeys([{a}, {b}])[FIRST]) is None", "ALL[0] is {a} and ALL[3] is {b}",
    "({a}, {b}, {c}) in TRIPLES", "({a} is ALL[1]) + 2 * ({b} is ALL[4]) + 4 * ({c} is ALL[0])",
)  # fmt: skip
"""Some of which look at nothing that shows, of some alphabets."""
HELPERS = """
class Like:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is type(self.value) and other == self.value


class Is(Like):
    def __eq__(self, other):
        return other is self.value


@dataclass(frozen=True)
class Made:
    one: Any
    other: Any

    def __post_init__(self):
        object.__setattr__(self, "hit", (self.one, self.other) in PAIRS)


def caught(look):
    try:
        return look()
    except Exception:
        return None


@lru_cache
def looked(one, other):
    return (one, other) in PAIRS


def matched(one, other):
    match (one, other):
        case (None, _):
            return 0
        case (int(), int() | str()):
            return (one, other) in PAIRS
        case (str(), str()) if one == FIRST:
            return 2
    return 3


kind_of, has_kind = type, isinstance
"""
STATES = (
    "({n}, {a}, {b})", "Kept({n}, {a}, {b})", "Slot({n}, {a}, {b})", "({n}, ({a}, frozenset(({b},))))",
    "({n}, Made({a}, {b}))",
)  # fmt: skip
OPENED = (
    "n, s, r = state", "n, s, r = state.n, state.s, state.r", "n, s, r = state", "n, (s, (r,)) = state",
    "n, s, r = state[0], state[1].one, state[1].other",
)  # fmt: skip
KINDS = """
@dataclass(frozen=True)
class Kept:
    n: int
    s: Any
    r: Any


class Slot(NamedTuple):
    n: int
    s: Any
    r: Any
"""


@dataclass(frozen=True)
class Maker:
    """Writes one mechanism; `looking` of its conditions look at values, as far as chance says."""

    random: Random
    looking: float

    def condition(self) -> str:
        """What a step makes of an event, of both that it keeps, and of the round."""
        pool = LOOKING if self.random.random() < self.looking else HARMLESS
        events = self.random.sample(["x", "s", "r"], 3)
        text = self.random.choice(pool).format(**dict(zip("abc", events, strict=True)))
        if self.random.random() < 0.2:
            return f"(({text}) {self.random.choice(('and', 'or', '=='))} ({self.condition()}))"
        return f"({text})"

    def written(self, name: str) -> str:
        """The text of a class."""
        choice, chance = self.random.choice, self.random.random
        shape = self.random.randrange(len(STATES))
        made, opened = STATES[shape], OPENED[shape]
        kept = choice(
            (("x", "s"), ("x", "s"), ("x", "s"), ("x if s is None else s", "x if s is not None and r is None else r"))
        )
        if chance() < 0.25:
            kept = (f"x if {self.condition()} else s", "s")
        shows = [self.condition() for _ in range(choice((1, 1, 2)))]
        if made.endswith("Made({a}, {b}))") and chance() < self.looking:
            shows.append("state[1].hit")
        hides = choice(("None", "0", "x", "(x, s)", self.condition(), "shown"))
        other = choice(("release.hidden", "release.hidden", "0", "self.beside(pair[1 - branch], state)"))
        guard = choice(("", "", "\n        if n < 2:\n            return Release(0, {h}), {after}"))
        after = made.format(n="min(n + 1, 3)", a=kept[0], b=kept[1])
        guard = guard.format(h="0" if hides in ("shown", "x", "(x, s)") else hides, after=after)
        if chance() < 0.1:
            guard = f"\n        if draw(bernoulli(Fraction(1, 2))):\n            x, s = s, x{guard}"
        relation = choice(("Nothing()", "Nothing()", "Nothing()", "Related()"))
        start = made.format(n="0", a="None", b="None")
        return f"""
class Related(Nothing):
    initial = None

    def after(self, state, items, outputs):
        x, s, r, n = items[0], state, None, 0
        draw = lambda law: 0
        return None if {self._quiet()} and False else x


class {name}:
    alphabet = ALL
    initial = simulation = {start}
    outputs = {relation}

    def step(self, state, x, draw):
        {opened}{guard}
        shown = ({", ".join(shows)},)
        return Release(shown, {hides}), {after}

    def beside(self, x, state):
        {opened}
        draw = lambda law: 0
        return {self._quiet()}

    def simulate(self, branch, state, pair, draw):
        release, after = self.step(state, pair[branch], draw)
        both = [{other}, {other}]
        both[branch] = release.hidden
        return Release(release.visible, tuple(both)), after
"""

    def _quiet(self) -> str:
        """A condition that draws nothing."""
        while "draw" in (text := self.condition()):
            continue
        return text

    def module(self, names: list[str]) -> str:
        """A file of mechanisms of one alphabet, with the tables that they look at."""
        at = self.random.sample(range(5), 3)
        near = self.random.choice(((0, 3), (0, 3), (1, 4), (3, 0), tuple(at[:2])))
        tables = f"""
ALL = {self.random.choice(ALPHABETS)}
FIRST, LAST, KIND = ALL[{near[0]}], ALL[{near[1]}], type(ALL[{at[2]}])
PAIRS = {{(FIRST, LAST)}}
TABLE = {{FIRST: 1, (FIRST, LAST): 2}}
CERTAIN = {{ALL[{at[0]}], ALL[{at[1]}]}}
SETS = {{frozenset((FIRST, LAST))}}
TRIPLES = {{(ALL[{at[0]}], ALL[{at[1]}], ALL[{at[2]}])}}
TEXTS = {{f"{{FIRST}}-{{LAST}}", repr((FIRST, LAST)), f"[{{FIRST}}, {{LAST}}]"}}
"""
        return HEAD + tables + HELPERS + KINDS + "".join(map(self.written, names))
