"""defn:inv_pair: a distance that common context does not change, and which monoids have one."""

from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import NamedTuple

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim, found

Plus = Callable[[int, int], int]
SYMMETRIES = list(permutations(range(3)))


class Messages(NamedTuple):
    """A message space {0, ..., size - 1} and what adds two messages up."""

    size: int
    plus: Plus


def _after(i: int, j: int) -> int:
    """The symmetry j of three things, then i; it matters which comes first."""
    one, other = SYMMETRIES[i], SYMMETRIES[j]
    return SYMMETRIES.index((one[other[0]], one[other[1]], one[other[2]]))


def _bracketings(values: tuple[int, ...], plus: Plus) -> set[int]:
    """The sums of the values in their order, with brackets put in every way."""
    if len(values) == 1:
        return {values[0]}
    parts = [(_bracketings(values[:k], plus), _bracketings(values[k:], plus)) for k in range(1, len(values))]
    return {plus(a, b) for left, right in parts for a, b in product(left, right)}


@claim("defn:inv_pair", row=61, method=Method.EXHAUSTIVE, scope="four messages out of the 6 symmetries of three things",
       subject=Messages(6, _after), mutant=Messages(6, lambda i, j: (i - j) % 6))  # fmt: skip
def the_aggregate_is_well_defined(subject: Messages) -> Finding:
    """Associativity is enough for the aggregate of selected inputs, in increasing order, to have one value."""
    histories = product(range(subject.size), repeat=4)
    return every("histories", ((x,) for x in histories), lambda x: len(_bracketings(x, subject.plus)) == 1)


def _monoids(size: int) -> Iterator[Plus]:
    """Every associative operation on {0, ..., size - 1} with the neutral element 0, as a table."""
    neutral, triples = tuple(range(size)), list(product(range(1, size), repeat=3))
    lines = [[(a, *cells) for cells in product(range(size), repeat=size - 1)] for a in range(1, size)]
    for rows in product(*lines):
        table = (neutral, *rows)
        if all(table[table[a][b]][c] == table[a][table[b][c]] for a, b, c in triples):
            yield lambda a, b, table=table: table[a][b]  # type: ignore[misc]


Distance = Callable[[int, int], int]


def _invariant(messages: Messages, distance: Distance) -> bool:
    """Whether common context on either side leaves the distance as it is."""
    every_four = product(range(messages.size), repeat=4)
    plus = messages.plus
    return all(distance(plus(plus(a, u), b), plus(plus(a, v), b)) == distance(u, v) for a, u, v, b in every_four)


def _group(messages: Messages) -> bool:
    return all(any(messages.plus(a, b) == 0 for b in range(messages.size)) for a in range(messages.size))


@claim("defn:inv_pair", row=62, method=Method.EXHAUSTIVE, scope="all monoids of up to four messages",
       subject=lambda u, v: int(u != v), mutant=lambda _u, _v: 0)  # fmt: skip
def only_groups_have_invariant_pairs(subject: Distance) -> Finding:
    """A finite monoid has an invariant pair if and only if it is a group.

    If any metric is invariant, the one with d = 1 is: distinct messages must stay distinct under common context.
    """
    monoids = [(Messages(size, plus),) for size in range(1, 5) for plus in _monoids(size)]
    return every("monoids", monoids, lambda messages: _invariant(messages, subject) == _group(messages))


@claim("defn:inv_pair", row=62, method=Method.EXHAUSTIVE, scope="integers 0 to 5 as messages",
       subject=Messages(6, lambda u, v: (u + v) % 6), condition="sums are taken in a group that holds the messages",
       without=Messages(6, lambda u, v: min(u + v, 5)),
       uses=("defn:inv_pair/only_groups_have_invariant_pairs",))  # fmt: skip
def bounded_integers_have_an_invariant_pair(subject: Messages) -> Finding:
    """Sums of integers from a finite message space are part of an invariant pair."""
    for u, v, a in product(range(subject.size), repeat=3):
        if u < v and subject.plus(a, u) == subject.plus(a, v):
            detail = f"{a} + {u} = {a} + {v}, so d({u}, {v}) = 0 for every invariant d, and d is no metric."
            return found(False, detail, context=a, messages=[u, v])
    return found(_invariant(subject, lambda u, v: int(u != v)), "Distinct messages stay distinct under any context.")
