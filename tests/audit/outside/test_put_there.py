"""What code finds by names that do not stand in its modules: it is looked into, and an audit is known by it."""

import random
import re
import string
import sys
from abc import ABCMeta
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert import Pmf, bernoulli, examine
from dpcert.audit.outside.code_names import makes_up_names
from dpcert.audit.outside.put_there import builtin_of_users
from dpcert.audit.records.reached import reached

FIRST_TELLS = """
from fractions import Fraction
calls = [0]
def p(state):
    calls[0] += 1
    return Fraction(1) if state and calls[0] == 1 else Fraction(1, 2)
{put}
"""
WALK = """
import fractions, statistics
from fractions import Fraction
from dpcert import Pmf, bernoulli
import odd_helper
{more}

class Walk:
    alphabet = (0, 1)
    initial = 0
    def advance(self, state, x):
        return x
    def law(self, state):
        return bernoulli({call}(state))
"""
GETATTR = 'def __getattr__(name):\n    if name == "q":\n        return p\n    raise AttributeError(name)'
MADE = "class Made:\n    def __init__(self, state):\n        self.state = {made}"
WAYS = {
    "a module's own getattr": (GETATTR, "", "odd_helper.q"),
    "the same of a module in a list": (GETATTR, "K = [odd_helper]", "K[0].q"),
    "a name that is put together": ("", "", "getattr(odd_helper, ''.join(['p']))"),
    "a name that is chosen": ("", "", "getattr(odd_helper, ('o', 'p')[1])"),
    "a name that all modules read": ("import builtins\nbuiltins.odd_p = p", "", "odd_p"),
    "a function of Python's": ("import statistics\nstatistics.mean = p", "", "statistics.mean"),
    "a name in a module of Python's": ("import statistics\nstatistics.odd_p = p", "", "statistics.odd_p"),
    "a method of a class of Python's": (
        "Fraction.odd_p = lambda self, state: p(state)",
        "",
        "Fraction(1, 2).odd_p",
    ),
    "a static method of a class of ours": (
        "from dpcert import Pmf\nPmf.odd_p = staticmethod(p)",
        "",
        "Pmf.odd_p",
    ),
    "what a class is made with": ("", MADE.format(made="getattr(odd_helper, 'q'[:0] + 'p')(state)"), "Fraction(Made"),
}


@pytest.fixture
def walk(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Any, Any, Path]]:
    """A walk whose first answer of all tells, by a function that it gets at in one of the ways."""
    put, more, call = WAYS[request.param]
    if call == "Fraction(Made":
        call = "(lambda state: Made(state).state)"
    (tmp_path / "odd_helper.py").write_text(FIRST_TELLS.format(put=put))
    (tmp_path / "odd_walk.py").write_text(WALK.format(more=more, call=call))
    monkeypatch.syspath_prepend(str(tmp_path))
    kept = {(space, name): vars(space).get(name) for space, name in _places()}
    made = __import__("odd_walk").Walk()
    yield made, sys.modules["odd_helper"], tmp_path / "odd_helper.py"
    for name in ("odd_walk", "odd_helper"):
        sys.modules.pop(name, None)
    for (space, name), value in kept.items():
        if value is not None:
            setattr(space, name, value)
        elif name in vars(space):
            delattr(space, name)


def _places() -> tuple[tuple[Any, str], ...]:
    import builtins
    import statistics

    spaces = ((builtins, "odd_p"), (statistics, "odd_p"), (Fraction, "odd_p"), (Pmf, "odd_p"))
    return (*spaces, (statistics, "mean"))


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("walk", WAYS, indirect=True)
def test_an_answer_that_only_the_first_run_gives_is_found(walk: tuple[Any, Any, Path]) -> None:
    mechanism, _, _ = walk
    record = examine(mechanism, horizon=2)
    assert record.verdict != "HOLDS"


@pytest.mark.parametrize("walk", WAYS, indirect=True)
def test_an_audit_is_not_known_by_less_than_its_code_does(walk: tuple[Any, Any, Path]) -> None:
    mechanism, helper, _ = walk
    before = reached(mechanism)

    def p(state: object) -> object:
        return state

    helper.p.__code__ = p.__code__
    assert before is None or reached(mechanism) != before


def test_a_number_in_a_module_of_python_s_is_part_of_what_an_audit_is_known_by(monkeypatch: pytest.MonkeyPatch) -> None:
    class Walk:
        alphabet = (0, 1)

        def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
            return bernoulli(Fraction(prefix[-1] + 1, len(string.digits)))

    before = reached(Walk())
    monkeypatch.setattr(string, "digits", "01234")
    assert before is not None
    assert reached(Walk()) != before


@pytest.mark.parametrize("taken", ["import odd_missing", "from collections import odd_missing"])
def test_what_may_be_imported_one_day_keeps_no_audit(taken: str) -> None:
    class Walk:
        alphabet = (0, 1)

        def law(self, prefix: tuple[int, ...]) -> Any:
            return prefix

    assert reached(Walk()) is not None
    scope: dict[str, Any] = {"__name__": __name__}
    body = (
        f"    try:\n        {taken.replace('collections', 'instances')}\n    except ImportError:\n        return core"
    )
    exec(f"def publish(self, core):\n{body}\n    return odd_missing", scope)
    Walk.publish = scope["publish"]  # type: ignore[attr-defined]
    assert reached(Walk()) is None


def test_a_class_that_is_registered_by_the_first_run_shows() -> None:
    telling = ABCMeta("telling", (), {})

    class Known:
        pass

    class Walk:
        alphabet, initial = (0, 1), 0

        def advance(self, _: int, x: int) -> int:
            return x

        def law(self, state: int) -> Pmf[int]:
            tells = state == 1 and not issubclass(Known, telling)
            telling.register(Known)
            return bernoulli(Fraction(1) if tells else Fraction(1, 2))

    assert examine(Walk(), horizon=2).verdict != "HOLDS"


def test_a_name_of_python_s_is_nobody_s(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    assert builtin_of_users("sorted") == ()
    monkeypatch.setattr(builtins, "sorted", test_a_name_of_python_s_is_nobody_s)
    assert builtin_of_users("sorted") == (test_a_name_of_python_s_is_nobody_s,)


def _text(rng: random.Random, depth: int) -> str:
    """An expression that makes a text of texts and names."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(("'k'", "n"))
    one, two = (f"({_text(rng, depth - 1)})" for _ in range(2))
    return rng.choice(
        (
            f"{one} + {two}",
            f"'%s%s' % ({one}, {two})",
            f"{one}.lower()",
            f"({one}, {two})[0]",
            f"{one} if n else {two}",
            f"{one} and {two}",
            f"{one}[:9]",
            f"''.join([{one}, {two}])",
        )
    )


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_names_that_stand_in_code_are_told_from_those_that_are_made(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(50):
        name, of = _text(rng, 2), rng.choice(("x", "x.y", "x.y.z"))
        more = rng.choice(("", ", None", ", n", ", x.y"))
        scope: dict[str, Any] = {}
        exec(f"def f(x, n): return getattr({of}, {name}{more})", scope)
        made = makes_up_names(scope["f"].__code__)
        if re.search(r"\bn\b", name):
            assert made, name
        elif name == "'k'" and more != ", x.y":
            assert not made, name
