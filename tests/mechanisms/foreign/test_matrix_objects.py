"""Matrices of other libraries, as objects and as JSON: the same numbers as of what they write out."""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from instances.foreign import BufferedToeplitz, MfGaussian, StreamingMatrix, ToeplitzStrategy

from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError, MechanismError
from dpcert.mechanisms.foreign.objects import encoder_of
from dpcert.mechanisms.foreign.source import names_object
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.participations import Once, Separated
from dpcert.mechanisms.matrices.reading import Form
from dpcert.mechanisms.matrices.sensitivity import Stream

NOISE = ("--sigma", "2", "--clip", "1")
OBJECTS = """
import numpy as np
from instances.foreign import *

blt = BufferedToeplitz(np.array([0.5, 0.25]), np.array([0.25, 0.5]))
ones = StreamingMatrix(lambda t, i: 1.0)
inverse = StreamingMatrix(lambda t, i: float(t == i) - (t == i + 1))
number = 3
named = MfGaussian(2.0, ToeplitzStrategy((1.0, 0.5), 1.0), 6, 2, 3)
normalised = MfGaussian(2.0, ToeplitzStrategy((1.0,), 1.0, True), 6)
open_rounds = MfGaussian(2.0, ToeplitzStrategy((1.0,), 1.0))
amplified = CyclicPoisson(named)

def made():
    return np.eye(3)
"""

Document = Callable[..., dict[str, Any]]


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Document:
    monkeypatch.chdir(tmp_path)
    Path("o.py").write_text(OBJECTS, encoding="utf-8")

    def asked(*arguments: str) -> dict[str, Any]:
        assert run(["matrix", *arguments, "--json", "-"]) == 0
        return dict(json.loads(capfd.readouterr().out))

    return asked


def squared(made: dict[str, Any]) -> tuple[float, float]:
    ends = made["sensitivity"]["l2_squared"]
    return float(Fraction(ends["lower"])), float(Fraction(ends["upper"]))


def test_a_blt_is_read_by_its_parameters(document: Document) -> None:
    coefficients = [1.0, *(0.25 * 0.5**t + 0.5 * 0.25**t for t in range(4))]
    low, high = squared(document("o.py:blt", *NOISE, "--horizon", "5"))
    assert low <= sum(c * c for c in coefficients) * (1 + 1e-12)
    assert high >= sum(c * c for c in coefficients) * (1 - 1e-12)
    assert high - low < 1e-9


@pytest.mark.in_turns
def test_a_matrix_that_writes_itself_out_is_the_encoder_or_its_inverse(document: Document) -> None:
    prefixes = document("o.py:ones", *NOISE, "--horizon", "4", "--form", "encoder")
    assert squared(prefixes) == (4, 4)
    low, high = squared(document("o.py:inverse", *NOISE, "--horizon", "4", "--form", "inverse"))
    assert 4 - 1e-9 < low <= 4 <= high < 4 + 1e-9


def test_a_function_without_parameters_makes_one(document: Document) -> None:
    assert document("o.py:made", *NOISE)["rounds"] == 3


def test_a_mechanism_that_names_its_noise_needs_none(document: Document) -> None:
    made = document("o.py:named", "--clip", "2")
    assert (made["sigma"], made["participations"]) == ("4", "at most 3, any two at least 2 rounds apart")
    assert squared(made) == (3.75, 3.75)
    assert made["sensitivity"]["library"] == {"l2_squared": "1", "by": "the strategy's own sensitivity", "below": True}


@pytest.mark.parametrize("seed", range(6))
def test_mixed_signs_of_several_participations_against_every_pattern(seed: int) -> None:
    """Of an array as float32, of numbers and by their sums and differences."""
    draw = Random(seed)
    rounds, apart, most = draw.randint(4, 9), draw.randint(1, 3), draw.randint(1, 3)
    array = np.tril(np.array([[draw.gauss(0, 1) for _ in range(rounds)] for _ in range(rounds)], dtype=np.float32))
    most = min(most, -(-rounds // apart))
    found = encoder_of(array, "a")
    pattern = Once() if most == 1 else Separated(most, apart)
    low, high = column_sensitivity(found, pattern, stream=Stream.SCALAR).l2_squared
    whole = array.astype(float)
    best = 0.0
    for k in range(1, most + 1):
        for at in combinations(range(rounds), k):
            if all(b - a >= apart for a, b in pairwise(at)):
                for signs in range(2 ** (k - 1)):
                    x = sum((-1) ** (signs >> j & 1) * whole[:, i] for j, i in enumerate(at))
                    best = max(best, float(x @ x))
    assert float(low) <= best * (1 + 1e-9)
    assert float(high) >= best * (1 - 1e-9)
    assert float(high - low) < 1e-3 * best


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["o.py:blt", *NOISE], 2, "Expected --horizon T, which o.py:blt leaves open"),
        (["o.py:ones", *NOISE, "--form", "encoder"], 2, "Expected --horizon T"),
        (["o.py:inverse", *NOISE, "--horizon", "4"], 2, "for o.py:inverse may be C or C^-1, but got neither"),
        (["o.py:number", *NOISE], 2, "o.py:number: int"),
        (["o.py:named", "--sigma", "3"], 2, "the noise multiplier that it names, sigma = 2"),
        (["o.py:named", "--max-participations", "2", "--min-separation", "2"], 2, "the participations that o.py:named"),
        (["o.py:named", "--form", "inverse"], 2, "no form with a mechanism"),
        (["o.py:named", "--horizon", "5"], 2, "a matrix of 5 rounds"),
        (["o.py:normalised"], 2, "ToeplitzStrategy='normalized=True'"),
        (["o.py:open_rounds"], 2, "n_steps"),
        (["o.py:amplified"], 3, "UNDECIDED: o.py:amplified: CyclicPoisson is sampled or amplified"),
        (["o.py:blt", *NOISE, "--horizon", "5", "--form", "inverse"], 2, "a BLT of C"),
        (["o.py:made"], 2, "Expected --sigma S and --clip G but got neither"),
        (["o.py:made", "--sigma", "1"], 2, "--sigma S and --clip G but got one"),
        (["gone.py:blt", *NOISE], 2, "path='gone.py', which is no file"),
    ],
)  # fmt: skip
def test_what_is_no_encoder_ends_in_one_line(
    arguments: list[str], status: int, words: str, document: Document, capfd: pytest.CaptureFixture[str]
) -> None:
    assert document is not None
    assert run(["matrix", *arguments]) == status
    out, err = capfd.readouterr()
    assert words in out + err
    assert (out + err).count("\n") == 1


