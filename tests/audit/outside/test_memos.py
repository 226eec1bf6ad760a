"""Caches of functools: those that hand out what they would work out anew are no memory, and all others are."""

import importlib.util
import random
import sys
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dpcert import examine
from dpcert.audit.errors import MechanismError
from dpcert.audit.finding import Verdict
from dpcert.audit.outside import memos
from dpcert.audit.steadiness import compared

HEAD = """
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import NamedTuple
from dpcert import Pmf, Release, bernoulli

MODE = 0
BOX = [0]


class Colour(Enum):
    RED, GREEN = 1, 2


@cache
def coin(n):
    return bernoulli(Fraction(1, n + 2))


@lru_cache(maxsize=64)
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


class Steps:
    alphabet = (0, 1)
    initial = 0
"""


def module_of(tmp_path: Path, text: str) -> ModuleType:
    """A file of somebody's, read anew."""
    name = f"memos_{abs(hash((text, tmp_path)))}"
    file = tmp_path / f"{name}.py"
    file.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def audited(tmp_path: Path, text: str, horizon: int = 7) -> Any:
    return examine(module_of(tmp_path, text).Mine(), horizon=horizon, exp_epsilons=(1,))


HARMLESS = {
    "a law by a number": """
class Mine(Steps):
    def step(self, state, x, draw):
        return Release(draw(coin(state))), min(state + 1, 3)
""",
    "a recursion with a bound, asked at import as well": """
TOTAL = binomial(4, 2)
class Mine(Steps):
    def step(self, state, x, draw):
        return Release(draw(bernoulli(Fraction(1, binomial(TOTAL, 2 + x))))), min(state + 1, 2)
""",
    "a method of a frozen record, with a name": """
class Parts(NamedTuple):
    first: int = 3
@dataclass(frozen=True)
class Mine(Steps):
    part: int = 3
    parts: Parts = Parts()
    @cache
    def shares(self, n, *, more=0):
        return Pmf({(n, None): Fraction(1, self.part), (more, "b"): 1 - Fraction(1, self.part)})
    def step(self, state, x, draw):
        return Release(draw(self.shares(state, more=x))), 1 - state
""",
    "a table that is worked out once": """
@dataclass(frozen=True)
class Mine(Steps):
    part: int = 3
    @cached_property
    def table(self):
        return [self.share(k) for k in range(4)]
    @cache
    def share(self, k):
        return bernoulli(Fraction(1, self.part + k))
    def step(self, state, x, draw):
        return Release(draw(self.table[state])), min(state + x, 3)
""",
    "an enumeration": """
@cache
def share(colour):
    return Fraction(1, colour.value + 1)
class Mine(Steps):
    def step(self, state, x, draw):
        return Release(draw(bernoulli(share(Colour.RED if x else Colour.GREEN)))), 0
""",
}


@pytest.fixture
def _few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few live runs are compared that a memory is left open."""
    monkeypatch.setattr(compared, "MANY", 10)


@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("name", HARMLESS)
def test_a_cache_that_says_no_more_than_it_is_asked_is_no_memory(name: str, tmp_path: Path) -> None:
    record = audited(tmp_path, HARMLESS[name])
    (steady,) = [entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP"]
    assert steady["verdict"] == "HOLDS"
    assert "nothing that it can reach changed but caches, which say no more than they are asked" in steady["detail"]
    assert record.verdict is not Verdict.UNDECIDED


LEAKING = {
    "what it returned is changed": """
@cache
def box():
    return []
class Mine(Steps):
    def step(self, state, x, draw):
        box().append(x)
        return Release(box()[0]), 0
""",
    "arguments that equal each other": """
@cache
def kind(value):
    return str(value)
class Mine(Steps):
    alphabet = (1, True)
    def step(self, state, x, draw):
        return Release(kind((x,))), 0
""",
    "how often it was asked": """
class Mine(Steps):
    def step(self, state, x, draw):
        if x:
            coin(7)
        return Release(coin.cache_info().hits > 5), 0
""",
    "what stood elsewhere for a moment": """
@cache
def mode():
    return MODE
class Mine(Steps):
    def step(self, state, x, draw):
        global MODE
        MODE = x
        found = mode()
        MODE = 0
        return Release(found), 0
""",
    "the same, one cache inside another": """
@cache
def inner():
    return BOX[0]
@cache
def outer(n):
    return inner() + n
class Mine(Steps):
    def step(self, state, x, draw):
        BOX[0] = x
        found = outer(state)
        BOX[0] = 0
        return Release(found - state), min(state + 1, 3)
""",
    "what is put on it": """
class Mine(Steps):
    def step(self, state, x, draw):
        coin.first = getattr(coin, "first", x)
        return Release(coin.first), 0
""",
    "what a function keeps beside": """
class Mine(Steps):
    def step(self, state, x, draw):
        if coin.__doc__ is None:
            coin.__doc__ = str(x)
        return Release(coin.__doc__), 0
""",
    "a name of its own": """
