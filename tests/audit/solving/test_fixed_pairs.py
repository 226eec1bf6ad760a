"""Fixed pairs of streams past the bound on their number: valid, never lower for more rounds, and honest about why."""

from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from instances.seeds import chosen

from dpcert import HAMMING, Adjacency, Budget, PowerFunction, supremum
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving import fixed_search
from dpcert.audit.solving.analysis import INTERRUPTED, TOO_MANY_STREAMS, analyse
from dpcert.audit.solving.fixed_hidden import fixed_pairs, makers
from dpcert.mechanisms.shared_coin import SharedCoin

RELATIONS: list[Adjacency[Any]] = [HAMMING, ZeroOut(null=0), Hops(HAMMING, 2)]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(24)))
def test_more_rounds_never_give_a_lower_bound(seed: int) -> None:
    mechanism, _ = random_interactive(30_000 + seed, 2, 2, 2, allow_halt=seed % 2 == 0)
    levels = [explore(game_of(view_of(mechanism), RELATIONS[seed % 3], rounds)).levels for rounds in range(1, 5)]
    exact = [fixed_pairs(shorter) for shorter in levels]
    for most in (1, 7, 40, 100):
        found = [fixed_pairs(shorter, most_streams=most) for shorter in levels]
        assert all(fewer.power <= more.power for fewer, more in pairwise(found))
        for tried, whole in zip(found, exact, strict=True):
            assert whole.complete
            assert tried.power <= whole.power
            assert tried.complete == (len(whole.curves) <= most)
            assert tried.curves.items() <= whole.curves.items()


@pytest.mark.in_turns
def test_what_makes_up_a_supremum_is_enough_for_it() -> None:
    for seed in range(40):
        mechanism, _ = random_interactive(40_000 + seed, 3, 2, 2, allow_halt=False)
        curves = list(fixed_pairs(explore(game_of(view_of(mechanism), HAMMING, 2)).levels).curves.values())
        needed = makers(curves)
        assert supremum(curves[i] for i in needed) == supremum(curves)
        assert len(needed) <= len(supremum(curves).segments)


@pytest.mark.in_turns
def test_a_witness_is_the_first_of_all_streams_that_reach_the_value() -> None:
    for seed in range(40):
        mechanism, _ = random_interactive(40_000 + seed, 3, 2, 2, allow_halt=seed % 2 == 0)
        found = fixed_pairs(explore(game_of(view_of(mechanism), HAMMING, 2)).levels)
        for e, order in product((Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(9)), ORDERS):
            first = max(found.curves, key=lambda pairs: found.curves[pairs].hockey_stick(e, order))
            assert found.witness(e, order) == first, seed


@pytest.mark.parametrize(("error", "reason"), [(None, TOO_MANY_STREAMS), (KeyboardInterrupt(), INTERRUPTED)])
def test_an_interrupt_past_the_bound_is_called_one(
    error: BaseException | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(Budget):
        streams = False

        def check(self) -> None:
            if self.streams and error is not None:
                raise error

    bounded = partial(fixed_pairs, most_streams=10)
    monkeypatch.setattr(fixed_search, "fixed_supremum", lambda levels, budget, _: bounded(levels, budget))
    budget = Interrupted()
    budget.progress = lambda text: setattr(budget, "streams", text.startswith("enumerating"))
    found = analyse(game_of(view_of(SharedCoin()), HAMMING, 4), budget)
    assert found.stopped == reason
    assert found.streams is not None
    assert PowerFunction.identity() <= found.fixed.lower <= found.fixed.upper == found.adaptive.lower
