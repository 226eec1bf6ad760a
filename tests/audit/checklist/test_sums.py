"""Sums that inputs may have: groups, in which a difference undoes a sum, and distances of one's own inverse."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from dpcert.audit.checklist.aggregates import Aggregate, candidate, integers, modular, vectors


@pytest.mark.parametrize(
    ("sums", "elements"),
    [
        (integers(), range(-3, 4)),
        (modular(2), range(2)),
        (modular(5), range(5)),
        (vectors(2), list(product(range(-1, 3), repeat=2))),
    ],
)
def test_a_difference_undoes_a_sum(sums: Aggregate, elements: Sequence[Any]) -> None:
    for u, v in product(elements, repeat=2):
        assert sums.plus(u, v) == sums.plus(v, u)
        assert sums.plus(u, v) in elements or sums.name in ("the sum", "the vector sum")
        assert sums.minus(sums.plus(u, v), v) == u == sums.plus(u, sums.zero)
        for _, distance in sums.distances:
            assert distance(sums.minus(u, v)) == distance(sums.minus(v, u))
            assert (distance(sums.minus(u, v)) == 0) is (u == v)
            assert distance(sums.plus(u, v)) <= distance(u) + distance(v)


def test_vectors_are_sums_of_inputs_of_one_length() -> None:
    found = candidate(((0, 0), (1, 0), (2, 0)))
    assert found is not None
    assert found.minus((2, 0), (1, 0)) == (1, 0)
    assert candidate(((0, 0), (1,))) is None
    assert candidate((True, False)) is None
    whole = candidate((0, 1))
    assert whole is not None
    assert whole.name == integers().name
