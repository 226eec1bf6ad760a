"""Random programs on what random() returns, against the same programs run on floats from every cell and its ends."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert import MechanismError, Raised, scripted

STEPS = 2**53


class Chosen:
    """A generator whose numbers were chosen beforehand."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = iter(numbers)

    def random(self) -> float:
        return next(self.numbers)


class Author:
    """Writes programs of a little grammar."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.draws = 0

    def constant(self) -> str:
        rng = self.rng
        simple = [str(rng.randint(-3, 5)), repr(round(rng.uniform(-2, 3), 2)), repr(rng.random()), "0.1", "1 / 3", "x"]
        return rng.choice([*simple, "Fraction(1, 3)", "5e-324", "1e16", "0.5"])

    def number(self, name: str) -> str:
        """A monotone function of a draw."""
        made = name
        for _ in range(self.rng.randint(0, 3)):
            c = self.constant()
            forms = [
                f"({made} + {c})", f"({c} - {made})", f"({made} * ({c}))", f"({made} / ({c} or 1))", f"(-{made})",
                f"abs({made})", f"math.sqrt(abs({made}))", f"math.log(1 + abs({made}))", f"math.exp(-abs({made}))",
                f"(1 / (1 + abs({made})))", f"(abs({made}) ** 2)", f"({made} - x)",
            ]  # fmt: skip
            made = self.rng.choice(forms)
        return made

    def answer(self, name: str) -> str:
        """Something that is known once the draw is split."""
        v, c = self.number(name), self.constant()
        kind = self.rng.randrange(9)
        clipped = f"min(max({v}, -4), 9)"
        return [
            f"({v} < {c})", f"({v} <= {c})", f"({c} < {v})", f"({v} >= {c})", f"({v} == {c})",
            f"int({clipped})", f"math.floor({clipped} * 2)", f"round({clipped}, 1)", f"({clipped} * 3) // 1",
        ][kind]  # fmt: skip

    def block(self, indent: str, depth: int, known: list[str]) -> None:
        rng = self.rng
        for _ in range(rng.randint(1, 2)):
            if self.draws < 3 and (not known or rng.random() < 0.4):
                known = [*known, f"u{self.draws}"]
                self.draws += 1
                self.lines.append(f"{indent}{known[-1]} = rng.random()")
            name = rng.choice(known)
            if depth and rng.random() < 0.5:
                self.lines.append(f"{indent}if {self.answer(name)}:")
                self.block(indent + "    ", depth - 1, known)
                if rng.random() < 0.4:
                    self.lines.append(f"{indent}else:")
                    self.block(indent + "    ", depth - 1, known)
            else:
                self.lines.append(f"{indent}out.append({self.answer(name)})")

    def program(self) -> str:
        self.block("        ", 2, [])
        body = "\n".join(self.lines)
        inner = f"    def answer(x):\n        out = []\n{body}\n        return repr(out)\n"
        return f"def code(rng):\n{inner}    return answer\n"


def made(text: str) -> Callable[[Any], Callable[[int], str]]:
    space: dict[str, Any] = {"math": math, "Fraction": Fraction}
    exec(compile(text, "program.py", "exec"), space)
    code: Callable[[Any], Callable[[int], str]] = space["code"]
    return code


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except ArithmeticError as error:
        return Raised(type(error).__name__, str(error))


def compared(seed: int) -> int:
    """How many runs on floats were compared."""
    text = Author(seed).program()
    code = made(text)
    mechanism = scripted(code, alphabet=(0, 1), outcomes_of_errors=True)
    try:
        law = mechanism.seeds(1)
    except MechanismError as error:
        if "with more than" in str(error) or "seeds in all" in str(error):
            return 0
        raise
    (cells,) = mechanism.known_cells.values()
    rng = random.Random(seed)
    count = 0
    leaves = law.support if len(law) <= 12 else rng.sample(law.support, 12)
    for (leaf,) in leaves:
        spans = []
        for k, cell in enumerate(leaf):
            low, high = list(pairwise(cells.ends[1, leaf[:k]]))[cell]
            spans.append((low * STEPS, high * STEPS - 1))
        assert all(first.denominator == last.denominator == 1 for first, last in spans)
        ends = list(product(*spans))
        inside = [[Fraction(rng.randint(int(a), int(b))) for a, b in spans] for _ in range(3)]
        for ks in [*ends, *inside]:
            numbers = [int(k) / STEPS for k in ks]
            for x in (0, 1):
                real = outcome(lambda n=numbers, x=x: code(Chosen(n))(x))  # type: ignore[misc]
                assert mechanism.respond((leaf,), (x,)) == (real,), (text, numbers)
                count += 1
    return count


@pytest.mark.in_turns
@pytest.mark.parametrize("part", chosen(range(10)))
def test_no_program_tells_two_numbers_of_one_cell_apart(part: int) -> None:
    counts = [compared(seed) for seed in range(part * 30, part * 30 + 30)]
    assert sum(count > 0 for count in counts) > 20


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(100))
def test_no_program_of_many_tells_two_numbers_of_one_cell_apart(part: int) -> None:
    for seed in range(1_000 + part * 50, 1_000 + part * 50 + 50):
        compared(seed)