class Mine(Steps):
    def step(self, state, x, draw):
        if coin.__name__ == "coin":
            coin.__name__ = str(x)
        return Release(coin.__name__), 0
""",
    "held elsewhere as well": """
@cache
def kind(value):
    return str(value)
KINDS = {"kind": kind}
class Mine(Steps):
    alphabet = (1, True)
    def step(self, state, x, draw):
        KINDS["kind"]((x,))
        return Release(kind((1,))), 0
""",
    "a number that is changed": """
@cache
def half():
    return Fraction(1, 2)
class Mine(Steps):
    def step(self, state, x, draw):
        if half()._numerator == 1:
            half()._numerator = 3 + 2 * x
        return Release(half()._numerator), 0
""",
    "what holds a lock": """
@cache
def held(n):
    return repr(Mine.table.lock)[1]
class Mine(Steps):
    @cached_property
    def table(self):
        return 0
    def step(self, state, x, draw):
        if x:
            Mine.table.lock.acquire()
        found = held(0)
        if x:
            Mine.table.lock.release()
        return Release(found), 0
""",
    "a generator that is cached": """
@cache
def numbers(x):
    return iter(range(9))
class Mine(Steps):
    def step(self, state, x, draw):
        next(numbers(0)) if x else None
        return Release(next(numbers(0)) > 3), 0
""",
    "a cache that is emptied": """
@lru_cache(maxsize=1)
def kind(value):
    return str(value)
class Mine(Steps):
    alphabet = (1, True, 2)
    def step(self, state, x, draw):
        return Release(kind((x,))[:2]), 0
""",
}


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("name", LEAKING)
def test_a_cache_that_may_say_more_is_a_memory(name: str, tmp_path: Path) -> None:
    try:
        record = audited(tmp_path, LEAKING[name], 4)
    except MechanismError:  # one line about a memory is as good
        return
    (steady,) = [entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP"]
    assert steady["verdict"] != "HOLDS"
    assert record.verdict is not Verdict.HOLDS


RARE = """
TIME = (1, 0, 1, 1, 0)
class Mine(Steps):
    initial = ()
    def step(self, s, x, draw):
        out = 0
        if s == TIME:
            {put}
        if s[:5] == TIME and len(s) == 6:
            {told}
        return Release(out), s + (x,)
"""
"""One history of 32 leaves something in a cache, and it is told a round later: few live runs meet it."""
SHOWN = """
@cache
def shown(n):
    {body}
