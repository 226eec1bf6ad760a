"""Certificates (dpcert.certificate/2) as text that Coq reads, read by code that shares nothing with the checker.

What is passed on is what Coq's theorem is about: the game with a curve at every position, adversaries, and claims. The
relation, the digests and the account of lines in use are not.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from math import gcd, lcm
from typing import Any

Belief = dict[int, int]


def coq_text(certificate: str) -> list[str]:
    """The lines that `CertificateText.read` reads. Raises: KeyError, ValueError: a certificate of another form."""
    return list(_Translation().lines(certificate))


class _Translation:
    """A certificate on its way to Coq."""

    def __init__(self) -> None:
        self.curves: dict[int, tuple[list[int], list[int]]] = {}
        self.kernels: dict[tuple[int, int], tuple[list[Any], int]] = {}
        self.moves: dict[int, list[Any]] = {}
        self.positions: dict[int, tuple[int, list[Belief], list[Any]]] = {}
        self.here: dict[Any, int] = {}
        self.after: dict[Any, int] = {}
        self.round = 0

    def lines(self, certificate: str) -> Iterator[str]:
        """Line by line; a position is followed by what each legal pair may lead to."""
        header, *rest = map(json.loads, certificate.splitlines())
        self.horizon, self.hidden = header["horizon"], header["hidden"]
        for number, line in enumerate(rest, 2):
            kind = next(iter(line))
            yield from getattr(self, f"of_{kind}")(number, line)

    def of_state(self, _number: int, _line: dict[str, Any]) -> Iterator[str]:
        """States have numbers alone."""
        yield from ()

    def of_kernel(self, _number: int, line: dict[str, Any]) -> Iterator[str]:
        """A law is kept."""
        state, x = line["kernel"]
        self.kernels[state, x] = [(v, after, int(w)) for v, after, w in line["to"]], int(line["of"])
        yield from ()

    def of_moves(self, number: int, line: dict[str, Any]) -> Iterator[str]:
        """Legal pairs are kept."""
        self.moves[number] = line["moves"]
        yield from ()

    def of_curve(self, number: int, line: dict[str, Any]) -> Iterator[str]:
        """A curve, segment by segment."""
        mass0, mass1 = (list(map(int, masses.split(" "))) for masses in line["curve"])
        self.curves[number] = mass0, mass1
        yield _hex(1, number, *(m for pair in zip(mass0, mass1, strict=True) for m in pair))

    def of_mirror(self, number: int, line: dict[str, Any]) -> Iterator[str]:
        """The same with the worlds swapped, from the other end."""
        mass0, mass1 = self.curves[line["mirror"]]
        yield from self.of_curve(number, {"curve": [" ".join(map(str, m[::-1])) for m in (mass1, mass0)]})

    def of_round(self, _number: int, line: dict[str, Any]) -> Iterator[str]:
        """What was here comes after."""
        self.round, self.after, self.here = line["round"], self.here, {}
        yield from ()

    def of_position(self, number: int, line: dict[str, Any]) -> Iterator[str]:
        """A position, and what every legal pair may lead to."""
        key = tuple(line["position"])
        beliefs = [{int(s): int(w) for s, w in (p.split(":") for p in text.split(" "))} for text in key[1:]]
        moves = self.moves[line["moves"]]
        yield _hex(2, number, line["curve"])
        self.positions[number] = self.round, beliefs, moves
        for move in moves:
            outcomes = enumerate(self.released(beliefs, *move))
            yield _hex(
                3, *(n for i, (_, k0, k1, after) in outcomes for n in (i, k0, k1, self.after[after] if after else 0))
            )
        self.here[key] = number

    def released(self, beliefs: list[Belief], x0: int, x1: int, relation: int | None) -> list[Any]:
        """(output, weight in world 0, in world 1, key of what follows) for every output of a pair."""
        seen0, seen1 = (self.seen(belief, x) for belief, x in zip(beliefs, (x0, x1), strict=True))
        either = next(iter(seen0.values())), next(iter(seen1.values()))
        made = []
        for output in dict.fromkeys((*seen0, *seen1)):
            there0, there1 = seen0.get(output), seen1.get(output)
            over = relation is None or self.round == self.horizon
            over = over or (self.hidden and (there0 is None or there1 is None or output == "HALT"))
            key = None if over else (relation, _said(there0 or either[0]), _said(there1 or either[1]))
            made.append((output, sum((there0 or {}).values()), sum((there1 or {}).values()), key))
        return made

    def seen(self, belief: Belief, x: int) -> dict[str, Belief]:
        """Output -> mass by next state."""
        scale, made = lcm(*(self.kernels[state, x][1] for state in belief)), {}
        for state, weight in belief.items():
            entries, total = self.kernels[state, x]
            for output, after, w in entries:
                there: Belief = made.setdefault(output, {})
                there[after] = there.get(after, 0) + weight * w * (scale // total)
        return made

    def of_play(self, number: int, line: dict[str, Any]) -> Iterator[str]:
        """What is asked for, and what is done after each output."""
        _, beliefs, moves = self.positions[line["play"]]
        (at,) = [i for i, move in enumerate(moves) if move[:2] == line["pair"]]
        then = [line["then"][output] for output, *_ in self.released(beliefs, *moves[at])]
        yield _hex(4, number, line["play"], at, *(int(t) if isinstance(t, bool) else t + 1 for t in then))

    def of_front(self, number: int, line: dict[str, Any]) -> Iterator[str]:
        """Rows of curves, and for every option what follows and which rows bound it."""
        curves = (curve for row in line["curves"] for curve in row)
        yield _hex(7, number, len(line["front"]), *line["front"], *curves)
        for after, rows in line["by"]:
            yield _hex(8, after or 0, *rows)

    def of_challenge(self, _number: int, _line: dict[str, Any]) -> Iterator[str]:
        """One-round curves are not passed on."""
        yield from ()

    def of_claim(self, _number: int, line: dict[str, Any]) -> Iterator[str]:
        """A claim about the root."""
        e, upper, lower = (Fraction(line[name] or 0) for name in ("exp_epsilon", "upper", "lower"))
        ends = upper.numerator, upper.denominator, lower.numerator, lower.denominator
        asked = line["claim"] == "fixed", e.numerator, e.denominator, line["order"] == "0-1"
        yield _hex(5, *asked, *ends, line["play"] or 0, line["front"] or 0)
        (root,) = self.here.values()
        yield _hex(6, root)


def _said(belief: Belief) -> str:
    """As positions write it."""
    common = gcd(*belief.values())
    return " ".join(f"{state}:{belief[state] // common}" for state in sorted(belief))


def _hex(*numbers: int) -> str:
    return " ".join(f"{n:x}" for n in numbers)


def theorem_file(text: list[str]) -> str:
    """A Coq file that proves of one text that no adversary exceeds its claims, and prints what that assumes.

    Numbers are read once; that the check says true is not worked out again when the proof is closed.
    """
    listed = ";\n".join(f'"{line}"' for line in text)
    return f"""From Coq Require Import QArith List.
