"""Code made at random that draws in loops, tries, calls and objects that end; and bounds on its law by running it."""

import heapq
import random
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

Body = Callable[[Any], Any]
KINDS = """
class Counting:
    def __init__(self, count): self.count = count
    def __del__(self): self.count[0] = min(self.count[0] + 1, 3)
class Asked:
    def __init__(self, rng): self.rng, self.times = rng, 0
    @property
    def drawn(self):
        self.times = min(self.times + 1, 2)
        return self.rng.randrange(2)
    def again(self):
        while True:
            drawn = self.rng.randrange(3)
            if drawn < 2: return drawn
            self.times = (self.times + 1) % 3
    def __eq__(self, other): return self.rng.randrange(2) == other
    __hash__ = None
class Entered:
    def __init__(self, count): self.count = count
    def __enter__(self): return self
    def __exit__(self, kind, *_):
        self.count[0] = min(self.count[0] + 1, 3)
        return kind is ValueError
def handing_out(rng, count):
    try:
        while True: yield rng.randrange(2)
    finally: count[0] = min(count[0] + 1, 3)
"""
DRAWS = (
    "rng.randrange(2)", "rng.randint(0, 2)", "rng.choice([0, 1, 1])", "rng.getrandbits(1)", "int(rng.random() < 0.25)",
    "(rng.random() >= 0.5) + 0", "one.drawn", "one.again()", "helped()", "next(out)", "int(one == 1)",
    "sum([rng.randrange(2) for _ in (1, 2)])", "sorted((0, 1), key=lambda _: rng.randrange(2))[0]",
)  # fmt: skip
LOOPED = ("rng.randrange(2)", "rng.randrange(3)", "rng.choice([0, 1])", "rng.random() < 0.5", "helped()")
STEPS = (
    "c[0] = (c[0] + 1) % 3", "k = min(k + 1, 2)", "w = v", "seen.append(v); del seen[:-2]", "seen = [v]", "bump()",
    "there[v] = 1", "end = Counting(c)", "end = None", "end = [Counting(c)]", "end = lambda x=Counting(c): x",
    "end = handing_out(rng, c); next(end)", "kept = (v, w)", "type(one).n = min(type(one).n + 1, 2)", "w = 0",
)  # fmt: skip
TESTS = ("v == 0", "v > 0", "v == w", "c[0] > 1", "k == 1", "seen", "one.times == 1", "len(there) > 1")
TOLD = ("v", "w", "c[0]", "k", "tuple(seen)", "tuple(there)", "one.times", "n[0]", "type(one).n")


class Writer:
    """Writes one program by a number."""

    def __init__(self, number: int) -> None:
        self.made, self.loops = random.Random(number), 0

    def program(self) -> Body:
        """A function of a generator."""
        told = ", ".join(self.made.sample(TOLD, 3))
        lines = [
            KINDS, "def program(rng):", " v = w = k = 0; c = [0]; n = [0]; seen = []; there = {}; end = kept = None",
            " Asked.n = 0; one = Asked(rng); out = handing_out(rng, n)", " def bump(): n[0] = min(n[0] + 1, 2)",
            " def helped():", "  while True:", "   x = rng.randrange(3)",
            f"   {self.made.choice(('bump()', 'y = [x]', 'y = Counting(c)'))}",
            "   if x: return x - 1", *self.block(" ", 3), f" return {told}",
        ]  # fmt: skip
        space: dict[str, Any] = {"__name__": "looping"}
        exec(compile("\n".join(lines), "looping.py", "exec"), space)
        return space["program"]  # type: ignore[no-any-return]

    def block(self, indent: str, depth: int) -> list[str]:
        """A few statements."""
        return [line for _ in range(self.made.randint(1, 3)) for line in self.statement(indent, depth)]

    def statement(self, indent: str, depth: int) -> list[str]:
        """One, with others inside it where it may go as deep."""
        pick, deeper = self.made.choice, indent + " "
        kind = self.made.randrange(8) if depth else self.made.randrange(3)
        if kind == 0:
            return [f"{indent}v = {pick(DRAWS)}"]
        if kind < 3:
            return [indent + pick(STEPS)]
        if kind == 3:
            return [f"{indent}if {pick(TESTS)}:", *self.block(deeper, depth - 1)]
        if kind == 4:
            inside = [*self.block(deeper, depth - 1), f"{deeper}if {pick(TESTS)}: raise ValueError"]
            if self.made.random() < 0.3:
                return [f"{indent}with Entered(c):", *inside]
            caught = pick(("ValueError", "Exception", "BaseException"))
            return [f"{indent}try:", *inside, f"{indent}except {caught}:", *self.block(deeper, 0)]
        return self.loop(indent, depth) if self.loops < 2 else [indent + pick(STEPS)]

    def loop(self, indent: str, depth: int) -> list[str]:
        """A loop that draws until something holds."""
        self.loops += 1
        pick, deeper = self.made.choice, indent + " "
        inside = self.block(deeper, depth - 1)
        kind = self.made.randrange(3)
        if kind == 0:
            return [f"{indent}while (v := {pick(LOOPED)}):", *inside]
        if kind == 1:
            return [f"{indent}while True:", *inside, f"{deeper}v = {pick(LOOPED)}", f"{deeper}if not v: break"]
        tried = [f"{deeper}try:", f"{deeper} v = {pick(LOOPED)}", f"{deeper} if v: raise ValueError"]
        caught = pick(("ValueError", "BaseException"))
        return [
            f"{indent}while True:",
            *tried,
            f"{deeper} break",
            f"{deeper}except {caught}:",
            *self.block(deeper + " ", 0),
        ]


class Cut(BaseException):
    """A run that asked for more than was chosen."""


class Chosen(random.Random):
    """A generator whose numbers were chosen; past the last it says how many there may be, and hands out any."""

    def __new__(cls, numbers: tuple[int, ...]) -> "Chosen":
        del numbers
        return super().__new__(cls)

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers, self.at, self.open = numbers, 0, 0
        self.any = random.Random(len(numbers))

    def _randbelow(self, n: int) -> int:
        self.at += 1
        if self.at <= len(self.numbers):
            return self.numbers[self.at - 1]
        if self.open and self.at < len(self.numbers) + 500:
            return self.any.randrange(n)
        self.open = self.open or n
        raise Cut

    def getrandbits(self, k: int, /) -> int:
        return self._randbelow(1 << k)

    def random(self) -> float:
        """In quarters, which is as fine as programs look."""
        return self._randbelow(4) / 4


def bounds(body: Body, runs: int = 300) -> tuple[dict[Any, Fraction], Fraction]:
    """What each output has at least, by the likeliest runs, and what is left for all of them."""
    known: dict[Any, Fraction] = {}
    waiting: list[tuple[Fraction, int, tuple[int, ...]]] = [(Fraction(-1), 0, ())]
    number = 0
    for _ in range(runs):
        if not waiting:
            break
        mass, _, numbers = heapq.heappop(waiting)
        rng, out = Chosen(numbers), None
        with suppress(Cut):
            out = body(rng)
        if not rng.open:
            known[out] = known.get(out, Fraction(0)) - mass
        for choice in range(rng.open):
            number += 1
            heapq.heappush(waiting, (mass / rng.open, number, (*numbers, choice)))
    return known, -sum((mass for mass, _, _ in waiting), Fraction(0))
