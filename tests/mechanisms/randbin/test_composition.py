"""Modular composition as a game: RandBin feeding a noisy sum, against the theorem's bounds and against brute force."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar

import pytest

from dpcert import Draw, PowerFunction, Release, bernoulli, examine
from dpcert.audit.budget import Budget
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.kernels.feeding import feeding
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.edits import EDIT, after_edit
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.randbin.bin_sum import BinSum
from dpcert.mechanisms.randbin.toy import RandBinToy

F = Fraction
BITS = (0, 1)


@cache
def composed(horizon: int, mechanism: RandBinToy, second: Any) -> PowerFunction:
    game = BeliefGame(view_of(feeding(mechanism, second, BITS)), EDIT, horizon)
    found = analyse(game, Budget())
    assert found.adaptive.exact
    return found.adaptive.lower


def preserved(horizon: int, mechanism: RandBinToy) -> PowerFunction:
    return analyse(npp_game(simulated(mechanism), horizon), Budget()).adaptive.lower


@pytest.mark.in_turns
@pytest.mark.parametrize("horizon", [7, *(pytest.param(n, marks=pytest.mark.thorough) for n in (8, 12))])
def test_composition_keeps_to_both_bounds(horizon: int) -> None:
    """f ⊗ (g∘g), an edit changes two bins; and f ⊗ (g ⊗ g), they are two bins with noise of their own."""
    f, g = preserved(horizon, RandBinToy()), BinSum().profile()
    exact = composed(horizon, RandBinToy(), BinSum())
    assert PowerFunction.identity() < exact <= f.tensor(g.tensor(g)) < f.tensor(g.then(g))


@pytest.mark.thorough
def test_composition_at_nine_rounds() -> None:
    """Its bounds at nine rounds are a claim's, thm:DP-comp, and so are these numbers in the tests of the ledger."""
    exact = composed(9, RandBinToy(), BinSum())
    assert [exact.delta(F(e)) for e in (1, 2, 4)] == [F(217, 432), F(113, 432), F(37, 144)]


@pytest.mark.in_turns
def test_a_sum_without_noise_gives_more_away_than_a_noisy_one() -> None:
    assert composed(7, RandBinToy(), BinSum()) < composed(7, RandBinToy(), BinSum((1,)))


@pytest.mark.in_turns
def test_what_is_fed_nothing_shows_the_schedule_alone() -> None:
    class Silent:
        initial = None

        def step(self, state: None, x: Any, draw: Draw) -> tuple[Release[int, None], None]:
            del x, draw
            return Release(0), state

    silent = composed(8, RandBinToy(), Silent())
    assert silent == PowerFunction.identity()


def test_what_is_fed_are_the_bins_whole_and_in_order() -> None:
    class Echo:
        initial = None

        def step(self, state: None, x: Any, draw: Draw) -> tuple[Release[Any, None], None]:
            del draw
            return Release(x), state

    stream = [t * t % 3 % 2 for t in range(40)]
    for end in (0, -1):
        whole = feeding(RandBinToy(), Echo(), BITS)
        state, fed = whole.initial, []
        for x in stream:
            release, state = whole.step(state, x, lambda law: law.support[end])  # noqa: B023  # used at once
            fed.extend(release.visible[1] or ())
        assert fed == stream[: len(fed)]
        assert len(fed) > 20


@dataclass(frozen=True)
class Relay:
    """Hands its input on, late by one round, or nothing at all: hidden outputs that are no slices."""

    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[int | None] = None

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[int, int], int]:
        late = draw(bernoulli(F(1, 3)))
        return Release(late, None if late else state), x


@dataclass(frozen=True)
class Response:
    """Randomised response to what it is fed, the lie remembered."""

    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        lie = draw(bernoulli(F(1, 4) if state else F(2, 5)))
        return Release(x ^ lie), lie


def by_hand(horizon: int, exp_epsilon: Fraction) -> Fraction:
    """The adaptive hockey-stick value of Relay -> Response in order 0-1, by recursion over adversaries' choices."""
    first, second = Relay(), Response()

    def round_of(
        world: tuple[tuple[Any, Any, Fraction], ...], x: int
    ) -> dict[Any, tuple[tuple[Any, Any, Fraction], ...]]:
        seen: dict[Any, list[tuple[Any, Any, Fraction]]] = {}
        for own, lied, mass in world:
            for late, p in ((1, F(1, 3)), (0, F(2, 3))):
                fed = None if late else own
                if fed is None:
                    seen.setdefault((late, None), []).append((x, lied, mass * p))
                    continue
                odds = F(1, 4) if lied else F(2, 5)
                for lie, q in ((1, odds), (0, 1 - odds)):
                    seen.setdefault((late, fed ^ lie), []).append((x, lie, mass * p * q))
        return {key: tuple(rows) for key, rows in seen.items()}

    def value(left: int, relation: Any, worlds: tuple[Any, Any]) -> Fraction:
        masses = [sum((m for _, _, m in world), F(0)) for world in worlds]
        here = max(F(0), masses[0] - exp_epsilon * masses[1])
        if not left:
            return here
        best = here
        for pair in product(BITS, repeat=2):
            after = after_edit(relation, pair)
            if after is None:
                continue
            outcomes = [round_of(world, x) for world, x in zip(worlds, pair, strict=True)]
            total = sum(
                (value(left - 1, after, (outcomes[0].get(v, ()), outcomes[1].get(v, ())))
                 for v in {*outcomes[0], *outcomes[1]}),
                F(0),
            )  # fmt: skip
            best = max(best, total)
        return best

    start = ((first.initial, second.initial, F(1)),)
    return value(horizon, frozenset(), (start, start))


@pytest.mark.parametrize("horizon", [1, 2, 3])
@pytest.mark.parametrize("exp_epsilon", [F(1), F(3, 2)])
def test_hidden_outputs_that_are_values_are_fed_as_they_are(horizon: int, exp_epsilon: Fraction) -> None:
    record = examine(feeding(Relay(), Response(), BITS, slices=False), adjacency="edit", horizon=horizon)
    exact = analyse(
        BeliefGame(view_of(feeding(Relay(), Response(), BITS, slices=False)), EDIT, horizon), Budget()
    ).adaptive.lower
    assert exact.hockey_stick(exp_epsilon, "0-1") == by_hand(horizon, exp_epsilon)
    assert record["scope"]["adjacency"] == "edit"


def test_a_slice_of_what_is_gone_is_refused() -> None:
    @dataclass(frozen=True)
    class Wrong:
        alphabet: ClassVar[tuple[int, ...]] = BITS
        initial: ClassVar[None] = None

        def step(self, state: None, x: int, draw: Draw) -> tuple[Release[int, tuple[int, int]], None]:
            del x, draw
            return Release(0, (2, 1)), state

    with pytest.raises(Exception, match="slice of the 1 inputs"):
        examine(feeding(Wrong(), BinSum(), BITS), adjacency="edit", horizon=1)
