"""`viewed` and `both`: what an observer is shown, and two mechanisms on one stream."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, ClassVar

import pytest
from instances.exact_curves import curves
from instances.hidden_state import random_interactive, random_law

from dpcert import (
    HALT,
    HAMMING,
    Adjacency,
    ArgumentError,
    Draw,
    MechanismError,
    Pmf,
    PowerFunction,
    Release,
    Session,
    both,
    dp_power,
    examine,
    from_weights,
    supremum,
    viewed,
)
from dpcert.audit.identity import held
from dpcert.audit.kernels.targets import built_in
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import ChallengeAt, ZeroOut
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.sparse_vector import SparseVector
from dpcert.mechanisms.two_round import TwoRound

TARGETS = (
    "two-round", "two-round-repeated", "randomized-response", "interval-sums", "binary-tree", "shared-coin",
    "clipped-sum", "sparse-vector",
)  # fmt: skip
IDENTITY = PowerFunction.identity()
AFTER_A_HALT = "-"


def target(name: str) -> Any:
    return built_in()[name].load()()


@dataclass(frozen=True)
class RandomCore:
    """A PrefixCore whose law at a prefix is random but fixed by `seed`."""

    seed: int
    outputs: int = 2
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        law: Pmf[int] = random_law(Random(repr((self.seed, prefix))), list(range(self.outputs)))
        return law


@dataclass(frozen=True)
class TwoCores:
    """The product of two cores as one core, without `both`."""

    first: RandomCore
    second: RandomCore
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[tuple[int, int]]:
        return self.first.law(prefix).product(self.second.law(prefix))


@dataclass(frozen=True)
class HaltsAt:
    """Says nothing, and halts in the given round."""

    round: int
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 1

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, None], int]:
        del x, draw
        return Release(HALT if state == self.round else None), state + 1


@dataclass(frozen=True)
class HaltsIf:
    """Halts in round 1 with probability 1/4 + x/2, and otherwise goes on without a word."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[bool] = False

    def step(self, state: bool, x: int, draw: Draw) -> tuple[Release[Any, None], bool]:
        over = not state and draw(from_weights({True: 1 + 2 * x, False: 3 - 2 * x}))
        return Release(HALT if over else 0), True


def hidden(count: int, *, allow_halt: bool) -> Iterator[Any]:
    for seed in range(count):
        yield random_interactive(50_000 + seed, 2, 2, 2, allow_halt)[0]


# ---------------------------------------------------------------- viewed


@pytest.mark.parametrize("name", TARGETS)
def test_seeing_everything_changes_nothing(name: str) -> None:
    """A core seen through the identity is solved on beliefs and by whole streams, and yet the curves are the same."""
    mechanism = target(name)
    for horizon in range(1, 3 if view_of(mechanism).horizon == 2 else 4):
        assert curves(viewed(mechanism, lambda v: v), horizon) == curves(mechanism, horizon)


@pytest.mark.in_turns
def test_seeing_everything_changes_nothing_at_random() -> None:
    relations: list[Adjacency[Any]] = [HAMMING, ChallengeAt(HAMMING, 1), ZeroOut(null=0)]
    for number, mechanism in enumerate([*hidden(40, allow_halt=True), *(RandomCore(seed, 3) for seed in range(40))]):
        relation = relations[number % 3]
        assert curves(viewed(mechanism, lambda v: (v, "seen")), 2, relation) == curves(mechanism, 2, relation)


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "sparse-vector"])
def test_a_constant_view_is_vacuous(name: str) -> None:
    record = examine(viewed(target(name), lambda _: None), horizon=2)
    assert record["vacuous"]
    assert record["adaptive"]["total_variation"] == record["fixed_stream"]["total_variation"] == "0"
    assert not examine(target(name), horizon=2)["vacuous"]


def test_no_view_hides_that_a_mechanism_has_halted() -> None:
    """Above threshold shows only when it halts, so the constant view of it is all of it."""
    assert curves(viewed(SparseVector(), lambda _: None), 3) == curves(SparseVector(), 3)
    called: list[Any] = []
    shown = view_of(viewed(HaltsAt(1), called.append)).kernel(1, 0)
    assert [visible for visible, _, _ in shown.entries] == [HALT]
    assert called == []


