"""The checker of certificates, and Coq's, whose rule is a theorem, answer alike on valid and on forged ones."""

import copy
import io
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.certified import audited
from instances.coq import answered, compiled, coqc
from instances.coq_certificates import Rows, coq_text, theorem_file, verdicts_file

from dpcert import verify_certificate
from dpcert.audit.algebra.rational import text
from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.examine import examination
from dpcert.mechanisms.two_round import TwoRound
from dpcert.verify_certificate import MOST_DIGITS, Checker, Invalid, digest, verify

pytestmark = [
    pytest.mark.real("programs"),
    pytest.mark.skipif(coqc() is None, reason="there is no coqc (Debian's package coq; `make coq`)"),
    pytest.mark.thorough,
]
Lines = list[dict[str, Any]]
GAPS = Fraction(0), Fraction(1, 10**9)
GAMES = range(50)
LEAST = Fraction(1, 10**15)
WITH_FRONTS = 5, 14, 26, 29, 38, 46
"""Games in which adversaries gain over fixed streams, so that their certificates have rows for these."""


def a_mass_moved(lines: Lines, chance: random.Random) -> None:
    """One number of one curve, by one."""
    line = chance.choice([line for line in lines if "curve" in line and "position" not in line])
    world = chance.randrange(2)
    masses = [int(m) for m in line["curve"][world].split(" ")]
    at = chance.randrange(len(masses))
    masses[at] = max(0, masses[at] + chance.choice((-1, 1)))
    line["curve"][world] = " ".join(map(str, masses))


def two_curves_swapped(lines: Lines, chance: random.Random) -> None:
    curves = [line for line in lines if "curve" in line and "position" not in line]
    one, two = chance.choice(curves), chance.choice(curves)
    one["curve"], two["curve"] = two["curve"], one["curve"]


def an_upper_bound_lowered(lines: Lines, chance: random.Random) -> None:
    positive = [line for line in lines if "claim" in line and line["upper"] != "0"]
    for line in chance.sample(positive, min(1, len(positive))):
        line["upper"] = text(Fraction(line["upper"]) - LEAST)


def a_lower_bound_raised(lines: Lines, chance: random.Random) -> None:
    line = chance.choice([line for line in lines if "claim" in line])
    line["lower"] = text(Fraction(line["lower"] or 0) + LEAST)


def a_bet_changed(lines: Lines, chance: random.Random) -> None:
    """One decision of one adversary; it may be for the better, and one of no weight changes nothing."""
    bets = [(line["then"], seen) for line in lines if "play" in line and "then" in line
            for seen, then in line["then"].items() if isinstance(then, bool)]  # fmt: skip
    for then, seen in chance.sample(bets, min(1, len(bets))):
        then[seen] = not then[seen]


def a_weight_moved(lines: Lines, chance: random.Random) -> None:
    """One unit between two outcomes of one law, where no belief and no other law depends on it."""
    laws = [line for line in lines if "kernel" in line and len(line["to"]) > 1]
    after = Counter(next_ for line in laws for next_ in {to[1] for to in line["to"]})
    alone = [line for line in laws if len({to[1] for to in line["to"]}) == 1 == after[line["to"][0][1]]]
    for line in chance.sample(alone, min(1, len(alone))):
        one, two = chance.sample(line["to"], 2)
        if one[2] != "1":
            one[2], two[2] = str(int(one[2]) - 1), str(int(two[2]) + 1)


def a_row_misnamed(lines: Lines, chance: random.Random) -> None:
    """For fixed streams, one row of what follows is said to be bounded by another row."""
    named = [(by[1], at, len(line["curves"])) for line in lines if "by" in line
             for by in line["by"] for at in range(len(by[1])) if len(line["curves"]) > 1]  # fmt: skip
    for rows, at, count in chance.sample(named, min(1, len(named))):
        rows[at] = (rows[at] + 1) % count


FORGERIES: tuple[Callable[[Lines, random.Random], None], ...] = (
    a_mass_moved,
    two_curves_swapped,
    an_upper_bound_lowered,
    a_lower_bound_raised,
    a_bet_changed,
    a_weight_moved,
    a_row_misnamed,
)


