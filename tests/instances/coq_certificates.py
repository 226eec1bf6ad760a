"""Certificates (dpcert.certificate/1) as text that Coq reads, read by code that shares nothing with the checker.

What is passed on is what Coq's theorem is about: the game with a curve at every position, adversaries, and claims. The
relation, the digests and the account of lines in use are not.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from math import gcd, lcm
from typing import Any

ABOVE_ALL = Fraction(2)
"""In place of an upper bound that rests on more than the curve of the root."""
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

    def of_state(self, number: int, line: dict[str, Any]) -> Iterator[str]:
        """States have numbers alone."""
        yield from ()

    of_front = of_state

    def of_kernel(self, number: int, line: dict[str, Any]) -> Iterator[str]:
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

    def of_round(self, number: int, line: dict[str, Any]) -> Iterator[str]:
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
            yield _hex(3, *(n for i, (_, k0, k1, after) in outcomes for n in (i, k0, k1, self.after[after] if after else 0)))
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

    def of_claim(self, number: int, line: dict[str, Any]) -> Iterator[str]:
        """A claim about the root; an upper bound that rests on fronts is none for Coq."""
        e, lower = Fraction(line["exp_epsilon"]), Fraction(line["lower"] or 0)
        upper = Fraction(line["upper"]) if line["front"] is None else ABOVE_ALL
        ends = (n for q in (e, line["order"] == "0-1", upper, lower) for n in _parts(q))
        yield _hex(5, *ends, line["play"] or 0)
        (root,) = self.here.values()
        yield _hex(6, root)


def _parts(value: Fraction | bool) -> tuple[int, ...]:
    """A rational as two numbers; a choice as one."""
    return (int(value),) if isinstance(value, bool) else (value.numerator, value.denominator)


def _said(belief: Belief) -> str:
    """As positions write it."""
    common = gcd(*belief.values())
    return " ".join(f"{state}:{belief[state] // common}" for state in sorted(belief))


def _hex(*numbers: int) -> str:
    return " ".join(f"{n:x}" for n in numbers)


def theorem_file(text: list[str]) -> str:
    """A Coq file that proves of one text that no adversary exceeds its claims, and prints what that assumes."""
    listed = ";\n".join(f'"{line}"' for line in text)
    return f"""From Coq Require Import QArith List.
From Dpcert Require Import Games PairedSimulation CertificateCheck CertificateText.
Import ListNotations.
Open Scope Q_scope.
Definition read_of : list line := [{listed}]%line.
Definition this := Eval vm_compute in match read read_of with Some c => c | None =>
  {{| positions := []; root := xH; plans := []; claims := [] |}} end.
Lemma checked : check this = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem no_adversary_exceeds_it : length (claims this) = {sum(line.startswith("5 ") for line in text)}%nat /\\
  forall k, In k (claims this) ->
  forall (A : adversary (of_kernels (of_table (of_list (positions this))))) phi, is_test A phi -> forall n,
  gained (reversed k) (slope k)
    (probability A n (start (K := of_table (of_list (positions this))) (Some (root this))) phi 0)
    (probability A n (start (K := of_table (of_list (positions this))) (Some (root this))) phi 1) <= upper k.
Proof. split; [vm_compute; reflexivity|]. intros k I. exact (proj1 (check_sound this checked k I)). Qed.
Print Assumptions no_adversary_exceeds_it.
"""


def verdicts_file(texts: list[list[str]]) -> str:
    """A Coq file that prints the verdict on each text."""
    listed = (
        "Definition c%d : list line := [%s]%%line.\n" % (i, ";\n".join(f'"{line}"' for line in text))
        for i, text in enumerate(texts)
    )
    asked = "; ".join(f"verdict c{i}" for i in range(len(texts)))
    head = "From Coq Require Import List.\nFrom Dpcert Require Import CertificateText.\nImport ListNotations.\n"
    return f"{head}{''.join(listed)}Eval vm_compute in [{asked}].\n"
