"""Objects of the real jax-privacy and dp-accounting through our commands, our numbers beside theirs.

They are in the environment that `make bench` sets up, or in the one whose Python DPCERT_PEERS names.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.real("peers")

ROOT = Path(__file__).resolve().parents[3]
PYTHON = Path(os.environ.get("DPCERT_PEERS") or ROOT / ".venv-peers" / "bin" / "python")
OBJECTS = ROOT / "tests" / "benchmarks" / "peers" / "objects.py"
SCRIPT = ROOT / "tests" / "benchmarks" / "peers" / "matrices.py"
ASKED = """
import contextlib, io, json, sys
from dpcert.audit.commands.cli import run
answers = []
for arguments in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = run([*arguments, "--json", "-"])
    answers.append([status, out.getvalue()])
print(json.dumps(answers))
"""
INTERVAL = Fraction(1, 10**4)
"""The grid of their privacy loss distributions, to whose next point every loss is rounded."""
ROUNDING = Fraction(1, 10**7)
"""What float32 may round off a column of a few entries, and a sum of floats."""
NOISE = ["--sigma", "1", "--clip", "1"]
THREE = ["--max-participations", "3", "--min-separation", "4"]
TWO = ["--max-participations", "2", "--min-separation", "2"]
EPOCHS = ["--epochs", "4", "--rounds-an-epoch", "4"]
MATRICES = {
    "blt": ["blt", "--horizon", "16"],
    "blt, three": ["blt", "--horizon", "16", *THREE],
    "streaming": ["streaming", "--horizon", "16", "--form", "encoder"],
    "noising": ["noising", "--horizon", "16", "--form", "inverse"],
    "coefficients": ["coefficients"],
    "banded": ["column_normalised", *THREE],
    "banded, epochs": ["column_normalised", *EPOCHS],
    "banded as an array": ["as_array", *THREE],
    "banded, float32": ["single", *THREE],
    "coefficients, float32": ["coefficients_single"],
    "noising, float32": ["noising_single", "--horizon", "16", "--form", "inverse", *TWO],
}
REPLACED = ["--neighbours", "replace-one"]
EVENTS = {
    "gaussian": [], "gaussian_far": [], "discrete": [], "discrete_both": [], "laplace": [], "concentrated": [],
    "nothing": [], "no_privacy": [], "sampled": [], "enumerated": [], "randomised": REPLACED,
    "randomised_once": REPLACED,
}  # fmt: skip


@cache
def packages() -> tuple[str, str]:
    """Where the peers' packages are; else why they cannot be used."""
    if not PYTHON.exists():
        return "", f"the peers' environment is missing, no {PYTHON}: `make bench` sets it up, or set DPCERT_PEERS"
    probe = (
        "import sys, sysconfig, jax_privacy, dp_accounting; print(sys.version_info[:2], sysconfig.get_path('purelib'))"
    )
    done = subprocess.run([str(PYTHON), "-c", probe], capture_output=True, text=True, check=False)
    if done.returncode:
        return "", f"the peers do not import: {done.stderr.strip().splitlines()[-1]}"
    version, _, folder = done.stdout.strip().rpartition(" ")
    return (folder, "") if version == str(sys.version_info[:2]) else ("", f"the peers are of Python {version}")


@cache
def answers() -> dict[str, tuple[int, Any]]:
    """Everything that is asked, in one process: importing jax takes seconds."""
    lines: dict[str, Sequence[str]] = {
        name: ["matrix", f"{OBJECTS}:{object_}", *NOISE, *rest] for name, (object_, *rest) in MATRICES.items()
    }
    deltas = [part for delta in ("1e-2", "1e-5", "1e-12") for part in ("--delta", delta)]
    lines |= {name: ["gaussian", "--event", f"{OBJECTS}:{name}", *deltas, *rest] for name, rest in EVENTS.items()}
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        input=json.dumps(list(lines.values())), capture_output=True, text=True, check=False,
        env={**os.environ, "DPCERT_PEER_PACKAGES": packages()[0]},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout.splitlines()[-1])
    return {name: (status, json.loads(out) if out else None) for name, (status, out) in zip(lines, made, strict=True)}


@pytest.fixture(autouse=True)
def _peers() -> None:
    if reason := packages()[1]:
        pytest.skip(reason)


def squared(name: str) -> tuple[Fraction, Fraction, Fraction | None]:
    """Both ends of ours, and theirs."""
    status, made = answers()[name]
    assert status == 0
    ours, theirs = made["sensitivity"]["l2_squared"], made["sensitivity"].get("library")
    return Fraction(ours["lower"]), Fraction(ours["upper"]), None if theirs is None else Fraction(theirs["l2_squared"])


