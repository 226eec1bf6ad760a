"""`dpcert gaussian`: tables and a document that say the same, and bad input in one line."""

import json
import re
from fractions import Fraction
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from dpcert.audit.commands.cli import run
from dpcert.mechanisms.accounting.document import GaussianAccount
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.accounting.table import lead

SCHEMA = json.loads(files("dpcert.audit.records").joinpath("schemas", "gaussian-1.json").read_text(encoding="utf-8"))


def printed(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["gaussian", *arguments]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return out


def document(capfd: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    made = json.loads(printed(capfd, *arguments, "--json", "-"))
    jsonschema.validate(made, SCHEMA)
    return dict(made)


def test_the_ends_hold_the_enclosure(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, "--sigma", "3", "--sensitivity", "1/2", "--delta", "1e-5", "--epsilon", "1/3")
    product = GaussianProduct(GaussianShift.of_mu(Fraction(1, 6)))
    for row, found in (
        (made["epsilon"][0], product.epsilon_for(Fraction(1, 10**5)).finite()),
        (made["delta"][0], product.delta_at(Fraction(1, 3)).finite()),
    ):
        assert row["bound"] == "exact"
        assert Fraction(row["lower"]) <= found.lower <= found.upper <= Fraction(row["upper"])
        assert Fraction(row["upper"]) - Fraction(row["lower"]) < found.upper / 10**12
    assert made["one_hop"] == made["all_hops"]
    assert made["one_hop"]["mu"] == {"lower": "1/6", "upper": "1/6"}
    assert made["one_hop"]["rho"] == {"lower": "1/72", "upper": "1/72"}
    assert [row["bound"] for row in made["epsilon"]] == ["exact", "upper bound", "upper bound"]


def test_the_table_is_rounded_outward(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ("--mu", "1", "--hops", "2", "--delta", "1e-5", "--delta", "1e-300")
    text, made = printed(capfd, *arguments), document(capfd, *arguments)
    rows = [line.split() for line in text.splitlines() if " exact " in line]
    exact = [row for row in made["epsilon"] if row["bound"] == "exact"]
    for (_, low, high, *_), row in zip(rows, exact, strict=True):
        assert Fraction(low) <= Fraction(row["lower"]) < Fraction(row["upper"]) <= Fraction(high)
    group = [row for row in made["epsilon"] if row["way"] == "group privacy of 2 hops"]
    assert [Fraction(g["lower"]) > Fraction(e["upper"]) for g, e in zip(group, exact, strict=True)] == [True, True]
    assert "group privacy of 2 hops" in text


def test_targets_alone_and_beside_a_mechanism(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, "--target", "1,1e-5", "--target", "0,1/10", "--digits", "3")
    assert [(one["parameter"], Fraction(one["value"])) for one in made["solved"][:3]] == [
        ("sigma", Fraction("3.74")), ("mu", Fraction("0.268")), ("rho", Fraction("0.0359"))
    ]  # fmt: skip
    assert all(one["tightest"] for one in made["solved"])
    assert made["one_hop"] is None
    assert made["epsilon"] == made["delta"] == []
    both = document(capfd, "--target", "1,1e-5", "--mu", "1", "--epsilon", "2")
    assert len(both["solved"]) == len(both["delta"]) == 3


def test_without_a_number_a_usual_delta_is_taken(capfd: pytest.CaptureFixture[str]) -> None:
    assert {row["delta"] for row in document(capfd, "--mu", "1")["epsilon"]} == {"1/1000000"}


def test_rho_alone_is_said_to_be_of_gaussian_noise(capfd: pytest.CaptureFixture[str]) -> None:
    warning = "any other rho-zCDP mechanism keeps the bounds by RDP alone"
    assert warning in printed(capfd, "--rho", "1/2")
    assert warning not in printed(capfd, "--mu", "1")
    made, same = document(capfd, "--rho", "1/2", "--delta", "1e-5"), document(capfd, "--mu", "1", "--delta", "1e-5")
    assert (made["one_hop"]["mu_exact"], same["one_hop"]["mu_exact"]) == (False, True)
    assert [(row["bound"], row["of"]) for row in made["epsilon"]] == [
        ("exact", "Gaussian noise"), *[("upper bound", "every rho-zCDP mechanism")] * 2,
    ]  # fmt: skip
    assert made["epsilon"] == same["epsilon"]
    solved = document(capfd, "--target", "1,1e-5")["solved"]
    assert {row["of"] for row in solved} == {"Gaussian noise"}
    assert warning not in lead(GaussianAccount(GaussianShift.of_rho(1), 1, (), ()))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "a mechanism by mu, rho or sigma"),
        (("--delta", "1e-5"), "a mechanism by mu, rho or sigma"),
        (("--target", "1,1e-5", "--hops", "2"), "a mechanism by mu, rho or sigma"),
        (("--mu", "1", "--rho", "1"), "one of --mu, --rho and --sigma"),
        (("--mu", "0"), "a mu above 0 but got mu=0"),
        (("--rho", "-1"), "a rho above 0 but got rho=-1"),
        (("--sigma", "0"), "a sigma above 0 but got sigma=0"),
        (("--sigma", "1", "--sensitivity", "0"), "a sensitivity above 0"),
        (("--mu", "nan"), "mu='nan'"),
        (("--sigma", "inf"), "sigma='inf'"),
        (("--mu", "1e301"), "a mu from 10^-300 to 10^300"),
        (("--mu", "9" * 70_000), "2^65536"),
        (("--mu", "1", "--delta", "0"), "a delta above 0 and below 1"),
        (("--mu", "1", "--delta", "2"), "a delta in [0, 1]"),
        (("--mu", "1", "--epsilon", "-1"), "an epsilon from 0"),
        (("--target", "1"), "epsilon and delta as E,D but got target=1"),
        (("--target", "1,x"), "a rational such as"),
        (("--target", "1,1/2", "--digits", "13"), "a number of digits from 1 to 12"),
        (("--mu", "1", "--hops", "0"), "a whole number of at least 1"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["gaussian", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert re.fullmatch(r"dpcert: Expected [^\n]{1,900}\n", err)
    assert said in err
