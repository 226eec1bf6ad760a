"""Random programs that keep something between rounds in many ways, and read it in ways that tell much apart."""

import copy
import math
import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

KEPT = [
    "0", "1", "True", "1.0", "-0.0", "0.0", "float('nan')", "'a'", "'ab' * 2", "b'x'", "None", "2**70",
    "Fraction(1, 2)", "[]", "[0]", "{}", "{1: 0}", "()", "(1, [])", "deque()", "defaultdict(int)", "Counter()",
    "Box(0)", "Slotted(1)",
    "Liar(0)", "Big(3)", "np.zeros(2, dtype=np.int64)", "np.float64(0.5)", "closed()", "partial(max, 2)", "set()",
    "iter((1, 2, 3))", "Pair(1, [2])",
]  # fmt: skip
"""What a program begins with."""
CHANGES = [
    "self.{a} = self.{b}", "self.{a} = [self.{b}, self.{b}]", "self.{a} = [self.{b}]", "self.{a} = {c}", "self.{a} = x",
    "self.{a} = [self.{b}, copy.copy(self.{b})]", "self.{a} = repr(self.{b})[:9]", "self.{a} = u", "self.{a} = (x, u)",
    "touch(self.{a}, x)", "touch(self.{a}, u)", "touch(self.{a}, self.{b})", "forget(self.{a})", "turn(self.{a})",
    "Program.shared = {c}", "Program.shared = x", "self.note(u)", "count(x)", "self.{a} = total()",
    "del self.__dict__['{a}']",    "self.{a} = bump", "self.{a} = self.note", "self.{a} = Program.shared",
    "self.{a} = Box(self.{b})", "LOG.append(x)",
    "self.{a} = np.array([x, u])", "self.{a} = view(self.{b})", "self.{a} = counting()",
]  # fmt: skip
READS = [
    "repr(self.{a})[:30]", "self.{a} is self.{b}", "same(self.{a}, self.{b})", "type(self.{a}).__name__",
    "size(self.{a})", "order(self.{a})", "sign(self.{a})", "Program.shared", "len(LOG)", "total()", "list(vars(self))",
    "self.a == self.b", "inner(self.{a})", "self.{a} is Program.shared", "called(self.{a})", "x", "u",
    "self.note.__func__.__defaults__",
]  # fmt: skip
HEAD = """
TOTAL = 0
LOG = []

def count(x):
    global TOTAL
    TOTAL += x

def total():
    return TOTAL

def bump(x, kept=[]):
    kept.append(x)
    return len(kept)

def closed():
    n = 0
    def add(x=1):
        nonlocal n
        n += x
        return n
    return add

def counting():
    n = [0]
    return lambda: n

def same(one, other):
    return [a is b for a in inner(one) for b in inner(other)]

def inner(value):
    if isinstance(value, (list, tuple, deque)):
        return list(value)
    if isinstance(value, dict):
        return [*value, *value.values()]
    return [getattr(value, "inside", 0)]

def touch(value, x):
    if isinstance(value, (list, deque)):
        value.append(x)
    elif isinstance(value, dict) and isinstance(x, int):
        value[x] = value.get(x, 0)
    elif isinstance(value, (Box, Slotted, Liar)):
        value.inside = x
    elif isinstance(value, np.ndarray) and isinstance(x, int):
        value[0] += x
    elif isinstance(value, set) and isinstance(x, int):
        value.add(x)
    elif callable(value) and type(x) is int:
        value(x)

def forget(value):
    if isinstance(value, (list, deque, dict)) and value:
        value.popitem() if isinstance(value, dict) else value.pop()

def turn(value):
    if isinstance(value, dict) and value:
        key = next(iter(value))
        value[key] = value.pop(key)
    elif isinstance(value, (list, deque)):
        value.reverse()

def view(value):
    return value[::-1] if isinstance(value, (np.ndarray, list, tuple, str)) else value

def size(value):
    return len(value) if hasattr(value, "__len__") else -1

def order(value):
    return [repr(v)[:20] for v in value] if isinstance(value, (list, tuple, dict, deque)) else 0

def sign(value):
    return math.copysign(1, value) if isinstance(value, float) else 0

def called(value):
    return next(value, 7) if hasattr(value, "__next__") else 0

class Box:
    def __init__(self, inside):
        self.inside = inside
    def __repr__(self):
        return "Box(" + repr(self.inside) + ")"

class Slotted:
    __slots__ = ("inside", "rest")
    def __init__(self, inside):
        self.inside = inside
    def __repr__(self):
        return "S" + repr(self.inside) + repr(getattr(self, "rest", "-"))

class Liar(Box):
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 1
    def __repr__(self):
        return "Liar"

class Big(int):
    def __repr__(self):
        return "Big" + repr(vars(self))

class Pair(tuple):
    def __new__(cls, *items):
        return tuple.__new__(cls, items)
"""


def program(seed: int) -> str:
    """A class `Program` that keeps three things, changes some of them each round and releases what it reads."""
    rng = random.Random(seed)

    def filled(text: str) -> str:
        return text.format(a=rng.choice("abc"), b=rng.choice("abc"), c=rng.choice(KEPT[:24]))

    def statement(indent: str) -> list[str]:
        changed = f"{indent}{filled(rng.choice(CHANGES))}"
        return (
            [f"{indent}if {rng.choice(['x', 'u', 'x != u', 'u == 1'])}:", f"    {changed}"]
            if rng.random() < 0.6
            else [changed]
        )

    begun = rng.sample(KEPT, 3)
    if rng.random() < 0.2:
        begun[1] = "self.a"
    body = [line for _ in range(rng.randint(1, 3)) for line in statement("        ")]
    reads = ", ".join(filled(read) for read in rng.sample(READS, rng.randint(1, 3)))
    guarded = "".join(f"        if not hasattr(self, {n!r}): self.{n} = 0\n" for n in "abc")
    draws = rng.choice(["self.rng.getrandbits(1)", "self.rng.randrange(3)", "int(self.rng.random() < 0.25)"])
    return (
        f"{HEAD}\nclass Program:\n    shared = 0\n    def __init__(self, rng):\n        global TOTAL\n"
        "        TOTAL = 0\n        LOG.clear()\n        Program.shared = 0\n"
        "        Program.note.__defaults__ = (0, [])\n        bump.__defaults__ = ([],)\n        self.rng = rng\n"
        + "".join(f"        self.{n} = {v}\n" for n, v in zip("abc", begun, strict=True))
        + "    def note(self, x, kept=0, more=[]):\n        more.append(x)\n"
        + f"    def __call__(self, x):\n{guarded}        u = {draws}\n"
        + "\n".join(body)
        + f"\n{guarded}        return repr(({reads},))\n"
    )


def made(text: str) -> Callable[[random.Random], Any]:
    """The class that the text defines."""
    space: dict[str, Any] = {
        "__name__": "stateful_program", "math": math, "copy": copy, "np": np, "Fraction": Fraction, "deque": deque,
        "defaultdict": defaultdict, "Counter": Counter, "partial": partial,
    }  # fmt: skip
    exec(compile(text, "stateful_program.py", "exec"), space)
    factory: Callable[[random.Random], Any] = space["Program"]
    return factory