@pytest.mark.parametrize("name", ["blt", "streaming", "banded", "banded, epochs", "banded, float32"])
def test_sensitivities_are_those_of_jax_privacy(name: str) -> None:
    low, high, theirs = squared(name)
    assert theirs is not None
    assert abs(theirs - low) <= 8 * ROUNDING * low
    assert high - low <= ROUNDING


def test_their_upper_bound_of_several_participations_is_not_below_ours() -> None:
    low, high, theirs = squared("blt, three")
    assert theirs is not None
    assert low <= high < theirs
    by = answers()["blt, three"][1]["sensitivity"]["library"]["by"]
    assert by == "jax-privacy, get_min_sep_sensitivity_upper_bound"


def test_the_encoder_and_the_matrix_that_correlates_noise_are_the_same_mechanism() -> None:
    one, other = squared("blt")[:2], squared("noising")[:2]
    assert one[0] <= other[1] + ROUNDING
    assert other[0] <= one[1] + ROUNDING


def test_float32_moves_a_column_by_no_more_than_it_rounds() -> None:
    exact, single = squared("banded")[0], squared("banded, float32")[0]
    assert 0 < abs(exact - single) < 8 * ROUNDING * exact
    assert abs(squared("coefficients")[0] - squared("coefficients, float32")[0]) < 8 * ROUNDING
    assert squared("noising, float32")[0] > 1


def test_an_array_is_what_it_was_written_out_from() -> None:
    assert squared("banded as an array")[:2] == squared("banded")[:2]


def test_toeplitz_participations_are_those_of_jax_privacy() -> None:
    """By the benchmark's own script, its quantities made small."""
    from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
    from dpcert.mechanisms.matrices.participations import Separated
    from dpcert.mechanisms.matrices.square_root import square_root

    small = ["--toeplitz", "64", "--dense", "16", "--patterns", "16", "--rounds", "1"]
    done = subprocess.run([str(PYTHON), str(SCRIPT), *small], capture_output=True, text=True, check=True)
    values = {line["name"]: line["value"] for line in map(json.loads, done.stdout.splitlines())}
    ours = column_sensitivity(square_root(16), Separated(8, 2)).l2_squared
    assert values["Toeplitz, 8 participations, T = 16"] == pytest.approx(float(ours.upper), rel=1e-12)
    once = square_root(64).squared_norms()
    assert values["Toeplitz, T = 64"] == pytest.approx(once.upper[0] / 2**once.bits, rel=1e-12)


def points(name: str) -> list[tuple[Fraction | None, Fraction | None, Fraction | None, Fraction | None]]:
    """Lower, upper, theirs, and how far theirs is short."""
    status, made = answers()[name]
    assert status == 0
    keys = ("lower", "upper", "theirs", "short")
    return [tuple(None if one[k] is None else Fraction(one[k]) for k in keys) for one in made["epsilon"]]  # type: ignore[misc]  # four


@pytest.mark.parametrize(
    ("name", "count"), [("gaussian", 1), ("gaussian_far", 1), ("discrete", 20), ("discrete_both", 2), ("laplace", 10)]
)
def test_dp_accounting_agrees_within_its_grid(name: str, count: int) -> None:
    """A loss is rounded up by at most a grid point in each of so many distributions; theirs is never far below."""
    for low, high, theirs, short in points(name):
        assert low is not None
        assert high is not None
        assert theirs is not None
        assert low - 10 * ROUNDING <= theirs <= high + count * INTERVAL
        assert short is not None or theirs >= low
        assert short is None or 0 < short < 10 * ROUNDING


def test_a_randomised_response_composed_with_itself_is_counted_once_by_dp_accounting() -> None:
    """dp-accounting 0.6.0 leaves the count aside; both numbers are shown, with how far theirs is short."""
    once, often = points("randomised_once"), points("randomised")
    for (_, high, theirs, short), (low, _, theirs_often, short_often) in zip(once, often, strict=True):
        assert high is not None
        assert theirs is not None
        assert abs(theirs - high) < INTERVAL
        assert short is None or short < ROUNDING
        if answers()["randomised"][1]["library"] == "dp-accounting 0.6.0, PLD":
            assert theirs_often == theirs
            assert low is not None
            assert short_often is not None
            assert short_often > 5
            assert abs(short_often - (low - theirs)) < ROUNDING


def test_bounds_and_the_ends_of_privacy_beside_theirs() -> None:
    for low, high, theirs, short in points("concentrated"):
        assert low is short is None
        assert high is not None
        assert theirs is not None
        assert high <= theirs + ROUNDING
    assert all(point == (0, 0, 0, None) for point in points("nothing"))
    assert all(low is high is None for low, high, _, _ in points("no_privacy"))
    assert all(theirs is None for _, _, theirs, _ in points("enumerated"))
    assert answers()["sampled"] == (3, None)
