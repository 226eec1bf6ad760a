"""Rows 22 to 27, 67, 71 and 72: views, relations, hops, halting, pure guarantees."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, product
from random import Random
from typing import Any, ClassVar

import pytest
from instances.exact_curves import ONE, ZERO, adaptive, curves, q, through
from instances.hidden_state import Joint, RandomInteractive, random_interactive, random_law
from instances.seeds import chosen

from dpcert import (
    HALT,
    HAMMING,
    UNIT_HAMMING,
    ZERO_OUT,
    Adjacency,
    Draw,
    Pmf,
    PowerFunction,
    Release,
    bernoulli,
    dp_power,
    examine,
    from_weights,
    mix,
    supremum,
    viewed,
)
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import ChallengeAt, ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving.fixed_hidden import fixed_pairs
from dpcert.mechanisms.interval_sums import noisy
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.delayed import Delayed

Pair = tuple[int, int]
Pairs = tuple[tuple[Any, Any], ...]
BITS = (0, 1)
IDENTITY = PowerFunction.identity()


@dataclass(frozen=True)
class RandomCore:
    """A PrefixCore whose law at a prefix is random but fixed by `seed`; without zeros when `positive`."""

    seed: int
    inputs: int = 2
    outputs: int = 2
    positive: bool = False

    @property
    def alphabet(self) -> tuple[int, ...]:
        return tuple(range(self.inputs))

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        rng = Random(repr((self.seed, prefix)))
        if self.positive:
            return from_weights({y: rng.randint(1, 4) for y in range(self.outputs)})
        law: Pmf[int] = random_law(rng, list(range(self.outputs)))
        return law


def random_mechanisms(count: int) -> Iterator[Any]:
    """Cores and mechanisms with hidden state in turn, of two or three visible outputs."""
    for seed in range(count // 2):
        yield RandomCore(seed, outputs=2 + seed % 3)
        yield random_interactive(20_000 + seed, 2, 3, 2 + seed % 2, allow_halt=seed % 3 == 0)[0]


# ---------------------------------------------------------------- row 22, finite precision


@pytest.mark.in_turns
def test_a_coarser_view_never_shows_more() -> None:
    smaller = 0
    for seed, mechanism in enumerate(random_mechanisms(100)):
        rng = Random(seed)
        shown = [rng.randrange(2) for _ in range(4)]
        full, coarse = adaptive(mechanism, 2), adaptive(viewed(mechanism, shown.__getitem__), 2)
        assert coarse <= full
        smaller += coarse < full
    assert smaller >= 30


@dataclass(frozen=True)
class NoisySums:
    """Z1 = x1 + eta, Z2 = x1 + x2 + eta', eta binomial on -2..2."""

    alphabet: ClassVar[tuple[int, ...]] = BITS
    horizon: ClassVar[int] = 2

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return from_weights({sum(prefix) + k - 2: w for k, w in enumerate((1, 4, 6, 4, 1))})


