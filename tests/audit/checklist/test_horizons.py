"""Which rounds are played, which are known by theorem, and what is said where none gives them."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from dpcert import HAMMING, Budget, Draw, Pmf, PowerFunction, Published, Release, bernoulli, from_weights
from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.checklist import horizons as rounds_of
from dpcert.audit.checklist.horizons import Horizons, _every, _long, _whole, horizons, unbounded
from dpcert.audit.checklist.subject import Subject, subject_of
from dpcert.audit.errors import Stopped
from dpcert.audit.games.horizon import Horizon
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.view import any_view_of, view_of
from dpcert.audit.relations.adjacency import UNIT_HAMMING
from dpcert.audit.solving.adaptive import PERFECT
from dpcert.audit.solving.analysis import Analysis, analyse
from dpcert.mechanisms.randomized_response import RandomizedResponse

LOW, HIGH, ALL = (
    PowerFunction.from_laws(bernoulli(e), bernoulli(1 - e)) for e in (Fraction(2, 5), Fraction(1, 5), Fraction(0))
)


class Hidden:
    """A hidden bit that shows."""

    alphabet = (0, 1)
    initial = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(draw(bernoulli(Fraction(1 + x, 4)))), x | state


class Announcing:
    """Says beside every release whether it is the first."""

    alphabet = (0, 1)
    initial = False

    def step(self, state: bool, x: int, draw: Draw) -> tuple[Release[Any, None], bool]:
        return Release(Published(draw(bernoulli(Fraction(1 + x, 4))), state)), True


class Summed:
    """The sum of the last two inputs, behind noise: a linear core of any number of rounds."""

    alphabet = (0, 1)

    def weights(self, t: int) -> tuple[int, ...]:
        return (0,) * (t - 2) + (1,) * min(t, 2)

    def noise_law(self, t: int) -> Pmf[int]:
        del t
        return from_weights({0: 1, 1: 2, 2: 1})


class LaterInputsCount:
    """What round 2 says of round 1 turns on its own input: no rung for every horizon but the last."""

    alphabet = (0, 1)
    initial = (0, 0)

    def advance(self, state: tuple[int, int], x: int) -> tuple[int, int]:
        return state[1], x

    def law(self, state: tuple[int, int]) -> Any:
        return bernoulli(Fraction(1 + state[0] * state[1], 4))


def known(mechanism: Any) -> tuple[Subject, Any]:
    view = any_view_of(mechanism)
    return subject_of(mechanism, view, HAMMING, 3, Budget()), view


def asked(rounds: int, *, every: bool = False, **changes: Any) -> Question:
    scope: dict[str, Any] = {"neighbours": HAMMING, "hops": 1, "challenge_round": None}
    return Question(Horizon(rounds, every=every), **(scope | changes), exp_epsilons=(), epsilons=(), deltas=())


def of(mechanism: Any, question: Question) -> Horizons:
    return horizons(*known(mechanism), question, Budget())


# --- what is played


def test_a_core_is_decided_for_every_horizon_where_it_is_one_at_every_horizon() -> None:
    assert _whole(*known(RandomizedResponse()), Budget()) is not None
    assert _whole(*known(LaterInputsCount()), Budget()) is not None
    for mechanism in (Hidden(), Announcing(), Summed()):
        subject, view = known(mechanism)
        assert _whole(subject, view, Budget()) is None
    subject, view = known(RandomizedResponse())
    assert _whole(replace(subject, core=None), view, Budget()) is None


def test_as_many_rounds_are_played_as_are_asked_for_up_to_a_long_horizon() -> None:
    for mechanism in (RandomizedResponse(), Hidden(), LaterInputsCount()):
        assert of(mechanism, asked(5)) == Horizons(5, 5)
    assert of(RandomizedResponse(), asked(rounds_of.LONG_HORIZON)) == Horizons(128, 128)
    assert of(Hidden(), asked(1_000)) == Horizons(1_000, 1_000)
    assert of(LaterInputsCount(), asked(1_000)) == Horizons(1_000, 1_000)
    for scope in ({"hops": 2}, {"challenge_round": 1}, {"neighbours": UNIT_HAMMING}):
        assert of(RandomizedResponse(), asked(1_000, **scope)) == Horizons(1_000, 1_000)


def test_past_a_long_horizon_a_theorem_gives_what_is_not_played() -> None:
    long = of(RandomizedResponse(), asked(rounds_of.LONG_HORIZON + 1))
    assert (long.played, long.rounds, long.settled) == (3, 129, False)
    assert long.tensor is not None
    assert long.tensor.horizon == 129
    additive = of(Summed(), asked(rounds_of.LONG_ADDITIVE + 1))
    assert (additive.played, additive.rounds) == (rounds_of.PLAYED, 101)
    assert additive.additive is not None
    assert additive.tensor is additive.additive.tensor
    assert of(Summed(), asked(rounds_of.LONG_ADDITIVE)) == Horizons(100, 100)


def test_where_no_closed_form_is_written_out_all_rounds_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.checklist.additive.additive", lambda *_: None)
    assert of(Summed(), asked(rounds_of.LONG_ADDITIVE + 1)) == Horizons(101, 101)


def test_for_every_horizon_as_many_are_played_as_show_what_was_refuted() -> None:
    response = of(RandomizedResponse(), asked(2, every=True))
    assert (response.played, response.rounds, response.settled) == (2, 2, True)
    refuted = of(LaterInputsCount(), asked(1, every=True))
    assert refuted.whole is not None
    assert refuted.whole.closure.future is not None
    assert (refuted.played, refuted.rounds) == (refuted.whole.closure.rounds,) * 2 == (2, 2)
    assert refuted.certain is None
    assert of(Summed(), asked(4, every=True)) == Horizons(4, 4)
    assert of(Hidden(), asked(4, every=True)) == Horizons(4, 4)


def test_nothing_is_certain_of_what_was_not_followed_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.checklist.closure.MOST_PAIRS", 1)
    open_ = of(RandomizedResponse(), asked(2, every=True))
    assert open_.whole is not None
    assert open_.whole.closure.open is not None
    assert open_.certain is None
    assert not open_.settled
    assert of(RandomizedResponse(), asked(1_000)) == Horizons(1_000, 1_000)


def certain_of(settled: int | None, depth: int = 2, power: PowerFunction | None = LOW) -> Any:
    """A core of which every horizon is known; without a curve, the time is over before there is one."""

    def at(horizon: int, budget: Budget) -> Any:
        del budget
        if power is None:
            raise Stopped("it was enough")
        return SimpleNamespace(horizon=horizon, power=power)

    return SimpleNamespace(settled=settled, depth=depth, at=at)


def whole_of(rounds: int = 0, open_: str | None = None) -> Any:
    return SimpleNamespace(closure=SimpleNamespace(rounds=rounds, open=open_))


@pytest.mark.parametrize(
    ("rounds", "shown", "settled", "played", "over", "known_by_theorem"),
    [
        (2, 0, None, 2, 2, False), (2, 5, None, 5, 5, False), (2, 0, 7, 7, 7, False), (9, 0, 7, 9, 9, False),
        (2, 0, 128, 128, 128, False), (2, 0, 129, 3, 129, True), (200, 0, 7, 3, 200, True), (2, 8, 7, 8, 8, False),
    ],
)  # fmt: skip
def test_rounds_are_played_until_nothing_more_leaks(
    rounds: int, shown: int, settled: int | None, played: int, over: int, known_by_theorem: bool
) -> None:
    certain, whole = certain_of(settled), whole_of(shown)
    made = _every(rounds, whole, certain, Budget())
    assert (made.played, made.rounds, made.settled) == (played, over, settled is not None)
    assert (made.whole, made.certain) == (whole, certain)
    assert (made.tensor is not None) is known_by_theorem
    assert _every(rounds, whole, None, Budget()) == Horizons(max(rounds, shown), max(rounds, shown), whole, None)


def test_where_no_curve_can_be_written_out_what_was_asked_for_is_played() -> None:
    certain, whole = certain_of(500, power=None), whole_of()
    assert _every(2, whole, certain, Budget()) == Horizons(2, 2, whole, certain)
    assert _long(500, whole, certain, Budget()) == Horizons(500, 500)


@pytest.mark.parametrize(
    ("rounds", "depth", "played"), [(9, 2, 3), (9, 5, 5), (9, 8, 8), (9, 9, 9), (9, 20, 9), (3, 1, 3)]
)
def test_of_many_rounds_so_many_are_played_that_every_state_is_met(rounds: int, depth: int, played: int) -> None:
    made = _long(rounds, whole_of(), certain_of(None, depth), Budget())
    assert (made.played, made.rounds) == (played, rounds)
    assert (made.tensor is None) is (played == rounds)


def test_what_is_played_and_what_is_answered_are_two_questions() -> None:
    question = asked(1_000)
    for made, every in ((Horizons(3, 1_000), False), (Horizons(3, 1_000, whole_of()), True)):
        assert (made.inner(question).rounds, made.inner(question).every_horizon) == (3, every)
        assert (made.outer(question).rounds, made.outer(question).every_horizon) == (1_000, False)
    additive: Any = SimpleNamespace()
    assert Horizons(3, 1_000, additive=additive).inner(question).every_horizon


# --- what is known beyond


@cache
def solved() -> Analysis:
    return analyse(game_of(view_of(RandomizedResponse()), HAMMING, 1), Budget())


def analysis(lower: PowerFunction, upper: PowerFunction | None = None) -> Analysis:
    bracket = Bracket(lower, upper or lower)
    return replace(solved(), adaptive=bracket, fixed=bracket)


def test_beyond_what_was_played_only_a_certificate_bounds() -> None:
    tensor: Any = SimpleNamespace(power=HIGH)
    played, open_ = analysis(LOW), Bracket(LOW, PowerFunction(PERFECT))
    for made, certified in ((Horizons(3, 9), True), (Horizons(3, 9, tensor=tensor), False), (Horizons(3, 9), False)):
        found = made.beyond(played, certified, Budget())
        assert found.adaptive == found.fixed == open_
        assert found == unbounded(played)
    found = Horizons(3, 9, tensor=tensor).beyond(played, True, Budget())
    assert found.adaptive == found.fixed == exactly(HIGH)
    assert found.streams is tensor
    assert Horizons(3, 9, tensor=tensor).beyond(analysis(HIGH), True, Budget()).adaptive == exactly(HIGH)
    with pytest.raises(RuntimeError, match="less than what was played"):
        Horizons(3, 9, tensor=tensor).beyond(analysis(ALL), True, Budget())


def test_what_was_played_to_its_end_must_be_what_the_theorem_says() -> None:
    settled = Horizons(9, 9, whole_of(), certain_of(9), settled=True)
    assert settled.beyond(analysis(LOW), True, Budget()) == analysis(LOW)
    with pytest.raises(RuntimeError, match="another curve than what was played"):
        settled.beyond(analysis(HIGH), True, Budget())
    others: list[tuple[Horizons, Analysis, bool]] = [
        (settled, analysis(HIGH), False),
        (replace(settled, settled=False), analysis(HIGH), True),
        (replace(settled, certain=None), analysis(HIGH), True),
        (settled, analysis(HIGH, ALL), True),
        (replace(settled, certain=certain_of(9, power=None)), analysis(HIGH), True),  # no time to look
    ]
    for made, found, certified in others:
        assert made.beyond(found, certified, Budget()) == found


def test_claims_about_all_horizons_need_a_core_that_is_certified() -> None:
    ratio, curves = {"horizon": 7}, [object()]
    certain: Any = SimpleNamespace(ratio_above=lambda _: ratio, doubling=lambda _: curves)
    calls: list[Callable[[Horizons, bool], Any]] = [
        lambda made, certified: made.ratio_above(Fraction(1), certified),
        lambda made, certified: made.longer(certified, Budget()),
    ]
    for call, sure, nothing in zip(calls, (ratio, curves), (None, ()), strict=True):
        assert call(Horizons(3, 3, certain=certain), True) == sure
        assert call(Horizons(3, 3, certain=certain), False) == nothing
        assert call(Horizons(3, 3), True) == nothing
        assert call(Horizons(3, 3), False) == nothing


def test_it_is_said_why_no_theorem_bounds_every_horizon() -> None:
    plain = "no theorem gives the curve of every horizon"
    assert Horizons(3, 3).missing(True) == plain
    assert Horizons(3, 3, whole_of(), certain_of(None)).missing(False) == plain
    assert Horizons(3, 3, whole_of(open_="too many"), certain_of(None)).missing(True) == f"{plain}: too many"
    leaks = Horizons(3, 3, whole_of(), certain_of(None)).missing(True)
    assert leaks.startswith("it leaks for ever, and horizons were tried up to 2^13 rounds")
    assert leaks.endswith("8 MiB (MOST_BYTES)")
