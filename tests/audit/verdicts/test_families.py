"""rho-zCDP and mu-GDP of a curve, against closed forms and scipy; claims about them on the command line."""

import json
import math
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from instances.seeds import chosen
from scipy.stats import norm

from dpcert import Pmf, PowerFunction, bernoulli, dp_power, examine, from_weights
from dpcert.audit.algebra.renyi import concentrated, gaussian, renyi
from dpcert.audit.commands.cli import run
from dpcert.audit.verdicts.requirements import Requirements, claim
from dpcert.mechanisms.two_round import TwoRound

F = Fraction


def response(lie: Fraction) -> PowerFunction:
    return PowerFunction.from_laws(bernoulli(lie), bernoulli(1 - lie))


def divergence(law0: Pmf[Any], law1: Pmf[Any], order: float) -> float:
    """D_alpha(law1, law0) by its definition, in floats."""
    total = sum(float(w) ** order * float(law0.probability(y)) ** (1 - order) for y, w in law1.items())
    return math.log(total) / (order - 1)


def random_laws(seed: int) -> tuple[Pmf[int], Pmf[int]]:
    generator = Random(seed)
    law0, law1 = (from_weights({y: generator.randint(1, 9) for y in range(4)}) for _ in range(2))
    return law0, law1


@pytest.mark.parametrize("order", [F(3, 2), F(2), F(7), F(64)])
def test_the_divergence_is_that_of_the_laws(order: Fraction) -> None:
    for seed in range(40):
        law0, law1 = random_laws(seed)
        found = renyi(PowerFunction.from_laws(law0, law1), order)
        assert found.lower is not None
        assert found.upper is not None
        expected = max(divergence(law0, law1, float(order)), divergence(law1, law0, float(order)))
        assert float(found.upper - found.lower) < 1e-25
        assert math.isclose(float(found.lower), expected, rel_tol=1e-12, abs_tol=1e-12)


def test_the_divergence_of_disjoint_worlds_is_infinite() -> None:
    assert renyi(dp_power(F(2), F(1, 10)), F(2)).lower is None
    assert concentrated(dp_power(F(2), F(1, 10)), F(100)).kept is False
    with pytest.raises(Exception, match="order above 1"):
        renyi(response(F(1, 4)), F(1))


@pytest.mark.in_turns
def test_concentrated_privacy_is_kept_and_exceeded_on_either_side_of_the_truth() -> None:
    for seed in chosen(range(30)):
        law0, law1 = random_laws(seed)
        if law0 == law1:
            continue
        power = PowerFunction.from_laws(law0, law1)
        orders = [1 + 1e-6, *(1 + i / 50 for i in range(1, 2000))]
        truth = max(divergence(p, q, a) / a for p, q in ((law0, law1), (law1, law0)) for a in orders)
        assert concentrated(power, F(truth * 1.01)).kept is True
        found = concentrated(power, F(truth * 0.99))
        assert found.kept is False
        assert found.at is not None
        assert found.value is not None
        assert found.value > F(truth * 0.99) * found.at


def test_pure_privacy_gives_half_its_square() -> None:
    """epsilon-DP implies epsilon^2 / 2-zCDP."""
    assert concentrated(response(F(1, 4)), F(math.log(3) ** 2 / 2)).kept is True
    assert concentrated(PowerFunction.identity(), F(0)).kept is True
    assert concentrated(response(F(1, 4)), F(0)).kept is False


def test_gaussian_privacy_of_randomised_response_ends_where_scipy_says() -> None:
    """Its one corner (lie, 1 - lie) lies on the Gaussian curve with mu = 2 Phi^-1(1 - lie)."""
    for lie in (F(1, 4), F(1, 3), F(2, 5)):
        truth = 2 * norm.ppf(float(1 - lie))
        assert gaussian(response(lie), F(truth) + F(1, 10**9)) == (True, None)
        kept, corner = gaussian(response(lie), F(truth) - F(1, 10**9))
        assert kept is False
        assert corner is not None
        assert corner.vertex == (lie, 1 - lie)
        value = response(lie).hockey_stick(corner.exp_epsilon, corner.order)
        assert value == 1 - lie - corner.exp_epsilon * lie


def test_a_corner_on_the_right_is_shown_by_the_other_order() -> None:
    power = PowerFunction.from_laws(bernoulli(F(9, 10)), bernoulli(F(19, 20)))
    kept, corner = gaussian(power, F(1, 10))
    assert kept is False
    assert corner is not None
    assert corner.exp_epsilon >= 1
    x, y = corner.vertex
    first, second = (y, x) if corner.order == "1-0" else (1 - x, 1 - y)
    assert power.hockey_stick(corner.exp_epsilon, corner.order) == first - corner.exp_epsilon * second


def test_delta_at_infinity_is_no_gaussian_privacy() -> None:
    kept, corner = gaussian(dp_power(F(2), F(1, 10)), F(50))
    assert kept is False
    assert corner is not None


def asked(tmp_path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    record = tmp_path / "record.json"
    status = run(["audit", "two-round", "--quiet", "--json", str(record), *options])
    return status, json.loads(record.read_text(encoding="utf-8"))


def test_claims_of_both_kinds_on_the_command_line(tmp_path: Path) -> None:
    status, record = asked(tmp_path, "--claim", "rho=1", "--claim", "mu=1")
    assert status == 0
    assert [(one["requirement"], one["method"]) for one in record["requirements"]] == [
        ("1-zCDP", "ENCLOSED"),
        ("1-GDP", "ENCLOSED"),
    ]
    status, record = asked(tmp_path, "--claim", "mu=0.1")
    assert status == 1
    witness = record["requirements"][0]["witness"]
    shown = [s for s in record["adaptive"]["strategies"] if s["exp_epsilon"] == witness["exp_epsilon"]]
    assert {s["order"] for s in shown} == {"0-1", "1-0"}
    by_hand = Fraction(witness["power"]) - Fraction(witness["exp_epsilon"]) * Fraction(witness["level"])
    assert Fraction(next(s["delta"] for s in shown if s["order"] == witness["order"])) == by_hand


def test_an_excess_of_rho_is_shown_by_streams_that_can_be_run() -> None:
    record = examine(TwoRound(), requirements=Requirements((claim("rho=0.001"),)))
    one = record["requirements"][0]
    assert one["verdict"] == "REFUTED"
    laws = []
    for name in ("stream0", "stream1"):
        x, q = (int(value) for value in one["witness"][name])
        laws.append(TwoRound().law((x,)).product(TwoRound().law((x, q))))
    order = float(Fraction(one["witness"]["alpha"]))
    reached = max(divergence(laws[0], laws[1], order), divergence(laws[1], laws[0], order))
    assert reached > float(Fraction(one["witness"]["claimed"]))
    assert math.isclose(reached, float(Fraction(one["witness"]["divergence"])), rel_tol=1e-9)


@pytest.mark.parametrize("written", ["rho=-1", "mu=x", "rho=1,delta=1/2", "mu=1,mu=2", "rho", "nu=1", "rho=1,mu=1"])
def test_bad_claims_are_one_line(written: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "two-round", "--claim", written]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Expected" in err
