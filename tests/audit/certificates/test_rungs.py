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

from dpcert import verify_rung
from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError
from dpcert.audit.examine import examination
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound
from dpcert.verify_certificate import Invalid, verify

THEOREMS = {name: theorem.partition(" ")[0] for name, theorem in verify_rung.THEOREMS.items()}
STABLE, FUTURE = THEOREMS["CONTEXT_STABLE"], THEOREMS["FUTURE_STABLE"]
SCOPE: dict[str, Any] = {"challenge_round": None, "epsilons": (), "deltas": (), "exp_epsilons": (Fraction(1),)}


class FirstDecides:
    """What round 2 says of its own input depends on the first one: FUTURE_STABLE and no more."""

    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Any:
        quarters = {(0, 0): 1, (0, 1): 3}
        return bernoulli(Fraction(quarters.get(prefix, 2), 4))


class Turned:
    """Three laws that go round: one difference modulo 3 decides a curve, and its size does not. VECTOR."""

    alphabet = (0, 1, 2)

    def law(self, prefix: tuple[int, ...]) -> Any:
        return Pmf({(s + prefix[-1]) % 3: Fraction(w, 7) for s, w in enumerate((4, 2, 1))})


class SecondAlone:
    """Texts as inputs, of which no sums are tried: CONTEXT_STABLE and no more."""

    alphabet = ("a", "b")

    def law(self, prefix: tuple[str, ...]) -> Any:
        return bernoulli(Fraction(1 + (prefix[-1] == "a"), 4))


def made(mechanism: object, horizon: int, hops: int = 1) -> str:
    found = examination(mechanism, horizon=horizon, hops=hops, **SCOPE)
    return certificate(found.facts, found.record.document, rung=True)


def given(text: str) -> list[str]:
    lines = io.StringIO(text)
    names, header = verify(lines)
    return [*names[:-1], verify_rung.verify_rung(lines, header)]


