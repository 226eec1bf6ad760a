"""What a checker refuses because it is not written as it should be, line by line."""

import io
import json
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from instances.certified import audited

from dpcert import Draw, Release, bernoulli
from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.examine import examination
from dpcert.verify_certificate import Invalid, verify

Lines = list[dict[str, Any]]


def written(lines: Lines) -> str:
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def first(lines: Lines, kind: str) -> dict[str, Any]:
    return next(line for line in lines if next(iter(line)) == kind)


def lived_longer(lines: Lines) -> None:
    line = first(lines, "curve")
    line["last"] += 1


def lived_shorter(lines: Lines) -> None:
    line = first(lines, "moves")
    line["last"] -= 1


def used_by_a_fraction(lines: Lines) -> None:
    line = first(lines, "kernel")
    line["kernel"][0] = float(line["kernel"][0])


def changed(kind: str, **keys: Any) -> Callable[[Lines], None]:
    return lambda lines: first(lines, kind).update(keys)


CHANGES: dict[str, tuple[Callable[[Lines], None], str]] = {
    "late last use": (lived_longer, "is used last where it says"),
    "early last use": (lived_shorter, "is used last where it says"),
    "unknown key": (changed("curve", note="x"), "the keys of the format"),
    "live": (lambda lines: lines[0].update(live=lines[0]["live"] - 1), "no more lines in use"),
    "lines": (lambda lines: lines[0].update(lines=lines[0]["lines"] + 1), "all lines that the header counts"),
    "digits": (lambda lines: lines[0].update(digits=lines[0]["digits"] - 1), "no more digits than stated"),
    "no digits": (lambda lines: lines[0].update(digits=0), "within limits"),
    "many digits": (lambda lines: lines[0].update(digits=4_001), "within limits"),
    "many live": (lambda lines: lines[0].update(live=5_000_001), "within limits"),
    "horizon": (lambda lines: lines[0].update(horizon=0), "at least one round"),
    "hops": (lambda lines: lines[0].update(hops=0), "at least one round"),
    "challenge": (lambda lines: lines[0].update(challenge_round=99), "a challenge in one of the rounds"),
    "challenge 0": (lambda lines: lines[0].update(challenge_round=0), "a challenge in one of the rounds"),
    "e below 1": (lambda lines: lines[0].update(exp_epsilons=["1/2"]), "at least 1"),
    "no e": (lambda lines: lines[0].update(exp_epsilons=[]), "at least 1"),
    "e falling": (lambda lines: lines[0].update(exp_epsilons=["3", "1"]), "rising"),
    "total": (lambda lines: first(lines, "kernel").update(of=str(int(first(lines, "kernel")["of"]) + 1)), "sum to"),
    "law of no input": (lambda lines: first(lines, "kernel")["kernel"].__setitem__(1, 99), "the law of an input"),
    "leading 0": (lambda lines: first(lines, "kernel").update(of="0" + first(lines, "kernel")["of"]), "digits|with 0"),
    "flat curve": (changed("curve", curve=["1 1", "1 1"]), "segments of falling slope"),
    "empty segment": (changed("curve", curve=["1 0", "1 0"]), "segments of falling slope"),
    "massless curve": (changed("curve", curve=["1", "0"]), "mass in either world"),
    "sign": (changed("curve", curve=["+1", "1"]), "digits alone"),
    "underscore": (changed("curve", curve=["1_0", "1"]), "digits alone|no more digits"),
    "zero first": (changed("curve", curve=["1 01", "2 1"]), "begins with 0|no more digits"),
    "round": (changed("round", round=1_000), "from the last to the first"),
    "moves twice": (lambda lines: first(lines, "moves")["moves"].append(first(lines, "moves")["moves"][0]), "once"),
    "input": (lambda lines: first(lines, "moves")["moves"][1].__setitem__(0, 99), "pairs of inputs"),
    "relation": (lambda lines: first(lines, "moves")["moves"][1].__setitem__(2, "0"), "a value of its kind"),
    "fraction": (lambda lines: first(lines, "moves")["moves"][1].__setitem__(0, 0.0), "a value of its kind"),
    "truth": (lambda lines: first(lines, "moves")["moves"][1].__setitem__(0, True), "a value of its kind"),
    "below 0": (lambda lines: first(lines, "moves")["moves"][1].__setitem__(2, -1), "a value of its kind"),
    "long number": (lambda lines: first(lines, "moves")["moves"][1].__setitem__(2, 10**12), "a value of its kind"),
    "use by a fraction": (used_by_a_fraction, "a state that is in use"),
    "kind": (lambda lines: first(lines, "position").update(curve=first(lines, "position")["moves"]), "a curve that is"),
    "no moves": (changed("moves", moves=[]), "pairs of inputs"),
    "state twice": (lambda lines: lines.insert(2, dict(first(lines, "state"))), "a label of its own|round|expected"),
    "digest": (lambda lines: lines[0].update(game_digest="sha256:0"), "the header's digest"),
}  # fmt: skip