def test_views_compose() -> None:
    for mechanism in (IntervalSums(noise=(3, 2, 1, 1)), ClippedSum(), RandomCore(7, 4)):
        once = viewed(mechanism, lambda v: v // 2 == 0)
        twice = viewed(viewed(mechanism, lambda v: v // 2), lambda v: v == 0)
        assert curves(twice, 2) == curves(once, 2)
        assert curves(once, 2)[1] < curves(mechanism, 2)[1]


def test_a_view_merges_outcomes_exactly() -> None:
    """Noise (2, 1, 1) / 4 on Z_3, of which only "0 or not" shows: 1/2 against 1/4."""
    first = viewed(IntervalSums(), lambda y: y == 0)
    entries = view_of(first).kernel((), 0).entries
    assert {visible: weight for visible, _, weight in entries} == {held(True): 1, held(False): 1}
    assert curves(first, 1)[1].total_variation == Fraction(1, 4)


def test_viewed_keeps_what_it_does_not_show() -> None:
    mechanism = viewed(TwoRound(), str)
    assert (mechanism.horizon, mechanism.alphabet, mechanism.initial) == (2, (0, 1), ())
    assert viewed(SharedCoin(), str).horizon is None
    run = Session(mechanism, draws=(1, 0))
    assert [run.send(x).visible for x in (0, 1)] == ["1", "0"]

    @dataclass(frozen=True)
    class Telling:
        alphabet: ClassVar[tuple[int, ...]] = (0, 1)
        initial: ClassVar[int] = 0

        def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, int], int]:
            del draw
            return Release(x, hidden=x + 5), state

    release = Session(viewed(Telling(), lambda v: -v)).send(1)
    assert (release.visible, release.hidden) == (-1, 6)


@pytest.mark.parametrize("view", [lambda _: 1 // 0, lambda _: [1], lambda v: v.missing])
def test_a_view_that_fails_is_named(view: Any) -> None:
    with pytest.raises(MechanismError) as error:
        examine(viewed(SharedCoin(), view))
    text = str(error.value)
    assert text.startswith(("Viewed.step raised ", "Viewed.step: Expected "))
    assert "\n" not in text
    assert "test_combine.py:" in text or "a hashable visible output" in text


# ---------------------------------------------------------------- both


def test_two_randomised_responses_give_the_tensor_product() -> None:
    """One round, one differing bit, two answers: the curve is a product, and not the wider sum of the epsilons."""
    product = curves(both(RandomizedResponse(), RandomizedResponse(Fraction(2, 3))), 1)
    assert product == (dp_power(3).tensor(dp_power(2)),) * 2
    assert product[1] < dp_power(6)
    assert curves(both(RandomizedResponse(), RandomizedResponse()), 1)[1] == dp_power(3).tensor_power(2)


@pytest.mark.parametrize("seed", range(30))
def test_two_cores_in_one_round(seed: int) -> None:
    """The supremum over pairs of inputs of the product of both curves at that pair."""
    first, second = RandomCore(seed, 3), RandomCore(1000 + seed)
    products = [IDENTITY]
    for x, y in ((0, 1), (1, 0)):
        one, other = (PowerFunction.from_laws(core.law((x,)), core.law((y,))) for core in (first, second))
        products.append(one.tensor(other))
    assert curves(both(first, second), 1) == (supremum(products),) * 2


@pytest.mark.in_turns
def test_two_cores_are_the_core_of_products() -> None:
    strict = 0
    for seed in range(60):
        first, second = RandomCore(seed, 3), RandomCore(1000 + seed)
        together = curves(both(first, second), 2)
        assert together == curves(TwoCores(first, second), 2)
        strict += together[0] < together[1]
    assert strict >= 3


@pytest.mark.in_turns
def test_the_product_shows_each_factor_and_no_more_than_the_tensor_product() -> None:
    """Adaptive use of both at once stays below f ⊗ g of the separate adaptive curves; halting included."""
    strict = 0
    for number, first in enumerate(hidden(40, allow_halt=True)):
        second = random_interactive(60_000 + number, 2, 2, 2, allow_halt=number % 2 == 0)[0]
        one, other, together = (curves(m, 2)[1] for m in (first, second, both(first, second)))
        assert one <= together
        assert other <= together
        assert together <= one.tensor(other)
        if number % 2:  # else the second one's halting shows as well
            assert curves(viewed(both(first, second), shown_of_first), 2)[1] == one
        strict += together < one.tensor(other)
    assert strict >= 3


def shown_of_first(visible: Any) -> Any:
    """The first factor's output; a constant once it has halted while the second one goes on."""
    return AFTER_A_HALT if visible[0] is HALT else visible[0]


@pytest.mark.parametrize("halting_round", [1, 2, 3])
def test_a_silent_factor_that_halts_takes_nothing_away(halting_round: int) -> None:
    for mechanism in (RandomizedResponse(), SharedCoin(), TwoRound(), ClippedSum(), RandomCore(3)):
        horizon = view_of(mechanism).horizon or 3
        assert curves(both(mechanism, HaltsAt(halting_round)), horizon) == curves(mechanism, horizon)
        assert curves(both(HaltsAt(halting_round), mechanism), horizon) == curves(mechanism, horizon)


def test_the_pair_halts_when_both_have() -> None:
    run = Session(both(HaltsAt(1), HaltsAt(3)))
    assert [run.send(0).visible for _ in range(3)] == [(HALT, None), (HALT, None), HALT]
    assert run.halted
    one_round = Session(both(HaltsAt(1), HaltsAt(1)))
    assert one_round.send(0).visible is HALT
    forever = Session(both(HaltsAt(1), RandomizedResponse()))
    assert all(forever.send(1).visible[0] is HALT for _ in range(5))  # type: ignore[index]
    assert not forever.halted


def test_when_a_factor_halts_shows() -> None:
    """Halting is a bit with odds of 3 to 1, worth as much as the other factor's answer."""
    assert curves(HaltsIf(), 2)[1] == dp_power(3)
    challenge = ChallengeAt(HAMMING, 1)
    assert curves(both(HaltsIf(), RandomizedResponse()), 2, challenge)[1] == dp_power(3).tensor_power(2)
    assert curves(both(HaltsIf(), HaltsIf()), 2)[1] == dp_power(3).tensor_power(2)


def test_scope_of_a_product() -> None:
    wide, narrow = IntervalSums(), RandomizedResponse()
    assert both(wide, narrow).alphabet == both(narrow, wide).alphabet == (0, 1)
    assert both(wide, narrow).horizon == 3
    assert both(wide, TwoRound()).horizon == 2
    assert both(narrow, SharedCoin()).horizon is None
    assert both(narrow, SharedCoin()).initial == (0, None)

    @dataclass(frozen=True)
    class Letters:
        alphabet: ClassVar[tuple[str, ...]] = ("a", "b")

        def law(self, prefix: tuple[str, ...]) -> Pmf[str]:
            return from_weights({prefix[-1]: 1})

    with pytest.raises(MechanismError, match=r"^Expected an alphabet of distinct inputs, at least one"):
        view_of(both(Letters(), narrow))


def test_products_nest_and_run_live() -> None:
    three = both(both(RandomizedResponse(), SharedCoin()), viewed(ClippedSum(), lambda s: s > 0))
    run = Session(three, draws=(1, 0, -1, 0, 1))
    assert [run.send(x).visible for x in (1, 0)] == [((1, 0), False), ((0, 0), True)]
    assert run.draws == (1, 0, -1, 0, 1)
    assert curves(both(both(RandomizedResponse(), RandomizedResponse()), RandomizedResponse()), 1)[1] == dp_power(
        3
    ).tensor_power(3)


# ---------------------------------------------------------------- the null input


def test_the_null_input_is_the_mechanisms_own() -> None:
    tree = BinaryTree()
    expected = examine(tree, adjacency="zero-out")["adaptive"]["power"]
    assert examine(viewed(tree, lambda y: y), adjacency="zero-out")["adaptive"]["power"] == expected
    assert not examine(both(tree, tree), horizon=1, adjacency="zero-out")["vacuous"]


@dataclass(frozen=True)
class Nulled:
    """A coin that shows nothing, with a null input of its own."""

    null: int | None
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        del prefix
        return from_weights({0: 1, 1: 1})


def test_two_null_inputs_are_one_or_refused() -> None:
    assert (
        both(Nulled(0), Nulled(0)).null == both(Nulled(0), Nulled(None)).null == both(Nulled(None), Nulled(0)).null == 0
    )
    assert both(Nulled(None), Nulled(None)).null is None
    wanted = "^Expected two mechanisms with the same null input but got first_null=0, second_null=1$"
    with pytest.raises(ArgumentError, match=wanted):
        both(Nulled(0), both(Nulled(1), Nulled(None)))
