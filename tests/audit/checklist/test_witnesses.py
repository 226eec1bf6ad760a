"""What each rung shows is so: laws, curves and slopes of every witness, worked out again from the mechanism's table."""

from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from instances.random_core import RandomCore, random_core
from instances.seeds import chosen

from dpcert import Pmf, PowerFunction, bernoulli, from_weights, supremum
from dpcert.audit.budget import Budget, Stopped
from dpcert.audit.checklist import aggregates, contexts
from dpcert.audit.checklist.aggregates import (
    _area,
    _DecompositionSearch,
    _influence,
    decomposition,
    integers,
    law_classes,
    modular,
)
from dpcert.audit.checklist.contexts import Challenge, Context, Curves, challenges
from dpcert.audit.checklist.ladder import RUNGS, Rung, ladder
from dpcert.audit.checklist.slots import slot_exchange
from dpcert.audit.finding import Verdict
from dpcert.audit.games.paired import Level, PairedGame, explore
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.analysis import analyse

Law = Callable[[tuple[Any, ...]], Pmf[Any]]
Word = tuple[Any, ...]


def rungs_of(mechanism: Any, horizon: int) -> tuple[Rung, ...]:
    core = core_of(mechanism)
    found = analyse(PairedGame(core, HAMMING, horizon), Budget())
    return ladder(core, found.solution.levels, found.fixed, "here", Budget())


def levels_of(mechanism: Any, horizon: int) -> tuple[Core, tuple[Level, ...]]:
    core = core_of(mechanism)
    return core, explore(PairedGame(core, HAMMING, horizon)).levels


def drawn(curve: PowerFunction) -> list[list[str]]:
    return [[str(x), str(y)] for x, y in curve.vertices]


def word(labels: Sequence[str]) -> Word:
    return tuple(map(literal_eval, labels))


def between(law: Law, one: Word, two: Word) -> PowerFunction:
    return PowerFunction.from_laws(law(one), law(two))


def assert_differ(witness: Mapping[str, Any], curves: Sequence[PowerFunction]) -> None:
    """The curves are those shown, and the two deltas theirs at the slope shown, and not the same."""
    assert witness["curves"] == [drawn(curve) for curve in curves]
    values = [curve.hockey_stick(Fraction(witness["exp_epsilon"]), witness["order"]) for curve in curves]
    assert witness["deltas"] == [str(value) for value in values]
    assert values[0] != values[1]


