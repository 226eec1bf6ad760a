"""A class is the user's wherever Python says that it stands, and so is a function out of a text."""

import dataclasses
import functools
import math
import sys
import types
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpcert import Draw, Release, examine
from dpcert.audit.outside.beyond import is_foreign, is_of_users, is_of_users_class, is_of_users_space

TEXT = """
KEPT = [0]
class Step:
    alphabet, initial = tuple(range(6)), 0
    def step(self, state, x, draw):
        told = KEPT[0] if x == 3 else 0
        KEPT[0] = int(x == 5)
        return Release(told), 0
"""


def _parts() -> dict[str, Any]:
    kept = [0]

    def step(self: Any, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        del self, state, draw
        told = kept[0] if x == 3 else 0
        kept[0] = int(x == 5)
        return Release(told), 0

    return {"alphabet": tuple(range(6)), "initial": 0, "step": step}


def _out_of_a_text(**names: Any) -> Any:
    space = {"Release": Release, **names}
    exec(TEXT, space)
    return space["Step"]


def _of_another_library() -> Any:
    kind = type("Step", (), _parts())
    kind.__module__ = "fractions"
    return kind


MADE: dict[str, Callable[[], Any]] = {
    "a dataclass that is made": lambda: dataclasses.make_dataclass("Step", [], namespace=_parts()),
    "a class that is made": lambda: types.new_class("Step", (), {}, lambda space: space.update(_parts())),
    "one out of a text": _out_of_a_text,
    "one out of a text that is called math": lambda: _out_of_a_text(__name__="math"),
    "one that says it is of fractions": _of_another_library,
}


@pytest.mark.parametrize("name", MADE)
def test_what_a_class_keeps_is_seen_wherever_it_says_that_it_stands(name: str) -> None:
    """5 is remembered for one round, and 3 tells: at the end of most runs all is as it was."""
    record: Any = examine(MADE[name]()(), horizon=2, exp_epsilons=(1,))
    item = next(entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP")
    assert item["verdict"] == "REFUTED"
    assert record["adaptive"]["delta"][0]["upper"] == "1"


def test_what_stands_in_a_library_is_not_the_users() -> None:
    assert not any(map(is_of_users_class, (int, Counter, Path, Release, types.SimpleNamespace, functools.partial)))
    assert not is_of_users_space(vars(functools))
    assert is_of_users_class(Mine)
    assert is_of_users_space(globals())


class Mine:
    pass


def test_a_function_that_says_it_is_another_is_the_users_where_it_is_put(monkeypatch: pytest.MonkeyPatch) -> None:
    from dpcert.audit.outside.reach import reach

    kept: list[int] = []

    @functools.wraps(math.sqrt)
    def counted(x: float) -> float:
        kept.append(1)
        return x

    monkeypatch.setattr(Counter, "counted", counted, raising=False)
    assert any(value is kept for value in reach(Holder()).values.values())


class Holder:
    def __init__(self) -> None:
        self.held: Counter[int] = Counter()

    def step(self, x: int) -> Any:
        return Counter([x]), self.held


def test_a_file_beside_a_program_is_the_users_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = types.ModuleType("statistics")
    made.__file__ = str(tmp_path / "statistics.py")
    assert is_foreign("statistics")
    monkeypatch.setitem(sys.modules, "statistics", made)
    assert is_of_users("statistics")
