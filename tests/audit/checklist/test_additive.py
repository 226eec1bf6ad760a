"""The curve of additive noise by theorem: on random cores against the game that plays every round."""

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.checklist import additive as module
from dpcert.audit.checklist import horizons
from dpcert.audit.checklist import subject as subject_module
from dpcert.audit.checklist.additive import additive, rises_with_size
from dpcert.audit.errors import MechanismError
from dpcert.audit.examine import examine
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels import linear as linear_module
from dpcert.audit.kernels.linear import COMPARED_ROUNDS
from dpcert.audit.kernels.stretches import stretches_of
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import solve
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.mechanisms.binary_tree import BinaryTree

examine_module = sys.modules["dpcert.audit.examine"]
SUMMED: dict[str, tuple[int | None, int]] = {"whole": (None, 0), "modulo 5": (5, 0), "vectors": (None, 2)}
"""Modulus, and the length of vectors."""


@dataclass(frozen=True)
class Additive:
    """Random weights, and one of two random noises a round; `late` is a round with a noise of its own."""

    seed: int
    kind: str
    late: int = 0

    @property
    def modulus(self) -> int | None:
        return SUMMED[self.kind][0]

    @property
    def alphabet(self) -> tuple[Any, ...]:
        drawn = random.Random(self.seed)
        numbers = drawn.sample(range(-2, 4), drawn.choice((2, 2, 3)))
        return tuple((n, drawn.randrange(2)) for n in numbers) if SUMMED[self.kind][1] else tuple(numbers)

    def weights(self, t: int) -> tuple[int, ...]:
        drawn = random.Random(f"{self.seed} {t}")
        weights = (0, drawn.choice((1, -1, 2))) if self.seed % 3 == 0 else (0, 0, 1, 1, -1, 2)
        return tuple(drawn.choice(weights) for _ in range(t))

    def noise_law(self, t: int) -> Pmf[Any]:
        drawn = random.Random(f"{self.seed} {random.Random(f'{self.seed} {t}').randrange(2)}")
        if t == self.late:
            drawn = random.Random(f"late {self.seed}")
        values: list[Any] = list(range(drawn.choice((2, 3))))
        if SUMMED[self.kind][1]:
            values = [(n, m) for n in values for m in (0, 1)]
        return from_weights({value: 1 if self.seed % 3 == 0 else drawn.randint(1, 4) for value in values})


def cases(count: int) -> list[Additive]:
    return [Additive(seed, kind, seed % 5) for kind in SUMMED for seed in range(count)]


def by_theorem(mechanism: Additive, horizon: int) -> PowerFunction:
    found = additive(core_of(mechanism), horizon, Budget())
    assert found is not None
    return found.tensor.power


@pytest.mark.in_turns
def test_the_theorem_gives_the_curve_of_the_game() -> None:
    for mechanism in cases(10):
        explored = explore(PairedGame(core_of(mechanism), HAMMING, 4))
        theorem = by_theorem(mechanism, 4)
        assert theorem == solve(explored).power, mechanism
        assert theorem == fixed_stream(explored.levels).power, mechanism


@dataclass(frozen=True)
class Stretched(Additive):
    """The same, whose weights are told as stretches as well."""

    def stretches(self, t: int) -> tuple[tuple[int, int, int], ...]:
        return stretches_of(self.weights(t))


def test_weights_told_as_stretches_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for mechanism in cases(5):
        told = Stretched(mechanism.seed, mechanism.kind, mechanism.late)
        linear, other = core_of(told).linear, core_of(mechanism).linear
        assert linear is not None
        assert other is not None
        assert (linear.sparse, other.sparse) == (True, False)
        assert by_theorem(told, 7) == by_theorem(mechanism, 7), mechanism
        assert rises_with_size(linear, 7) == rises_with_size(other, 7)
        assert list(linear.told(7)) == list(other.told(7))
        assert linear.changed(7) is None
    monkeypatch.setattr(module, "MOST_WEIGHTS", 6)
    assert additive(core_of(told), 7, Budget()) is None


class StretchedTree:
    """The binary tree, round by round."""

    alphabet = (0, 1, 2)
    modulus = 3

    def weights(self, t: int) -> tuple[int, ...]:
        return BinaryTree().weights(t)

    def stretches(self, t: int) -> Any:
        return stretches_of(self.weights(t))

    def noise_law(self, t: int) -> Pmf[int]:
        return BinaryTree().noise_law(t)


def test_longer_horizons_are_audited_where_weights_are_told_as_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    short = examine(StretchedTree(), horizon=130)
    for place in (linear_module, examine_module, subject_module):
        monkeypatch.setattr(place, "LISTED_ROUNDS", 120)
    long = examine(StretchedTree(), horizon=130)
    for key in ("adaptive", "fixed_stream", "lifts", "verdict"):
        same = [
            {k: v for k, v in one[key].items() if k != "strategies"} if key == "adaptive" else one[key]
            for one in (short, long)
        ]
        assert same[0] == same[1]
    assert short["kernel_digest"] != long["kernel_digest"]


@pytest.mark.parametrize(
    "answer",
    [[(1, 1, 1)], ((1, 1),), ((1, 2, 0),), ((2, 3, 1), (3, 4, 1)), ((0, 1, 1),), ((1, 9, 1),), ((1, 2, True),)],
)
def test_what_are_no_stretches_is_refused(answer: object) -> None:
    class Told(StretchedTree):
        def stretches(self, t: int) -> Any:
            return answer if t == 8 else ()

    linear = core_of(Told()).linear
    assert linear is not None
    with pytest.raises(MechanismError, match="stretches"):
        linear.stretches(8)