@cache
def valid() -> str:
    return audited(8).certificate(Fraction(0))


def test_what_is_as_it_should_be_is_valid() -> None:
    assert verify(io.StringIO(valid()))[0] == []
    assert written([json.loads(line) for line in valid().splitlines()]) == valid()


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_not_as_it_should_be_is_refused_for_that(name: str) -> None:
    lines = [json.loads(line) for line in valid().splitlines()]
    change, why = CHANGES[name]
    change(lines)
    with pytest.raises(Invalid, match=why):
        verify(io.StringIO(written(lines)))


@pytest.mark.parametrize("changed_text", [lambda text: text[:-1], lambda text: text.replace(",", ", ", 1)])
def test_lines_are_written_in_one_way(changed_text: Callable[[str], str]) -> None:
    text = valid()
    with pytest.raises(Invalid, match="as JSON is written shortest"):
        verify(io.StringIO(changed_text(text)))


def test_a_key_stands_once() -> None:
    text = valid()
    with pytest.raises(Invalid, match="as JSON is written shortest"):
        verify(io.StringIO(text.replace('"last":', '"last":9,"last":', 1)))


def test_fixed_streams_may_stop_early_after_an_output() -> None:
    """After another they go on; what is submitted is the same as far as both go."""
    lines = [json.loads(line) for line in audited(2).certificate(Fraction(0)).splitlines()]
    assert any({type(on) for on in line.get("then", {}).values()} == {bool, int} for line in lines)
    assert verify(io.StringIO(written(lines)))[0] == []


class TellsItsState:
    """A hidden state that is drawn once and shows through noise, whatever the inputs: nothing of them can be learnt."""

    alphabet = (0, 1)
    initial = None

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        del x
        kept = draw(bernoulli(Fraction(1, 3))) if state is None else state
        return Release(draw(bernoulli(Fraction(2 + 3 * kept, 7)))), kept


def test_a_belief_has_no_longer_numbers_than_the_header_says() -> None:
    """After three rounds its weights have three digits, while laws have two and curves are flat."""
    text = certified(TellsItsState(), 4)
    lines = [json.loads(line) for line in text.splitlines()]
    beliefs = [belief for line in lines if "position" in line for belief in line["position"][1:]]
    masses = [line[key] for line in lines[1:] for key in ("to", "of", "curve", "upper", "lower") if key in line]
    assert longest(masses, r"\d+") == 2
    assert longest(beliefs, r":(\d+)") == lines[0]["digits"] == 3
    assert verify(io.StringIO(text))[0] == []
    lines[0]["digits"] = 2
    with pytest.raises(Invalid, match="a belief in lowest terms"):
        verify(io.StringIO(written(lines)))


def longest(said: list[Any], numbers: str) -> int:
    """Digits of the longest number in what lines say."""
    return max(len(number) for one in said for number in re.findall(numbers, json.dumps(one)))


def certified(mechanism: Any, rounds: int) -> str:
    """An exact certificate."""
    usual: dict[str, Any] = {"hops": 1, "challenge_round": None, "epsilons": (), "deltas": ()}
    found = examination(mechanism, horizon=rounds, exp_epsilons=(1,), **usual)
    return certificate(found.facts, found.record.document, Fraction(0))