def front_moved(valid: str, number: int) -> str:
    """Two fronts go on with what follows the other, of whatever round; they say anew where these are used last."""
    header, *lines = map(json.loads, valid.splitlines())
    named = [by for line in lines for by in line.get("by", ()) if by[0] is not None]
    one, two = random.Random(number).sample(named, 2)
    one[0], two[0] = two[0], one[0]
    for moved in (one[0], two[0]):
        lines[moved - 2]["last"] = max(at for at, line in enumerate(lines, 2) if uses_front(line, moved))
    header["live"] += 1_000
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (header, *lines))


def uses_front(line: dict[str, Any], number: int) -> bool:
    return line.get("front") == number or any(after == number for after, _ in line.get("by", ()))


def forged(valid: str, number: int) -> str:
    """A certificate with one lie, if there is anything to lie about.

    The header allows for longer numbers, and has the digest of the laws as they are: neither is part of what Coq reads.
    """
    header, *lines = map(json.loads, valid.splitlines())
    header["digits"] = MOST_DIGITS
    forge = FORGERIES[number % len(FORGERIES)]
    forge(lines, random.Random(number))
    if forge is a_weight_moved:
        header["game_digest"] = digest_of(header, lines)
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (header, *lines))


def digest_of(header: dict[str, Any], lines: Lines) -> str:
    """The digest of the game, as the checker works it out."""
    checker = Checker(header)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verify_certificate, "holds", lambda *_: True)
        for line in lines:
            if "claim" not in line:
                checker.read(copy.deepcopy(line))
    (start,) = {belief for _, belief, _ in checker.here}
    return digest([*checker.outcomes, *(state for state, line in checker.labels.items() if f"{line}:1" == start)])


def accepted(one: str) -> bool:
    try:
        verify(io.StringIO(one))
    except Invalid:
        return False
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Coq has compiled what reads certificates."""
    made = tmp_path_factory.mktemp("coq")
    compiled(made, ["CertificateText.v"])
    return made


def verdicts_of(folder: Path, texts: list[list[str]]) -> list[bool]:
    said = answered(folder, "Verdicts.v", verdicts_file(texts))
    return [word == "true" for word in re.findall(r"\b(true|false)\b", said)]


def test_coq_and_the_checker_answer_alike(folder: Path) -> None:
    valid = [audited(seed).certificate(GAPS[seed % 2]) for seed in GAMES]
    lies = [forged(one, 8 * seed + i) for seed, one in enumerate(valid) for i in range(3)]
    certificates = valid + lies
    verdicts = verdicts_of(folder, [coq_text(one) for one in certificates])
    assert len(verdicts) == len(certificates) == 200
    answers = [accepted(one) for one in certificates]
    assert [i for i, (ours, coqs) in enumerate(zip(answers, verdicts, strict=True)) if ours != coqs] == []
    assert all(answers[: len(valid)])
    assert answers.count(False) > 60


def test_fronts_that_are_moved_are_judged_alike(folder: Path) -> None:
    valid = [audited(seed).certificate(Fraction(0)) for seed in WITH_FRONTS]
    lies = [front_moved(one, number) for one in valid for number in range(8)]
    answers = [accepted(one) for one in lies]
    assert verdicts_of(folder, [coq_text(one) for one in lies]) == answers
    assert answers.count(False) > len(answers) / 2


def test_a_certificate_is_a_theorem_without_assumptions(folder: Path) -> None:
    said = answered(folder, "This.v", theorem_file(coq_text(audited(0).certificate(Fraction(0)))))
    assert said.strip() == "Closed under the global context"


def test_fixed_streams_have_rows_of_their_own(folder: Path) -> None:
    """Fixed streams of the two-round mechanism reach 9/100, less than adversaries; rows that lack are missed."""
    scope: dict[str, Any] = {"horizon": 2, "hops": 1, "challenge_round": None, "epsilons": (), "deltas": ()}
    found = examination(TwoRound(), exp_epsilons=(Fraction(1),), **scope)
    rows = Rows(coq_text(certificate(found.facts, found.record.document, Fraction(0))))
    good, low = rows.claims(Fraction(9, 100)), rows.claims(Fraction(9, 100) - LEAST)
    at = max(i for i, line in enumerate(good) if line.startswith("7 "))  # the front of the root
    one_row = [" ".join([*line.split(" ")[:2], *["0"] * len(line.split(" ")[2:])]) for line in good[at:]]
    wrong = good[:at] + [one if line.startswith("8 ") else line for one, line in zip(one_row, good[at:], strict=True)]
    assert verdicts_of(folder, [good, low, wrong]) == [True, False, False]
