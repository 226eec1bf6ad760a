"""Random programs that keep sets and what holds these, and ask for everything but their order."""

import random
from collections.abc import Callable
from typing import Any

KEPT = [
    "set()", "{0, 8}", "{8, 0}", "{True}", "{1.0}", "frozenset((1, 2))", "frozenset()", '{"a", "b"}', "{x}",
    "{(0, i) for i in range(2)}", "0", "(0, 1)", "set(range(3))", "frozenset(range(x))",
]  # fmt: skip
CHANGES = [
    "self.{a} = self.{b}", "self.{a} = {c}", "self.{a} = (self.{b}, {c})", "self.added(self.{a}, u)",
    "self.added(self.{a}, x)", "self.added(self.{b}, 8 * u)", "self.dropped(self.{a}, u)", "self.{a} = held(self.{b})",
    "self.dropped(self.{a}, 0)", "self.{a} = self.both(self.{a}, self.{b})", "self.{a} = self.none(self.{a}, self.{b})",
    "self.{a} = self.{a} | self.{b} if is_set(self.{a}) and is_set(self.{b}) else held(self.{a})", "self.noted(u)",
    "LOG.add(u)",
    "self.{a} = LOG", "self.{a} = self.noted(x)", "self.grown(self.{a})",
]  # fmt: skip
READS = [
    "size(self.{a})", "u in held(self.{a})", "self.{a} == self.{b}", "held(self.{a})", "len(LOG)", "first(self.{a})",
    "held(self.{a}) <= held(self.{b})", "held(self.{b}) - held(self.{a})", "twice(self.{a}, self.{b})", "max(x, u)",
    "held(self.{a}) & held(self.{b})", "8 in held(self.{b})", "size(self.noted(u))", "x",
]  # fmt: skip
HEAD = """
LOG = set()

def is_set(value):
    return isinstance(value, (set, frozenset))

def held(value):
    return frozenset(value) if is_set(value) else frozenset()

def size(value):
    return len(value) if is_set(value) else -1

def first(value):
    return size(value[0]) if not is_set(value) and not isinstance(value, int) else 0

def twice(one, other):
    before = size(other)
    if isinstance(one, set):
        one.add(7)
    return before == size(other)
"""


def program(seed: int) -> str:
    """A class `Program` that keeps two things, changes some of them each round and releases what it reads."""
    rng = random.Random(seed)

    def filled(text: str) -> str:
        return text.format(a=rng.choice("ab"), b=rng.choice("ab"), c=rng.choice(KEPT))

    def statement() -> list[str]:
        changed = f"        {filled(rng.choice(CHANGES))}"
        when = rng.choice(["x", "u", "x != u", "u == 1"])
        return [f"        if {when}:", f"    {changed}"] if rng.random() < 0.6 else [changed]

    body = "\n".join(line for _ in range(rng.randint(1, 4)) for line in statement())
    reads = ", ".join(filled(read) for read in rng.sample(READS, rng.randint(1, 3)))
    begun = [rng.choice(KEPT).replace("x", "1") for _ in range(2)]
    return f"""{HEAD}
class Program:
    def __init__(self, rng):
        self.rng = rng
        LOG.clear()
        self.noted(-1)
        self.a = {begun[0]}
        self.b = {begun[1]}
    def noted(self, x, seen=set()):
        if x < 0:
            seen.clear()
        seen.add(x)
        return seen
    def added(self, value, x):
        if isinstance(value, set):
            value.add(x)
    def grown(self, value):
        if isinstance(value, set):
            for i in range(9):
                value.add(i)
            for i in range(1, 9):
                value.discard(i)
    def dropped(self, value, x):
        try:
            if isinstance(value, set):
                value.remove(x)
        except KeyError:
            value.clear()
    def both(self, one, other):
        return one | other if is_set(one) and is_set(other) else one
    def none(self, one, other):
        return held(one).symmetric_difference(held(other))
    def __call__(self, x):
        u = self.rng.getrandbits(1)
{body}
        return ({reads},)
"""


def made(text: str) -> Callable[[random.Random], Any]:
    """The class that the text defines."""
    space: dict[str, Any] = {"__name__": "gathering_program"}
    exec(compile(text, "gathering_program.py", "exec"), space)
    factory: Callable[[random.Random], Any] = space["Program"]
    return factory
