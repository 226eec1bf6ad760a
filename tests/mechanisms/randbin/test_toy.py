"""The neighbour-preserving game of the toy RandBin: claims row 53, to the last digit, by the command itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from dpcert.audit.commands.cli import run
from dpcert.audit.records.record import read

TOY = ["audit", "randbin-toy", "--game", "npp", "--param", "exp_epsilon=2", "--param", "level=2", "--param", "error=1"]
SLOPES = ["--exp-epsilon", "1", "--exp-epsilon", "2", "--exp-epsilon", "4"]


KNOWN: dict[tuple[str, int], str] = {}


def audited(tmp_path: Path, noise: str, horizon: int) -> dict[str, Any]:
    """The record that the command writes, once for all who look at it; it must hold, and be one of the schema."""
    if (noise, horizon) not in KNOWN:
        path = tmp_path / "record.json"
        asked = ["--param", f"noise={noise}", "--horizon", str(horizon), "--json", str(path), "--quiet"]
        assert run([*TOY, *SLOPES, *asked]) == 0
        KNOWN[noise, horizon] = path.read_text(encoding="utf-8")
        read(KNOWN[noise, horizon])
    document: dict[str, Any] = json.loads(KNOWN[noise, horizon])
    return document


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("noise", "horizon", "deltas"),
    [
        ("uniform", 13, ["446/729", "389/729", "3337/6561"]),
        ("triangular", 9, ["5/81", "5/81", "5/81"]),  # clipped to -1..1 it is the uniform law
        pytest.param("triangular", 13, ["446/729", "389/729", "3337/6561"], marks=pytest.mark.thorough),
        ("uniform", 9, ["5/81", "5/81", "5/81"]),
        ("none", 9, ["1/9", "1/9", "1/9"]),
        ("none", 13, ["1", "1", "1"]),
        ("none", 20, ["1", "1", "1"]),
    ],
)
def test_delta_of_the_toy(tmp_path: Path, noise: str, horizon: int, deltas: list[str]) -> None:
    record = audited(tmp_path, noise, horizon)
    for side in ("adaptive", "fixed_stream"):
        assert [(one["lower"], one["upper"]) for one in record[side]["delta"]] == [(d, d) for d in deltas]
    assert [strategy["delta"] for strategy in record["adaptive"]["strategies"]] == [
        strategy["replayed"] for strategy in record["adaptive"]["strategies"]
    ]
    assert record["game"] == "npp"
    assert record["scope"]["adjacency"] == "edit"
    assert not record["vacuous"]


@pytest.mark.in_turns
def test_without_noise_the_branches_are_told_apart_from_step_13_on(tmp_path: Path) -> None:
    assert audited(tmp_path, "none", 12)["adaptive"]["total_variation"] != "1"


@pytest.mark.in_turns
def test_the_bound_and_what_is_used_of_it(tmp_path: Path) -> None:
    bound = audited(tmp_path, "uniform", 13)["bound"]
    assert (bound["verdict"], bound["method"], bound["dp"], bound["complete"]) == ("HOLDS", "EXHAUSTIVE", None, True)
    assert [one["bound"] for one in bound["used"]] == ["211/243"] * 3
    assert bound["used"][0]["used"] == "446/633"
    assert ["0", "211/243"] in bound["power"]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("horizon", [1, 6, 7, 8])
def test_before_the_first_bin_it_holds_vacuously(tmp_path: Path, horizon: int) -> None:
    record = audited(tmp_path, "uniform", horizon)
    words = (
        "No hidden output (bin) can come before step 7" if horizon < 7 else "can come from step 7 on, but none so far"
    )
    assert record["vacuous"]
    assert words in record["bound"]["detail"]


def test_the_schedule_alone_gives_nothing_away(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    assert run(["audit", "randbin-toy", "--adjacency", "edit", "--horizon", "20", "--json", str(path), "--quiet"]) == 0
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["vacuous"]
    assert record["game"] == "paired"