def assert_contexts(law: Law, witness: Mapping[str, Any], *, same_slot: bool = True) -> None:
    """Two histories of one challenge each, with two curves in one round."""
    curves, slots = [], []
    for context in witness["contexts"]:
        one, two = word(context["history0"]), word(context["history1"])
        (at,) = [i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
        assert context["challenge"] == [str(one[at]), str(two[at])]
        assert (context["round"], len(one)) == (at + 1, witness["round"])
        slots.append((at, one[at], two[at], one[:at]))
        curves.append(between(law, one, two))
    assert slots[0][1:3] == slots[1][1:3]
    assert (slots[0][0] == slots[1][0]) is same_slot
    assert_differ(witness, curves)


def assert_scalar(law: Law, witness: Mapping[str, Any]) -> str:
    """Which of the four kinds of refutation of rung 1 it is."""
    if "histories" in witness:
        one, two = map(word, witness["histories"])
        assert len(one) == len(two) == witness["round"]
        assert_differ(witness, [between(law, one, two), between(law, two, one)])
        return "asymmetric"
    if "pairs" in witness:
        curves = [between(law, *map(word, pair)) for pair in witness["pairs"]]
        assert witness["curves"] == [drawn(curve) for curve in curves]
        assert not curves[0] <= curves[1]
        assert not curves[1] <= curves[0]
        assert {len(word(h)) for pair in witness["pairs"] for h in pair} == {witness["round"]}
        return "incomparable"
    same = len({context["round"] for context in witness["contexts"]}) == 1
    assert_contexts(law, witness, same_slot=same)
    return "unstable" if same else "slots"


def test_every_witness_is_what_it_says() -> None:
    kinds = set()
    for seed, horizon in [*((seed, 2) for seed in chosen(range(32))), *((seed, 1) for seed in range(8))]:
        core = random_core(70_000 + seed, 2 + seed % 2, 2 + seed % 3, horizon)
        rungs = rungs_of(core, horizon)
        assert tuple(rung.name for rung in rungs) == RUNGS
        for rung in rungs:
            witness: Any = rung.finding.witness
            if rung.finding.verdict is not Verdict.REFUTED:
                continue
            if rung.name == "SCALAR":
                kinds.add(assert_scalar(core.law, witness))
            elif rung.name == "CONTEXT_DOMINATED":
                assert Fraction(witness["deltas"][0]) > Fraction(witness["deltas"][1])
            else:
                same = len({context["round"] for context in witness["contexts"]}) == 1
                assert_contexts(core.law, witness, same_slot=same)
                assert same or rung.name == "VECTOR"
    assert kinds >= {"asymmetric", "unstable"}


@dataclass(frozen=True)
class Summed:
    """Adds noise to the sum of some rounds' inputs, modulo m where that is not 0."""

    alphabet: tuple[int, ...]
    noise: Mapping[int, int]
    sets: tuple[tuple[int, ...], ...]
    m: int = 0

    def law(self, prefix: Word) -> Pmf[int]:
        total = sum(prefix[i - 1] for i in self.sets[len(prefix) - 1])
        return from_weights(dict(self.noise)).map(lambda k: (total + k) % self.m if self.m else total + k)


PEAK = {-1: 1, 0: 2, 1: 1}
AROUND = "the shorter way round modulo 4"
WIDE = {k: 2 ** (4 - abs(k)) for k in range(-4, 5)}


@pytest.mark.parametrize(
    ("mechanism", "aggregate", "distance", "powers"),
    [
        (Summed((0, 1), PEAK, ((1,), (1, 2))), "the sum", "its size", [3, 5]),
        (Summed((0, 1, 2), WIDE, ((1,),)), "the sum", "its size", [5]),
        (Summed((0, 1, 2), {0: 2, 1: 1, 2: 1}, ((1,),), 3), "the sum", "its size", [5]),
        (Summed((0, 1, 2, 3), {0: 4, 1: 2, 2: 1, 3: 2}, ((1,),), 4), "the sum modulo 4", AROUND, [4]),
    ],
)  # fmt: skip
def test_a_certificate_that_is_found(mechanism: Summed, aggregate: str, distance: str, powers: list[int]) -> None:
    """It is written out difference by difference, each with the curve of some histories with that difference."""
    horizon = len(mechanism.sets)
    scalar, vector = rungs_of(mechanism, horizon)[:2]
    for rung in (scalar, vector):
        assert rung.finding.verdict is Verdict.HOLDS
        shown: Any = rung.finding.witness
        assert shown["index_sets"] == [list(rounds) for rounds in mechanism.sets]
        assert [len(of) for of in shown["round_power"]] == powers
    assert shown["aggregate"] == aggregate
    assert (shown["distance"], f"the distance is {distance}." in scalar.finding.detail) == (distance, True)
    modulus = mechanism.m if "modulo" in aggregate else 0
    for t in range(1, horizon + 1):
        of = {int(row["difference"]): row["power"] for row in shown["round_power"][t - 1]}
        for one, two in product(product(mechanism.alphabet, repeat=t), repeat=2):
            difference = sum(one[i - 1] - two[i - 1] for i in mechanism.sets[t - 1])
            assert of[difference % modulus if modulus else difference] == drawn(between(mechanism.law, one, two))


def test_a_difference_without_a_direction_needs_an_even_curve() -> None:
    """Noise that is skew has a difference, and no distance."""
    skew = Summed((0, 1), {0: 2, 1: 1}, ((1,), (1, 2)))
    scalar, vector = rungs_of(skew, 2)[:2]
    assert (scalar.finding.verdict, vector.finding.verdict) == (Verdict.REFUTED, Verdict.HOLDS)
    witness: Any = scalar.finding.witness
    assert assert_scalar(skew.law, witness) == "asymmetric"


@dataclass(frozen=True)
class Plane:
    """Noise on both coordinates of a vector: shifts (2, 2) and (3, 0) have incomparable curves."""

    alphabet: tuple[Any, ...] = ((0, 0), (2, 2), (3, 0))

    def law(self, prefix: Word) -> Pmf[Any]:
        noise, (u, v) = from_weights(WIDE), prefix[-1]
        return noise.product(noise).map(lambda eta: (u + eta[0], v + eta[1]))


def test_no_distance_orders_what_is_incomparable() -> None:
    scalar, vector = rungs_of(Plane(), 1)[:2]
    witness: Any = scalar.finding.witness
    assert (scalar.finding.verdict, vector.finding.verdict) == (Verdict.REFUTED, Verdict.HOLDS)
    assert assert_scalar(Plane().law, witness) == "incomparable"
    shown: Any = vector.finding.witness
    assert (shown["aggregate"], shown["distance"]) == ("the vector sum", None)


def brute_influence(core: RandomCore, horizon: int) -> tuple[tuple[int, ...], ...]:
    """The rounds in which two inputs, with equal ones around them, give two laws."""
    return tuple(
        tuple(
            i + 1
            for i in range(t)
            if any(
                core.law(u) != core.law((*u[:i], x, *u[i + 1 :]))
                for u in product(core.alphabet, repeat=t)
                for x in core.alphabet
            )
        )
        for t in range(1, horizon + 1)
    )


def brute_futures(core: RandomCore, horizon: int, before: Word, pair: Word) -> list[set[PowerFunction]]:
    return [
        {
            between(core.law, (*before, pair[0], *after), (*before, pair[1], *after))
            for after in product(core.alphabet, repeat=t)
        }
        for t in range(horizon - len(before))
    ]


@pytest.mark.parametrize("seed", range(4))
def test_challenges_have_all_curves_that_can_follow(seed: int) -> None:
    core = random_core(71_000 + seed, 2 + seed % 2, 2, 3)
    view, levels = levels_of(core, 3)
    curves = Curves()
    found = challenges(levels, curves, Budget())
    words = [w for t in range(3) for w in product(core.alphabet, repeat=t)]
    assert [(c.before, c.pair) for c in found] == [
        (w, (a, b)) for w in words for a in core.alphabet for b in core.alphabet if a != b
    ]
    for challenge in found:
        rounds = [[curves.powers[n] for n in future.here] for future in challenge.future.rounds()]
        expected = brute_futures(core, 3, challenge.before, challenge.pair)
        assert [set(here) for here in rounds] == expected
        assert all(len(here) == len(set(here)) for here in rounds)
        for t, future in enumerate(challenge.future.rounds(), len(challenge.before) + 1):
            for number in future.here:
                context = challenge.context(t, number)
                assert (context.round, context.challenge) == (len(challenge.before) + 1, challenge.pair)
                assert len(context.histories()[0]) == t
                assert between(core.law, *context.histories()) == curves.powers[number]
    assert _influence(found, 3) == brute_influence(core, 3)
    shape = decomposition(view, levels, found, curves, Budget())
    assert shape is not None
    assert shape.influence == brute_influence(core, 3)


def test_curves_are_numbered_once() -> None:
    curves = Curves()
    same, other = bernoulli(Fraction(1, 2)), bernoulli(Fraction(1, 3))
    assert (curves.of_laws(same, same), curves.of_laws(same, other)) == (0, 1)
    assert curves.of_laws(other, same) == (1 if curves.powers[1] == PowerFunction.from_laws(other, same) else 2)
    assert curves.number(PowerFunction.identity()) == 0
    assert curves.number(PowerFunction.from_laws(same, other)) == 1


def test_past_a_number_of_curves_the_ladder_is_not_climbed(monkeypatch: pytest.MonkeyPatch) -> None:
    core, levels = levels_of(random_core(71_001, 2, 3, 2), 2)
    monkeypatch.setattr(contexts, "MOST_FACTS", 0)
    with pytest.raises(Stopped, match="MOST_FACTS"):
        challenges(levels, Curves(), Budget())
    del core


def test_too_many_histories_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three inputs and two rounds there are nine histories, each a state and a law of its own."""
    laws = {u: from_weights({0: 1, 1: 2 + n}) for n, u in enumerate(product(range(3), repeat=2))}
    first = bernoulli(Fraction(1, 2))

    @dataclass(frozen=True)
    class Own:
        alphabet: tuple[int, ...] = (0, 1, 2)

        def law(self, prefix: Word) -> Pmf[int]:
            return first if len(prefix) == 1 else laws[prefix]

    core = core_of(Own())
    every = law_classes(core, 2, (1, 2), integers(), Budget())
    assert every is not None
    assert {(total, law): history for (total, law), history in every.items()} == {(sum(u), laws[u]): u for u in laws}
    plain = law_classes(core, 2, (), None, Budget())
    assert plain is not None
    assert [total for total, _ in plain] == [None] * 9
    assert {total for total, _ in law_classes(core, 2, (2,), modular(2), Budget()) or {}} == {0, 1}
    for name, most in (("MOST_HISTORIES", 9), ("MOST_CLASSES", 9)):
        with monkeypatch.context() as patched:
            patched.setattr(aggregates, name, most)
            assert law_classes(core, 2, (1, 2), None, Budget()) is not None
            patched.setattr(aggregates, name, most - 1)
            assert law_classes(core, 2, (1, 2), None, Budget()) is None
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 8)
    scalar, vector = rungs_of(Own(), 2)[:2]
    assert scalar.finding.verdict is not Verdict.HOLDS
    assert vector.finding.verdict is not Verdict.HOLDS


def test_twice_the_area_under_a_curve() -> None:
    assert _area(PowerFunction.identity()) == 1
    assert _area(PowerFunction.from_vertices([(0, 0), (Fraction(1, 4), Fraction(3, 4)), (1, 1)])) == Fraction(3, 2)
    assert _area(PowerFunction.from_vertices([(0, 0), (0, Fraction(1, 2)), (1, 1)])) == Fraction(3, 2)


@pytest.mark.parametrize(
    ("alphabet", "most", "cap", "moduli"),
    [
        ((0, 1, 2), 4, 9, [2, 3]),
        ((0, 5), 3, 9, [2, 3]),
        ((0, 6), 99, 4, [2, 3, 4, 12]),
        ((0, 10, 20), 40, 4, [2, 3, 4, 20, 30]),
        ((0, 10, 20), 39, 4, [2, 3, 4, 20, 30]),
        ((1, 11, 31), 40, 4, [2, 3, 4, 20, 30, 40]),
        ((0, 8), 8, 9, [2, 3, 4, 5, 6, 7, 8]),
        ((0, 8), 9, 9, [2, 3, 4, 5, 6, 7, 8, 9]),
    ],
)
def test_moduli_that_are_tried(
    alphabet: tuple[int, ...], most: int, cap: int, moduli: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aggregates, "MOST_MODULI", cap)
    core = core_of(Summed(alphabet, PEAK, ((1,),)))
    search = _DecompositionSearch(core, ((1,),), Curves(), Budget())
    assert list(search._moduli(most)) == moduli
    assert bool(search.untried) is (len(range(2, min(most, max(alphabet) - min(alphabet) + 1) + 1)) > cap - 1)


def test_slots_that_matter_are_exchanged() -> None:
    """Round 2 weighs its two inputs differently, so that one challenge has two curves in two slots."""

    @dataclass(frozen=True)
    class Weighed:
        alphabet: tuple[int, ...] = (0, 1)

        def law(self, prefix: Word) -> Pmf[int]:
            total = prefix[0] if len(prefix) == 1 else prefix[0] + 2 * prefix[1]
            return from_weights(PEAK).map(lambda k: total + k)

    core, levels = levels_of(Weighed(), 2)
    curves = Curves()
    exchange = slot_exchange(challenges(levels, curves, Budget()), Budget())
    assert exchange is not None
    assert (exchange.round, exchange.influence) == (2, None)
    assert [context.round for context in exchange.contexts] == [1, 2]
    shown = [between(Weighed().law, *context.histories()) for context in exchange.contexts]
    assert [curves.powers[number] for number in exchange.curves] == shown
    assert shown[0] != shown[1]
    assert core.alphabet == (0, 1)


def test_histories_of_a_context() -> None:
    context = Context((1, 0), (0, 2), (1,))
    assert (context.round, context.histories()) == (3, ((1, 0, 0, 1), (1, 0, 2, 1)))


def test_a_product_of_hulls_is_that_of_all_contexts() -> None:
    """CONTEXT_DOMINATED on random cores: the product over rounds of suprema over contexts, challenge by challenge."""
    held = 0
    for seed in chosen(range(20)):
        core = random_core(72_000 + seed, 2, 2, 2)
        rung = rungs_of(core, 2)[4]
        fixed = analyse(PairedGame(core_of(core), HAMMING, 2), Budget()).fixed.upper
        above = []
        for i, pair in product((1, 2), ((0, 1), (1, 0))):
            rounds: list[set[PowerFunction]] = [set() for _ in range(3 - i)]
            for before in product(core.alphabet, repeat=i - 1):
                for t, curves in enumerate(brute_futures(core, 2, before, pair)):
                    rounds[t] |= curves
            whole = PowerFunction.identity()
            for curves in rounds:
                whole = whole.tensor(supremum(sorted(curves, key=lambda curve: curve.vertices)))
            if not whole <= fixed:
                above.append((i, [str(x) for x in pair], whole))
        assert (rung.finding.verdict is Verdict.HOLDS) is (not above)
        held += not above
        if above:
            witness: Any = rung.finding.witness
            (whole,) = [curve for i, pair, curve in above if (i, pair) == (witness["round"], witness["challenge"])]
            e = Fraction(witness["exp_epsilon"])
            assert witness["deltas"] == [str(curve.hockey_stick(e, witness["order"])) for curve in (whole, fixed)]
            assert whole.hockey_stick(e, witness["order"]) > fixed.hockey_stick(e, witness["order"])
    assert held


def test_a_challenge_is_kept_whole() -> None:
    _, levels = levels_of(random_core(71_002, 2, 2, 2), 2)
    assert all(isinstance(one, Challenge) for one in challenges(levels, Curves(), Budget()))
