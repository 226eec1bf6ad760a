"""Where the exact tier comes to its end the enclosed one goes on, and both are said: nothing that was known is lost."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from instances.modes import TWO_MODES
from instances.random_markov import random_markov
from instances.seeds import chosen

from dpcert import Budget, Requirements, examine
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import INTERRUPTED, Stopped
from dpcert.audit.enclosed import joined, tiers
from dpcert.audit.enclosed.analysis import PARTS_AHEAD, _few, past_exact, within_words
from dpcert.audit.enclosed.effort import Effort
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.of_views import game_of
from dpcert.audit.grids.refining import Refinement
from dpcert.audit.grids.stages import stages
from dpcert.audit.kernels.view import any_view_of, view_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving import adaptive
from dpcert.audit.solving.analysis import NOTHING_KNOWN
from dpcert.audit.verdicts.requirements import required_delta
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

LEAKY = TwoRoundRepeated(Fraction(1, 10))
SCOPE: dict[str, Any] = {"horizon": 6, "exp_epsilons": (1, Fraction(5, 4)), "gap": Fraction(1, 1000)}


@dataclass
class Unshared(Budget):
    """A budget of which no share has any time, nor what comes after it."""

    grace = 0

    @contextmanager
    def share(self, parts: int) -> Iterator[None]:
        """Nothing is left of it."""
        with super().share(parts):
            self.allowed = 0 if parts > 1 else self.allowed
            yield


@pytest.fixture
def few_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solving may hold no more than a few segments."""
    monkeypatch.setattr(tiers, "MOST_HELD_SEGMENTS", 30)


def between(found: Any, exact: Any) -> None:
    """What is known of one audit lies around what is known exactly by another."""
    for curve in ("adaptive", "fixed_stream"):
        for bounds, truth in zip(found[curve]["delta"], exact[curve]["delta"], strict=True):
            assert Fraction(bounds["lower"]) <= Fraction(truth["lower"]) <= Fraction(truth["upper"])
            assert Fraction(truth["upper"]) <= Fraction(bounds["upper"])
    assert {found["verdict"], exact["verdict"]} != {"HOLDS", "REFUTED"}


def gap(record: Any) -> Fraction:
    """How far apart bounds on the adaptive curve are, at most."""
    return max(Fraction(one["upper"]) - Fraction(one["lower"]) for one in record["adaptive"]["delta"])


@pytest.mark.usefixtures("few_held")
def test_where_too_many_segments_would_be_held_the_game_is_enclosed() -> None:
    found, exact = examine(LEAKY, **SCOPE), examine(LEAKY, tier="exact", **SCOPE)
    assert (found["adaptive"]["tier"], exact["adaptive"]["tier"]) == ("enclosed", "exact")
    assert "(MOST_HELD_SEGMENTS)" in found["scope"]["text"]
    assert "apart" in found["scope"]["stopped"]
    assert gap(found) <= Fraction(1, 1000)
    between(found, exact)


@pytest.mark.in_turns
def test_where_the_time_of_solving_is_over_the_game_is_enclosed() -> None:
    found = examine(LEAKY, budget=Unshared(max_seconds=1000), **SCOPE)
    assert "its share of --max-seconds 1000 was reached" in found["scope"]["text"]
    assert gap(found) <= Fraction(1, 1000)
    between(found, examine(LEAKY, **SCOPE))


def test_what_is_foreseen_to_take_too_long_is_not_solved_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rounds to come would take a hundred times the time that is left; where nothing follows they are solved."""
    monkeypatch.setattr(adaptive, "seconds_left", lambda durations, _: 10**9 if len(durations) > 2 else None)
    found = examine(LEAKY, budget=Budget(max_seconds=1000), **SCOPE)
    assert "far longer than its share of --max-seconds 1000" in found["scope"]["text"]
    assert gap(found) <= Fraction(1, 1000)
    exact = examine(LEAKY, budget=Budget(max_seconds=1000), tier="exact", **SCOPE)
    assert exact["adaptive"]["tier"] == "exact"
    between(found, exact)
    assert examine(LEAKY, **SCOPE)["adaptive"]["tier"] == "exact"


@pytest.mark.usefixtures("few_held")
def test_a_gap_is_shown_by_a_policy_that_was_played() -> None:
    """Fixed streams were all tried, and what a policy reaches beyond them was seen of it."""
    found = examine(LEAKY, **SCOPE)
    assert (found["fixed_stream"]["tier"], found["verdict"]) == ("exact", "REFUTED")
    witness = found["lifts"]["curve"]["witness"]
    played = max(Fraction(one["replayed"]) for one in found["adaptive"]["strategies"] if one["replayed"])
    assert played > Fraction(witness["fixed_stream"])


@pytest.mark.usefixtures("few_held")
@pytest.mark.parametrize(("allowed", "verdict"), [("1:1/20", "HOLDS"), ("1:1/100", "REFUTED")])
def test_either_bound_decides_what_is_required(allowed: str, verdict: str) -> None:
    asked = Requirements((required_delta(allowed),))
    assert examine(LEAKY, requirements=asked, **SCOPE)["verdict"] == verdict


@pytest.mark.usefixtures("few_held")
def test_the_exact_tier_alone_is_not_ended_by_what_it_holds() -> None:
    assert examine(LEAKY, tier="exact", **SCOPE)["adaptive"]["tier"] == "exact"


@pytest.mark.usefixtures("few_held")
@pytest.mark.parametrize("seed", chosen(range(12)))
def test_random_games_lie_between(seed: int) -> None:
    scope = {"horizon": random.Random(seed).randint(2, 4), "exp_epsilons": (1, 2), "gap": Fraction(1, 50)}
    between(examine(random_markov(seed), **scope), examine(random_markov(seed), tier="exact", **scope))


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(8)))
def test_random_games_of_hidden_state_lie_between(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the beliefs that were explored, or on grids of them."""
    scope = {"horizon": 3, "exp_epsilons": (1, 2), "gap": Fraction(1, 4)}
    mechanism, _ = random_interactive(seed, 2, 1 + seed % 4, 2, allow_halt=seed % 3 == 0)
    exact = examine(mechanism, tier="exact", **scope)
    between(examine(mechanism, budget=Unshared(max_seconds=1000), **scope), exact)
    monkeypatch.setattr(tiers, "MOST_HELD_SEGMENTS", 2)
    between(examine(mechanism, **scope), exact)