@pytest.mark.parametrize(
    ("mechanism", "horizon", "theorem"),
    [
        (RandomizedResponse(), 3, THEOREMS["SCALAR"]),
        (IntervalSums(), 3, THEOREMS["SCALAR"]),
        (Turned(), 2, THEOREMS["VECTOR"]),
        (SecondAlone(), 2, STABLE),
        (FirstDecides(), 2, FUTURE),
    ],
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
        text = certificate(found.facts, found.record.document, rung=True)
        assert given(text)[0] in {verify_rung.THEOREMS[rung] for rung in held if rung != "CONTEXT_DOMINATED"}
        assert given(text) == [verify_rung.THEOREMS["FUTURE_STABLE"]] or "CONTEXT_STABLE" in held
    else:
        with pytest.raises(ArgumentError, match="CONTEXT_STABLE or FUTURE_STABLE"):
            certificate(found.facts, found.record.document, rung=True)


Lines = list[dict[str, Any]]


def another_curve(lines: Lines) -> None:
    listed = [line for line in lines if "challenge" in line]
    other = next(one for one in listed if one["curves"] != listed[0]["curves"])
    listed[0]["curves"], other["curves"] = other["curves"], listed[0]["curves"]


def another_pair(lines: Lines) -> None:
    line = next(line for line in lines if "challenge" in line)
    line["challenge"][1] = line["challenge"][2]


def a_fraction(lines: Lines) -> None:
    line = next(line for line in lines if "challenge" in line)
    line["challenge"][1] = float(line["challenge"][1])


def a_curve_fewer(lines: Lines) -> None:
    next(line for line in lines if "challenge" in line)["curves"].pop()


def none(lines: Lines) -> None:
    lines[0]["rung"] = None


def weaker(lines: Lines) -> None:
    lines[0]["rung"] = "FUTURE_STABLE"


def unknown(lines: Lines) -> None:
    lines[0]["rung"] = "CONTEXT_DOMINATED"


def without_distance(lines: Lines) -> None:
    """VECTOR would hold, but the header says SCALAR."""
    next(line for line in lines if "aggregate" in line)["distance"] = None


def another_modulus(lines: Lines) -> None:
    next(line for line in lines if "aggregate" in line)["modulus"] = 2


def an_index_set_fewer(lines: Lines) -> None:
    next(line for line in lines if "aggregate" in line)["index_sets"][-1].pop()


def another_state(lines: Lines) -> None:
    """Transitions are those of the certificate."""
    laws = [line for line in lines if "law" in line]
    laws[0]["then"], laws[-1]["then"] = laws[-1]["then"], laws[0]["then"]


@pytest.mark.parametrize("change", [
        another_curve, another_pair, a_fraction, a_curve_fewer, none, weaker, unknown,
        without_distance, another_modulus, an_index_set_fewer, another_state,
    ],
)  # fmt: skip
def test_what_is_listed_otherwise_is_refused(change: Callable[[Lines], None]) -> None:
    lines = [json.loads(line) for line in made(IntervalSums(), 3).splitlines()]
    change(lines)
    with pytest.raises(Invalid):
        given("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def test_a_mechanism_without_a_rung_does_not_pass_for_one_with_it() -> None:
    found = examination(TwoRound(), horizon=2, hops=1, **SCOPE)
    text = certificate(found.facts, found.record.document)
    other = made(FirstDecides(), 2).splitlines()
    laws = [line for line in other if line.startswith(('{"law"', '{"start"'))]
    for rung in verify_rung.THEOREMS:
        header = json.loads(text.splitlines()[0]) | {"rung": rung}
        lines = [json.dumps(header, separators=(",", ":")), *text.splitlines()[1:], *laws]
        with pytest.raises(Invalid, match="the game of the certificate"):
            given("\n".join(lines) + "\n")


HEADER: dict[str, Any] = {
    "rung": "FUTURE_STABLE", "digits": 9, "horizon": 2, "alphabet": ["0", "1"], "hidden": False, "game": "paired",
    "adjacency": "hamming", "hops": 1, "challenge_round": None,
}  # fmt: skip


@pytest.mark.parametrize("other", [{"hidden": True}, {"game": "npp"}, {"adjacency": "edit"}, {"hops": 2}])
def test_a_rung_is_of_a_core_for_one_hop_of_hamming_alone(other: dict[str, Any]) -> None:
    verify_rung.RungChecker(HEADER)
    with pytest.raises(Invalid, match="a core, for one hop of hamming"):
        verify_rung.RungChecker(HEADER | other)


def test_a_challenge_is_given_once_and_not_where_later_inputs_may_change_it() -> None:
    line: dict[str, Any] = {"challenge": [1, 0, 1], "curves": []}
    once = verify_rung.RungChecker(HEADER | {"rung": "CONTEXT_STABLE"})
    once.read(line)
    for checker in (once, verify_rung.RungChecker(HEADER)):
        with pytest.raises(Invalid, match="a challenge, given once"):
            checker.read(line)


def test_two_hops_have_no_rung() -> None:
    with pytest.raises(ArgumentError, match="hops=2"):
        made(RandomizedResponse(), 2, hops=2)


def test_the_command_asks_for_a_rung(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "c.jsonl")
    asked = ["audit", "randomized-response", "--quiet", "--exit-zero", "--certificate", file]
    assert run([*asked, "--certificate-rung"]) == 0
    assert run(["verify", file]) == 3
    assert capsys.readouterr().out == f"valid but for {verify_rung.THEOREMS['SCALAR']}\n"
    assert run(["verify", file, "--kernel", "randomized-response"]) == 3


def test_rounds_may_be_many() -> None:
    """Past the depth at which Python ends a recursion, curves are worked out all the same; none is listed."""
    horizon = 1_200
    checker = verify_rung.RungChecker(HEADER | {"horizon": horizon, "challenge_round": horizon - 1_100})
    checker.read({"start": "s"})
    for x, share in enumerate(("1/3", "2/3")):
        checker.read({"law": ["s", x], "to": {"0": share, "1": ("2/3", "1/3")[x]}, "then": "s"})
    curves = checker.ahead()
    assert len(curves) == 2
    assert all(len(ahead) == 1_101 for (ahead,) in curves.values())
