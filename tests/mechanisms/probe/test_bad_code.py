"""Code that cannot be probed is refused in one line, with its own file and line where it raises."""

import re
from pathlib import Path

import pytest

from dpcert.audit.commands.cli import run

CODE = """
import math
import numpy as np


class Good:
    def __init__(self, rng):
        self.rng = rng

    def step(self, x):
        return x + self.rng.normal()


class Raises(Good):
    def step(self, x):
        return {}[x]


class Swallows(Good):
    def step(self, x):
        try:
            return self.rng.uniform()
        except Exception:
            return 0.0


class NotANumber(Good):
    def step(self, x):
        return math.nan


class Words(Good):
    def step(self, x):
        return "a word"


class Complex(Good):
    def step(self, x):
        return 1j


class Uniform(Good):
    def step(self, x):
        return x + self.rng.uniform()


class Negative(Good):
    def step(self, x):
        return x + self.rng.normal(0, -1)


class State(Good):
    def step(self, x):
        return x + self.rng.bit_generator.random_raw()


class Past(Good):
    def step(self, x):
        return x + np.random.Generator.normal(self.rng)


class Many(Good):
    def step(self, x):
        return x + self.rng.normal(size=10000).sum()


class Silent(Good):
    def step(self, x):
        return None


class NoStep:
    def __init__(self, rng):
        pass


class NoGenerator:
    def __init__(self, sigma=1.0):
        pass


def short(inputs, rng):
    return inputs[:-1]


def number(inputs, rng):
    return 1.0


NOTHING = 3
"""
BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "raises": (("Raises",), "KeyError"),
    "where it raises": (("Raises",), "code.py:16"),
    "swallows a refusal": (("Swallows",), "numpy.random.Generator.uniform"),
    "not a number": (("NotANumber",), "nan in round 1"),
    "a word": (("Words",), "finite numbers"),
    "complex": (("Complex",), "complex128"),
    "another law": (("Uniform",), "standard_normal"),
    "a negative scale": (("Negative",), "scale < 0"),
    "raw bits": (("State",), "bit_generator.random_raw"),
    "past the generator": (("Past",), "past them"),
    "too many draws": (("Many",), "MOST_SCRIPTED_DRAWS"),
    "nothing released": (("Silent",), "to release a number"),
    "no step": (("NoStep",), "a method step(x)"),
    "no generator": (("NoGenerator",), "to take a generator"),
    "no class": (("NOTHING",), "a class or a function"),
    "no such name": (("Goood",), "did you mean Good?"),
    "too few outputs": (("short",), "8 outputs, one a round, but got 7"),
    "one number": (("number",), "float"),
    "vectors of nothing": (("Good", "--dimension", "0"), "dimension=0"),
    "vectors too long": (("Good", "--dimension", "1000000000000"), "MOST_STEPS_PROBED"),
    "no rounds": (("Good", "--horizon", "0"), "horizon=0"),
    "too many rounds": (("Good", "--horizon", "1000"), "a horizon of at most 256"),
    "no clip": (("Good", "--clip", "0"), "above 0"),
    "a clip too large": (("Good", "--clip", "1e400"), "LARGEST_CLIP"),
    "no sigma": (("Good", "--sigma", "-1"), "above 0"),
    "a strategy without sigma": (("Good", "--strategy", "tree.json"), "a sigma with a strategy"),
    "a strategy of other rounds": (("Good", "--strategy", "tree.json", "--sigma", "1", "--horizon", "5"), "5"),
    "no restart": (("Good", "--restart", "2"), "a method restart()"),
    "a restart at the end": (("Good", "--restart", "8"), "from 1 to 7"),
    "a parameter": (("Good", "--param", "scale=1"), "a parameter of"),
    "a delta": (("Good", "--delta", "0"), "delta=0"),
    "participations": (("Good", "--max-participations", "9", "--min-separation", "1"), "fit 8 rounds"),
    "its own file": (("Good", "--json", "code.py"), "another file"),
}


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("name", BAD)
def test_bad_code_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("code.py").write_text(CODE, encoding="utf-8")
    Path("tree.json").write_text('{"strategy": "binary-tree", "rounds": 8}', encoding="utf-8")
    (which, *options), said = BAD[name]
    assert run(["probe", f"code.py:{which}", *options]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert re.fullmatch(r"dpcert: [^\n]{1,900}\n", err)
    assert said in err
