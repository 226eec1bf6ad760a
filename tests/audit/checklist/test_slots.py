"""Slot exchange refutes no core that has a certificate: every group of few elements is tried in its place."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import permutations, product
from typing import Any

import pytest

from dpcert import PowerFunction, bernoulli, examine, from_weights
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.sums.toeplitz_core import ToeplitzCore

BITS = (0, 1)
Answer = Callable[[int, int], int]
ANSWERS: dict[str, Answer] = {
    "nothing": lambda _, __: 0,
    "first": lambda x, _: x,
    "second": lambda _, y: y,
    "sum": lambda x, y: (x + y) % 2,
    "both": lambda x, y: x * y,
}


@dataclass(frozen=True)
class TwoAnswers:
    """A core on two bits; its second release answers two questions, wrong by 1/4 and by 1/8, its first one is noise."""

    one: str
    other: str
    alphabet = BITS
    horizon = 2

    def law(self, prefix: tuple[int, ...]) -> Any:
        if len(prefix) == 1:
            return bernoulli(Fraction(1, 2))
        wrong = bernoulli(Fraction(1, 4)).product(bernoulli(Fraction(1, 8)))
        told = ANSWERS[self.one](*prefix), ANSWERS[self.other](*prefix)
        return wrong.map(lambda e: ((told[0] + e[0]) % 2, (told[1] + e[1]) % 2))


@dataclass(frozen=True)
class FullTree:
    """Both nodes that round 2 completes, {2} and {1, 2}, released at once with noise 1, 2, 1."""

    alphabet = BITS
    horizon = 2

    def law(self, prefix: tuple[int, ...]) -> Any:
        noise = from_weights({-1: 1, 0: 2, 1: 1})
        if len(prefix) == 1:
            return noise.map(lambda n: prefix[0] + n)
        return noise.product(noise).map(lambda n: (prefix[1] + n[0], sum(prefix) + n[1]))


@dataclass(frozen=True)
class Hidden:
    """The first slot alone has an influence; a certificate with I_2 = {1} there is."""

    alphabet = BITS
    horizon = 2

    def law(self, prefix: tuple[int, ...]) -> Any:
        return bernoulli(Fraction(1 + 2 * prefix[0], 4) if len(prefix) == 2 else Fraction(1, 2))


def rungs(core: Any, **asked: Any) -> dict[str, dict[str, Any]]:
    record = examine(core, exp_epsilons=[1], **asked)
    entry = next(e for e in record["checklist"] if e["item"] == "STABLE_COST")
    return {rung["rung"]: rung for rung in entry["rungs"]}  # type: ignore[misc]


Group = tuple[list[Any], Callable[[Any, Any], Any]]


def groups() -> Iterator[Group]:
    for m in range(2, 5):
        yield list(range(m)), lambda a, b, m=m: (a + b) % m
    yield list(product(BITS, repeat=2)), lambda a, b: ((a[0] + b[0]) % 2, (a[1] + b[1]) % 2)
    yield list(permutations(range(3))), lambda a, b: tuple(a[i] for i in b)


def finest(group: Group) -> dict[Any, Any]:
    """(a, b) -> the conjugacy class of a^-1 b: whatever is invariant in the middle of a sum is a function of it."""
    elements, times = group
    zero = next(e for e in elements if times(e, e) == e)
    inverse = {a: next(b for b in elements if times(a, b) == zero) for a in elements}
    kind = {a: frozenset(times(times(c, a), inverse[c]) for c in elements) for a in elements}
    return {(a, b): kind[times(inverse[a], b)] for a, b in product(elements, repeat=2)}


def has_certificate(core: Any) -> bool:
    """Whether some group, messages and index set of round 2 have an invariant difference that decides its curves."""
    histories = list(product(BITS, repeat=2))
    curve = {(x, y): PowerFunction.from_laws(core.law(x), core.law(y)) for x, y in product(histories, repeat=2)}
    for (elements, times), kind in ((group, finest(group)) for group in groups()):
        zero = next(e for e in elements if times(e, e) == e)
        for messages, index in product(product(elements, repeat=2), ((), (0,), (1,), (0, 1))):
            total = {x: reduce(times, (messages[x[i]] for i in index), zero) for x in histories}
            known: dict[Any, PowerFunction] = {}
            if all(known.setdefault(kind[total[x], total[y]], power) == power for (x, y), power in curve.items()):
                return True
    return False


@pytest.mark.in_turns
def test_no_core_with_a_certificate_is_refuted_by_it() -> None:
    refuted = certified = 0
    for one, other in product(ANSWERS, repeat=2):
        core = TwoAnswers(one, other)
        by_slot = any("On plain messages" in rung["detail"] for rung in rungs(core).values())
        there_is = has_certificate(core)
        assert not (by_slot and there_is), core
        refuted, certified = refuted + by_slot, certified + there_is
    assert refuted >= 5
    assert certified >= 5


@pytest.mark.parametrize("rung", ["SCALAR", "VECTOR"])
def test_a_tree_that_releases_all_nodes_of_a_round_has_no_certificate_on_plain_messages(rung: str) -> None:
    found = rungs(FullTree())
    assert found[rung]["verdict"] == "REFUTED"
    assert found[rung]["method"] == "EXHAUSTIVE"
    witness = found[rung]["witness"]
    assert [context["round"] for context in witness["contexts"]] == [1, 2]
    assert witness["round"] == 2
    curves = [PowerFunction.from_vertices([(Fraction(x), Fraction(y)) for x, y in c]) for c in witness["curves"]]
    assert [power.total_variation for power in curves] == [Fraction(1, 2), Fraction(5, 8)]
    assert found["CONTEXT_STABLE"]["verdict"] == "HOLDS"


def test_where_one_slot_matters_or_one_node_is_released_nothing_is_refuted() -> None:
    for core, horizon in ((Hidden(), 2), (BinaryTree(), 4)):
        assert {rung["verdict"] for rung in rungs(core, horizon=horizon).values()} == {"HOLDS"}


def test_a_weighted_sum_is_a_vector_certificate_of_messages_indexed_by_their_round() -> None:
    found = rungs(ToeplitzCore(), horizon=2)
    assert found["SCALAR"]["verdict"] == "REFUTED"
    assert "On plain messages" in found["SCALAR"]["detail"]
    assert found["VECTOR"]["verdict"] == "HOLDS"
    assert "indexed by their round" in found["VECTOR"]["detail"]
    assert "indexed by their round" not in found["CONTEXT_STABLE"]["detail"]
