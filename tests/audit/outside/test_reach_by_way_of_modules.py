"""Users' modules that code gets at by way of others: what stands there is looked into, and hidden state is found."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpcert import examine
from dpcert.audit.outside.reach import reach
from dpcert.audit.records.reached import reached

COUNTING = """
from fractions import Fraction
calls = [0]
def p(state):
    calls[0] += 1
    return Fraction(1, 4) if state and calls[0] < 9 else Fraction(3, 4)
"""
WALK = """
from dpcert import bernoulli
{imports}

class Walk:
    alphabet = (0, 1)
    initial = 0
    {attribute}
    def advance(self, state, x):
        return x
    def law(self, state):
        {local}
        return bernoulli({call}(state))
"""
WAYS = {
    "a module of a package": ("import pkg.sub", "pass", "pass", "pkg.sub.p"),
    "a name of another module": ("import mid", "pass", "pass", "mid.helper.p"),
    "an attribute": ("import helper", "backend = helper", "pass", "self.backend.p"),
    "a dictionary": ("import helper\nB = {'a': helper}", "pass", "pass", "B['a'].p"),
    "a tuple": ("import helper\nB = (helper,)", "pass", "pass", "[m.p for m in B][0]"),
    "a text": ("import helper", "pass", "pass", "getattr(helper, 'p')"),
    "an import of its own": ("import mid", "pass", "import helper", "helper.p"),
}
NAMES = ("walk", "pkg", "pkg.sub", "mid", "helper")


@pytest.fixture
def walk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A walk whose law is asked of a module that it gets at in one of the ways."""
    imports, attribute, local, call = WAYS[request.param]
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    for name in ("pkg/sub.py", "helper.py"):
        (tmp_path / name).write_text(COUNTING)
    (tmp_path / "mid.py").write_text("import helper\n")
    (tmp_path / "walk.py").write_text(WALK.format(imports=imports, attribute=attribute, local=local, call=call))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in NAMES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield __import__("walk").Walk()
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("walk", WAYS, indirect=True)
def test_a_count_of_calls_there_is_found(walk: Any) -> None:
    record = examine(walk, horizon=2)
    assert record.verdict != "HOLDS"
    assert any(value.__name__ == "p" for value in reach(walk).values.values() if callable(value))


@pytest.mark.parametrize("walk", WAYS, indirect=True)
def test_what_stands_there_is_part_of_what_an_audit_is_known_by(walk: Any) -> None:
    before = reached(walk)
    for name in ("pkg.sub", "helper"):
        if name in sys.modules:
            sys.modules[name].p = lambda state: state  # type: ignore[attr-defined]
    assert before is None or reached(walk) != before
