"""Random programs of plain code alone, which keep records, arrays, numbers and what holds these."""

import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from instances.recording import Entry, Item, Longer, Point, Slotted, Still, Wider

KEPT = [
    "0", "1", "True", "1.0", "-0.0", "0.5", "1180591620717411303424", "None", "[]", "[0, 1]", "{}", "{0: 1}", "()",
    "(1, [2])",
    "Point(0, 1)", "Point([0])", "Still(1)", "Longer(1)", "Item(0, 1)", "Entry(0, 1)", "Item([1], 2)", "Slotted(1)",
    "Wider([0])", "deque((0,), 2)", "Fraction(1, 2)",
]  # fmt: skip
TEXTS = ['"a"', '"ab"', '"a" + "b"', '["a", "a"]', '{"a": 0}']
ARRAYS = [
    "np.zeros(2)", "np.zeros(2, dtype=np.int64)", "np.array([0, 1])", "np.array([0.5, -0.0])", "np.float64(0.5)",
    "np.int64(1)", "np.ones(2, dtype=bool)", "np.zeros((1, 2))", "Point(np.zeros(1), np.ones(1))", "np.array(1)",
]  # fmt: skip
CHANGES = [
    "self.{a} = self.{b}", "self.{a} = [self.{b}, self.{b}]", "self.{a} = [self.{b}]", "self.{a} = {c}", "self.{a} = x",
    "self.{a} = u", "self.{a} = (x, u)", "self.{a} = self.touched(self.{a}, x)", "self.{a} = self.touched(self.{b}, u)",
    "self.touch(self.{a}, u)", "self.touch(self.{a}, x)", "self.touch(self.{a}, self.{b})", "Program.shared = {c}",
    "Program.shared = u", "self.{a} = Point(self.{b}, self.{a})", "self.{a} = Item(self.{b})", "self.{a} = self.note",
    "self.{a} = Slotted(self.{b})", "self.{a} = Program.shared", "self.note(u)", "self.{a} = self.turned(self.{a})",
    "self.{a} = replace(Still(u), other=self.{b})", "LOG.append(x)", "self.{a} = LOG", "self.{a} = Longer(u)",
]  # fmt: skip
WITH_TEXTS = [
    'self.{a} = f"{{size(self.{b}):d}}"', 'self.{a} = f"{{x:02d}}{{u:d}}"', "self.{a} = self.tried(self.{b}, u)",
    'self.{a} = self.tried("1" if x else "a", u)', "self.{a} = size(self.{b}) ** 2", 'self.{a} = word(self.{b}) + "a"',
]  # fmt: skip
WITH_ARRAYS = [
    "self.{a} = np.array([x, u])", "self.{a} = np.array([x, u], dtype=float) / 2", "self.{a} = np.zeros(2) + u",
    "self.{a} = np.int64(u)", "self.{a} = np.array([x, u, 3]) ** 2", "self.{a} = self.tried(self.{b}, u)",
    "self.{a} = np.float64(x) / 2", "self.{a} = np.where(np.array([x, u]) > 0, 1.0, -0.0)",
]  # fmt: skip
READS = [
    "word(self.{a})", "self.tried(self.{a}, 7)",
    "size(self.{a})", "sign(self.{a})", "kind(self.{a})", "flat(self.{a})", "flat(self.{b})", "flat(Program.shared)",
    "self.told(self.{a})", "len(LOG)", "x", "u", "twice(self.{a}, self.{b})", "flat(self.note(x))",
]  # fmt: skip
HEAD = """
LOG = []

def size(value):
    return len(value) if isinstance(value, (list, tuple, dict, deque)) else -1

def sign(value):
    return math.copysign(1, value) if isinstance(value, float) else 0

def kind(value):
    return [isinstance(value, one) for one in (bool, int, float, list, tuple, Point, Still, Item, Entry, Slotted)]

def twice(one, other):
    "Whether a change of one is seen in the other."
    before = flat(other)
    if isinstance(one, Point):
        one.one = 7
    elif isinstance(one, list):
        one.append(7)
    return before == flat(other)

def flat(value, depth=0):
    "What is in a value, as numbers."
    if depth > 3:
        return 9
    if isinstance(value, (Point, Still, Slotted)):
        return [flat(value.one, depth + 1)] + ([flat(value.other, depth + 1)] if isinstance(value, Point) else [])
    if isinstance(value, (list, tuple, deque)):
        return [flat(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return [[key, flat(value[key], depth + 1)] for key in value]
    return numbers(value) if not isinstance(value, Fraction) else 8
"""
WITHOUT_NUMPY = """
def word(value):
    for one in ("a", "ab", "0", "00", "01", "aa"):
        if value == one:
            return value
    return "b"

def numbers(value):
    return value if isinstance(value, (bool, int, float)) else 5

def added(value, x):
    return value + x if isinstance(value, (int, float)) else value
"""
WITH_NUMPY = """
def word(value):
    return 0

def numbers(value):
    if isinstance(value, (bool, int, float)):
        return value * 1
    try:
        return [value.size, value.ndim, value.tolist(), float(np.sum(value)), math.copysign(1, value.max())]
    except ZeroDivisionError:
        return 5

def added(value, x):
    if isinstance(value, (bool, int, float, list, tuple, dict, deque, Point, Still, Slotted, Fraction)):
        return value + x if isinstance(value, (int, float)) else value
    value += x
    return value
"""


