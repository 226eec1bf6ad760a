"""Rows 83 and 84: the clipped release with Geom noise on all integers, and what feedback gains against it."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from instances.exact_curves import curves, q

from dpcert import UNIT_HAMMING, PowerFunction
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError
from dpcert.audit.kernels.draws import enumerated
from dpcert.mechanisms.noise.geometric import truncated_geometric
from dpcert.mechanisms.sums.error_function import from_values
from dpcert.mechanisms.sums.error_process import ErrorProcess
from dpcert.mechanisms.sums.ideal_stream_sum import IdealStreamSum
from dpcert.mechanisms.sums.stream_sum import StreamSum

TARGET = "dpcert.mechanisms.sums.ideal_stream_sum:IdealStreamSum"
MANY = "1000000"
"""An e^eps beyond all finite likelihood ratios here: delta is what one world alone has."""


@cache
def played(horizon: int, **parameters: Any) -> tuple[PowerFunction, PowerFunction]:
    """(fixed-stream, adaptive) under unit-Hamming."""
    return curves(IdealStreamSum(**parameters), horizon, UNIT_HAMMING)


def deltas(horizon: int, slope: str, **parameters: Any) -> tuple[str, str]:
    fixed, adaptive = (curve.hockey_stick(q(slope)) for curve in played(horizon, **parameters))
    return str(fixed), str(adaptive)


# ---------------------------------------------------------------- row 83


@pytest.mark.parametrize(("error", "delta"), [(1, "1/3"), (2, "1/6"), (3, "1/12")])
@pytest.mark.parametrize("slope", ["2", "3", "100", MANY])
def test_clipping_needs_delta(error: int, delta: str, slope: str) -> None:
    """One round: whatever e^eps of at least alpha."""
    assert deltas(1, slope, error=error) == (delta, delta)


@pytest.mark.parametrize("alpha", ["2", "3", "17/10", "8/5", "5/4"])
@pytest.mark.parametrize("error", [1, 2, 5])
def test_one_round_is_the_tail(alpha: str, error: int) -> None:
    """From e^eps = alpha on, if alpha (alpha - 1) >= 1; an end against a mass is a ratio of 1 / (alpha - 1)."""
    a = q(alpha)
    tail = a ** (1 - error) / (a + 1)
    for slope, reached in ((a, a * (a - 1) >= 1), (max(a, 1 / (a - 1)), True), (q(MANY), True)):
        fixed, adaptive = (curve.hockey_stick(slope) for curve in played(1, exp_epsilon=a, error=error))
        assert fixed == adaptive >= tail
        assert (adaptive == tail) == reached


# ---------------------------------------------------------------- row 84


def test_row_84_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    asked = ["audit", TARGET, "--adjacency", "unit-hamming", "--horizon", "2", "--exp-epsilon", "2"]
    assert run([*asked, "--json", str(path), "--quiet"]) == 1  # the fixed-stream guarantee does not lift
    record = json.loads(path.read_text(encoding="utf-8"))
    for side, delta in (("fixed_stream", "25/216"), ("adaptive", "35/216")):
        assert record[side]["delta"] == [{"exp_epsilon": "2", "lower": delta, "upper": delta}]
    assert record["scope"]["positions"] == 26
    assert record["lifts"]["pure"]["verdict"] == "HOLDS"


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("error", [1, 2, 3, 4, 5, 6, 7, 12])
def test_two_rounds_at_alpha_2_in_closed_form(error: int) -> None:
    """Feedback gains a factor that grows to 2 with E."""
    fixed, adaptive = played(2, error=error)
    unit = Fraction(1, 27 * 2 ** (error - 1))
    assert fixed.hockey_stick(q("2")) == (3 * error + 13) * unit
    assert fixed.hockey_stick(q(MANY)) == (3 * error + 10) * unit
    assert adaptive.hockey_stick(q("2")) == adaptive.hockey_stick(q(MANY)) == (6 * error + 11) * unit


@pytest.mark.parametrize("alpha", ["2", "3", "7/2", "3/2"])
@pytest.mark.parametrize("error", [1, 2, 4])
def test_two_rounds_of_any_alpha_in_closed_form(alpha: str, error: int) -> None:
    """The sign of round 1's error says which way to move in round 2; then one end of its window is in one world."""
    a = q(alpha)
    ends = 2 * a / (a + 1) - 2 * a**2 / (a + 1) ** 3
    delta = ((2 * error - 1) * a * (a - 1) / (a + 1) ** 2 + ends) / a**error
    _, adaptive = played(2, exp_epsilon=a, error=error)
    assert adaptive.hockey_stick(q(MANY)) == delta
    assert (adaptive.hockey_stick(a) == delta) == (a >= 2)


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("error", "at_2", "at_4", "beyond"),
    [
        (1, ("50/63", "17/21"), ("16/21", "17/21"), ("37/63", "17/21")),
        (2, ("425/756", "467/756"), ("127/252", "151/252"), ("25/63", "151/252")),
        (3, ("2503/6048", "1403/3024"), ("69/224", "407/1008"), ("127/504", "407/1008")),
        (4, ("1763/5376", "1465/4032"), ("2929/16128", "1031/4032"), ("103/672", "1031/4032")),
        (5, ("108323/387072", "14635/48384"), ("4499/43008", "2503/16128"), ("81/896", "2503/16128")),
        (6, ("784627/3096576", "51691/193536"), ("61129/1032192", "655/7168"), ("1681/32256", "655/7168")),
    ],
)
def test_three_rounds(error: int, at_2: tuple[str, str], at_4: tuple[str, str], beyond: tuple[str, str]) -> None:
    """Y_3 = Z_1 + Z_3, where I_3 = [2..3]: input 2 is counted twice, so 4 is the raw e^eps."""
    assert [deltas(3, slope, error=error) for slope in ("2", "4", MANY)] == [at_2, at_4, beyond]


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("horizon", "slope", "parameters", "both"),
    [
        (2, "3/2", {"exp_epsilon": q("3/2"), "error": 4}, ("171808/492075", "244/675")),
        (3, "9", {"exp_epsilon": q("3"), "error": 2}, ("6577/22464", "721/1872")),
        (4, "16", {"exp_epsilon": q("4"), "error": 2}, ("500133/1960000", "4257/12500")),
        (2, "4", {"exp_epsilon": q("4"), "budget": "uniform"}, ("9727/143360", "41/560")),
        (3, "4", {"exp_epsilon": q("4"), "budget": "uniform"}, ("51733639/412876800", "1957/14400")),
    ],
)
def test_other_noises(horizon: int, slope: str, parameters: dict[str, Any], both: tuple[str, str]) -> None:
    """The last two: epsilon shared by the levels as the schedule has it, alpha_t = 4, 2, 2."""
    assert deltas(horizon, slope, **parameters) == both


