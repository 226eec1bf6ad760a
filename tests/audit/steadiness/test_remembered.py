"""What a cached property remembers is no memory, unless it reads what code may set for a while."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import pytest

from dpcert import Pmf, Release, bernoulli, examine
from dpcert.audit.finding import Verdict
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.steadiness import compared

MODE = 0
BOX = [0]
RARE = (1, 0, 1, 1)


class Modes:
    mode = 0


class Steps:
    alphabet = (0, 1)
    initial: Any = ()

    def met(self, x: int) -> None:
        """Asks for the property while something stands otherwise."""

    def step(self, seen: tuple[int, ...], x: int, draw: Draw) -> tuple[Release[Any, Any], Any]:
        """At one history alone it is asked for, and told a round later."""
        del draw
        if seen == RARE:
            self.met(x)
        told = self.kept if seen[:4] == RARE and len(seen) == 5 else 0  # type: ignore[attr-defined]
        return Release(told), (*seen, x)


class ByGlobal(Steps):
    @cached_property
    def kept(self) -> int:
        return MODE

    def met(self, x: int) -> None:
        global MODE
        MODE = x
        _ = self.kept
        MODE = 0


class ByAttribute(Steps):
    @cached_property
    def kept(self) -> int:
        return Modes.mode

    def met(self, x: int) -> None:
        Modes.mode = x
        _ = self.kept
        Modes.mode = 0


class ByItem(Steps):
    @cached_property
    def kept(self) -> int:
        return BOX[0]

    def met(self, x: int) -> None:
        BOX[0] = x
        _ = self.kept
        BOX[0] = 0


@pytest.fixture(autouse=True)
def _few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared, "MANY", 20)


@pytest.mark.parametrize("mechanism", [ByGlobal(), ByAttribute(), ByItem()])
def test_what_was_worked_out_while_something_stood_otherwise_is_a_memory(mechanism: Any) -> None:
    record = examine(mechanism, horizon=6, exp_epsilons=(1,))
    (steady,) = [entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP"]
    assert steady["verdict"] != "HOLDS"
    assert record.verdict is Verdict.UNDECIDED


@dataclass(frozen=True)
class Table:
    """Works out a table once, and gathers in a list of its own."""

    part: int = 3
    alphabet = (0, 1)
    initial = 0

    @cached_property
    def table(self) -> list[Pmf[int]]:
        return [bernoulli(Fraction(1, self.part + k)) for k in range(4)]

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], Any]:
        drawn: list[int] = []
        counts: dict[int, int] = {}
        for law in self.table[: 1 + x]:
            drawn.append(draw(law))
            counts[drawn[-1]] = counts.get(drawn[-1], 0) + 1
        return Release((sum(drawn), counts.get(1, 0))), min(state + 1, 3)


class Made:
    """The same of a class that keeps what it is made with."""

    alphabet = (0, 1)
    initial = 0

    def __init__(self, part: int) -> None:
        self.part = part

    @cached_property
    def law(self) -> Pmf[int]:
        return bernoulli(Fraction(1, self.part))

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], Any]:
        kept = [x]
        kept.append(draw(self.law))
        return Release(sum(kept)), min(state + 1, 3)


@pytest.mark.parametrize("mechanism", [Table(), Made(3)])
def test_what_reads_nothing_that_code_sets_is_no_memory(mechanism: Any) -> None:
    record = examine(mechanism, horizon=6, exp_epsilons=(1,))
    (steady,) = [entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP"]
    assert steady["verdict"] == "HOLDS"
    assert record.verdict is not Verdict.UNDECIDED