def program(seed: int, *, arrays: bool) -> str:
    """A class `Program` that keeps three things, changes some of them each round and releases what it reads."""
    rng = random.Random(seed)
    kept = [k for k in KEPT if k != "None"] + ARRAYS * 2 if arrays else KEPT + TEXTS
    changes = [c for c in CHANGES if "= self.note" not in c] + WITH_ARRAYS * 2 if arrays else CHANGES + WITH_TEXTS * 2

    def filled(text: str) -> str:
        return text.format(a=rng.choice("abc"), b=rng.choice("abc"), c=rng.choice(kept))

    def statement() -> list[str]:
        changed = f"        {filled(rng.choice(changes))}"
        when = rng.choice(["x", "u", "x != u", "u == 1", "x == 0"])
        return [f"        if {when}:", f"    {changed}"] if rng.random() < 0.6 else [changed]

    body = "\n".join(line for _ in range(rng.randint(1, 3)) for line in statement())
    begun = "\n".join(f"        self.{n} = {v}" for n, v in zip("abc", rng.sample(kept, 3), strict=True))
    reads = ", ".join(filled(read) for read in rng.sample(READS, rng.randint(1, 3)))
    draws = rng.choice(["self.rng.getrandbits(1)", "self.rng.randrange(3)", "int(self.rng.random() < 0.25)"])
    return f"""{HEAD}{WITH_NUMPY if arrays else WITHOUT_NUMPY}
class Unwanted(Exception):
    pass

class Base:
    def __init__(self, rng):
        self.rng = rng
        LOG.clear()

class Program(Base):
    shared = 0
    def __init__(self, rng):
        super().__init__(rng)
        Program.shared = 0
        self.noted = [0]
{begun}
    def note(self, x):
        self.noted.append(x)
        return self.noted
    @staticmethod
    def told(value):
        return flat([added(one, 1) for one in value]) if isinstance(value, (list, tuple)) and size(value) == 1 else 0
    def touch(self, value, x):
        if isinstance(value, list):
            value.append(x)
        elif isinstance(value, deque):
            value.append(x)
        elif isinstance(value, dict):
            value[len(value)] = x
        elif isinstance(value, (Point, Slotted)):
            value.one = x
        elif isinstance(value, Item):
            self.touch(value.one, x)
    def touched(self, value, x):
        try:
            return added(value, [x][x - 1])
        except IndexError:
            return value
    def checked(self, value):
        if isinstance(value, (bool, int, float)):
            if value > 1:
                raise Unwanted(value)
            return int(value)
        if not isinstance(value, (list, tuple)):
            raise ValueError("expected a number")
        one, *_ = value
        return 0
    def tried(self, value, x):
        try:
            return [self.checked(value), x]
        except (ValueError, OverflowError):
            return x
        except Unwanted:
            return 2
    def turned(self, value):
        return list(reversed(value)) if isinstance(value, (list, tuple)) else value
    def __call__(self, x):
        u = {draws}
{body}
        return ({reads},)
"""


def made(text: str) -> Callable[[random.Random], Any]:
    """The class that the text defines."""
    space: dict[str, Any] = {
        "__name__": "plain_program", "math": math, "np": np, "Fraction": Fraction, "deque": deque, "replace": replace,
        "Point": Point, "Still": Still, "Longer": Longer, "Item": Item, "Entry": Entry, "Slotted": Slotted,
        "Wider": Wider,
    }  # fmt: skip
    exec(compile(text, "plain_program.py", "exec"), space)
    factory: Callable[[random.Random], Any] = space["Program"]
    return factory
