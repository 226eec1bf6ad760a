"""Whose fault it is: broken mechanisms, made member by member and failure by failure, each told in one line."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from instances.seeds import spread

import dpcert
from dpcert.audit.commands.cli import run

HEAD = """\
import asyncio
from dataclasses import dataclass
from fractions import Fraction
from dpcert import *
from dpcert.audit.checklist.hints import InvariantPair
from dpcert.mechanisms.randbin.toy import RandBinToy

class Silent(Exception):
    def __str__(self):
        raise ValueError("no text")
    __repr__ = __str__

class Odd(Exception):
    def __str__(self):
        return 3

class Deep(BaseException):
    pass

class Liar:
    @property
    def __class__(self):
        return Pmf

class Meta(type):
    @property
    def __name__(cls):
        raise RuntimeError("no name")

class Lines(Exception):
    def __str__(self):
        return "two\\nlines \\ud800 \\x1b[31m"

Unclean = type("Un\\nclean", (Exception,), {})

def deeper(n):
    return deeper(n + 1) + 1

half = Fraction(1, 2)
coin = Pmf({0: half, 1: half})

class Core:
    alphabet = (0, 1)
    def law(self, prefix):
        return coin

class Markov(Core):
    initial = 0
    def advance(self, state, x):
        return x
    def law(self, state):
        return coin

class Steps:
    alphabet = (0, 1)
    initial = 0
    def step(self, state, x, draw):
        return Release(draw(coin)), state

class Code:
    alphabet = (0, 1)
    def seeds(self, horizon):
        return Pmf({(0,) * horizon: half, (1,) * horizon: half})
    def respond(self, seeds, stream):
        return seeds[: len(stream)]

class Linear:
    alphabet = (0, 1)
    def weights(self, t):
        return (1,) * t
    def noise_law(self, t):
        return coin

class Toy(RandBinToy):
    pass
"""
"""What the broken ones are made from."""

RAISED = {
    "key": "raise KeyError('nothing')",
    "attribute": "raise AttributeError('within')",
    "of another": "return None .nothing",
    "silent": "raise Silent",
    "odd": "raise Odd",
    "lines": "raise Lines",
    "base": "raise Deep('down')",
    "exit": "raise SystemExit(0)",
    "exit text": "raise SystemExit('bye')",
    "generator exit": "raise GeneratorExit",
    "cancelled": "raise asyncio.CancelledError",
    "stop": "raise StopIteration(3)",
    "recursion": "return deeper(0)",
    "memory": "return bytearray(1 << 60)",
    "pipe": "raise BrokenPipeError",
    "warning": "raise UserWarning('look')",
    "group": "raise BaseExceptionGroup('several', [Deep()])",
    "zero": "return 1 // 0",
    "unclean": "raise Unclean('x')",
}
"""What a member does instead of answering, always on the one line that is marked."""

ANSWERED = ["None", "3.5", "'text'", "[]", "{}", "object()", "Liar()", "float('nan')", "True", "-1", "10 ** 30", "Core",
            "(1, 2, 3)", "Meta('M', (), {})()", "lambda *_: 0", "(0, (1, 2))", "coin", "Release([1])"]  # fmt: skip
"""What a member answers instead of what is asked of it."""

METHODS = [
    ("Core", "law", "prefix", ()),
    ("Core", "publish", "core", ()),
    ("Core", "index_set", "t", ("pair",)),
    ("Core", "round_power", "t, d", ("pair", "own")),
    ("Markov", "advance", "state, x", ()),
    ("Markov", "law", "state", ()),
    ("Steps", "step", "state, x, draw", ()),
    ("Steps", "publish", "core", ()),
    ("Code", "seeds", "horizon", ()),
    ("Code", "respond", "seeds, stream", ()),
    ("Code", "publish", "core", ()),
    ("Linear", "weights", "t", ()),
    ("Linear", "noise_law", "t", ()),
    ("Core", "sections", "horizon, budget", ()),
    ("Toy", "bound", "horizon, budget", ("npp",)),
    ("Toy", "simulate", "state, pair, branch, draw", ("npp",)),
    ("Toy", "step", "state, x, draw", ("npp",)),
]
PROPERTIES = [
    ("Core", "alphabet", ()), ("Core", "horizon", ()), ("Core", "invariant_pair", ()), ("Core", "publish", ()),
    ("Core", "index_set", ()), ("Core", "null", ("zero-out",)),
    ("Core", "sections", ()), ("Core", "law", ()), ("Core", "step", ()), ("Core", "respond", ()),
    ("Markov", "initial", ()), ("Steps", "initial", ()), ("Steps", "step", ()), ("Code", "seeds", ()),
    ("Code", "respond", ()), ("Linear", "modulus", ()), ("Linear", "weights", ()), ("Linear", "noise_law", ()),
    ("Toy", "simulation", ("npp",)), ("Toy", "outputs", ("npp",)), ("Toy", "bound", ("npp",)),
    ("Toy", "guarantee", ("npp",)),
]  # fmt: skip
PAIR = """
    invariant_pair = InvariantPair(lambda u, v: abs(u - v), lambda u, v: u + v)