def test_levels_are_kept_without_what_bounds_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a small case numpy alone would take half of the time."""
    monkeypatch.setitem(sys.modules, "dpcert.audit.enclosed.analysis", None)  # an import of it is an error
    file = str(tmp_path / "kept.sqlite")
    first, again = (examine(LEAKY, horizon=2, checkpoint=file) for _ in range(2))
    assert first["adaptive"] == again["adaptive"]


@pytest.mark.usefixtures("few_held")
def test_a_checkpoint_stays_the_exact_tiers(tmp_path: Path) -> None:
    file = str(tmp_path / "kept.sqlite")
    first, again = (examine(LEAKY, checkpoint=file, **SCOPE) for _ in range(2))
    assert first["adaptive"] == again["adaptive"]
    assert examine(LEAKY, checkpoint=file, tier="exact", **SCOPE)["adaptive"]["tier"] == "exact"


def test_an_interrupt_is_the_end() -> None:
    def interrupted(text: str) -> None:
        if text.startswith("solved 1 of"):
            budget.progress = print
            raise KeyboardInterrupt

    budget = Budget(progress=interrupted)
    found = examine(LEAKY, budget=budget, **SCOPE)
    assert (found["adaptive"]["tier"], "apart" in found["scope"]["text"]) == ("exact", False)


def test_an_interrupt_while_it_is_foreseen_how_long_solving_takes_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpcert.audit.enclosed.analysis.segments_by_round", interrupted)
    budget = Budget()
    assert past_exact(game_of(view_of(LEAKY), HAMMING, 25), budget) is None
    assert budget.bounded


def test_where_foreseeing_takes_its_share_of_the_time_the_rest_is_for_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of the rounds took a quarter of the time, so that all of them would take longer than there is."""
    shares: list[int] = []

    def over(*given: Any) -> list[int]:
        few = given[-1]
        shares.append(few.left() or 0)
        raise Stopped(few.time_over)

    monkeypatch.setattr("dpcert.audit.enclosed.analysis.segments_by_round", over)
    whole = past_exact(game_of(view_of(LEAKY), HAMMING, 25), Budget(max_seconds=1000))
    assert whole is not None
    assert whole.rounds == 25
    assert [share // 10**9 for share in shares] <= [1000 // PARTS_AHEAD]


def test_an_interrupt_in_the_first_rounds_of_a_hidden_game_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(game: Any, budget: Budget) -> Any:
        if game.horizon > 1:
            raise KeyboardInterrupt
        return stages(game, budget)

    monkeypatch.setattr("dpcert.audit.enclosed.analysis.stages", interrupted)
    game, budget = BeliefGame(any_view_of(TWO_MODES), HAMMING, 3), Budget()  # type: ignore[arg-type]
    assert _few(game, budget).rounds == 1
    assert budget.interrupted


@pytest.mark.parametrize(("ended", "said"), [(INTERRUPTED, True), ("--max-seconds 9 was reached", False)])
def test_an_interrupt_of_bounds_is_said_first(ended: str, said: bool) -> None:
    reason, words = within_words(Refinement(NOTHING_KNOWN, Fraction(1, 2), 3, ended), Effort(gap=Fraction(1, 3)))
    assert reason.startswith("interrupted; its curves are enclosed") is said
    assert words.endswith("0.5 apart, for it was interrupted" if said else f"0.5 apart, for {ended}")
    near = within_words(Refinement(NOTHING_KNOWN, Fraction(1, 2), 3, ended), Effort(gap=Fraction(1, 2)))
    assert ended not in "".join(near)  # they are as near as was asked


def test_of_two_upper_bounds_the_lower_is_kept() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        one, other = (
            PowerFunction.from_segments(
                [(Fraction(p, 9), Fraction(9 - p, 9)), (Fraction(9 - p, 9), Fraction(p, 9))]
            ).tensor(
                PowerFunction.from_segments([(Fraction(q, 7), Fraction(6, 7)), (1 - Fraction(q, 7), Fraction(1, 7))])
            )
            for p, q in ((rng.randint(0, 4), rng.randint(0, 6)) for _ in range(2))
        )
        least = joined._lower_of(one, other)
        for x in range(12):
            true = min(one(Fraction(x, 11)), other(Fraction(x, 11)))
            assert true <= least(Fraction(x, 11)) <= true + Fraction(1, 10**15)
