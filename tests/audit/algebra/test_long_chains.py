"""Long chains, which floats help to sort, against the plain integer path: the same integers, segment by segment."""

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from instances.random_core import random_core
from instances.seeds import chosen, spread

from dpcert import Pmf, from_weights
from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra import hulls, long_chain, merged_runs
from dpcert.audit.algebra.chain import Chain, HullChoice
from dpcert.audit.algebra.envelope import Envelope
from dpcert.audit.algebra.lattice import Lattice, coprime_base
from dpcert.audit.algebra.long_chain import Lengthened, lengthened
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


@pytest.fixture
def _always_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hulls, "LONG", 0)
    monkeypatch.setattr(merged_runs, "BLOCK", 7)


def masses(chain: Chain) -> tuple[list[int], list[int], int, int]:
    return list(chain.mass0), list(chain.mass1), chain.total0, chain.total1


def plain(mechanism: Any, horizon: int, relation: Any) -> Chain:
    return solve(explore(PairedGame(core_of(mechanism), relation, horizon))).root


def both_ways(mechanism: Any, horizon: int, relation: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Chain, Chain]:
    with monkeypatch.context() as patched:
        patched.setattr(hulls, "LONG", 10**9)
        short = plain(mechanism, horizon, relation)
        patched.setattr(hulls, "LONG", 0)
        patched.setattr(merged_runs, "BLOCK", 7)
        long = plain(mechanism, horizon, relation)
    return short, long


@pytest.mark.in_turns
@pytest.mark.parametrize("leak", [Fraction(1), Fraction(1, 100), Fraction(2, 3)])
@pytest.mark.parametrize("relation", [HAMMING, ChallengeAt(HAMMING, 1)])
def test_repeated_two_round(leak: Fraction, relation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for horizon in (2, 5, 14):
        short, long = both_ways(TwoRoundRepeated(leak), horizon, relation, monkeypatch)
        assert masses(long) == masses(short)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(150)))
def test_random_mechanisms(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    core = random_core(seed, 2 + seed % 2, 2 + seed % 3, 3)
    short, long = both_ways(core, 3, HAMMING, monkeypatch)
    assert PowerFunction(long) == PowerFunction(short)


def test_without_codes_every_near_tie_is_settled_in_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lattice, "usable", property(lambda _: False))
    short, long = both_ways(TwoRoundRepeated(), 9, ChallengeAt(HAMMING, 1), monkeypatch)
    assert masses(long) == masses(short)


