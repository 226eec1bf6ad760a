"""A certificate that was changed is refused, unless what it claims is true all the same, as an oracle finds."""

import io
import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from instances.certified import Audited, audited
from instances.forged import CHANGES, forged

from dpcert import verify_certificate
from dpcert.audit.certificates.rebuilt import game_of_lines
from dpcert.verify_certificate import Invalid, verify

GAPS = Fraction(0), Fraction(1, 10**9)


def accepted(text: str, original: str, game: Audited) -> bool:
    """Whether it passes for a certificate of its game, which is compared where the relation is taken as given."""
    try:
        given, _ = verify(io.StringIO(text))
    except (Invalid, OSError):
        return False
    if game.name != "npp":
        return not given
    return game_of_lines(io.StringIO(text)) == game_of_lines(io.StringIO(original))


def true_all_the_same(text: str, game: Audited) -> bool:
    """Whether every claim is true in the scope that the header names."""
    header, *lines = map(json.loads, text.splitlines())
    scope = header["adjacency"], header["hops"], header["challenge_round"]
    return header["horizon"] == game.horizon and all(
        claimed_truly(line, scope, game) for line in lines if "claim" in line
    )


def claimed_truly(line: dict[str, str], scope: tuple[str, int, int | None], game: Audited) -> bool:
    truth = game.truth(line["claim"], scope, Fraction(line["exp_epsilon"]), line["order"])  # type: ignore[arg-type]
    return Fraction(line["lower"] or 0) <= truth <= Fraction(line["upper"])


def forgeries(seed: int, count: int) -> Counter[str]:
    """How many forgeries of one game's certificates were accepted, by what was done; all of them truly."""
    game, rng, found = audited(seed), Random(seed), Counter[str]()
    originals = [game.certificate(gap) for gap in GAPS]
    for _ in range(count):
        original = rng.choice(originals)
        name, text = forged(original, rng)
        if text == original:
            continue
        found[name] += 0
        if accepted(text, original, game):
            assert true_all_the_same(text, game), (seed, name)
            found[name] += 1
    return found


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(8))
def test_forgeries_are_refused_unless_they_are_true(seed: int) -> None:
    forgeries(seed, 60)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(100, 200))
def test_ten_thousand_forgeries_are_refused_unless_they_are_true(seed: int) -> None:
    forgeries(seed, 110)


@pytest.mark.in_turns
def test_every_kind_of_forgery_is_made_and_few_are_true() -> None:
    found = {**forgeries(8, 300), **forgeries(46, 300)}
    assert set(found) == set(CHANGES)
    assert sum(found.values()) < 120


@pytest.mark.in_turns
@pytest.mark.parametrize(("step", "answer"), [("holds", lambda *_: True), ("Curve.delta", lambda *_: Fraction(0))])
def test_a_checker_that_skips_a_step_accepts_what_is_false(
    step: str, answer: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    *inside, name = step.split(".")
    monkeypatch.setattr(getattr(verify_certificate, inside[0]) if inside else verify_certificate, name, answer)
    with pytest.raises(AssertionError):
        forgeries(16, 400)


@pytest.mark.parametrize("seed", [8, 16, 32, 40, 56])
def test_a_narrower_game_does_not_pass_for_a_wider_one(seed: int) -> None:
    """Its bounds may be false for the wider one; so the relation is named as one that was not checked."""
    game = audited(seed)
    wider = {"hops": game.found.facts.request.question.hops + 1}
    lines = game.certificate(Fraction(0)).splitlines()
    for change in (wider, {"adjacency": "any"}):
        text = "\n".join([json.dumps(json.loads(lines[0]) | change, separators=(",", ":")), *lines[1:]]) + "\n"
        given, header = verify(io.StringIO(text))
        assert given == [f"relation:{header['adjacency']}"]