def test_a_quantised_core_need_not_lift() -> None:
    """Releasing every second value only: the ideal core lifts and bounds the quantised one, which does not lift."""
    ideal = curves(NoisySums(), 2)
    fixed, adapted = curves(viewed(NoisySums(), lambda z: z // 2), 2)
    assert ideal[0] == ideal[1]
    assert fixed < adapted < ideal[1]
    assert fixed.hockey_stick(q("3/2")) == q("187/512")
    assert adapted.hockey_stick(q("3/2")) == q("189/512")
    noise = NoisySums().law((0,))
    one_shift = PowerFunction.from_laws(noise, noise.map(lambda z: z + 1))
    assert ideal[1] == one_shift.tensor(one_shift)
    assert ideal[1].hockey_stick(q("3/2")) == q("215/512")


# ---------------------------------------------------------------- row 23, views and non-adaptive adversaries


@pytest.mark.in_turns
def test_fixed_streams_are_the_adversaries_that_see_nothing_in_time() -> None:
    strict = 0
    for seed in chosen(range(60)):
        core, hidden = RandomCore(seed), random_interactive(seed, 2, 3, 2, allow_halt=False)[0]
        for mechanism in (core, hidden):
            fixed, adapted = curves(mechanism, 2)
            assert fixed <= adapted
            strict += fixed < adapted
            assert curves(Delayed(mechanism, 2), 2) == (fixed, fixed)
            one_round = curves(mechanism, 1)
            assert one_round[0] == one_round[1] <= fixed
    assert strict >= 2


def test_random_streams_do_not_help() -> None:
    """The view holds the adversary's own seed: a random choice among fixed pairs is a mixture of their curves."""
    level = explore(game_of(view_of(viewed(TwoRound(), int)), HAMMING, 2)).levels
    tried = fixed_pairs(level)
    listed = list(tried.curves.values())
    assert len(listed) == 2 * 4 + 2 * 2
    for one, other in combinations(listed, 2):
        assert mix([(q("2/7"), one), (q("5/7"), other)]) <= tried.power
    assert mix([(Fraction(1, len(listed)), one) for one in listed]).total_variation < q("9/100")
    assert supremum(listed).total_variation == q("9/100") < adaptive(TwoRound(), 2).total_variation


# ---------------------------------------------------------------- row 24, prefix-closed relations

THREE = (0, 1, 2)


def at_most_one(pairs: Pairs) -> list[tuple[Any, Any]] | None:
    """The pairs that differ; None if there are two."""
    unequal = [pair for pair in pairs if pair[0] != pair[1]]
    return unequal if len(unequal) <= 1 else None


def hamming(pairs: Pairs) -> bool:
    return at_most_one(pairs) is not None


def unit_hamming(pairs: Pairs) -> bool:
    unequal = at_most_one(pairs)
    return unequal is not None and all(abs(x - y) == 1 for x, y in unequal)


def zero_out(null: Any) -> Any:
    def legal(pairs: Pairs) -> bool:
        unequal = at_most_one(pairs)
        return unequal is not None and all(y == null for _, y in unequal)

    return legal


def at_second(pairs: Pairs) -> bool:
    return all((x != y) == (t == 2) for t, (x, y) in enumerate(pairs, 1))


def played(relation: Adjacency[Any], rounds: int, alphabet: tuple[Any, ...]) -> list[Pairs]:
    """Every sequence of inputs that the automaton lets through."""
    found: list[tuple[Pairs, Any]] = [((), relation.initial)]
    for t in range(1, rounds + 1):
        found = [((*seen, inputs), after) for seen, s in found for inputs, after in relation.legal(s, t, alphabet)]
    return [seen for seen, _ in found]


@pytest.mark.parametrize("rounds", range(1, 5))
@pytest.mark.parametrize(
    ("relation", "definition"),
    [
        (HAMMING, hamming),
        (UNIT_HAMMING, unit_hamming),
        (ZeroOut(null=1), zero_out(1)),
        (ZERO_OUT, zero_out(None)),
        (ChallengeAt(HAMMING, 2), at_second),
    ],
)
def test_automata_are_the_relations_and_prefix_closed(relation: Adjacency[Any], definition: Any, rounds: int) -> None:
    legal = played(relation, rounds, THREE)
    blank = [None] if relation == ZERO_OUT else []
    every = product(product(THREE, [*THREE, *blank]), repeat=rounds)
    assert len(legal) == len(set(legal))
    assert set(legal) == {pairs for pairs in every if definition(pairs)}
    assert all(definition(pairs[:t]) for pairs in legal for t in range(1, rounds + 1))
    assert {pairs[:-1] for pairs in legal} == set(played(relation, rounds - 1, THREE))


@pytest.mark.parametrize(("rounds", "hops"), [(1, 2), (2, 2), (3, 2), (1, 3), (2, 3)])
@pytest.mark.parametrize(
    ("relation", "definition"), [(HAMMING, hamming), (UNIT_HAMMING, unit_hamming), (ZeroOut(null=1), zero_out(1))]
)
def test_hops_are_chains_of_neighbours(relation: Adjacency[Any], definition: Any, rounds: int, hops: int) -> None:
    """Each hop goes either way, also where the relation is directed."""

    def neighbours(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        return definition(tuple(zip(one, other, strict=True))) or definition(tuple(zip(other, one, strict=True)))

    legal = played(Hops(relation, hops), rounds, THREE)
    streams = list(product(THREE, repeat=rounds))
    ends = {(s, s) for s in streams}
    for _ in range(hops):
        ends = {(first, s) for first, last in ends for s in streams if neighbours(last, s)}
    assert {tuple(zip(*inputs, strict=True)) for inputs in legal} == ends


# ---------------------------------------------------------------- row 25, symmetry


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("relation", [HAMMING, UNIT_HAMMING], ids=lambda relation: relation.name)
def test_symmetric_relations_give_symmetric_curves(relation: Adjacency[Any]) -> None:
    for mechanism in random_mechanisms(60):
        for curve in curves(mechanism, 2, relation):
            assert curve == curve.reversed()


def test_zero_out_has_two_orders() -> None:
    """A report that a blank input never triggers: blanking can only take it away, so the orders differ."""

    @dataclass(frozen=True)
    class Alarm:
        alphabet: ClassVar[tuple[int, ...]] = BITS
        null: ClassVar[int] = 0

        def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
            return bernoulli(Fraction(prefix[-1], 3))

    curve = adaptive(Alarm(), 1, ZeroOut(null=0))
    assert curve == through("2/3 1")
    assert curve.reversed() == through("0 1/3")
    assert [curve.hockey_stick(2, order) for order in ORDERS] == [q("1/3"), ZERO]
    assert adaptive(Alarm(), 1) == supremum([curve, curve.reversed()])


# ---------------------------------------------------------------- rows 26 and 27, hops


def test_two_hops_of_randomised_response() -> None:
    """Two differing rounds against two steps of group privacy, at e^epsilon = 3."""
    one = dp_power(3)
    for horizon, expected in ((1, one), (2, one.tensor(one)), (3, one.tensor(one))):
        assert adaptive(RandomizedResponse(), horizon, Hops(HAMMING, 2)) == expected
    assert one.then(one) == through("1/12 3/4", "1/4 11/12")
    assert one < one.tensor(one) < one.then(one)
    record = examine(RandomizedResponse(), horizon=2, hops=2, exp_epsilons=[9])
    assert record["adaptive"]["largest_ratio"] == "9"
    assert [d["lower"] for d in record["adaptive"]["delta"]] == ["0"]


@pytest.mark.parametrize("exp_epsilon", [q("1"), q("3/2"), q("2"), q("5")])
@pytest.mark.parametrize("delta", [q("0"), q("1/50"), q("1/10"), q("1/4"), q("1/2"), q("9/10")])
def test_group_privacy(exp_epsilon: Fraction, delta: Fraction) -> None:
    """f^k <= DP with k epsilon and delta (1 + ... + e^((k-1) epsilon)), capped at 1; attained as the row says.

    At epsilon = 0 all slopes agree, and it is attained as long as it needs no cap.
    """
    one = composed = dp_power(exp_epsilon, delta)
    for hops in (2, 3, 4):
        composed = composed.then(one)
        sums = list(accumulate((delta * exp_epsilon**j for j in range(hops)), initial=ZERO))
        assert composed <= dp_power(exp_epsilon**hops, min(ONE, sums[hops]))
        attained = composed.hockey_stick(exp_epsilon**hops) == sums[hops]
        assert attained == (sums[hops - 1] <= (1 - delta) / (1 + exp_epsilon if exp_epsilon > 1 else 1))


def test_group_privacy_needs_the_cap() -> None:
    two = dp_power(2, q("1/2")).then(dp_power(2, q("1/2")))
    assert two.hockey_stick(4) == 1
    assert q("1/2") * (1 + 2) > 1


# ---------------------------------------------------------------- row 67, halting adaptively


@dataclass(frozen=True)
class SameBitTwice:
    """Randomised response on x_1, twice; halts after a first 0 when told to."""

    halting: bool
    horizon: ClassVar[int] = 2
    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[int | None] = None

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[Any, None], int]:
        bit = x if state is None else state
        shown = draw(bernoulli(q("3/4") if bit else q("1/4")))
        over = self.halting and state is None and shown == 0
        return Release(HALT if over else shown), bit


def test_an_adversary_that_halts_stays_below_the_product() -> None:
    """Two answers at 3/4; the adversary that stops after y_1 = 0 sees less than the product, and never more."""
    worlds = [bernoulli(q("1/4")), bernoulli(q("3/4"))]
    views = [law.product(law).map(lambda y: y if y[0] else y[:1]) for law in worlds]
    halted = PowerFunction.from_laws(*views)
    full = dp_power(3).tensor(dp_power(3))
    assert halted == through("1/16 9/16", "1/4 3/4")
    assert full == through("1/16 9/16", "7/16 15/16")
    assert halted < full
    assert (halted(q("7/16")), full(q("7/16"))) == (q("13/16"), q("15/16"))
    assert adaptive(SameBitTwice(halting=False), 2, ZeroOut(null=1)) == full
    assert adaptive(SameBitTwice(halting=True), 2, ZeroOut(null=1)) == halted
    assert adaptive(SameBitTwice(halting=True), 2, ZeroOut(null=0)) == halted.reversed() != halted
    assert adaptive(SameBitTwice(halting=True), 2) == supremum([halted, halted.reversed()]) == full


# ---------------------------------------------------------------- rows 71 and 72, pure guarantees


@dataclass(frozen=True)
class OneSeed:
    """A seed drawn in round 1 and kept; every later answer is a function of it and of the inputs."""

    number: int
    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[tuple[int | None, tuple[int, ...]]] = (None, ())

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[int, None], Any]:
        rng = Random(self.number)
        law = from_weights({seed: rng.randint(1, 5) for seed in range(12)})
        seed, inputs = (draw(law) if state[0] is None else state[0]), (*state[1], x)
        answer = Random(repr((self.number, seed, inputs))).randrange(2)
        return Release(answer), (seed, inputs)


def positive_hidden(number: int) -> RandomInteractive:
    """A mechanism with hidden state in which no answer is ever impossible."""
    rng = Random(number)
    rows = [
        tuple(Joint(from_weights({(v, s): rng.randint(1, 4) for v in BITS for s in BITS})) for _ in BITS) for _ in BITS
    ]
    return RandomInteractive(BITS, from_weights({0: rng.randint(1, 3), 1: rng.randint(1, 3)}), tuple(rows))


RELATIONS: list[Adjacency[Any]] = [HAMMING, ChallengeAt(HAMMING, 1), ZeroOut(null=0), Hops(HAMMING, 2)]


@pytest.mark.in_turns
@pytest.mark.parametrize("kind", ["hidden", "positive", "core", "seed"])
def test_pure_guarantees_lift(kind: str) -> None:
    """The largest likelihood ratio is the same for fixed streams and adaptive adversaries, whatever is shared."""
    finite = apart_at_all = 0
    for number in range(300 if kind == "hidden" else 60):
        mechanism: Any = {
            "hidden": lambda n: random_interactive(n, 2, 3, 2, allow_halt=n % 2 == 0)[0],
            "positive": positive_hidden,
            "core": lambda n: RandomCore(n, outputs=2 + n % 2, positive=n % 3 > 0),
            "seed": OneSeed,
        }[kind](number)
        fixed, adapted = curves(mechanism, 2, RELATIONS[number % len(RELATIONS)])
        assert fixed.largest_ratio == adapted.largest_ratio
        finite += fixed.largest_ratio not in {None, ONE}
        apart_at_all += fixed < adapted
    assert finite >= 30
    assert apart_at_all >= 3


@pytest.mark.parametrize("horizon", [2, 3, 4])
def test_fresh_randomness_is_not_necessary(horizon: int) -> None:
    """Y_1 = Y_2 = ... from one coin: the releases are as dependent as can be, and still adaptivity gains nothing."""
    record = examine(SharedCoin(), horizon=horizon)
    assert record.exit_status == 0
    assert record["lifts"]["curve"]["verdict"] == record["lifts"]["pure"]["verdict"] == "HOLDS"
    assert record["fixed_stream"]["power"] == record["adaptive"]["power"] == [["0", "0"], ["1/4", "3/4"], ["1", "1"]]
    fresh = curves(RandomizedResponse(), horizon, Hops(HAMMING, 2))
    assert adaptive(SharedCoin(), horizon, Hops(HAMMING, 2)) == dp_power(3) < fresh[1]


def test_one_noise_value_for_all_rounds_still_lifts() -> None:
    """Z_3 sums under a single noise value: only the first round and exact differences show, to everyone alike."""

    @dataclass(frozen=True)
    class OneNoise:
        alphabet: ClassVar[tuple[int, ...]] = THREE
        initial: ClassVar[tuple[int | None, int]] = (None, 0)

        def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[int, None], Any]:
            noise = draw(noisy(0, (2, 1, 1))) if state[0] is None else state[0]
            total = (state[1] + x) % 3
            return Release((total + noise) % 3), (noise, total)

    fixed, adapted = curves(OneNoise(), 2, ChallengeAt(HAMMING, 1))
    assert fixed == adapted
    assert adapted == adaptive(OneNoise(), 1)
    assert curves(OneNoise(), 2)[1].largest_ratio is None
