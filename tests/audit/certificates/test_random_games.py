"""Certificates of random games are valid, and claim what oracles find."""

import io
import json
from fractions import Fraction
from typing import Any

import pytest
from instances.certified import Audited, audited
from instances.seeds import chosen

from dpcert.verify_certificate import verify

GAPS = Fraction(0), Fraction(1, 10**9)


def claims(text: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, text.splitlines()) if "claim" in line]


def agrees(game: Audited, gap: Fraction) -> None:
    """The certificate is valid, and its bounds are the truth, give or take the gap above."""
    text = game.certificate(gap)
    given, header = verify(io.StringIO(text))
    assert header["game_digest"] == game.found.record.document["game_digest"]
    assert given == (["relation:edit"] if game.name == "npp" else [])
    scope = header["adjacency"], header["hops"], header["challenge_round"]
    for claim in claims(text):
        truth = game.truth("adaptive", scope, Fraction(claim["exp_epsilon"]), claim["order"])
        if claim["claim"] == "fixed":
            reached = game.truth("fixed", scope, Fraction(claim["exp_epsilon"]), claim["order"])
            assert Fraction(claim["lower"]) == reached <= Fraction(claim["upper"]) <= reached + gap
        else:
            assert Fraction(claim["lower"]) == truth <= Fraction(claim["upper"]) <= truth + gap


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("seed", chosen(range(128)))
def test_a_certificate_of_a_random_game_is_valid_and_true(seed: int, gap: Fraction) -> None:
    agrees(audited(seed), gap)


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(128, 2128, 50))
def test_certificates_of_two_thousand_random_games_are_valid_and_true(start: int) -> None:
    for seed in range(start, start + 50):
        for gap in GAPS:
            agrees(audited(seed), gap)