def test_an_error_function() -> None:
    steady = played(2, error=from_values((4, 4)))
    assert steady == played(2)
    assert played(2, error=from_values((3, 4)))[1] != steady[1]
    assert IdealStreamSum(error=from_values((3, 4))).horizon == 2


# ---------------------------------------------------------------- noise that is clipped first


class Clipped(ErrorProcess[tuple[int, int]]):
    """Z_1, then Z_1 + Z_2, of Geom(2) clipped to [-5..5]."""

    initial = (0, 0)

    def step(self, state: tuple[int, int], draw: Any) -> tuple[int, tuple[int, int]]:
        error = state[1] + draw(truncated_geometric(Fraction(2), 10))
        return error, (state[0] + 1, error)


class Sums(StreamSum):
    """On bits, with a projection that does nothing when low and high are far away."""

    alphabet = (0, 1)


@pytest.mark.in_turns
def test_clipped_noise_comes_near() -> None:
    """Noise clipped to [-5..5], each end with the whole tail beyond it: a little less than the truth."""
    found = played(2, cut=5)
    assert [curve.hockey_stick(q("2")) for curve in found] == [q("263/2304"), q("23/144")]
    assert found == curves(Sums(Clipped(), from_values((4, 4)), -99, 99), 2, UNIT_HAMMING)
    nearer = [played(2, cut=cut) for cut in (5, 8, 12)] + [played(2)]
    for side, truth in enumerate((q("25/216"), q("35/216"))):
        off = [truth - both[side].hockey_stick(q("2")) for both in nearer]
        assert off == sorted(off, reverse=True)
        assert off[-1] == 0 < off[-2] < q("1/10000")