def test_stretches_that_are_not_the_weights_are_refused() -> None:
    class Told(StretchedTree):
        def stretches(self, t: int) -> Any:
            return ((1, t, 1),)

    with pytest.raises(MechanismError, match=r"stretches\(3\) to be its weights\(3\)"):
        examine(Told(), horizon=3)


def test_the_streams_that_are_named_reach_it() -> None:
    for mechanism in cases(4):
        found = additive(core_of(mechanism), 4, Budget())
        assert found is not None
        for key, claimed in found.tensor.curves.items():
            x0, x1 = zip(*found.tensor.streams(key), strict=True)
            reached = PowerFunction.identity()
            core = core_of(mechanism)
            for t in range(1, 5):
                reached = reached.tensor(PowerFunction.from_laws(core.law(x0[:t]), core.law(x1[:t])))
            assert reached == claimed


FAULTS: dict[str, Callable[[Any], Any]] = {
    "one challenge only": lambda leaks: [next(iter(leaks))],
    "the fewest leaks": lambda leaks: [min(leaks, key=lambda one: sum(n for _, n in one[0]))],
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_wrong_choice_of_challenges_is_found(fault: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    right = [by_theorem(mechanism, 4) for mechanism in cases(6)]
    monkeypatch.setattr(module, "_undominated", fault)
    assert [by_theorem(mechanism, 4) for mechanism in cases(6)] != right


def test_size_decides_exactly_where_every_shift_says_so() -> None:
    verdicts = set()
    for mechanism in cases(12):
        linear = core_of(mechanism).linear
        assert linear is not None
        holds = rises_with_size(linear, 4)
        verdicts.add(holds)
        if mechanism.kind == "vectors":
            assert not holds
            continue
        curves = {
            (t, s): PowerFunction.from_laws(linear.shifted(t, 0), linear.shifted(t, s))
            for t in range(1, 5)
            for s in range(-4, 5)
        }
        half = 2 if mechanism.modulus else 4
        weights = [{b for b in mechanism.weights(t) if b} for t in range(1, 5)]
        alike = all(len(of) <= 1 and (mechanism.modulus is None or of <= {1, -1}) for of in weights)
        expected = alike and all(
            curves[t, s] == curves[t, -s] and (s == 1 or curves[t, s - 1] <= curves[t, s])
            for t in range(1, 5)
            for s in range(1, half + 1)
        )
        assert holds == expected, mechanism
    assert verdicts == {True, False}


@pytest.mark.in_turns
def test_where_size_is_said_to_decide_the_ladder_does_not_refute_it() -> None:
    held = 0
    for mechanism in cases(16):
        linear = core_of(mechanism).linear
        if linear is not None and rises_with_size(linear, 4):
            record = examine(mechanism, horizon=4)
            rungs = next(e["rungs"] for e in record["checklist"] if e["item"] == "STABLE_COST")
            assert next(rung["verdict"] for rung in rungs if rung["rung"] == "SCALAR") != "REFUTED", mechanism
            held += 1
    assert held


@pytest.mark.in_turns
def test_a_record_by_theorem_has_the_curves_of_the_one_that_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = Additive(4, "modulo 5")
    played = examine(mechanism, horizon=5)
    monkeypatch.setattr(horizons, "LONG_ADDITIVE", 4)
    known = examine(mechanism, horizon=5)
    for key in ("fixed_stream", "adaptive"):
        assert known[key]["power"] == played[key]["power"]
        assert known[key]["delta"] == played[key]["delta"]
    assert known["verdict"] == played["verdict"]
    assert known["scope"]["positions"] < played["scope"]["positions"]
    assert "3 of 5 rounds played" in known["scope"]["text"]
    later = examine(Additive(4, "modulo 5", late=5), horizon=5)
    assert later["kernel_digest"] != known["kernel_digest"]


def test_a_late_noise_that_changes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horizons, "LONG_ADDITIVE", 4)

    class Changing(Additive):
        asked = 0

        def noise_law(self, t: int) -> Pmf[Any]:
            Changing.asked += t == 6
            return from_weights({0: 1, 1: Changing.asked}) if t == 6 else super().noise_law(t)

    record = examine(Changing(4, "modulo 5"), horizon=6)
    assert next(e for e in record["checklist"] if e["item"] == "DETERMINISTIC_MAP")["verdict"] == "REFUTED"


def test_what_ends_as_no_certificate_is_played_on_the_states_of_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horizons, "LONG_ADDITIVE", 4)
    monkeypatch.setattr(examine_module, "LISTED_ROUNDS", 4)

    class Changing(StretchedTree):
        asked = 0

        def noise_law(self, t: int) -> Pmf[Any]:
            Changing.asked += t == 6
            return from_weights({0: 1, 1: Changing.asked}) if t == 6 else super().noise_law(t)

    assert examine(Changing(), horizon=6)["scope"]["horizon"] == 6


def test_what_is_too_much_to_read_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MOST_WEIGHTS", "MOST_PROFILES"):
        with monkeypatch.context() as patched:
            patched.setattr(module, limit, 1)
            assert additive(core_of(Additive(3, "whole")), 5, Budget()) is None


@pytest.mark.in_turns(few=True)
def test_rounds_in_which_two_answers_were_not_compared_are_named() -> None:
    for rounds, named in [(COMPARED_ROUNDS, False), (COMPARED_ROUNDS + 1, True)]:
        details = " ".join(one["detail"] for one in examine(BinaryTree(), horizon=rounds)["checklist"])
        assert ("COMPARED_ROUNDS" in details) is named