def test_what_an_object_raises_names_its_line(document: Document, capfd: pytest.CaptureFixture[str]) -> None:
    assert document is not None
    Path("bad.py").write_text(
        "class M:\n    def materialize(self):\n        raise KeyError('no')\nm = M()\n", encoding="utf-8"
    )
    assert run(["matrix", "bad.py:m", *NOISE]) == 2
    assert re.search(r"M\.materialize raised KeyError.*bad\.py:3", capfd.readouterr().err)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (np.array([1 + 2j]), "complex128"),
        (np.array([[None]]), "real numbers"),
        (np.zeros((2, 2, 2)), "two dimensions"),
        (BufferedToeplitz(np.eye(2), np.eye(2)), "one dimension"),
        (BufferedToeplitz(np.array([2.0]), np.array([1.0])), "decays of size at most 1"),
        (StreamingMatrix(lambda t, i: (t + i) * float("nan")), "finite entries"),
    ],
)  # fmt: skip
def test_objects_of_other_numbers_are_refused(made: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        encoder_of(made, "a", Form.ENCODER, 2)


def test_what_an_object_raises_is_told_as_its_own() -> None:
    with pytest.raises(MechanismError, match=r"StreamingMatrix\.materialize raised ZeroDivisionError"):
        encoder_of(StreamingMatrix(lambda t, i: t / (i - i)), "a", Form.ENCODER, 2)


def mf_gaussian(strategy: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The JSON of opake's `MfGaussian`, version 0.16.1."""
    whole = {"n_steps": 6, "min_sep": 2, "max_participations": 3} | more
    return {"type": "MfGaussian", "noise_multiplier": 2.0, "strategy": strategy, **whole}


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ({"type": "Toeplitz", "coefficients": [1.0, 0.5]}, 3.75),
        ({"type": "BisrStrategy", "bandwidth": 2, "normalized": False, "inv_coefficients": [1.0, 0.0]}, 3),
        ({"type": "IdentityStrategy"}, 3),
        ({"type": "Blt", "buf_decay": [0.0], "output_scale": [0.5]}, 3.75),
    ],
)  # fmt: skip
def test_json_of_opake_is_read_by_its_coefficients(
    strategy: dict[str, Any], expected: float, document: Document
) -> None:
    Path("m.json").write_text(json.dumps(mf_gaussian(strategy)), encoding="utf-8")
    made = document("m.json")
    low, high = squared(made)
    assert low - 1e-9 < expected < high + 1e-9
    assert made["sigma"] == "2"
    assert "library" not in made["sensitivity"]


def test_as_many_participations_as_fit_where_none_are_named(document: Document) -> None:
    said = mf_gaussian({"type": "IdentityStrategy"}, min_sep=1, max_participations=None)
    Path("m.json").write_text(json.dumps(said), encoding="utf-8")
    assert squared(document("m.json")) == (6, 6)


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        (mf_gaussian({"type": "BltStrategy", "max_buffers": 3, "momentum": 1.0}), 2, "BltStrategy, a recipe"),
        (mf_gaussian({"type": "BisrStrategy", "normalized": True, "inv_coefficients": [1, 0]}), 2, "normalized=true"),
        (mf_gaussian({"type": "T", "coefficients": [1, "a"]}), 2, "a list of numbers"),
        (mf_gaussian({"type": "T", "coefficients": []}), 2, "one dimension"),
        (mf_gaussian({"type": "IdentityStrategy"}, n_steps=None), 2, "n_steps"),
        (mf_gaussian({"type": "IdentityStrategy"}, min_sep=0), 2, "min_sep=0"),
        (mf_gaussian({"type": "IdentityStrategy"}) | {"noise_multiplier": 0}, 2, "noise_multiplier=0"),
        ({"type": "BMinSep", "inner": mf_gaussian({"type": "IdentityStrategy"})}, 3, "BMinSep is sampled or amplified"),
        ({"type": "Other"}, 2, "type=Other"),
    ],
)  # fmt: skip
def test_json_that_states_no_matrix_ends_in_one_line(
    said: dict[str, Any], status: int, words: str, document: Document, capfd: pytest.CaptureFixture[str]
) -> None:
    assert document is not None
    Path("m.json").write_text(json.dumps(said), encoding="utf-8")
    assert run(["matrix", "m.json"]) == status
    out, err = capfd.readouterr()
    assert words in out + err
    assert (out + err).count("\n") == 1


def test_a_file_of_that_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert names_object("a.py:b")
    Path("a.py:b").write_text("", encoding="utf-8")
    assert not names_object("a.py:b")
    assert MfGaussian(1.0, None).min_sep == 1
    assert ToeplitzStrategy((1.0,), 1.0).said == 1
