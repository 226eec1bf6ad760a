"""Prefixes merged by law and future: on random cores against the game in which none are, and against brute force."""

import random
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from dpcert.audit.algebra.common_laws import bernoulli, from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget
from dpcert.audit.checklist.subject import subject_of
from dpcert.audit.examine import examine
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels import futures, merging
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import ANY, HAMMING, UNIT_HAMMING, ZERO_OUT, Adjacency, ChallengeAt
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving.adaptive import solve

LAWS = [from_weights({0: a, 1: b, 2: c}) for a, b, c in ((1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (0, 1, 3))]
RELATIONS: tuple[Adjacency[Any], ...] = (HAMMING, UNIT_HAMMING, ANY, ChallengeAt(HAMMING, 2), Hops(HAMMING, 2, 5))


@dataclass(frozen=True)
class Random:
    """Few laws, one for each state of a random automaton over rounds; `spoilt` has one prefix with a law of its own."""

    seed: int
    horizon: int = 4
    alphabet: tuple[int, ...] = (0, 1)
    spoilt: tuple[int, ...] = ()
    asked: dict[tuple[int, ...], int] = field(default_factory=lambda: defaultdict(int), compare=False)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        self.asked[prefix] += 1
        if prefix == self.spoilt:
            return from_weights({0: 1, 1: 1, 2: 5})
        state = 0
        for t, x in enumerate(prefix):
            state = random.Random(f"{self.seed} {t} {state} {x}").randrange(3)
        return LAWS[random.Random(f"{self.seed} {len(prefix)} {state}").randrange(len(LAWS))]


def instances(count: int) -> list[Random]:
    made = []
    for seed in range(count):
        drawn = random.Random(seed)
        alphabet = (0, 1) if seed % 3 else (0, 1, 2)
        horizon = 5 if len(alphabet) == 2 else 4
        length = drawn.randint(1, horizon)
        spoilt = tuple(drawn.choice(alphabet) for _ in range(length)) if seed % 2 else ()
        made.append(Random(seed, horizon, alphabet, spoilt))
    return made


@pytest.fixture(autouse=True)
def _merged_however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(futures, "MERGED_FROM", 0)


def played(core: Core, relation: Adjacency[Any], horizon: int) -> Any:
    return solve(explore(PairedGame(core, relation, horizon)))


@pytest.mark.in_turns
def test_the_merged_game_has_the_curves_of_the_game_in_which_none_are_merged() -> None:
    merged_at_all = 0
    for mechanism in instances(12):
        core = core_of(mechanism)
        merged = futures.merged_by_futures(core, mechanism.horizon)
        if merged is core:
            continue
        merged_at_all += 1
        for relation in RELATIONS:
            one, two = (played(which, relation, mechanism.horizon) for which in (core, merged))
            assert one.power == two.power, (mechanism, relation)
            assert two.positions <= one.positions
    assert merged_at_all > 5


@pytest.mark.in_turns
def test_two_prefixes_are_one_exactly_if_no_inputs_tell_them_apart() -> None:
    for mechanism in instances(24):
        core, horizon = core_of(mechanism), mechanism.horizon
        merged = futures.merged_by_futures(core, horizon)
        if merged is core:
            continue
        for t in range(1, horizon):
            by_future: dict[Any, set[Any]] = defaultdict(set)
            for prefix in product(mechanism.alphabet, repeat=t):
                future = tuple(
                    mechanism.law((*prefix, *more))
                    for length in range(horizon - t + 1)
                    for more in product(mechanism.alphabet, repeat=length)
                )
                state: Any = ()
                for x in prefix:
                    state = merged.advance(state, x)
                by_future[future].add(state)
            assert all(len(states) == 1 for states in by_future.values())
            assert len(set().union(*by_future.values())) == len(by_future)


def one_by_one(mechanism: Random) -> dict[Any, Any]:
    """What a merged core's steps are, from a dictionary of all prefixes: none of numpy's arrays, no numbers of laws."""
    inputs, horizon = mechanism.alphabet, mechanism.horizon
    first: dict[Any, Any] = {}
    for t in range(horizon, 0, -1):
        by_key: dict[Any, Any] = {}
        for prefix in product(inputs, repeat=t):
            key = mechanism.law(prefix), tuple(first[(*prefix, x)] for x in inputs if t < horizon)
            first[prefix] = by_key.setdefault(key, prefix)
    steps: dict[Any, Any] = {}
    states = [()]
    for state in states:
        for x in inputs if len(state) < horizon else ():
            after = steps[(*state, x)] = first[(*state, x)]
            if after not in states:
                states.append(after)
    return steps


def test_merged_steps_are_those_of_a_dictionary_of_all_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (merging.KEY_LIMIT, 1):
        monkeypatch.setattr(merging, "KEY_LIMIT", limit)
        for mechanism in instances(12):
            laws = core_of(mechanism).ask_prefixes(mechanism.horizon)
            assert list(futures._merged_steps(laws, mechanism.horizon).items()) == list(
                one_by_one(mechanism).items()
            ), mechanism


def brute_force(mechanism: Random, horizon: int) -> Fraction:
    """Total variation that adaptive adversaries reach, by trying every pair in every transcript."""

    def worth(x0: tuple[int, ...], x1: tuple[int, ...], p: Fraction, q: Fraction) -> Fraction:
        if len(x0) == horizon:
            return max(Fraction(0), p - q)
        best = Fraction(0)
        for a, b in product(mechanism.alphabet, repeat=2):
            if a != b and x0 != x1:
                continue
            law0, law1 = mechanism.law((*x0, a)), mechanism.law((*x1, b))
            total = sum(
                (worth((*x0, a), (*x1, b), p * law0.probability(y), q * law1.probability(y)) for y in range(3)),
                Fraction(0),
            )
            best = max(best, total)
        return best

    return worth((), (), Fraction(1), Fraction(1))


def test_the_merged_game_has_the_value_of_brute_force() -> None:
    for mechanism in instances(6)[1::2]:
        small = Random(mechanism.seed, 3, (0, 1), mechanism.spoilt[:3])
        merged = futures.merged_by_futures(core_of(small), 3)
        assert played(merged, HAMMING, 3).power.total_variation == brute_force(small, 3)


@pytest.mark.in_turns
def test_merging_by_law_alone_or_by_future_alone_is_found() -> None:
    """Both faults change a curve of one of the instances at least, so the comparison above would find them."""
    faults = {"law": 0, "future": 0}
    for mechanism in instances(24):
        core = core_of(mechanism)
        right = played(core, HAMMING, mechanism.horizon).power
        numbered = core.ask_prefixes(mechanism.horizon)
        laws = [list(row) for row in numbered.rounds]
        width = len(mechanism.alphabet)
        for fault in faults:
            reduced = laws if fault == "law" else [[0] * len(row) for row in laws[:-1]] + laws[-1:]
            steps = {}
            for t in range(1, mechanism.horizon + 1):
                first: dict[Any, int] = {}
                row = reduced[t - 1]
                below = [()] * len(row) if fault == "law" else list(_futures(reduced[t:], width, len(row)))
                for i, key in enumerate(zip(row, below, strict=True)):
                    steps[numbered.prefix(t, i)] = numbered.prefix(t, first.setdefault(key, i))
            wrong = Core("wrong", core.alphabet, (), None, lambda s, x, steps=steps: steps[(*s, x)], core.law)
            faults[fault] += played(wrong, HAMMING, mechanism.horizon).power != right
    assert all(faults.values()), faults


def _futures(later: list[list[int]], width: int, count: int) -> Any:
    for i in range(count):
        made, low, high = [], i, i + 1
        for row in later:
            low, high = low * width, high * width
            made.append(tuple(row[low:high]))
        yield tuple(made)


@pytest.mark.parametrize("relation", [ZERO_OUT, ChallengeAt(UNIT_HAMMING, 1)], ids=lambda relation: relation.name)
def test_where_not_every_prefix_is_met_none_are_merged(relation: Adjacency[Any]) -> None:
    mechanism = Random(1)
    subject = subject_of(mechanism, core_of(mechanism), relation, 4, Budget())
    assert isinstance(subject.core, Core)
    assert subject.core.whole is None


def test_where_something_is_published_none_are_merged() -> None:
    class Publishing(Random):
        def publish(self, core: tuple[int, ...]) -> int:
            return core[-1]

    mechanism = Publishing(1)
    subject = subject_of(mechanism, core_of(mechanism), HAMMING, 4, Budget())
    assert subject.core is None or subject.core.whole is None


@pytest.mark.in_turns
def test_a_record_says_the_same_but_for_the_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    for mechanism in instances(3)[1:]:
        merged = examine(mechanism, horizon=mechanism.horizon)
        monkeypatch.setattr(futures, "MERGED_FROM", 10**9)
        plain = examine(mechanism, horizon=mechanism.horizon)
        monkeypatch.setattr(futures, "MERGED_FROM", 0)
        for key in ("kernel_digest", "lifts", "verdict"):
            assert merged[key] == plain[key], (mechanism, key)
        for key in ("fixed_stream", "adaptive"):
            assert merged[key]["power"] == plain[key]["power"]
        for one, two in zip(merged["checklist"], plain["checklist"], strict=True):
            assert (one["item"], one["verdict"], one["rung"]) == (two["item"], two["verdict"], two["rung"])


@pytest.mark.in_turns
def test_every_law_is_asked_for_twice_and_one_that_changes_is_found() -> None:
    steady = Random(3, 4)
    examine(steady, horizon=4)
    assert {len(p) for p in steady.asked} == {1, 2, 3, 4}
    assert all(steady.asked[p] >= 2 for t in range(1, 5) for p in product((0, 1), repeat=t))

    class Changing(Random):
        def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
            self.asked[prefix] += 1
            changed = prefix == (1, 0, 1) and self.asked[prefix] > 1
            return bernoulli(Fraction(1, 7)) if changed else bernoulli(Fraction(1, 3))

    record = examine(Changing(0), horizon=4)
    assert next(e for e in record["checklist"] if e["item"] == "DETERMINISTIC_MAP")["verdict"] == "REFUTED"


def test_a_merged_core_does_not_answer_past_its_horizon() -> None:
    core = core_of(Random(3, alphabet=(0, 1, 2)))
    merged = futures.merged_by_futures(core, 4)
    assert merged is not core
    state: Any = ()
    for _ in range(4):
        state = merged.advance(state, 0)
    with pytest.raises(Exception, match="past its horizon"):
        merged.advance(state, 0)


@pytest.mark.in_turns
def test_the_question_for_every_horizon_is_asked_of_the_core_as_it_is() -> None:
    record = examine(Random(4), horizon="inf")
    assert next(e for e in record["checklist"] if e["item"] == "STABLE_COST")["rung"] is None
    longer = Random(4, 6)
    merged = examine(longer, horizon=6)
    assert merged["scope"]["horizon"] == 6