"""
OWN = """
    def index_set(self, t):
        return (t,)
"""


def source(base: str, name: str, arguments: str | None, body: str, more: tuple[str, ...]) -> str:
    """A class with one broken member: a method, or a property where there are no arguments."""
    lines = f"\n@dataclass(frozen=True)\nclass Broken({base}):\n" if base == "Toy" else f"\nclass Broken({base}):\n"
    lines += (PAIR if "pair" in more else "") + (OWN if "own" in more else "")
    if arguments is None:
        lines += "    @property\n"
    taken = "self" if arguments is None else f"self, {arguments}"
    return f"{HEAD}{lines}    def {name}({taken}):\n        {body}  # here\n"


def audited(text: str, more: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit status, standard error and the marked place of an audit of `Broken`."""
    Path("theirs.py").write_text(text, encoding="utf-8")
    here = next(n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# here"))
    options = ["--game", "npp"] if "npp" in more else ["--horizon", "2"]
    options += ["--adjacency", "zero-out"] if "zero-out" in more else []
    capfd.readouterr()
    status = run(["audit", "theirs.py:Broken", "--quiet", *options])
    out, err = capfd.readouterr()
    assert out == ""
    return status, err, f"theirs.py:{here})"


Made = tuple[str, str, str | None, tuple[str, ...], str, str]
MEMBERS = [*METHODS, *((base, name, None, more) for base, name, more in PROPERTIES)]
FAILING: list[Made] = [(*member, *failure) for member, failure in product(MEMBERS, RAISED.items())]
ANSWERING: list[Made] = [(*member, answer, f"return {answer}") for member, answer in product(MEMBERS, ANSWERED)]


def told(status: int, err: str, place: str, name: str, kind: str) -> bool:
    """Whether one line says where it was and of which member; of a deep recursion the line is the innermost."""
    where = "theirs.py:" if kind == "recursion" else place
    one = err.count("\n") == 1 and err.startswith("dpcert: ")
    return status == 2 and one and where in err and name in err and "a fault of dpcert" not in err


def not_told(made: Made, capfd: pytest.CaptureFixture[str]) -> str:
    """What an audit says of a member that raises, where that is not as it should be."""
    base, name, arguments, more, kind, body = made
    status, err, place = audited(source(base, name, arguments, body, more), more, capfd)
    return "" if told(status, err, place, name, kind) else f"{base}.{name}, {kind}: {status} {err}"


def not_placed(made: Made, capfd: pytest.CaptureFixture[str]) -> str:
    """What an audit says of a member that answers otherwise, where it neither takes it nor refuses it with a place."""
    base, name, arguments, more, answer, body = made
    status, err, _ = audited(source(base, name, arguments, body, more), more, capfd)
    quiet = status in (0, 1, 3) and err == ""
    refused = status == 2 and err.count("\n") == 1 and err.startswith("dpcert: ") and "theirs.py:" in err
    return "" if quiet or refused else f"{base}.{name}, {answer}: {status} {err}"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.in_turns
def test_what_a_member_raises_is_told_with_its_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert not "".join(not_told(made, capfd) for made in spread(FAILING, 96))


@pytest.mark.in_turns
def test_what_a_member_answers_is_taken_or_refused_with_a_place(capfd: pytest.CaptureFixture[str]) -> None:
    assert not "".join(not_placed(made, capfd) for made in spread(ANSWERING, 160))


MODULES = {
    "raises": ("raise ValueError('at import')  # here", "ValueError: at import"),
    "base": ("class Deep(BaseException): pass\nraise Deep('x')  # here", "Deep: x"),
    "exits": ("import sys\nsys.exit(0)  # here", "SystemExit: 0"),
    "generator exit": ("raise GeneratorExit  # here", "GeneratorExit"),
    "recursion": ("def f(): return f()\nf()  # here", "RecursionError"),
    "syntax": ("def f(:  # here", "SyntaxError"),
    "no text": ("class Odd(Exception):\n    def __str__(self): return 3\nraise Odd  # here", "Odd"),
    "getattr": ("def __getattr__(name): raise KeyError(name)  # here", "KeyError: 'Broken'"),
    "init": ("class Broken:\n    def __init__(self): raise KeyError('x')  # here", "KeyError: 'x'"),
    "new": ("class Broken:\n    def __new__(cls): return 1 // 0  # here", "ZeroDivisionError"),
    "metaclass": (
        "class M(type):\n    def __call__(cls): raise KeyError(1)  # here\nclass Broken(metaclass=M): pass",
        "KeyError: 1",
    ),
    "any attribute": ("class Broken:\n    def __getattr__(self, name): raise KeyError(name)  # here", "KeyError"),
    "every attribute": ("class Broken:\n    def __getattribute__(self, name): return 1 // 0  # here", "ZeroDivision"),
    "another attribute": ("class Broken:\n    def __getattr__(self, name): return None .nothing  # here", "nothing"),
    "factory": ("def Broken(): raise OSError(5, 'gone')  # here", "gone"),
    "hash": (
        "from dpcert import Pmf\nclass X:\n    def __hash__(self): raise KeyError('hash')  # here\n"
        "class Broken:\n    alphabet = (0, 1)\n    def law(self, prefix): return Pmf({X(): 1})",
        "KeyError: 'hash'",
    ),
}


def test_a_mechanism_that_says_it_is_a_class_is_taken_for_what_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    lying = "    __class__ = property(lambda self: type)  # here"
    status, err, _ = audited(GOOD + lying, (), capfd)
    assert (status, err) == (0, "")


@pytest.mark.parametrize("name", MODULES)
def test_a_file_or_a_class_that_fails_is_told_with_its_line(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    text, said = MODULES[name]
    status, err, place = audited(text, (), capfd)
    where = "theirs.py:" if name == "recursion" else place
    assert (status, err.count("\n")) == (2, 1), err
    assert said in err, err
    assert where in err, err


MEDDLING = {
    "prints": "print('hello')",
    "closes standard output": "import sys; sys.stdout.close()",
    "writes bytes": "import sys; sys.stdout.buffer.write(b'bytes')",
    "other folder": "import os; os.chdir('/')",
    "clears modules": "import sys; sys.modules.pop('dpcert.audit.kernels.view', None)",
    "low recursion": "import sys; sys.setrecursionlimit(400)",
    "warnings": "import warnings; warnings.simplefilter('error'); warnings.filterwarnings('error')",
}
GOOD = """
from dpcert import bernoulli
from fractions import Fraction
class Broken:
    alphabet = (0, 1)
    def law(self, prefix):
        return bernoulli(Fraction(1 + prefix[-1], 3))
"""


QUICK = ("closes standard output", "other folder")


@pytest.mark.real("meddling")
@pytest.mark.in_turns
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.thorough) for name in MEDDLING]
)
def test_a_file_that_meddles_with_the_process_is_audited_all_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("theirs.py").write_text(MEDDLING[name] + GOOD, encoding="utf-8")
    command = [sys.executable, "-m", "dpcert", "audit", "theirs.py:Broken", "--horizon", "1", "--json", "record.json"]
    monkeypatch.setenv("PYTHONPATH", str(Path(dpcert.__file__).parents[1]))
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "fault of dpcert" not in ended.stderr
    assert "Traceback" not in ended.stderr
    assert json.loads((tmp_path / "record.json").read_text())["adaptive"]["total_variation"] == "1/3"
    assert "hello" not in ended.stdout
    assert "bytes" not in ended.stdout
