"""DETERMINISTIC_MAP of cores: what is asked for again, and what is said of an answer that is another one."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from dpcert import HAMMING, Draw, Pmf, Release, bernoulli
from dpcert.audit.checklist import conditions
from dpcert.audit.checklist.conditions import _asked_again, _looked_at, _pure, _steady
from dpcert.audit.errors import MechanismError
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.view import core_of, view_of
from dpcert.mechanisms.interval_sums import IntervalSums


class Counted:
    """A core of two states; its laws, or its next states, become others once it was asked so many times."""

    alphabet = (0, 1)
    initial = 0

    def __init__(self, laws: int = 10**9, steps: int = 10**9) -> None:
        self.laws, self.steps = laws, steps

    def advance(self, state: int, x: int) -> int:
        """The input, at first."""
        del state
        self.steps -= 1
        return x if self.steps >= 0 else 1 - x

    def law(self, state: int) -> Pmf[int]:
        """One of two coins, at first."""
        self.laws -= 1
        return bernoulli(Fraction(1 + state, 4) if self.laws >= 0 else Fraction(1, 2))


def found(mechanism: Any, rounds: int = 2) -> Finding:
    core = core_of(mechanism)
    game = game_of(core, HAMMING, rounds)
    explore(game)
    return _pure(core, game.laws(), "here")


def test_what_answers_alike_is_counted() -> None:
    held = found(Counted())
    assert (held.verdict, held.method, held.scope) == (Verdict.HOLDS, Method.EXHAUSTIVE, "here")
    assert held.detail == "All 2 laws and 4 steps were asked for twice, in two orders, and were the same."


def test_a_law_that_changes_is_shown_with_both_answers() -> None:
    refuted = found(Counted(laws=3))
    assert (refuted.verdict, refuted.method) == (Verdict.REFUTED, Method.EXHAUSTIVE)
    assert refuted.detail == "The law of state 0 changed between two askings."
    assert refuted.witness is not None
    assert refuted.witness["state"] == "0"
    assert len(set(refuted.witness["laws"])) == 2


def test_a_next_state_that_changes_is_shown_with_both_answers() -> None:
    refuted = found(Counted(steps=4))
    assert (refuted.verdict, refuted.method) == (Verdict.REFUTED, Method.EXHAUSTIVE)
    assert refuted.detail.startswith("The state after state 1 and input 1 changed")
    assert refuted.witness is not None
    assert refuted.witness["states"] == ["1", "0"]


class Prefixes:
    """A core of all prefixes; one law is another one when it is asked for again."""

    alphabet = (0, 1)

    def __init__(self, changes: bool) -> None:
        self.changes, self.asked = changes, set[Any]()

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        again = self.changes and prefix in self.asked and prefix == (1, 0)
        self.asked.add(prefix)
        return bernoulli(Fraction(1, 5) if again else Fraction(1 + sum(prefix), 4))


@pytest.mark.parametrize("changes", [False, True])
def test_laws_of_prefixes_are_asked_for_again(changes: bool) -> None:
    asked = found(Prefixes(changes))
    assert (asked.verdict is Verdict.REFUTED) is changes
    assert ("(1, 0)" in asked.detail) is changes
    assert "steps" not in asked.detail


class Hidden:
    """A hidden state."""

    alphabet = (0, 1)
    initial = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(draw(bernoulli(Fraction(1 + x, 4)))), 1 - state


def test_the_law_of_a_hidden_step_is_asked_for_by_state_and_input() -> None:
    view = view_of(Hidden())
    again = _asked_again(view, (0, 1))
    assert dict(again.items()) == {(1, 1): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    game = game_of(view, HAMMING, 2)
    explore(game)
    held = _pure(view, game.laws(), "here")
    assert held.verdict is Verdict.HOLDS
    assert "steps" not in held.detail


# --- linear cores

PURE = Finding(Verdict.HOLDS, Method.EXHAUSTIVE, "here", "All laws.")


def linear(change: Any) -> Any:
    """The weights and the noise of a core, of which one becomes another in a round or none does."""
    return SimpleNamespace(
        members="weights and noise_law",
        changed=lambda rounds: change if rounds >= 3 else None,
        taken_for_granted=lambda rounds: "" if rounds < 100 else " Said of later rounds.",
    )


def test_weights_and_noise_are_asked_for_as_far_as_rounds_are_looked_at() -> None:
    assert _steady(None, 3, PURE) is PURE
    held = _steady(linear(("weights(3)", (1,), (2,))), 2, PURE)
    assert held.verdict is Verdict.HOLDS
    assert "rounds 1 to 2" in held.detail
    refuted = _steady(linear(("weights(3)", (1,), (2,))), 3, PURE)
    assert (refuted.verdict, refuted.scope) == (Verdict.REFUTED, "here")
    assert refuted.detail == "weights(3) changed between two askings: (1,), then (2,)."
    assert refuted.witness == {"state": "weights(3)", "laws": ["(1,)", "(2,)"]}
    for verdict in (Verdict.REFUTED, Verdict.UNDECIDED):
        open_ = Finding(verdict, None, "here", "Something.")
        assert _steady(linear(None), 3, open_) is open_
    core = core_of(IntervalSums())
    assert isinstance(core, Core)
    assert core.linear is not None
    assert _steady(core.linear, 3, PURE).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("rounds", "every", "untold", "looked_at"),
    [
        (3, False, None, 3),
        (3, True, None, conditions.LOOKED_AT),
        (3, True, 6, 5),
        (3, True, 1_000, conditions.LOOKED_AT),
        (7, True, 6, 7),
        (conditions.LOOKED_AT + 9, True, None, conditions.LOOKED_AT + 9),
    ],
)
def test_for_every_horizon_many_rounds_are_looked_at(
    rounds: int, every: bool, untold: int | None, looked_at: int
) -> None:
    question: Any = SimpleNamespace(rounds=rounds, every_horizon=every)
    core: Any = SimpleNamespace(linear=SimpleNamespace(first_untold=untold))
    assert _looked_at(core, question, None) == looked_at
    additive: Any = SimpleNamespace(tensor=SimpleNamespace(horizon=1_000))
    assert _looked_at(core, question, additive) == 1_000


def test_a_core_is_asked_by_its_state() -> None:
    core = core_of(Counted())
    assert _asked_again(core, 1) == bernoulli(Fraction(1, 2))
    with pytest.raises((MechanismError, TypeError, ValueError)):
        _asked_again(view_of(Hidden()), 0)


@dataclass(frozen=True)
class OfPrefixes:
    """A coin a prefix, which falls otherwise once it was asked for `steady` laws."""

    steady: int
    asked: list[Any] = field(default_factory=list)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        self.asked.append(prefix)
        return bernoulli(Fraction(1, 3 if len(self.asked) > self.steady else 2))


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("steady", [6, 12])
def test_laws_of_prefixes_are_asked_for_again_of_the_mechanism_itself(steady: int, merged: bool) -> None:
    """Whether they are played as they are or merged: two prefixes of one round and four of two, the last one first."""
    core = core_of(OfPrefixes(steady))
    laws = core.ask_prefixes(2)
    view = replace(core, whole=core) if merged else core
    count, change = conditions._changed(view, laws)
    assert count == 6
    if steady == 12:
        assert change is None
    else:
        assert change == ((1, 1), bernoulli(Fraction(1, 2)), bernoulli(Fraction(1, 3)))