@pytest.mark.parametrize("blur", [1e-9, 1e-3, 0.5])
def test_blurred_keys_change_nothing(blur: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys far worse than floats, with an honest error bound: the integers still decide."""
    rng = np.random.default_rng(7)
    true_lengthened = lengthened

    def blurred(chain: Chain, lattice: Lattice) -> long_chain.LongChain:
        long = true_lengthened(chain, lattice)
        keys = (
            long.keys + rng.uniform(-blur, blur, len(long.keys))
            if not isinstance(chain, long_chain.LongChain)
            else long.keys
        )
        fields = {name: getattr(long, name) for name in long_chain.LongChain.__dataclass_fields__}
        return long_chain.LongChain(**{**fields, "keys": keys, "key_error": max(long.key_error, blur)})

    monkeypatch.setattr(long_chain, "lengthened", blurred)
    short, long = both_ways(TwoRoundRepeated(), 6, ChallengeAt(HAMMING, 1), monkeypatch)
    assert masses(long) == masses(short)


def random_chain(rng: random.Random, size: int, total0: int, total1: int) -> Chain:
    """A chain over given totals, with segments of infinite and of zero ratio now and then."""

    def parts(total: int) -> list[int]:
        cuts = sorted(rng.choices(range(total + 1), k=size - 1))
        return [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]

    return chains.ordered(parts(total0), parts(total1), total0, total1)


@pytest.mark.usefixtures("_always_long")
@pytest.mark.parametrize("seed", chosen(range(300)))
def test_hulls_of_random_chains(seed: int) -> None:
    """Many crossings, equal stretches, shared slopes: options are mixtures of a few chains."""
    rng = random.Random(seed)
    total0, total1 = rng.choice([(12, 12), (60, 84), (10**6, 10**6), (997, 10**9)])
    basis = [random_chain(rng, rng.randint(2, 12), total0, total1) for _ in range(3)]
    options = []
    for _ in range(rng.randint(2, 4)):
        share = rng.randint(0, 4)
        options.append([(share, share, rng.choice(basis)), (4 - share, 4 - share, rng.choice(basis))])
    options = [[run for run in runs if run[0]] for runs in options]
    t0, t1 = 4 * total0, 4 * total1
    expected, _ = chains.hull([chains.release(runs, t0, t1) for runs in options])
    lattice = Lattice.of_levels([[Fraction(1)]])
    found, choice = Envelope(t0, t1, Lengthened(lambda: lattice)).of(options)
    assert masses(found) == masses(expected)
    assert_choice_attains(choice, options, found)


def assert_choice_attains(choice: HullChoice, options: list[list[chains.Run]], found: Chain) -> None:
    """At every slope of the hull, and between neighbouring ones, the chosen option has the hull's support."""
    inner = [(a, b) for a, b in zip(found.mass0, found.mass1, strict=True) if a and b]
    slopes = [*inner, *((a + c, b + d) for (a, b), (c, d) in pairwise(inner)), (1, 10**12), (10**12, 1)]
    for dx, dy in slopes:
        best = chains.release(options[choice.at(dy, dx)], found.total0, found.total1)
        assert support(best, dx, dy) == support(found, dx, dy)


def support(chain: Chain, dx: int, dy: int) -> int:
    return max(y * dx - x * dy for x, y in chain.vertices())


@pytest.mark.parametrize("seed", chosen(range(300)))
def test_choices_of_plain_hulls(seed: int) -> None:
    rng = random.Random(seed)
    options = [[(1, 1, random_chain(rng, rng.randint(2, 8), 24, 36))] for _ in range(rng.randint(1, 5))]
    found, choice = Envelope(24, 36, Lengthened(lambda: Lattice.of_levels([]))).of(options)
    assert_choice_attains(choice, options, found)
    mirrored, back = found.reversed(), choice.reversed(range(len(options)))
    turned = [[(1, 1, runs[0][2].reversed())] for runs in options]
    assert_choice_attains(back, turned, mirrored)


@pytest.mark.parametrize("seed", range(50))
def test_lattice_codes_are_faithful(seed: int) -> None:
    rng = random.Random(seed)
    factors = [Fraction(rng.randint(1, 60), rng.randint(1, 60)) for _ in range(4)]
    lattice = Lattice.of_levels([factors] * 5)
    assert lattice.usable
    for b in lattice.base:
        for c in lattice.base:
            assert b == c or np.gcd(b, c) == 1
    seen: dict[int, Fraction] = {}
    for _ in range(200):
        product, code = Fraction(1), 0
        for _ in range(rng.randint(0, 5)):
            factor = rng.choice(factors)
            product *= factor
            code += lattice.factor_code(factor)
        assert seen.setdefault(code, product) == product
    assert len(set(seen.values())) == len(seen)
    assert lattice.atom_code(Fraction(7919, 7907)) != lattice.atom_code(Fraction(7907, 7919))


def test_coprime_base_covers_its_numbers() -> None:
    base = coprime_base([360, 84, 1, 175])
    assert all(np.gcd(a, b) == 1 for a in base for b in base if a != b)
    for n in (360, 84, 175):
        for b in base:
            while n % b == 0:
                n //= b
        assert n == 1


@dataclass(frozen=True)
class NearlyEqual:
    """Kernels whose likelihood ratios differ by about 10^-12: floats cannot order them, integers must."""

    first: tuple[Pmf[int], ...]
    second: dict[tuple[int, int], Pmf[int]]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[tuple[int, ...]] = ()

    def advance(self, state: tuple[int, ...], x: int) -> tuple[int, ...]:
        return (*state[:1], x)

    def law(self, state: tuple[int, ...]) -> Pmf[int]:
        return self.first[state[0]] if len(state) == 1 else self.second[state[0], state[1]]


def nearly_equal(seed: int) -> NearlyEqual:
    rng = random.Random(seed)

    def law() -> Pmf[int]:
        return from_weights({y: 10**12 + rng.randint(-1, 1) for y in range(2)})

    return NearlyEqual((law(), law()), {(b, q): law() for b in (0, 1) for q in (0, 1)})


@dataclass(frozen=True)
class Fine:
    """One round; weights of a thousand bits that agree in the first forty, so that a log is off by more than they
    differ."""

    seed: int
    outcomes: int
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        rng = random.Random(repr((self.seed, prefix)))
        return from_weights({y: 2**1000 + rng.randint(-(2**960), 2**960) for y in range(self.outcomes)})


@pytest.mark.in_turns
@pytest.mark.parametrize(("seed", "outcomes"), spread([(3, 600), (6, 600), (4, 1100)], 3))
def test_large_numerators_whose_logs_are_off(seed: int, outcomes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = both_ways(Fine(seed, outcomes), 1, HAMMING, monkeypatch)
    assert masses(long) == masses(short)


UNSEEN = 2**1100


@pytest.mark.usefixtures("_always_long")
@pytest.mark.parametrize("seed", range(60))
def test_heads_and_feet_that_floats_lose(seed: int) -> None:
    """Options that differ by masses near 2^-1100, which are 0 as floats, at either end of their chains."""
    rng = random.Random(seed)
    total = rng.choice((4, 8, 60))
    options = []
    basis = random_chain(rng, 5, total, total)
    for _ in range(rng.randint(2, 3)):
        if rng.random() < 0.4:
            basis = random_chain(rng, 5, total, total)
        ends = [[mass * UNSEEN for mass in side] for side in (basis.mass0, basis.mass1)]
        for own, other in (ends, ends[::-1]):
            at = rng.randrange(len(own))
            if own[at] and rng.random() < 0.6:
                tiny = rng.randint(1, 3)
                own[at] -= tiny
                own.append(tiny)
                other.append(0)
        options.append([(1, 1, chains.ordered(*ends, total * UNSEEN, total * UNSEEN))])
    expected, _ = chains.hull([option for ((_, _, option),) in options])
    found, choice = Envelope(total * UNSEEN, total * UNSEEN, Lengthened(lambda: Lattice.of_levels([[Fraction(1)]]))).of(
        options
    )
    assert masses(found) == masses(expected)
    assert_choice_attains(choice, options, found)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(120)))
def test_ratios_that_floats_cannot_tell_apart(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for horizon, relation in ((3, HAMMING), (5, ChallengeAt(HAMMING, 1)), (6, HAMMING)):
        short, long = both_ways(nearly_equal(seed), horizon, relation, monkeypatch)
        assert PowerFunction(long) == PowerFunction(short)
