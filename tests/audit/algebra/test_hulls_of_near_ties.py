"""Hulls where ratios nearly tie, and which option attains them at every slope."""

import random
from fractions import Fraction
from itertools import pairwise

import pytest
from instances.merged_runs import longer

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra import envelope
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.envelope import Envelope
from dpcert.audit.algebra.lattice import Lattice
from dpcert.audit.algebra.long_chain import Lengthened
from dpcert.audit.algebra.merged_runs import MergedRuns, merged


def plain(chain: Chain) -> tuple[list[int], list[int]]:
    return list(chain.mass0), list(chain.mass1)


def close_ratios(seed: int) -> tuple[MergedRuns, MergedRuns]:
    """Two releases whose ratios, on either side of 1, differ by less than floats can tell, or not at all."""
    rng = random.Random(seed)
    big, total = 10**20, 10**22
    sides = []
    for _ in range(2):
        atoms = [
            (big, 3 * big + rng.randint(-1, 1)),
            (big, 2 * big + rng.randint(-1, 1)),
            (4 * big, big + rng.randint(-1, 1)),
        ]
        rest = total - sum(a for a, _ in atoms), total - sum(b for _, b in atoms)
        sides.append(chains.ordered(*zip(*atoms, rest, strict=True), total, total))
    crowded = Lattice((), (), (), crowded=True)
    lattices = crowded if seed % 2 else Lattice.of_levels([[Fraction(1)]])
    one, two = (merged([(1, 1, side)], total, total, Lengthened(lambda: lattices)) for side in sides)
    return one, two


@pytest.mark.parametrize("seed", range(16))
def test_slopes_of_two_releases_are_in_exact_order(seed: int) -> None:
    one, two = close_ratios(seed)
    union = envelope._Union.of(one, two)
    ratios = [[Fraction(b, a) for a, b in zip(*r.masses(0, len(r)), strict=True)] for r in (one, two)]
    merged_order = sorted(ratios[0] + ratios[1], reverse=True)
    taken = [iter(side) for side in ratios]
    in_order = [next(taken[0 if first else 1]) for first in union.first.tolist()]
    assert in_order == merged_order
    assert union.repeated.tolist() == [False, *(a == b for a, b in pairwise(merged_order))]
    assert union.count1.tolist() == [sum(union.first[: i + 1].tolist()) for i in range(len(in_order))]
    assert (union.count1 + union.count2).tolist() == list(range(1, len(in_order) + 1))


@pytest.mark.parametrize("seed", range(10))
def test_hulls_of_close_ratios_without_codes(seed: int) -> None:
    one, two = close_ratios(2 * seed + 1)
    options = [[(1, 1, r.runs[0][2])] for r in (one, two)]
    lattice = Lattice((), (), (), crowded=True)
    found, _ = Envelope(10**22, 10**22, Lengthened(lambda: lattice)).of(options)
    expected, choice = chains.hull([r.runs[0][2] for r in (one, two)])
    assert plain(found) == plain(expected)
    assert_attained(choice, [r.runs[0][2] for r in (one, two)], expected)


def assert_attained(choice: chains.HullChoice, options: list[Chain], found: Chain) -> None:
    """At every slope of the hull and between neighbouring ones the option that is chosen has the hull's support."""
    inner = [(a, b) for a, b in zip(found.mass0, found.mass1, strict=True) if a and b]
    between = [(a + c, b + d) for (a, b), (c, d) in pairwise(inner)]
    for dx, dy in [*inner, *between, (1, 10**30), (10**30, 1)]:
        best = max(y * dx - x * dy for x, y in options[choice.at(dy, dx)].vertices())
        assert best == max(y * dx - x * dy for x, y in found.vertices())


@pytest.mark.parametrize("seed", range(20))
def test_the_choice_of_a_plain_hull_attains_it(seed: int) -> None:
    rng = random.Random(seed)
    options = []
    for _ in range(3):
        sides = [[rng.randint(0, 3) for _ in range(4)] for _ in range(2)]
        options.append(chains.ordered(*([*side, 16 - sum(side)] for side in sides), 16, 16))
    found, choice = chains.hull(options)
    assert_attained(choice, options, found)
    slopes = [Fraction(dy, dx) if dx else None for dx, dy, _ in choice.switches]
    assert slopes == sorted(slopes, key=lambda slope: (slope is not None, -(slope or 0)))
    edges = {*zip(found.mass0, found.mass1, strict=True)}
    assert {(dx, dy) for dx, dy, _ in choice.switches} <= edges


@pytest.mark.parametrize("turned", [False, True])
def test_where_two_hulls_touch_the_choice_changes_at_the_edge_before(turned: bool) -> None:
    """Both pass (2, 6): one is the higher before it and the other after it, so that no bridge joins them."""
    before = chains.ordered([1, 1, 8], [4, 2, 4], 10, 10)
    after = chains.ordered([2, 2, 6], [6, 3, 1], 10, 10)
    options = [after, before] if turned else [before, after]
    ratios = [Fraction(b, a) for one in options for a, b in zip(one.mass0, one.mass1, strict=True)]
    found, choice = Envelope(10, 10, longer(*ratios)).of([[(1, 1, one)] for one in options])
    assert plain(found) == ([1, 1, 2, 6], [4, 2, 3, 1])
    assert_attained(choice, options, found)
    assert [switch[2] for switch in choice.switches] == [options.index(after)]