# ---------------------------------------------------------------- which inputs, and the projection


def test_an_input_moves_the_rise_and_no_state() -> None:
    """So common inputs show nothing, and (x, x + 1) shows what (0, 1) does: {0, 1} attains the supremum."""
    mechanism = IdealStreamSum(error=2)
    states = {mechanism.initial}
    for _ in range(3):
        after = set()
        for state in states:
            still = answered(mechanism, state, 0)
            for x in (-7, 1, 1000):
                moved = {(rise + x, follows): w for (rise, follows), w in still.items()}
                assert answered(mechanism, state, x) == moved
            after |= {follows for _, follows in still}
        states = after
    assert len(states) == 12  # the law of all that follows, mostly, and no history


def answered(mechanism: IdealStreamSum, state: Any, x: int) -> dict[tuple[int, Any], Fraction]:
    """(rise, next state) and their probabilities."""
    weights, total = enumerated("ideal", lambda draw: mechanism.step(state, x, draw))
    return {(release.visible, after): Fraction(w, total) for (release, after), w in weights.items()}


@pytest.mark.in_turns
@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 3), (5, 6)])
@pytest.mark.parametrize(("horizon", "error"), [(2, 4), (3, 2)])
def test_more_inputs_give_no_more_away(low: int, high: int, horizon: int, error: int) -> None:
    assert played(horizon, error=error, low=low, high=high) == played(horizon, error=error)


@pytest.mark.in_turns
def test_the_projection_gives_less_away() -> None:
    """Post-processing of the clipped release; all of it is seen again where [low..high] is wide."""
    for error in (1, 2, 4):
        clipped = played(2, error=error)
        narrow = played(2, error=error, projected=True)
        wide = played(2, error=error, projected=True, low=-error, high=error)
        assert all(one <= other <= most for one, other, most in zip(narrow, wide, clipped, strict=True))
    assert deltas(2, "2", error=2, projected=True, low=-1) == ("13/54", "10/27")
    assert deltas(2, "2", projected=True) == ("0", "0")
    assert deltas(2, "2", projected=True, low=-4, high=4) == ("533/4608", "35/216")


def test_the_projection_is_that_of_the_sums_that_run() -> None:
    for low, high in ((0, 1), (-1, 1)):
        there = curves(Sums(Clipped(), from_values((2, 2)), low, high), 2, UNIT_HAMMING)
        here = curves(Bits(error=2, cut=5, projected=True, low=low, high=high), 2, UNIT_HAMMING)
        assert there == here


class Bits(IdealStreamSum):
    """On bits, whatever the projection takes for the least and the largest input."""

    alphabet = (0, 1)  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"exp_epsilon": Fraction(1)}, "an e\\^epsilon above 1 but got exp_epsilon="),
        ({"error": -1}, "an error of at least 0 \\(at t=1\\) but got error=-1"),
        ({"error": Fraction(1, 2)}, "a whole number or an error function but got error=1/2"),
        ({"error": True}, "a whole number or an error function but got error=True"),
        ({"budget": "flat"}, "a budget \\(each, uniform, sharp\\) but got budget='flat'"),
        ({"cut": -1}, "a cut of at least 0 but got low=0, high=1, cut=-1"),
        ({"low": 2}, "an interval \\[low..high\\] .* but got low=2, high=1"),
    ],
)
def test_bad_parameters_are_one_line(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        IdealStreamSum(**parameters)
