"""Certificates written by hand to deceive the checker: false ones are refused, and what it cannot know it names."""

import hashlib
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dpcert import verify_certificate
from dpcert.audit.certificates.lines import Lines
from dpcert.verify_certificate import Checker, Curve, Invalid, holds, legal_costs, verify

LAWS = {"0": (("0", 3), ("1", 1)), "1": (("0", 1), ("1", 3))}
"""Randomised response: the masses of the two outputs, of 4."""
CURVES = {
    1: ["1 3", "3 1"],
    2: ["1 6 9", "9 6 1"],
    3: ["1 9 27 27", "27 27 9 1"],
}
"""What all pairs of streams make of it over so many rounds."""
DELTA = {1: "1/2", 2: "1/2", 3: "11/16"}
"""At e^epsilon = 1."""


@dataclass
class Forger:
    """Randomised response with one state that is said to be hidden, all pairs of streams, three rounds."""

    lines: Lines = field(default_factory=Lines)
    header: dict[str, Any] = field(default_factory=dict)
    fronts: dict[int, int] = field(default_factory=dict)
    play: bool = False

    def text(self, following: int, fixed: str, row: int) -> str:
        """A certificate whose bound on fixed streams goes on from round 1 with a round of choice.

        Args:
            following: That round.
            fixed: What fixed streams are said to make of it.
            row: Of how many rounds the curve of round 1 is.
        """
        add, number, after = self.lines.add, 0, []
        state = kernels = moves = None
        for round_ in (3, 2, 1):
            add({"round": round_}, kept=False)
            if kernels is None:
                state = add({"state": "s"})
                kernels = [
                    add({"kernel": [state, x], "to": [[v, state, str(w)] for v, w in law], "of": "4"}, [state])
                    for x, law in enumerate(LAWS.values())
                ]
            relation = None if round_ == 3 else 0
            moves = add({"moves": [[x, y, relation] for x in (0, 1) for y in (0, 1)]})
            curve = add({"curve": CURVES[4 - round_]})
            position = add(
                {"position": [0, f"{state}:1", f"{state}:1"], "moves": moves, "curve": curve},
                [moves, curve, *kernels, *after],
            )
            after, played = [position], None
            if round_ == 2 and following != 2:
                continue
            wanted = row if round_ == 1 else 4 - round_
            bound = add({"curve": CURVES[wanted]})
            number = self.fronts.get(following if round_ == 1 else round_ + 1, 0)
            line = {"front": [position], "curves": [[bound]], "by": [[number or None, [0]]] * 4}
            self.fronts[round_] = add(line, [position, bound, *([number] if number else [])])
        if self.play:
            line = {"play": after[0], "pair": [0, 1], "then": {"0": True, "1": False}}
            played = add(line, [after[0]])
        claims = [("adaptive", None, DELTA[3]), ("fixed", self.fronts[1], fixed)]
        for claim, front, upper in claims:
            for order in ("0-1", "1-0"):
                line = {"claim": claim, "exp_epsilon": "1", "order": order, "upper": upper, "lower": None, "play": None}
                if played and (claim, order) == ("adaptive", "0-1"):
                    line.update(lower="1/2", play=played)
                uses = [after[0], *(used for used in (line["play"], front) if used)]
                add({**line, "front": front}, uses, kept=False)
        self.lines.digits = 2
        return self.lines.written(self._header())

    def _header(self) -> dict[str, Any]:
        outcomes = [f"(s, {x})\t{v}\ts\t{w}/4" for x, law in LAWS.items() for v, w in law]
        game = hashlib.sha256("\n".join(sorted([*outcomes, "s"])).encode()).hexdigest()
        return {
            "schema": "dpcert.certificate/2", "target": "t", "game_digest": f"sha256:{game}", "game": "paired",
            "hidden": True, "alphabet": ["0", "1"], "null": None, "horizon": 3, "adjacency": "any", "hops": 1,
            "challenge_round": None, "exp_epsilons": ["1"], "gap": "0", "rung": None, **self.header,
        }  # fmt: skip


def given(text: str) -> list[str]:
    return verify(io.StringIO(text))[0]


def test_three_rounds_are_certified() -> None:
    assert given(Forger(play=True).text(following=2, fixed=DELTA[3], row=3)) == []


def test_an_adversary_reaches_no_more_than_it_does() -> None:
    text = Forger(play=True).text(following=2, fixed=DELTA[3], row=3)
    with pytest.raises(Invalid, match="the play attains its bound"):
        given(text.replace('"lower":"1/2"', '"lower":"5/9"'))


def test_a_bound_on_fixed_streams_leaves_no_round_out() -> None:
    """Positions of round 3 have the names of those of round 2; two rounds are worth less than three."""
    with pytest.raises(Invalid, match="the positions that follow"):
        given(Forger().text(following=3, fixed=DELTA[2], row=2))


