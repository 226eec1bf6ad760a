"""Rounds told as progressions: against what each round weighs, worked out one by one, and against the game."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.checklist import additive as additive_module
from dpcert.audit.checklist import horizons
from dpcert.audit.checklist.additive import Shifts, additive, rises_with_size
from dpcert.audit.checklist.contexts import Curves
from dpcert.audit.errors import MechanismError
from dpcert.audit.examine import examine
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.laws_digest import digest_of_laws
from dpcert.audit.kernels.linear import Linear
from dpcert.audit.kernels.progressions import Progression, common_round, first_untold, missing_round, weights_of_input
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.binary_tree import BinaryTree

Told = tuple[tuple[int, int | None, int, tuple[tuple[int, int | None, int], ...], Pmf[Any]], ...]


def weighed(drawn: Random) -> tuple[tuple[int, int | None, int], ...]:
    """Up to three stretches, further and further back."""
    found: list[tuple[int, int | None, int]] = []
    near = drawn.randrange(3)
    for _ in range(drawn.randrange(4)):
        far = drawn.choice((near, near + 1, near + 3))
        found.append((near, far, drawn.choice((1, 1, -1, 2))))
        near = far + drawn.choice((1, 1, 2))
    if drawn.randrange(2):
        found.append((near, None, 1))
    return tuple(found)


def told(drawn: Random) -> Told:
    """Random progressions that hold every round once: some first rounds alone, then each residue in parts."""
    laws = [from_weights({n: drawn.randint(1, 3) for n in range(drawn.choice((2, 3)))}) for _ in range(2)]
    found: list[Any] = []
    start = drawn.randint(1, 3)
    found.extend((t, t, drawn.randint(1, 3), weighed(drawn), drawn.choice(laws)) for t in range(1, start))
    step = drawn.randint(1, 4)
    for first in range(start, start + step):
        cut = first + step * drawn.randint(0, 3)
        if drawn.randrange(2):
            found.append((first, cut, step, weighed(drawn), drawn.choice(laws)))
            first = cut + step
        found.append((first, None, step, weighed(drawn), drawn.choice(laws)))
    drawn.shuffle(found)
    return tuple(found)


@dataclass(frozen=True)
class AtOnce:
    """Rounds told as progressions."""

    parts: Told
    modulus: int | None = None
    alphabet: tuple[int, ...] = (0, 1)

    def progressions(self) -> Told:
        return self.parts


@dataclass(frozen=True)
class OneByOne:
    """The same by what each round is, read off the words of the protocol and nothing of ours."""

    parts: Told
    modulus: int | None = None
    alphabet: tuple[int, ...] = (0, 1)

    def _part(self, t: int) -> Any:
        (part,) = [p for p in self.parts if t in range(p[0], (t if p[1] is None else p[1]) + 1, p[2])]
        return part

    def weights(self, t: int) -> tuple[int, ...]:
        part = self._part(t)
        return tuple(
            sum(b for near, far, b in part[3] if near <= t - i and (far is None or t - i <= far))
            for i in range(1, t + 1)
        )

    def noise_law(self, t: int) -> Pmf[Any]:
        return self._part(t)[4]  # type: ignore[no-any-return]


def cases(count: int, *, every: bool = False) -> list[tuple[AtOnce, OneByOne]]:
    """Random rounds told both ways; with `every` by all seeds, for what is to be met by some of them."""
    found = []
    for seed in range(count) if every else chosen(range(count)):
        drawn = Random(seed)
        given = told(drawn), drawn.choice((None, None, 5)), (0, drawn.choice((1, 2)))
        found.append((AtOnce(*given), OneByOne(*given)))
    return found


def linear_of(mechanism: object) -> Linear:
    linear = core_of(mechanism).linear
    assert linear is not None
    return linear


def test_every_round_is_what_was_told() -> None:
    for one, other in cases(60):
        at_once, listed = linear_of(one), linear_of(other)
        assert (at_once.told_at_once, listed.told_at_once) == (True, False)
        for t in range(1, 30):
            assert at_once.weights(t) == listed.weights(t), (one, t)
            assert at_once.noise(t) == listed.noise(t), (one, t)
        for i in range(1, 30):
            column = [listed.weights(t)[i - 1] for t in range(i, 30)]
            assert weights_of_input(at_once.progressions, i, 29) == column, (one, i)


def test_the_curve_and_the_rungs_are_those_of_rounds_one_by_one() -> None:
    rises = set()
    for one, other in cases(16, every=True):
        for rounds in (5, 23):
            a, b = (additive(core_of(mechanism), rounds, Budget()) for mechanism in (one, other))
            assert a is not None
            assert b is not None
            assert a.tensor.power == b.tensor.power, one
            assert a.rises == b.rises == rises_with_size(linear_of(one), rounds)
            rises.add(a.rises)
            assert all(len(a.tensor.witness(2, order)) == rounds for order in ("0-1", "1-0"))
    assert rises == {True, False}


@pytest.mark.in_turns
def test_the_curve_is_that_of_the_game() -> None:
    for one, _ in cases(15):
        assert by_theorem(one, 4) == solve(explore(PairedGame(core_of(one), HAMMING, 4))).power, one


def test_one_round_that_meets_all_stands_for_every_other() -> None:
    found = 0
    for one, other in cases(60, every=True):
        at_once, listed = (Shifts(linear_of(mechanism), Curves()) for mechanism in (one, other))
        at_once.linear.read(20)
        foremost = additive_module._foremost(at_once, 20)
        everywhere = additive_module._listed(listed, 20)
        if foremost is None:
            continue
        found += 1
        ((profile, i),) = foremost.items()
        most = Counter({(at_once.noises[n][1], b): times for (n, b), times in profile})
        for each in everywhere:
            assert all(most[listed.noises[n][1], b] >= times for (n, b), times in each), one
        met = Counter((other.noise_law(t), w) for t in range(i, 21) if (w := other.weights(t)[i - 1]))
        assert met == +most, one
    assert found > 3


def test_what_round_1_meets_taken_for_the_most_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_round_1(one: Progression, near: int, far: int | None, rounds: int) -> int:
        return one.met(1, near, far, rounds)

    right = [by_theorem(other, 12) for _, other in cases(24, every=True)]
    assert [by_theorem(one, 12) for one, _ in cases(24, every=True)] == right
    monkeypatch.setattr(Progression, "most_met", of_round_1)
    assert [by_theorem(one, 12) for one, _ in cases(24, every=True)] != right


def by_theorem(mechanism: object, rounds: int) -> PowerFunction:
    found = additive(core_of(mechanism), rounds, Budget())
    assert found is not None
    return found.tensor.power


def test_how_often_a_stretch_is_met_is_counted() -> None:
    drawn = Random(7)
    for _ in range(300):
        first, step = drawn.randint(1, 6), drawn.randint(1, 5)
        last = drawn.choice((None, first + drawn.randrange(12)))
        one = Progression(first, last, step, (), from_weights({0: 1}))
        rounds, near = drawn.randint(1, 20), drawn.randrange(4)
        far = drawn.choice((None, near + drawn.randrange(5)))
        members = [t for t in range(first, rounds + 1, step) if last is None or t <= last]
        assert one.until(rounds) == max(members, default=0)
        counts = [sum(i + near <= t and (far is None or t <= i + far) for t in members) for i in range(1, rounds + 1)]
        assert [one.met(i, near, far, rounds) for i in range(1, rounds + 1)] == counts
        assert one.most_met(near, far, rounds) == max(counts)


def test_rounds_in_common_and_rounds_in_none_are_found() -> None:
    drawn = Random(3)
    law = from_weights({0: 1})
    for _ in range(400):
        both = []
        for _ in range(2):
            first = drawn.randint(1, 8)
            last = drawn.choice((None, first + drawn.randrange(20)))
            both.append(Progression(first, last, drawn.randint(1, 6), (), law))
        shared = [t for t in range(1, 80) if all(one.holds(t) for one in both)]
        assert common_round(*both) == (shared[0] if shared else None)
        if not shared:
            missing = [t for t in range(1, 40) if not any(one.holds(t) for one in both)]
            assert missing_round(tuple(both), 39) == (missing[0] if missing else None)


@pytest.mark.parametrize("seed", range(60))
def test_a_round_that_nothing_tells_is_found_however_late_it_is(seed: int) -> None:
    """Rounds are parted over progressions by splitting one again and again; then some lose their end, or go."""
    drawn, law = Random(seed), from_weights({0: 1})
    told = [Progression(1, None, 1, (), law)]
    for _ in range(drawn.randrange(6)):
        one = told.pop(drawn.randrange(len(told)))
        if drawn.random() < 0.5:
            last = one.first + one.step * drawn.randrange(30)
            last = last if one.last is None else min(last, one.last)
            told += [Progression(one.first, last, one.step, (), law)]
            told += [Progression(last + one.step, None, one.step, (), law)] if one.last is None else []
        else:
            told += [Progression(one.first + i * one.step, one.last, one.step * 3, (), law) for i in range(3)]
    told = [one for one in told if one.last is None or one.first <= one.last]
    assert all(common_round(*both) is None for both in combinations(told, 2))
    if drawn.random() < 0.6 and len(told) > 1:
        told.pop(drawn.randrange(len(told)))
    missing = (t for t in range(1, 3_000) if not any(one.holds(t) for one in told))
    assert first_untold(tuple(told)) == next(missing, None)


NOISE = from_weights({0: 2, 1: 1})
REFUSED: dict[str, Any] = {
    "a list": [(1, None, 1, (), NOISE)],
    "nothing": (),
    "four": ((1, None, 1, ()),),
    "round 0": ((0, None, 1, (), NOISE),),
    "step 0": ((1, None, 0, (), NOISE),),
    "ends before": ((2, 1, 1, (), NOISE), (1, None, 1, (), NOISE)),
    "a later input": ((1, None, 1, ((-1, 0, 1),), NOISE),),
    "weight 0": ((1, None, 1, ((0, 0, 0),), NOISE),),
    "one input twice": ((1, None, 1, ((0, 2, 1), (2, 3, 1)), NOISE),),
    "after the beginning": ((1, None, 1, ((0, None, 1), (5, 6, 1)), NOISE),),
    "a bool": ((True, None, 1, (), NOISE),),
    "no law": ((1, None, 1, (), {0: 1}),),
    "a law of halves": ((1, None, 1, (), from_weights({0.5: 1})),),
    "a round twice": ((1, None, 2, (), NOISE), (2, None, 3, (), NOISE)),
    "a round in none": ((1, None, 2, (), NOISE),),
    "too many": tuple((t, t, 1, (), NOISE) for t in range(1, 202)),
}


@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED)
def test_what_are_no_progressions_is_refused(answer: Any) -> None:
    with pytest.raises(MechanismError, match="progressions"):
        examine(AtOnce(answer), horizon=150)


@dataclass(frozen=True)
class Beside(AtOnce):
    """Says the same round by round, but for one round."""

    late: int = 60
    member: str = "weights"

    def weights(self, t: int) -> tuple[int, ...]:
        return (0,) * (t - 1) + (2 if (t, self.member) == (self.late, "weights") else 1,)

    def stretches(self, t: int) -> tuple[tuple[int, int, int], ...]:
        return ((t, t, 2 if (t, self.member) == (self.late, "stretches") else 1),)

    def noise_law(self, t: int) -> Pmf[Any]:
        return from_weights({0: 1, 1: 5}) if (t, self.member) == (self.late, "noise_law") else NOISE


@pytest.mark.parametrize("member", ["weights", "stretches", "noise_law"])
def test_what_is_said_beside_them_is_held_against_the_first_rounds(member: str) -> None:
    parts: Told = ((1, None, 1, ((0, 0, 1),), NOISE),)
    with pytest.raises(MechanismError, match=rf"round 60 to be its {member}\(60\)"):
        examine(Beside(parts, member=member), horizon=150)
    assert examine(Beside(parts, late=0, member=member), horizon=150)["verdict"] == "HOLDS"


def test_a_second_answer_that_is_another_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horizons, "LONG_ADDITIVE", 4)

    class Changing(AtOnce):
        asked = 0

        def progressions(self) -> Told:
            Changing.asked += 1
            weight = 1 if Changing.asked < 2 else 2
            return ((1, None, 1, ((0, 0, weight),), NOISE),)

    record = examine(Changing(()), horizon=6)
    assert next(e for e in record["checklist"] if e["item"] == "DETERMINISTIC_MAP")["verdict"] == "REFUTED"


def digest(parts: Told, rounds: int) -> str:
    return digest_of_laws(linear_of(AtOnce(parts)).told(rounds))


def test_the_digest_has_every_round_and_none_after_the_last() -> None:
    law, other = NOISE, from_weights({0: 3, 1: 1})
    base = ((1, 999, 1, ((0, 4, 1),), law), (1000, None, 1, ((0, None, 1),), law))
    known = digest(base, 1000)
    changed: list[Told] = [
        (base[0], (1000, None, 1, ((0, None, 1),), other)),
        (base[0], (1000, None, 1, ((0, 998, 1),), law)),
        (base[0], (1000, None, 1, ((1, None, 1),), law)),
        ((1, 999, 1, ((0, 4, 2),), law), base[1]),
        ((1, 998, 1, ((0, 4, 1),), law), (999, None, 1, ((0, None, 1),), law)),
    ]
    assert known not in {digest(one, 1000) for one in changed}
    later: list[Told] = [
        (base[0], (1000, 1000, 7, ((0, 999, 1),), law), (1001, None, 1, (), other)),
        base[::-1],
    ]
    assert {digest(one, 1000) for one in later} == {known}


def test_a_record_is_that_of_the_same_rounds_told_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horizons, "LONG_ADDITIVE", 4)
    for one, other in cases(6):
        a, b = (examine(mechanism, horizon=12) for mechanism in (one, other))
        assert [e["verdict"] for e in a["checklist"]] == [e["verdict"] for e in b["checklist"]]
        assert a["adaptive"]["power"] == b["adaptive"]["power"]
        assert a["fixed_stream"]["delta"] == b["fixed_stream"]["delta"]
        kinds = [(record["verdict"], record["lifts"]["curve"]["method"]) for record in (a, b)]
        assert kinds[0] == kinds[1]


def test_the_binary_tree_of_a_million_rounds() -> None:
    record = examine(BinaryTree(), horizon=1 << 20)
    curve = additive(core_of(BinaryTree()), 1 << 20, Budget())
    assert curve is not None
    assert record["verdict"] == "HOLDS"
    assert record["adaptive"]["delta"] == record["fixed_stream"]["delta"]
    node = curve.tensor.witness(2, "0-1")
    assert [t for t, (x, y) in enumerate(node, 1) if x != y] == [1]
