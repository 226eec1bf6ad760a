"""The comparison that a checker makes, against the same at every slope by fractions."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from instances.seeds import chosen

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain
from dpcert.verify_certificate import Curve, holds


def random_chain(rng: Random, length: int) -> Chain:
    zeros, ones = ([rng.choice((0, 1, 1, 2, 3, 5)) for _ in range(length)] for _ in range(2))
    return chains.ordered([*zeros, 1], [*ones, 1], sum(zeros) + 1, sum(ones) + 1)


def curve(chain: Chain, name: int) -> Curve:
    return Curve(name, list(chain.mass0), list(chain.mass1))


def value(c: Curve, a: Fraction, b: Fraction) -> Fraction:
    """V(a, b)."""
    return max(b * y / c.total1 - a * x / c.total0 for x, y in zip(c.sum0, c.sum1, strict=True))


def holds_plainly(c: Curve, parts: list[tuple[int, int, Curve]], total: int) -> bool:
    """The two sides at a slope of every segment of either, and between every two of them."""
    edges = {
        Fraction(y * n.total0, x * n.total1)
        for *_, n in [(0, 0, c)]
        for x, y in zip(n.mass0, n.mass1, strict=True)
        if x
    }
    for k0, k1, n in parts:
        slopes = (Fraction(y * n.total0, x * n.total1) for x, y in zip(n.mass0, n.mass1, strict=True) if x)
        edges |= {slope * k1 / k0 for slope in slopes if k0}
    rising = sorted(edges | {Fraction(0), Fraction(10**6)})
    rising += [(s + t) / 2 for s, t in pairwise(rising)]
    for a in rising:
        left = sum(value(n, a * k0 / total, Fraction(k1, total)) for k0, k1, n in parts)
        if left > value(c, a, Fraction(1)):
            return False
    return True


def nudged(chain: Chain, rng: Random) -> Chain:
    """The chain, as it is, or one of its masses a little more or less; the same one where that is no chain."""
    zeros, ones = [3 * m for m in chain.mass0], [3 * m for m in chain.mass1]
    masses = rng.choice((zeros, ones))
    at = rng.randrange(len(masses))
    masses[at] = max(0, masses[at] + rng.choice((-1, 0, 0, 1)))
    return chains.ordered(zeros, ones, sum(zeros), sum(ones))


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(200)))
def test_the_comparison_is_right(seed: int) -> None:
    rng, answers = Random(seed), set()
    for _ in range(6):
        options = []
        for _ in range(2):
            nexts = [random_chain(rng, rng.randrange(1, 9)) for _ in range(2)]
            options.append([(rng.randrange(1, 5), rng.randrange(1, 5), n) for n in nexts])
        totals = [(sum(k0 for k0, *_ in o), sum(k1 for _, k1, _ in o)) for o in options]
        scaled = [[(k0 * _rest(o, n, 0), k1 * _rest(o, n, 1), n) for k0, k1, n in o] for o in options]
        releases = [chains.release(runs, *_sizes(runs)) for runs in scaled]
        whole = [
            chains.rescaled(r, releases[0].total0 * releases[1].total0, releases[0].total1 * releases[1].total1)
            for r in releases
        ]
        above, _ = chains.hull(whole)
        claimed = curve(nudged(above, rng), 1)
        for option, (total0, total1) in zip(options, totals, strict=True):
            parts = [(k0 * total1, k1 * total0, curve(n, i)) for i, (k0, k1, n) in enumerate(option, 2)]
            answer = holds(claimed, parts, total0 * total1)
            answers.add(answer)
            assert answer == holds_plainly(claimed, parts, total0 * total1)
    assert True in answers


def _rest(option: list[tuple[int, int, Chain]], n: Chain, world: int) -> int:
    """What brings a chain to the product of all totals."""
    product = 1
    for *_, other in option:
        product *= (other.total0, other.total1)[world]
    return product // (n.total0, n.total1)[world]


def _sizes(runs: list[tuple[int, int, Chain]]) -> tuple[int, int]:
    return sum(k0 * n.total0 for k0, _, n in runs), sum(k1 * n.total1 for _, k1, n in runs)
