"""What is read on a screen alone says the same as the whole record, and has no adversary that is not shown there."""

from fractions import Fraction
from typing import Any

import pytest
from instances.random_markov import random_markov
from instances.seeds import chosen

from dpcert.audit.defaults import DEFAULT_EXP_EPSILONS
from dpcert.audit.examine import examination
from dpcert.audit.solving.strategy import Search
from dpcert.audit.verdicts.requirements import Requirements, required_delta
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.two_round import TwoRound

SCOPE: dict[str, Any] = {
    "hops": 1,
    "challenge_round": None,
    "exp_epsilons": DEFAULT_EXP_EPSILONS,
    "epsilons": (),
    "deltas": (),
}


@pytest.mark.parametrize("seed", chosen(range(12)))
def test_a_screen_says_what_the_whole_record_says(seed: int) -> None:
    whole, brief = (examination(random_markov(seed), horizon=4, on_screen=on, **SCOPE).record for on in (False, True))
    assert brief.to_text() == whole.to_text()
    keys = whole.document.keys() - {"provenance", "adaptive"}
    assert all(brief[key] == whole[key] for key in keys)
    for one, other in zip(brief["adaptive"]["strategies"], whole["adaptive"]["strategies"], strict=True):
        assert one["delta"] == other["delta"]
        assert one["replayed"] is None or one == other


def _read_off(monkeypatch: pytest.MonkeyPatch, mechanism: object, **options: Any) -> list[tuple[Fraction, str]]:
    """Which adversaries an audit for a screen reads off."""
    asked, search = [], Search.strategy

    def noted(self: Search, exp_epsilon: Fraction, order: Any, most_nodes: int) -> Any:
        asked.append((exp_epsilon, order))
        return search(self, exp_epsilon, order, most_nodes)

    monkeypatch.setattr(Search, "strategy", noted)
    record = examination(mechanism, on_screen=True, **SCOPE, **options).record
    assert all((one["replayed"] is None) == (one["event"] is None) for one in record["adaptive"]["strategies"])
    return asked


@pytest.mark.in_turns
def test_only_the_adversary_behind_the_verdict_is_read_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(_read_off(monkeypatch, TwoRound(), horizon=2)) == 1
    assert len(_read_off(monkeypatch, RandBinToy(), game="npp", horizon=12)) == 1


def test_what_refutes_a_requirement_is_read_off_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = required_delta("7/5:1/1000")
    asked = _read_off(monkeypatch, TwoRound(), horizon=2, requirements=Requirements((bound,)))
    assert {(Fraction(7, 5), "0-1"), (Fraction(7, 5), "1-0")} <= {*asked}
