"""What an audit itself does to a user's module is no change of the mechanism's."""

import functools
import gc
import random
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dpcert import Pmf, bernoulli, examine
from dpcert.audit.commands.cli import run
from dpcert.audit.outside.marks import changed
from dpcert.audit.outside.reach import reach
from dpcert.audit.steadiness.watched import watch


class Holder:
    """Anything may stand in an attribute of it."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def ask(self) -> Any:
        """A method, to be bound."""
        return self.held


def lambda_over(value: Any) -> Any:
    return lambda default=value: (value, default)


WRAPS: list[Callable[[Any], Any]] = [
    Holder,
    lambda x: Holder(x).ask,
    lambda x: partial(Holder, x),
    lambda x: partial(Holder, held=x),
    lambda x: partial(lambda_over(x), x, kept=[x]),
    lambda x: [x, (x, 1)],
    lambda x: {"key": x, 2: {3}},
    lambda x: deque([x]),
    lambda_over,
    lambda x: functools.lru_cache(lambda_over(x)),
    lambda x: staticmethod(lambda_over(x)),
    lambda x: property(lambda_over(x)),
    lambda x: type("Kind", (Holder,), {"inside": x, "__module__": __name__}),
    lambda x: iter([x, x]),
    lambda x: iter({1: x, 2: x}.values()),
    lambda x: zip(iter([x]), reversed([x]), range(3), strict=False),
    lambda x: map(lambda_over(x), iter((x,))),
    lambda x: enumerate(iter([x, x])),
    lambda x: SimpleNamespace(x=x),
]


@pytest.mark.parametrize("seed", range(60))
def test_to_look_is_to_change_nothing(seed: int) -> None:
    """However things are wrapped in each other, two looks with nothing between them tell no change."""
    rng, value = random.Random(seed), cast(Any, Fraction(1, 2))
    for _ in range(rng.randint(1, 5)):
        value = rng.choice(WRAPS)(value)
    mechanism = Holder(value)
    before = reach(mechanism).marks()
    kept = [[n] for n in range(100)]  # so that what the first look made does not stand where the second makes it
    assert changed(before, reach(mechanism).marks()) == [], len(kept)


@pytest.mark.parametrize("wrap", [wrap for wrap in WRAPS if hasattr(wrap(1), "__next__")])
def test_an_iterator_that_went_on_has_changed(wrap: Callable[[Any], Any]) -> None:
    mechanism = Holder(wrap([1]))
    before = reach(mechanism).marks()
    next(mechanism.held)
    assert changed(before, reach(mechanism).marks()) != []


FILE = '''
from dataclasses import dataclass
from fractions import Fraction

from dpcert import Pmf, bernoulli


@dataclass(frozen=True)
class Mine:
    """Its class has methods that ask for a type."""

    truth: Fraction = Fraction(3, 4)
    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return bernoulli(self.truth if type(prefix[-1]) is int and prefix[-1] else 1 - self.truth)
'''


@dataclass(frozen=True)
class Mine:
    """The same in this module."""

    truth: Fraction = Fraction(3, 4)
    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """Of the last input."""
        return bernoulli(self.truth if type(prefix[-1]) is int and prefix[-1] else 1 - self.truth)


def test_a_watched_mechanism_has_not_changed() -> None:
    with watch(Mine()) as watched:
        assert watched.changes() == []
    assert examine(Mine(), horizon=3)["verdict"] == "HOLDS"


def test_a_dataclass_in_a_file_is_steady(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(FILE, encoding="utf-8")
    assert run(["audit", f"{tmp_path / 'mine.py'}:Mine", "--horizon", "3"]) == 0
    assert capsys.readouterr().out.startswith("NO GAP: ")


QUALIFIED = """
from dataclasses import dataclass
from fractions import Fraction

import dpcert


@dataclass(frozen=True)
class Core:
    alphabet = (0, 1)

    def law(self, prefix):
        half = dpcert.total_variation(dpcert.bernoulli(1), dpcert.bernoulli(Fraction(1, 2)))
        kept = dpcert.laws, dpcert.EDIT, dpcert.Session, dpcert.scripted, dpcert.feeding, dpcert.both, dpcert.Window
        return dpcert.bernoulli(half / len(kept) if prefix[-1] else half)


@dataclass(frozen=True)
class Hidden:
    alphabet = (0, 1)
    initial = 0

    def step(self, state, x, draw):
        from dpcert import Release, laws, viewed
        return Release(x ^ draw(dpcert.bernoulli(Fraction(1, 3)))), len({"a", "b"}) - 2
"""


@pytest.mark.real("start-up")
@pytest.mark.in_turns
@pytest.mark.parametrize("name", ["Core", "Hidden"])
def test_a_public_name_that_is_first_asked_for_in_a_round_is_no_change(tmp_path: Path, name: str) -> None:
    (tmp_path / "mine.py").write_text(QUALIFIED, encoding="utf-8")
    command = [sys.executable, "-m", "dpcert", "audit", f"mine.py:{name}", "--horizon", "2", "--require-certified"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.in_turns(few=True)
def test_a_library_that_times_the_garbage_collector_is_not_the_mechanism(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed package may read a clock whenever memory is collected, also in the middle of a step."""
    package = tmp_path / ".venv" / "lib" / "site-packages"
    package.mkdir(parents=True)
    (package / "collects.py").write_text("import time\nclock = time.perf_counter\ndef callback(*_):\n    clock()\n")
    (tmp_path / "steps.py").write_text(
        "import gc, os\n"
        "from dpcert import Release\n"
        "class Collects:\n"
        "    alphabet, initial = (0, 1), 0\n"
        "    sep = staticmethod(os.path.join)\n"
        "    def step(self, state, x, draw):\n"
        "        gc.collect(0)\n"
        "        return Release(x), state\n"
    )
    for folder in (package, tmp_path):
        monkeypatch.syspath_prepend(str(folder))
    callback = import_module("collects").callback
    gc.callbacks.append(callback)
    try:
        assert examine(import_module("steps").Collects(), horizon=1)["verdict"] == "HOLDS"
    finally:
        gc.callbacks.remove(callback)
        del sys.modules["collects"], sys.modules["steps"]
