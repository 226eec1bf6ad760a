"""hybrid-core and stream-sum at rational size, to the last digit: a scheduler that has half of e^eps = 16 to spend.

e^eps is 4, so round 1 has alpha = 4 and a round of segment 1 alpha = 2; noise ends have 1/8 for rounds that hold one
item together. Rows 78, 79, 81 and 84; paper.tex, th:prefix_sum.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.exact_curves import curves

from dpcert import UNIT_HAMMING
from dpcert.audit.algebra.decimals import up
from dpcert.audit.budget import Budget
from dpcert.audit.commands.cli import run
from dpcert.audit.records.record import read
from dpcert.mechanisms.noise.bounded_geometric import power_below
from dpcert.mechanisms.sums.hybrid_core import HybridCore
from dpcert.mechanisms.sums.hybrid_stream_sum import HybridStreamSum

CORE = "dpcert.mechanisms.sums.hybrid_core:HybridCore"
SUM = "dpcert.mechanisms.sums.hybrid_stream_sum:HybridStreamSum"
SIZE = ["--param", "exp_epsilon=4", "--param", "truncation=1/8"]
SLOPES = ("1", "2", "4")


def audited(tmp_path: Path, target: str, horizon: int, *asked: str) -> tuple[int, dict[str, Any]]:
    """(exit status, record) of the paired game on unit-Hamming streams, as the command writes it."""
    path = tmp_path / "record.json"
    slopes = [word for slope in SLOPES for word in ("--exp-epsilon", slope)]
    game = ["--adjacency", "unit-hamming", "--horizon", str(horizon), "--json", str(path), "--quiet"]
    status = run(["audit", target, *SIZE, *slopes, *game, *asked])
    read(path.read_text(encoding="utf-8"))
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return status, document


def deltas(record: dict[str, Any], side: str) -> list[str]:
    assert all(one["lower"] == one["upper"] for one in record[side]["delta"])
    return [one["lower"] for one in record[side]["delta"]]


# ---------------------------------------------------------------- the core


@pytest.mark.parametrize("budget", ["uniform", "sharp"])
@pytest.mark.parametrize(
    ("horizon", "ends"),
    [
        (1, "1/26"),  # one noise on [-2..2]: 1, 4, 16, 4, 1
        (2, "1/22"),  # one on [-3..3]: 1, 2, 4, 8, 4, 2, 1
        (3, "43/484"),  # two of these: 1 - (21/22)^2
    ],
)
def test_the_core(tmp_path: Path, budget: str, horizon: int, ends: str) -> None:
    status, record = audited(tmp_path, CORE, horizon, "--param", f"budget={budget}")
    assert status == 0
    assert record["game"] == "paired"
    for side in ("fixed_stream", "adaptive"):
        assert deltas(record, side) == ["8/13", "11/26", ends]  # round 1 at e^eps 1 and 2, all of it spent at 4
        assert record[side]["delta_at_infinity"] == ends
    assert record["lifts"]["curve"]["verdict"] == "HOLDS"
    assert {one["item"]: one["verdict"] for one in record["checklist"]}["POST_PROCESSING"] == "HOLDS"


def test_the_core_on_hamming_streams_is_certified_on_the_scalar_rung(tmp_path: Path) -> None:
    status, record = audited(tmp_path, CORE, 3, "--adjacency", "hamming", "--require-certified")
    stable = next(one for one in record["checklist"] if one["item"] == "STABLE_COST")
    assert (status, stable["verdict"], stable["rung"]) == (0, "HOLDS", "SCALAR")
    assert stable["rungs"][0]["witness"]["index_sets"] == [[1], [2], [2, 3]]


# ---------------------------------------------------------------- the clipped and projected sum


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    ("errors", "horizon", "fixed", "adaptive"),
    [
        ("1", 1, ["8/13", "11/26", "1/26"], None),
        ("1", 2, ["8/13", "11/26", "191/572"], None),
        ("1", 3, ["7831/12584", "293/572", "293/572"], ["3959/6292", "293/572", "293/572"]),
        ("2", 2, ["8/13", "11/26", "1/26"], None),
        ("2", 3, ["8/13", "11/26", "1107/12584"], ["8/13", "11/26", "613/6292"]),
        ("1,2,3", 3, ["8/13", "11/26", "521/12584"], ["8/13", "11/26", "25/484"]),
    ],
)
def test_the_stream_sum(
    tmp_path: Path, errors: str, horizon: int, fixed: list[str], adaptive: list[str] | None
) -> None:
    """Feedback helps: the two columns part in round 3, and the fixed-stream guarantee does not carry over."""
    status, record = audited(tmp_path, SUM, horizon, "--param", f"errors={errors}")
    assert deltas(record, "fixed_stream") == fixed
    assert deltas(record, "adaptive") == (adaptive or fixed)
    assert status == (0 if adaptive is None else 1)
    assert [s["delta"] for s in record["adaptive"]["strategies"]] == [
        s["replayed"] for s in record["adaptive"]["strategies"]
    ]


def test_four_rounds_of_the_stream_sum() -> None:
    """Round 4 draws from the first law with an irrational root: alpha = 4^(1/3), rounded down to 20 bits."""
    target = HybridStreamSum(exp_epsilon=Fraction(4), truncation=Fraction(1, 8), errors=(2,))
    assert target.noise.exp_epsilon_at(4) == Fraction(1664510, 2**20)
    fixed, adaptive = curves(target, 4, UNIT_HAMMING)
    assert str(fixed.delta(4)) == "5359245214058567317501719543/23356009298985280952318841128"
    assert str(adaptive.delta(4)) == "5494775492141710664966176209/23356009298985280952318841128"


def test_the_promise_is_on_the_page(tmp_path: Path) -> None:
    _, record = audited(tmp_path, SUM, 2, "--param", "errors=1", "--param", "alphabet=-1,0,1")
    promise = record["sections"][0]
    assert promise["title"] == "Promise"
    assert "The alphabet goes beyond it (-1): there E is not promised" in promise["text"]
    assert promise["rows"] == [["1", "1", "1", "0 to 1"], ["2", "1", "2", "0 to 1"]]


def test_a_report_says_what_is_spent() -> None:
    made = HybridCore(Fraction(4), "uniform", Fraction(1, 4)).sections(7, Budget())[0]
    assert [row[0] for row in made["rows"]] == ["0", "1", "2"]
    assert [row[4] for row in made["rows"][:2]] == ["4", "4"]
    third = power_below(Fraction(4), Fraction(1, 3))
    assert made["rows"][2][4] == f"≈ {up(third**3)}"
    assert third**3 < 4
