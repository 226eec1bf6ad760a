"""A certificate with a rung: the checker works out one-round curves anew, and names the theorem."""

import io
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.random_core import random_core
from instances.seeds import chosen

from dpcert.audit.algebra.pmf import bernoulli
from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError
from dpcert.audit.examine import examination
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound
from dpcert.verify_certificate import Invalid, verify

STABLE, FUTURE = "sec:cert/context_stability_suffices", "sec:cert/future_stability_suffices"
SCOPE: dict[str, Any] = {"challenge_round": None, "epsilons": (), "deltas": (), "exp_epsilons": (Fraction(1),)}


class FirstDecides:
    """What round 2 says of its own input depends on the first one: FUTURE_STABLE and no more."""

    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Any:
        quarters = {(0, 0): 1, (0, 1): 3}
        return bernoulli(Fraction(quarters.get(prefix, 2), 4))


def made(mechanism: object, horizon: int, hops: int = 1) -> str:
    found = examination(mechanism, horizon=horizon, hops=hops, **SCOPE)
    return certificate(found.audited, found.record.document, rung=True)


def given(text: str) -> list[str]:
    return verify(io.StringIO(text))[0]


@pytest.mark.parametrize(
    ("mechanism", "horizon", "theorem"),
    [(RandomizedResponse(), 3, STABLE), (IntervalSums(), 3, STABLE), (FirstDecides(), 2, FUTURE)],
)
def test_the_theorem_is_named(mechanism: object, horizon: int, theorem: str) -> None:
    assert given(made(mechanism, horizon)) == [f"{theorem} (proved in Coq)"]


@pytest.mark.parametrize("seed", chosen(range(60)))
def test_a_rung_is_written_where_the_checklist_has_it(seed: int) -> None:
    core = random_core(seed, 2, 2, 1 + seed % 3)
    found = examination(core, horizon=1 + seed % 3, hops=1, **SCOPE)
    (stable,) = [one for one in found.record.document["checklist"] if one["item"] == "STABLE_COST"]
    held = {rung["rung"] for rung in stable["rungs"] if rung["verdict"] == "HOLDS"}
    if "FUTURE_STABLE" in held:
        text = certificate(found.audited, found.record.document, rung=True)
        assert given(text) == [f"{STABLE if 'CONTEXT_STABLE' in held else FUTURE} (proved in Coq)"]
    else:
        with pytest.raises(ArgumentError, match="CONTEXT_STABLE or FUTURE_STABLE"):
            certificate(found.audited, found.record.document, rung=True)


Lines = list[dict[str, Any]]


def another_curve(lines: Lines) -> None:
    listed = [line for line in lines if "challenge" in line]
    other = next(one for one in listed if one["curves"] != listed[0]["curves"])
    listed[0]["curves"], other["curves"] = other["curves"], listed[0]["curves"]


def another_pair(lines: Lines) -> None:
    line = next(line for line in lines if "challenge" in line)
    line["challenge"][1] = line["challenge"][2]


def a_curve_fewer(lines: Lines) -> None:
    next(line for line in lines if "challenge" in line)["curves"].pop()


def none(lines: Lines) -> None:
    lines[0]["rung"] = None


def weaker(lines: Lines) -> None:
    lines[0]["rung"] = "FUTURE_STABLE"


def unknown(lines: Lines) -> None:
    lines[0]["rung"] = "SCALAR"


@pytest.mark.parametrize("change", [another_curve, another_pair, a_curve_fewer, none, weaker, unknown])
def test_what_is_listed_otherwise_is_refused(change: Callable[[Lines], None]) -> None:
    lines = [json.loads(line) for line in made(IntervalSums(), 3).splitlines()]
    change(lines)
    with pytest.raises(Invalid):
        given("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def test_a_mechanism_without_a_rung_does_not_pass_for_one_with_it() -> None:
    found = examination(TwoRound(), horizon=2, hops=1, **SCOPE)
    lines = [json.loads(line) for line in certificate(found.audited, found.record.document).splitlines()]
    for rung in ("CONTEXT_STABLE", "FUTURE_STABLE"):
        lines[0]["rung"] = rung
        with pytest.raises(Invalid, match=r"every challenge|later common inputs"):
            given("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def test_two_hops_have_no_rung() -> None:
    with pytest.raises(ArgumentError, match="hops=2"):
        made(RandomizedResponse(), 2, hops=2)


def test_the_command_asks_for_a_rung(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "c.jsonl")
    asked = ["audit", "randomized-response", "--quiet", "--exit-zero", "--certificate", file]
    assert run([*asked, "--certificate-rung"]) == 0
    assert run(["verify", file]) == 3
    assert capsys.readouterr().out == f"valid but for {STABLE} (proved in Coq)\n"
    assert run(["verify", file, "--kernel", "randomized-response"]) == 3
