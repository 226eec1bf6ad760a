"""No Fraction, and no integer that may be large, is turned to text by Python itself, which ends at 4,300 digits.

`rational.text`, `integer_text` and `decimals` write numbers of any length, `label` and `errors.short` whatever comes.
Found by the types that mypy gives to every expression, so wherever it stands and however it is named.
"""

import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from mypy.build import BuildSource
from mypy.main import process_options
from structure.numbers_in_text import Place, places

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = {
    ("dpcert.audit.algebra.rational", "integer_text"): "writes up to 10,000 bits by itself, and asks first",
    ("dpcert.audit.errors", "short"): "asks for the size first",
    (
        "dpcert.verify_rung",
        "bound_by_digests",
    ): "of no more digits than MOST_DIGITS, in a file that imports only the other",
    ("dpcert.mechanisms.live.event_lines", "behind"): "events read one by one",
    ("dpcert.mechanisms.commands.run", "summary"): "events read one by one",
}
"""Functions that may write what they write, and why it is short."""
PLANTED = """
from dataclasses import dataclass
from fractions import Fraction
from math import floor
import json

@dataclass(frozen=True)
class Promise:
    delta: Fraction
    events: int

@dataclass(frozen=True)
class Told:
    delta: Fraction
    def __str__(self) -> str:
        return "told"

@dataclass
class Holder:
    weight: int

def interpolated(x: Fraction) -> str:
    return f"delta {x}"
def shown(x: Fraction) -> str:
    return f"{x!r:>12}"
def called(x: Fraction) -> str:
    return str(x)
def represented(x: Fraction | None) -> str:
    return repr(x)
def formatted(x: Fraction) -> str:
    return "{}".format(x) + format(x, "")
def by_percent(x: Fraction) -> str:
    return "%s of %s" % (x, 1)
def printed(x: Fraction) -> None:
    print("delta", x)
def dumped(x: Fraction) -> str:
    return json.dumps({"n": x.numerator})
def mapped(xs: list[Fraction]) -> str:
    return ", ".join(map(str, xs))
def nested(x: tuple[tuple[Fraction, int], ...]) -> str:
    return str(x)
def of_a_dataclass(x: Promise) -> str:
    return f"{x}"
def by_method(x: Fraction) -> str:
    return x.__str__()
def parts(x: Fraction) -> str:
    n, d = x.numerator, x.denominator
    return f"{n}/{d}"
def _floor(x: Fraction) -> int:
    return floor(1 / x)
def through_a_function(x: Fraction) -> str:
    least = _floor(x) + 1
    return f"{least}"
def through_a_parameter(n: int) -> str:
    return f"at most {n}"
def power(k: int) -> str:
    through_a_parameter(2**k)
    return str(1 << k)
def through_a_field(x: Fraction) -> str:
    held = Holder(weight=x.numerator)
    return f"{held.weight}"
def through_a_list(xs: list[Fraction]) -> str:
    weights = []
    for x in xs:
        weights.append(x.numerator)
    return f"{weights[0]}"

def fine(x: Fraction, told: Told, n: int, xs: list[int]) -> str:
    bits = x.numerator.bit_length()
    return f"{told} {n} {len(xs)} {bits} {float(x)} {x.numerator % 10} {2**10} {x > 1} {max(xs)}"
"""
HARMLESS = {"fine", "_floor", ""}


def found(folder: Path) -> list[Place]:
    """What is found in dpcert and in a module of planted faults; one run of the type checker for both."""
    file = folder / "planted.py"
    file.write_text(PLANTED, encoding="utf-8")
    kept = folder / "kept"
    if (ROOT / ".mypy_cache").exists():  # as `make lint` leaves it; without it everything is read
        shutil.copytree(ROOT / ".mypy_cache", kept)
    with chdir(ROOT):
        sources, options = process_options(["--config-file", "pyproject.toml"])
        return places([*sources, BuildSource(str(file), "planted")], options, ("dpcert", "planted"), kept)


@pytest.mark.in_turns
def test_no_number_is_written_by_python_itself_and_every_planted_fault_is_found(tmp_path: Path) -> None:
    """One test, for one run of the type checker; what is allowed is still there."""
    every = found(tmp_path)
    own = [one for one in every if one.module != "planted"]
    left = [one for one in own if (one.module, one.function) not in ALLOWED]
    assert not left, "\n".join(f"{one.module}:{one.line} in {one.function}: {one.what}" for one in left)
    assert {(one.module, one.function) for one in own} == set(ALLOWED)
    functions = {line.split("(")[0][4:] for line in PLANTED.splitlines() if line.startswith("def ")}
    assert {one.function for one in every if one.module == "planted"} == functions - HARMLESS
