"""Bounds on fixed streams, and the end of a certificate: each thing that the checker asks for, by itself."""

import io
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from instances.checking import checker, in_round

from dpcert import Pmf, bernoulli
from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.examine import examination
from dpcert.verify_certificate import Checker, Curve, Front, Invalid, Position, verify

MOVES: list[Any] = [[0, 0, 0], [0, 1, 1]]
PLAIN, HALF, SURE = Curve(11, [1], [1]), Curve(12, [1, 3], [3, 1]), Curve(13, [0, 1], [1, 0])
SAYS = 4, {"a": (1, 3, "p"), "b": (3, 1, "q")}
QUIET = 2, {"a": (1, 1, "p"), "b": (1, 1, "q")}


def here(key: str = "here", **changes: Any) -> Position:
    return Position(1, key, MOVES, {(0, 0): QUIET, (0, 1): SAYS}, set(), SURE, 1)._replace(**changes)


def ahead(*rows: Curve, **changes: Any) -> Front:
    """Positions p and q of round 2, with a curve of both by row."""
    return Front(2, {"p", "q"}, [{"p": row, "q": row} for row in rows])._replace(**changes)


def fronted(front: list[Position], curves: list[list[Curve]], by: list[Any]) -> Front:
    return in_round(1, checker()).on_front(front, curves, by)


def test_a_row_bounds_what_each_pair_leads_to() -> None:
    after = ahead(PLAIN)
    made = fronted([here()], [[HALF]], [[after, [0]], [after, [0]]])
    assert (made.round, made.keys, made.rows) == (1, {"here"}, [{"here": HALF}])
    made = fronted([here()], [[HALF], [PLAIN]], [[after, [1]], [after, [0]]])
    assert [row["here"] for row in made.rows] == [HALF, PLAIN]
    fronted([here(), here("there")], [[HALF, SURE]], [[after, [0]], [after, [0]]])
    fronted([here()], [[HALF], [SURE]], [[ahead(PLAIN, SURE), [0, 1]], [ahead(PLAIN, SURE), [0, 1]]])
    over = here(releases={(0, 0): (2, {"a": (2, 2, None)}), (0, 1): (4, {"a": (1, 3, None), "b": (3, 1, None)})})
    fronted([over], [[HALF]], [[None, [0]], [None, [0]]])


REFUSED: dict[str, tuple[list[Position], list[list[Curve]], list[Any], str]] = {
    "too low": ([here()], [[PLAIN]], [[ahead(PLAIN), [0]]] * 2, "bounds what follows"),
    "too low at one": ([here(), here("there")], [[HALF, PLAIN]], [[ahead(PLAIN), [0]]] * 2, "bounds what follows"),
    "the lower one": ([here()], [[HALF], [PLAIN]], [[ahead(PLAIN), [0]], [ahead(PLAIN), [1]]], "bounds what follows"),
    "a row ahead": ([here()], [[HALF]], [[ahead(PLAIN, SURE), [0, 0]]] * 2, "bounds what follows"),
    "more ahead": ([here()], [[HALF]], [[ahead(SURE), [0]], [ahead(PLAIN), [0]]], "bounds what follows"),
    "no rows": ([here()], [], [[ahead(PLAIN), []]] * 2, "positions of one kind"),
    "twice": ([here(), here()], [[HALF, HALF]], [[ahead(PLAIN), [0]]] * 2, "positions of one kind"),
    "other pairs": (
        [here(), here("there", moves=list(MOVES))], [[HALF, HALF]], [[ahead(PLAIN), [0]]] * 2, "positions of one kind",
    ),
    "another round": ([here(round=2)], [[HALF]], [[ahead(PLAIN), [0]]] * 2, "positions of one kind"),
    "one of another round": (
        [here(), here("there", round=2)], [[HALF, HALF]], [[ahead(PLAIN), [0]]] * 2, "positions of one kind",
    ),
    "a round left out": ([here()], [[HALF]], [[ahead(PLAIN, round=3), [0]]] * 2, "the positions that follow"),
    "fewer ahead": ([here()], [[HALF]], [[ahead(PLAIN, keys={"p"}), [0]]] * 2, "the positions that follow"),
    "others ahead": ([here()], [[HALF]], [[ahead(PLAIN, keys={"p", "q", "r"}), [0]]] * 2, "the positions that follow"),
    "nothing ahead": ([here()], [[HALF]], [[None, [0]]] * 2, "the positions that follow"),
    "a pair left out": ([here()], [[HALF]], [[ahead(PLAIN), [0]]], "zip"),
    "no bound of a row": ([here()], [[HALF]], [[ahead(PLAIN), []]] * 2, "zip"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_bounds_no_streams_is_refused(name: str) -> None:
    front, curves, by, why = REFUSED[name]
    with pytest.raises((Invalid, ValueError), match=why):
        fronted(front, curves, by)


# --- the end


class Silent:
    """Says nothing of its inputs."""

    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        del prefix
        return bernoulli(Fraction(1, 2))


@cache
def valid() -> str:
    scope: dict[str, Any] = {"hops": 1, "challenge_round": None, "epsilons": (), "deltas": (), "exp_epsilons": (1,)}
    found = examination(Silent(), horizon=1, **scope)
    return certificate(found.facts, found.record.document, Fraction(0))


def test_after_the_last_line_nothing_stands() -> None:
    for more in ("\n", "{}\n", '{"round":1}\n'):
        with pytest.raises(Invalid, match="and no more"):
            verify(io.StringIO(valid() + more))
    assert isinstance(in_round(1, checker()), Checker)


Lines = list[dict[str, Any]]


def last_claim_left_out(lines: Lines) -> None:
    """What it used is used last by the claim before it."""
    count = len(lines)
    lines.pop()
    lines[0]["lines"] -= 1
    for line in lines:
        if line.get("last") == count:
            line["last"] -= 1


def used_after_the_end(lines: Lines) -> None:
    next(line for line in lines if "position" in line)["last"] += 3


def counted_too_few(lines: Lines) -> None:
    lines[0]["lines"] -= 1


def another_digest(lines: Lines) -> None:
    lines[0]["game_digest"] = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (last_claim_left_out, "all lines that the header counts"), (used_after_the_end, "used last where it says"),
        (counted_too_few, "all lines that the header counts, and no more"), (another_digest, "that of the game"),
    ],
)  # fmt: skip
def test_a_certificate_ends_with_its_last_claim_and_nothing_in_use(change: Callable[[Lines], None], why: str) -> None:
    assert verify(io.StringIO(valid()))[0] == []
    lines = [json.loads(line) for line in valid().splitlines()]
    change(lines)
    with pytest.raises(Invalid, match=why):
        verify(io.StringIO("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)))