From Dpcert Require Import Games PositionCheck CertificateCheck CertificateText.
Import ListNotations.
Open Scope Q_scope.
Definition text : list line := [{listed}]%line.
Definition nothing := {{| positions := []; root := xH; plans := []; kept := []; claims := [] |}}.
Definition this := Eval vm_compute in match read text with Some c => c | None => nothing end.
Lemma checked : check this = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition game := of_kernels (of_table (table_of this)).
Definition first := start (K := of_table (table_of this)) (Some (root this)).
Theorem as_claimed : length (claims this) = {sum(line.startswith("5 ") for line in text)}%nat /\\
  forall k, In k (claims this) -> forall (A : adversary game) phi, concerned k A -> is_test A phi -> forall n,
  gained (reversed k) (slope k) (probability A n first phi 0) (probability A n first phi 1) <= upper k.
Proof. split; [vm_compute; reflexivity|]. intros k I. exact (proj1 (check_sound this checked k I)). Qed.
Print Assumptions as_claimed.
"""


def verdicts_file(texts: list[list[str]]) -> str:
    """A Coq file that prints the verdict on each text."""
    listed = (";\n".join(f'"{line}"' for line in text) for text in texts)
    defined = (f"Definition c{i} : list line := [{lines}]%line.\n" for i, lines in enumerate(listed))
    asked = "; ".join(f"verdict c{i}" for i in range(len(texts)))
    head = "From Coq Require Import List.\nFrom Dpcert Require Import CertificateText.\nImport ListNotations.\n"
    return f"{head}{''.join(defined)}Eval vm_compute in [{asked}].\n"


class Rows:
    """Curves for streams that are fixed in advance, for a text of a core: one row for each pair of streams."""

    def __init__(self, text: list[str]) -> None:
        self.text = text
        self.options: dict[int, list[list[tuple[int, ...]]]] = {}
        self.written: list[str] = []
        self.number = 1 << 20
        here = 0
        for kind, *numbers in ([int(word, 16) for word in line.split(" ")] for line in text):
            if kind == 2:
                here = numbers[0]
                self.options[here] = []
            elif kind == 3:
                self.options[here].append(list(zip(*(iter(numbers),) * 4, strict=True)))
            elif kind == 6:
                self.root = numbers[0]

    def claims(self, *uppers: Fraction) -> list[str]:
        """The text with its fronts, and with claims at e^epsilon 1 and order 0-1 by that of the root alone."""
        front, _ = self.front(self.root)
        kept = [line for line in self.text if not line.startswith(("4 ", "5 "))]
        asked = [_hex(5, 1, 1, 1, 1, u.numerator, u.denominator, 0, 1, 0, front) for u in uppers]
        return [*kept, *self.written, *asked]

    def front(self, position: int) -> tuple[int, list[list[tuple[int, int]]]]:
        """The number of a position's front, and its rows."""
        rows, by = [], []
        for option in self.options[position]:
            (after,) = {outcome[3] for outcome in option}
            number, following = self.front(after) if after else (0, [[(1, 1)]])
            by.append(_hex(8, number, *range(len(rows), len(rows) + len(following))))
            rows += [_sum([(k0 * m0, k1 * m1) for _, k0, k1, _ in option for m0, m1 in curve]) for curve in following]
        numbers = [self.next_number() for _ in rows]
        for number, row in zip(numbers, rows, strict=True):
            self.written.append(_hex(1, number, *(m for segment in row for m in segment)))
        self.written += [_hex(7, at := self.next_number(), 1, position, *numbers), *by]
        return at, rows

    def next_number(self) -> int:
        """One that no line has."""
        self.number += 1
        return self.number


def _sum(segments: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Segments by falling slope, those of one slope as one."""
    made: dict[Fraction, tuple[int, int]] = {}
    for m0, m1 in ((m0, m1) for m0, m1 in segments if m0 or m1):
        slope = Fraction(m1, m0 + m1)
        before = made.get(slope, (0, 0))
        made[slope] = before[0] + m0, before[1] + m1
    return [made[slope] for slope in sorted(made, reverse=True)]