@pytest.mark.parametrize(
    ("header", "relation"),
    [
        ({"alphabet": ["0"], "null": "1"}, "any"),
        ({"adjacency": "zero-out"}, "zero-out"),
        ({"alphabet": ["0"], "null": "1", "adjacency": "hamming"}, "hamming"),
    ],
)
def test_a_null_input_belongs_to_zero_out_alone(header: dict[str, Any], relation: str) -> None:
    """A play must not submit one elsewhere, and zero-out without one would have no pairs that differ."""
    text = Forger(header=header, play=True).text(following=2, fixed=DELTA[3], row=3)
    assert given(text) == [f"relation:{relation}"]


def changed(before: str, after: str) -> str:
    text = Forger().text(following=2, fixed=DELTA[3], row=3)
    assert before in text
    return text.replace(before, after)


def test_a_law_has_outcomes() -> None:
    """No outcomes in either world would be bounded by every curve."""
    for law in ('[["0",3,"3"],["1",3,"1"]]', '[["0",3,"1"],["1",3,"3"]]'):
        with pytest.raises(Invalid, match="the weights of a law sum to its total"):
            given(changed(f'{law},"of":"4"', '[],"of":"0"'))


@pytest.mark.parametrize("label", ["a\\nb", "a\\tb"])
def test_a_label_stands_on_one_line(label: str) -> None:
    """Else one of them could read as the laws of two states in their digest."""
    with pytest.raises(Invalid, match="on one line"):
        given(changed('{"state":"s"', f'{{"state":"{label}"'))
    with pytest.raises(Invalid, match="on one line"):
        given(changed('["0",3,"3"]', f'["{label}",3,"3"]'))


def chain(*segments: tuple[int, int]) -> Curve:
    return Curve(1, [m0 for m0, _ in segments], [m1 for _, m1 in segments])


def test_the_program_says_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {
        "valid": Forger().text(following=2, fixed=DELTA[3], row=3),
        "valid but for relation:edit": Forger(header={"adjacency": "edit"}).text(following=2, fixed=DELTA[3], row=3),
        "invalid: line 14: expected a curve bounds what follows": changed('["1 6 9","9 6 1"]', '["1 6 9","9 7 1"]'),
    }
    for status, (word, text) in zip((0, 3, 1), texts.items(), strict=True):
        file = tmp_path / "c.jsonl"
        file.write_text(text, encoding="utf-8")
        assert verify_certificate.main([str(file)]) == status
        assert capsys.readouterr().out == f"{word}\n"
    assert verify_certificate.main([str(tmp_path / "none")]) == verify_certificate.main([]) == 2


@pytest.mark.parametrize(
    ("scope", "round_", "pairs"),
    [
        (("hamming", 1, None), 1, {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0, (0, 2): 1, (1, 2): 1}),
        (("hamming", 1, 2), 1, {(0, 0): 0, (1, 1): 0}),
        (("hamming", 1, 2), 2, {(0, 1): 1, (1, 0): 1, (0, 2): 1, (1, 2): 1}),
        (("hamming", 2, 2), 2, {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0, (0, 2): 1, (1, 2): 1}),
        (("unit-hamming", 1, None), 1, {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0, (1, 2): 1}),
        (("any", 1, None), 1, {(x, y): 0 for x in (0, 1) for y in (0, 1, 2)}),
        (("edit", 1, None), 1, {}),
    ],
)
def test_legal_pairs_are_known_of_relations_by_name(
    scope: tuple[str, int, int | None], round_: int, pairs: dict[tuple[int, int], int]
) -> None:
    adjacency, hops, challenge = scope
    header = {"adjacency": adjacency, "hops": hops, "challenge_round": challenge, "game": "paired", "null": None}
    assert legal_costs({**header, "alphabet": ["0", "1"]}, ["0", "1", "2"], round_) == pairs


def test_ends_that_touch_do_not_settle_what_lies_between() -> None:
    """The claimed curve has a segment between two that are longer in what it is to bound."""
    claimed, above = chain((2, 6), (4, 4), (6, 2)), chain((3, 9), (9, 3))
    assert not holds(claimed, [(1, 1, above)], 1)
    assert holds(above, [(1, 1, claimed)], 1)
    assert holds(claimed, [(1, 1, claimed)], 1)


def test_the_digest_of_the_game_tells_what_is_seen_from_what_is_hidden() -> None:
    """Both outcomes read (a, b, s) without what parts them."""
    outcomes = []
    for visible, state in (("a, b", "s"), ("a", "b, s")):
        header = json.loads(Forger().text(following=2, fixed=DELTA[3], row=3).splitlines()[0])
        checker = Checker(header)
        for line in (
            {"state": "s0", "last": 9},
            {"state": state, "last": 9},
            {"kernel": [2, 0], "to": [[visible, 3, "1"]], "of": "1", "last": 9},
        ):
            checker.read(line)
        outcomes += checker.outcomes
    assert outcomes[0] != outcomes[1]