"""
PUT = "BOX[0] = x; shown(0); BOX[0] = 0"
HANDLED = "try: raise ValueError(x)\n            except ValueError: shown(0)"
UNMET = {
    "answered before, while nothing stood otherwise": ("return BOX[0]", "", PUT, "out = shown(0)"),
    "the same through a map": ("return BOX[0]", "", PUT.replace("shown(0)", "list(map(shown, [0]))"), "out = shown(0)"),
    "the same by a keyword": ("return BOX[0]", "", PUT.replace("(0)", "(n=0)"), "out = shown(n=0)"),
    "the context of what is raised": (
        "try: raise KeyError\n    except KeyError as e: return e.__context__.args[0] if e.__context__ else 0",
        "", HANDLED, "out = shown(0)",
    ),
    "what is raised once more": (
        "try: raise\n    except ValueError as e: return e.args[0]\n    except RuntimeError: return 0",
        "", HANDLED, "out = shown(0)",
    ),
    "its type": (
        "return n", "from types import FunctionType\nSEEN = []",
        "if not isinstance(shown, FunctionType): SEEN.append(x)", "out = SEEN and SEEN[0]",
    ),
    "which one it is among others": (
        "return n", "SEEN, KEYS = [], {shown: 1}", "if KEYS.get(shown): SEEN.append(x)", "out = SEEN and SEEN[0]",
    ),
    "the same in a default": (
        "return n", "SEEN = []\ndef same(a, b=shown): return a == b",
        "if same(shown): SEEN.append(x)", "out = SEEN and SEEN[0]",
    ),
    "asked for what equals it inside": (
        "return shown(float(n)) + 1 if isinstance(n, int) else 0", "", "if x: shown(1)", "out = shown(1)",
    ),
    "members of an enumeration with an == of their own": (
        "return n.value",
        "class C(Enum):\n    A, B = 1, 2\n    def __hash__(self): return 0\n    def __eq__(self, other):\n"
        "        global MODE\n        MODE = 1 - MODE\n        return MODE == 0",
        "shown(C.A); shown(C.B); x and shown(C.A)", "out = shown(C.B)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNMET)
def test_a_memory_that_few_live_runs_meet_is_one(name: str, tmp_path: Path) -> None:
    body, beside, put, told = UNMET[name]
    text = SHOWN.format(body=body) + beside + RARE.format(put=put, told=told)
    streams = [(1, 0, 1, 1, 0, x, 0) for x in (0, 1)]
    leaks = len({repr(seen(tmp_path, text, stream)) for stream in streams}) > 1
    record = audited(tmp_path, text)
    assert not leaks or record.verdict is Verdict.UNDECIDED or record["adaptive"]["total_variation"] == "1"


@pytest.mark.usefixtures("_few_runs")
def test_past_so_many_calls_a_cache_is_a_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memos, "MOST_ASKED", 3)
    record = audited(tmp_path, HARMLESS["a law by a number"])
    assert record.verdict is Verdict.UNDECIDED


@pytest.mark.usefixtures("_few_runs")
def test_past_so_many_answers_a_cache_is_a_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memos, "MOST_ANSWERS", 3)
    record = audited(tmp_path, HARMLESS["a law by a number"])
    assert record.verdict is Verdict.UNDECIDED


def test_caches_stand_where_they_stood_afterwards(tmp_path: Path) -> None:
    module = module_of(tmp_path, HARMLESS["a method of a frozen record, with a name"])
    before = module.coin, vars(module.Mine)["shares"], module.binomial
    examine(module.Mine(), horizon=2)
    assert (module.coin, vars(module.Mine)["shares"], module.binomial) == before


FUNCTIONS = (
    "return a + 1", "return (a, a)", "return str(a)", "return [a]", "return MODE + a", "return BOX[0]",
    "return type(a).__name__", "BOX[0] += a\n    return a", "return OTHERS[0](a) if OTHERS else a", "return NOTES",
    "return coin(int(a)).probability(1)",
    "global MODE\n    MODE, before = a, MODE\n    MODE = before\n    return before",
    "return Fraction(a, 3)", "return frozenset({a})", "return Colour.RED if a else Colour.GREEN", "return {a: 1}",
)  # fmt: skip
"""Bodies of cached functions of a."""
STATEMENTS = (
    "out = {f}(s)", "out = {f}(s)", "out = {g}({f}(0) == s)", "{f}(x)", "{f}(x == 1)", "{f}(1.0 * x)", "MODE = x",
    "MODE = 0", "BOX[0] = x", "BOX[0] = 0", "out = {f}(0)", "{f}(0).append(x)", "out = {f}(1)", "out = {f}(True)",
    "{f}.last = x", "out = getattr({f}, 'last', 0)", "out = {f}.cache_info().misses", "OTHERS.append({g})",
    "OTHERS.clear()", "out = len({f}(0))", "{f}(0).clear()", "out = {f}.__doc__", "{f}.__doc__ = str(x)",
    "MODE, kept = x, MODE\n        {f}(s)\n        MODE = kept", "{f}(0)[0] = x", "NOTES.clear()", "NOTES.append(x)",
    "out = {f}(a=s)", "out = s if {f}(s) is {f}(0) else 0", "out = [{f}(n) for n in range(s)]",
)  # fmt: skip
"""What a step does with an input x and a count s of rounds."""


def random_program(seed: int) -> str:
    rng = random.Random(seed)
    names = "f", "g", "h"
    kinds = ("cache", "cache", "lru_cache(maxsize=2)", "lru_cache(maxsize=None, typed=True)", "lru_cache")
    functions = "".join(f"\n@{rng.choice(kinds)}\ndef {name}(a):\n    {rng.choice(FUNCTIONS)}\n" for name in names)
    lines = [rng.choice(STATEMENTS).format(f=rng.choice(names), g=rng.choice(names)) for _ in range(rng.randint(2, 6))]
    body = "".join(f"        {line}\n" for line in lines)
    return f"""
OTHERS, NOTES = [], []
{functions}
class Mine(Steps):
    def step(self, s, x, draw):
        global MODE
        out = 0
{body}        return Release(repr(out)), min(s + 1, 3)
"""


def seen(tmp_path: Path, text: str, stream: tuple[int, ...]) -> list[Any]:
    """What is released on a stream, the first in its process."""
    mine = module_of(tmp_path, f"{text}\nSTREAM = {stream}\n").Mine()
    releases, state = [], mine.initial
    for x in stream:
        release, state = mine.step(state, x, None)
        releases.append(release.visible)
    return releases


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", [*range(48), 84])
def test_random_code_with_caches_leaks_no_less_than_is_said(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without randomness one pair of streams that differ in one round tells all: brute force tries each in a module."""
    monkeypatch.setattr(compared, "MANY", 60)
    for number in range(2):
        text = random_program(2 * seed + number)
        try:
            releases = {stream: seen(tmp_path, text, stream) for stream in product((0, 1), repeat=3)}
        except Exception:  # noqa: BLE001 - what it does may not be possible
            continue
        leaks = any(
            releases[one] != releases[other]
            for one in releases
            for other in releases
            if sum(a != b for a, b in zip(one, other, strict=True)) == 1
        )
        try:
            record = audited(tmp_path, text, 3)
        except MechanismError:
            continue
        told = record["adaptive"]["total_variation"]
        assert not leaks or record.verdict is Verdict.UNDECIDED or told == "1", (seed, number, text)
