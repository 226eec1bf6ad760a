"""What is small is counted where the code says it again, and taken for rounding, by name, where it does not."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from instances.streaming import small

from dpcert.audit.commands.cli import run

CODE = str(Path(small.__file__))
ROUNDS = 6


@pytest.fixture
def probed(capfd: pytest.CaptureFixture[str]) -> Any:
    def one(name: str, *arguments: str, status: int) -> dict[str, Any]:
        asked = ["probe", f"{CODE}:{name}", "--horizon", str(ROUNDS), *arguments, "--json", "-"]
        assert run(asked) == status, capfd.readouterr()
        return dict(json.loads(capfd.readouterr().out))

    return one


@pytest.mark.parametrize("name", ["LowBits", "LowBitsOfSingle", "NoiseTold"])
def test_inputs_told_in_last_bits_are_told(name: str, probed: Any) -> None:
    made = probed(name, "--claim", "mu=1000", status=1)
    assert made["claims"][0]["verdict"] == "REFUTED"
    assert made["gaussian"] is None


def test_what_a_difference_takes_away_hides_nothing(probed: Any) -> None:
    """C = I + 2^92 J, whose inverse is I - J / 6 but for 2^-92: mu^2 = 5/6."""
    made = probed("Blanket", "--claim", "mu=9/10", status=1)
    lower, upper = (float(Fraction(made["gaussian"]["mu"][end])) for end in ("lower", "upper"))
    assert lower - 1e-12 <= np.sqrt(1 - 1 / ROUNDS) <= upper + 1e-12


def test_what_is_small_and_not_linear_is_open(probed: Any) -> None:
    made = probed("LowSquare", "--claim", "mu=1000", status=3)
    assert "no rounding" in made["missing"]
    assert made["claims"][0]["verdict"] == "UNDECIDED"


def test_an_input_ahead_of_its_round_is_seen_beside_a_constant(probed: Any) -> None:
    made = probed("ahead_of_one", status=1)
    assert made["faults"][0]["name"] == "looks ahead"


@pytest.mark.parametrize(
    ("name", "arguments"), [("Momentum", ()), ("Momentum", ("--restart", "3")), ("summed_twice", ())]
)
def test_rounding_is_no_loss_and_is_named(name: str, arguments: tuple[str, ...], probed: Any) -> None:
    made = probed(name, *arguments, "--claim", "mu=1", status=0)
    assert made["faults"] == []
    assert "taken for combinations of others, to within rounding" in made["claims"][0]["scope"]


def test_a_deviation_that_is_halved_after_it_was_drawn_is_not_kept(probed: Any) -> None:
    made = probed("Halved", "--sigma", "2", status=3)
    assert [one["verdict"] for one in made["claims"]] == ["UNDECIDED"]
    assert made["gaussian"]["mu"]["upper"] == "1"
    assert probed("Halved", "--sigma", "1", status=0)["claims"][0]["verdict"] == "HOLDS"


@pytest.mark.parametrize(("name", "got"), [("LongBits", "float128"), ("LargeWhole", "LARGEST_PROBED")])
def test_numbers_that_are_no_floats_are_bad_input(name: str, got: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["probe", f"{CODE}:{name}"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert got in err
