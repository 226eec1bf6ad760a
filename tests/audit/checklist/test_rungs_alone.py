"""Each rung of the ladder from what was found before it, and the hulls that the last one is decided by."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from instances.random_core import random_core

from dpcert import HAMMING, Budget, InvariantPair, Pmf, PowerFunction, bernoulli, supremum
from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.checklist import closure as closing
from dpcert.audit.checklist import contexts, ladder
from dpcert.audit.checklist import stationary as every_horizon
from dpcert.audit.checklist.aggregates import Decomposition, integers
from dpcert.audit.checklist.closure import Closure, Unstable, closure
from dpcert.audit.checklist.conditions import _by_strongest
from dpcert.audit.checklist.contexts import Context, Curves, _Futures, challenges
from dpcert.audit.checklist.declared import _is_monotone
from dpcert.audit.checklist.hints import hints_of
from dpcert.audit.checklist.index_sets import index_sets
from dpcert.audit.checklist.ladder import AT_ONCE, RUNGS, Rung, Whole, _contexts, _dominated, _hull, _scalar, _vector
from dpcert.audit.checklist.ladder import ladder as climbed
from dpcert.audit.checklist.stationary import Start, Stationary, _Steps, product_of, stationary
from dpcert.audit.errors import Stopped
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.games.paired import Level, PairedGame, explore
from dpcert.audit.kernels.view import core_of
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound

ONE, TWO = Context((), (0, 1), (0,)), Context((), (0, 1), (1,))
EXCLUDED = Finding(Verdict.REFUTED, Method.EXHAUSTIVE, "here", "Excluded.")
FITS = Decomposition(((1,),), integers(), ({0: 0, 1: 1, -1: 1},), "its size", None, None)


def bent(x: int, y: int | Fraction) -> PowerFunction:
    """The curve over the corner (x/40, y/40)."""
    return PowerFunction.from_vertices([(0, 0), (Fraction(x, 40), Fraction(y) / 40), (1, 1)])


def curves_of(*powers: PowerFunction) -> Curves:
    curves = Curves()
    for power in powers:
        curves.number(power)
    return curves


KNOWN = curves_of(bent(1, 9), bent(2, 12))


def test_an_unstable_curve_excludes_every_sum() -> None:
    unstable = ONE, 1, TWO, 2, 2
    for rung in (_scalar, _vector):
        for shape, exclusion in product((None, FITS), (None, EXCLUDED)):
            found = rung(unstable, shape, exclusion, KNOWN, "here")
            assert (found.verdict, found.method) == (Verdict.REFUTED, Method.EXHAUSTIVE)
            assert found.witness is not None
            assert found.witness["round"] == 2
            assert len(found.witness["curves"]) == 2


def test_a_sum_that_fits_holds_and_one_that_was_not_found_is_open() -> None:
    for rung in (_scalar, _vector):
        held = rung(None, FITS, None, KNOWN, "here")
        assert (held.verdict, held.method, held.scope) == (Verdict.HOLDS, Method.EXHAUSTIVE, "here")
        assert rung(None, FITS, EXCLUDED, KNOWN, "here") is EXCLUDED
        none = replace(FITS, aggregate=None, distance=None, untried=" Not all.")
        open_ = rung(None, none, None, KNOWN, "here")
        assert open_.verdict is Verdict.UNDECIDED
        assert open_.detail.endswith("there may be another one. Not all.")
        many = rung(None, None, None, KNOWN, "here")
        assert many.verdict is Verdict.UNDECIDED
        assert many.detail.startswith("Too many histories to compare every two of them: at most 5000 states and 200")
        assert rung(None, None, EXCLUDED, KNOWN, "here") is EXCLUDED
    assert _scalar(None, replace(FITS, distance=None), None, KNOWN, "here").verdict is Verdict.UNDECIDED
    assert _vector(None, replace(FITS, distance=None), None, KNOWN, "here").verdict is Verdict.HOLDS


def test_a_direction_or_two_curves_that_cross_exclude_a_distance_and_no_difference() -> None:
    asymmetric = replace(FITS, asymmetric=((0,), (1,), 1, 2, 1))
    crossed = replace(FITS, incomparable=(((0,), (1,)), ((1,), (0,)), 1, 2, 1))
    for shape in (asymmetric, crossed):
        found = _scalar(None, shape, None, KNOWN, "here")
        assert (found.verdict, found.method) == (Verdict.REFUTED, Method.EXHAUSTIVE)
        assert found.witness is not None
        assert found.witness["round"] == 1
        assert _vector(None, shape, None, KNOWN, "here").verdict is Verdict.HOLDS


def test_for_every_horizon_only_what_was_decided_of_all_counts() -> None:
    held = Finding(Verdict.HOLDS, Method.EXHAUSTIVE, "three rounds", "It was seen.")
    in_scope, of_all = Rung("SCALAR", held), Rung("CONTEXT_STABLE", held, every_horizon=True)
    asked: Any = [SimpleNamespace(every_horizon=every) for every in (True, False)]
    assert [_by_strongest((in_scope, of_all), one, "here").rung for one in asked] == ["CONTEXT_STABLE", "SCALAR"]
    alone = [_by_strongest((in_scope,), one, "here") for one in asked]
    assert [one.finding.verdict for one in alone] == [Verdict.UNDECIDED, Verdict.HOLDS]
    assert alone[0].finding.detail == "no rung of the ladder was found to hold for every horizon"


def test_a_closure_is_shown_by_the_later_of_what_it_refutes() -> None:
    one, two = Unstable(ONE, TWO, (1, 2), 2), Unstable(ONE, TWO, (1, 2), 5)
    pairs = [(None, None), (one, None), (None, two), (one, two), (two, one)]
    assert [Closure(context, future).rounds for context, future in pairs] == [0, 2, 5, 5, 5]


class Turned:
    """Leaning noise modulo 3; it declares the difference of sums modulo 3, which is no distance."""

    alphabet = (0, 1, 2)
    invariant_pair = InvariantPair(lambda u, v: ((u - v) % 3,), lambda u, v: (u + v) % 3)

    initial = 0

    def advance(self, state: int, x: int) -> int:
        del state
        return x

    def law(self, state: int) -> Any:
        return Pmf({(step + state) % 3: Fraction(w, 7) for step, w in enumerate((4, 2, 1))})

    def index_set(self, t: int) -> tuple[int, ...]:
        return (t,)


def test_a_declared_difference_is_for_the_second_rung_and_rungs_of_all_horizons_for_the_next_two() -> None:
    core = core_of(Turned())
    levels = explore(PairedGame(core, HAMMING, 1)).levels
    curves = Curves()
    whole = Whole(closure(core, curves, Budget()), curves)
    rungs = climbed(core, levels, exactly(fixed_stream(levels).power), "here", Budget(), hints_of(Turned()), whole)
    assert [rung.name for rung in rungs] == list(RUNGS)
    assert [rung.every_horizon for rung in rungs] == [False, False, True, True, False]
    assert [rung.finding.verdict for rung in rungs] == [Verdict.REFUTED, *[Verdict.HOLDS] * 4]
    assert ["The certificate that it declares was checked" in rung.finding.detail for rung in rungs[:2]] == [
        False,
        True,
    ]


# --- hulls


@pytest.mark.parametrize("count", [1, 2, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 1])
def test_a_hull_is_that_of_all_its_curves(count: int) -> None:
    """Of curves over corners on a parabola each is somewhere the highest."""
    curves = curves_of(*(bent(x, x * (80 - x) * Fraction(1, 40)) for x in range(1, count + 1)))
    for numbers in ({*range(1, len(curves.powers))}, {*range(len(curves.powers))}):
        assert _hull(curves, frozenset(numbers), Budget()) == supremum(curves.powers[number] for number in numbers)


def game(mechanism: Any, rounds: int) -> tuple[tuple[Level, ...], Curves, Any, PowerFunction]:
    levels = explore(PairedGame(core_of(mechanism), HAMMING, rounds)).levels
    curves = Curves()
    return levels, curves, challenges(levels, curves, Budget()), fixed_stream(levels).power


def test_contexts_of_a_challenge_are_those_of_all_histories_before_it() -> None:
    core = random_core(3, 2, 2, 3)
    _, curves, questions, _ = game(core, 3)
    for challenge, rounds in _contexts(questions, Budget()):
        first = len(challenge.before) + 1
        wanted = []
        for t in range(first, 4):
            seen = set()
            for before in product((0, 1), repeat=first - 1):
                for after in product((0, 1), repeat=t - first):
                    laws = [core.law((*before, x, *after)) for x in challenge.pair]
                    seen.add(curves.number(PowerFunction.from_laws(*laws)))
            wanted.append(frozenset(seen))
        assert list(rounds) == [seen for seen in wanted if seen != {0}]


@pytest.mark.parametrize("seed", range(4))
def test_hulls_that_stay_below_the_fixed_streams_are_told_from_those_that_do_not(seed: int) -> None:
    _, curves, questions, fixed = game(random_core(seed, 2, 2, 2), 2)
    products = []
    for _, rounds in _contexts(questions, Budget()):
        whole = PowerFunction.identity()
        for numbers in rounds:
            whole = whole.tensor(supremum(curves.powers[number] for number in numbers))
        products.append(whole)
    found = _dominated(questions, curves, exactly(fixed), "here", Budget())
    assert (found.verdict is Verdict.HOLDS) is all(one <= fixed for one in products)
    assert (found.verdict is Verdict.REFUTED) is not all(one <= fixed for one in products)
    assert _dominated(questions, curves, exactly(supremum(products)), "here", Budget()).verdict is Verdict.HOLDS


def test_hulls_are_held_against_a_curve_that_is_known_and_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    _, curves, questions, fixed = game(TwoRound(), 2)
    perfect = PowerFunction.from_segments([(1, 0), (0, 1)])
    open_ = _dominated(questions, curves, Bracket(fixed, perfect), "here", Budget())
    assert (open_.verdict, open_.method) == (Verdict.UNDECIDED, None)
    assert "only known as a bracket" in open_.detail
    refuted = _dominated(questions, curves, exactly(fixed), "here", Budget())
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.witness is not None
    adaptive, below = map(Fraction, refuted.witness["deltas"])
    assert adaptive > below
    sizes = []
    for _, rounds in _contexts(questions, Budget()):
        size = 1
        for numbers in rounds:
            size *= len(_hull(curves, numbers, Budget()).chain)
        sizes.append(size)
    monkeypatch.setattr(ladder, "MOST_HULL_SEGMENTS", max(sizes))
    assert _dominated(questions, curves, exactly(perfect), "here", Budget()).verdict is Verdict.HOLDS
    monkeypatch.setattr(ladder, "MOST_HULL_SEGMENTS", max(sizes) - 1)
    large = _dominated(questions, curves, exactly(perfect), "here", Budget())
    assert large.verdict is Verdict.UNDECIDED
    assert "MOST_HULL_SEGMENTS" in large.detail


# --- futures, declared distances, index sets


def test_as_many_curves_by_context_are_held_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "MOST_FACTS", 3)
    futures = _Futures(Budget())
    last = futures.of((1,), None)
    assert futures.of((2, 3), last).later is last
    assert futures.of((1,), None) is last  # each is counted once
    with pytest.raises(Stopped, match="MOST_FACTS"):
        futures.of((4,), None)


def test_a_declared_distance_rises_where_no_round_falls() -> None:
    curves = curves_of(bent(1, 9), bent(1, 12))
    rising, level, falling = {0: 0, 2: 1, 5: 2}, {0: 1, 1: 1}, {0: 0, 1: 2, 3: 1}
    assert _is_monotone([rising, level], curves)
    assert _is_monotone([dict(reversed(rising.items()))], curves)
    for tables in ([falling], [rising, falling], [falling, rising], [level, falling, level]):
        assert not _is_monotone(tables, curves)


@pytest.mark.parametrize(
    ("influence", "words"),
    [
        ([(1,), (1, 2)], "I_1 = {1}, I_2 = {1, 2}"),
        ([(t,) for t in range(1, 9)], ", ".join(f"I_{t} = {{{t}}}" for t in range(1, 9))),
        ([(t,) for t in range(1, 10)], "I_t = {t}"),
        ([()] * 9, "I_t = {}"),
        ([tuple(range(1, t + 1)) for t in range(1, 10)], "I_t = {1, ..., t}"),
        ([tuple(range(max(1, t - 2), t + 1)) for t in range(1, 10)], "I_t = {t - 2, ..., t}, from round 1 on"),
        ([tuple(range(t - (t & -t) + 1, t + 1)) for t in range(1, 10)], "I_t = {t - lowbit(t) + 1, ..., t}"),
        ([(), *((t - 1,) for t in range(2, 10))], "I_t = {t - 1}, and {} in round 1"),
        (
            [*(tuple(range(1, t + 1)) for t in range(1, 4)), *((t,) for t in range(4, 7)), *[(1, 3)] * 2, (8, 9)],
            "rounds 1 to 3: {1, ..., t}; rounds 4 to 6: {t}; rounds 7 to 8: {1, 3}; round 9: {t - 1, ..., t}",
        ),
        ([*[()] * 8, tuple(range(2, 10))], "rounds 1 to 8: {}; round 9: {t - 7, ..., t}"),
        ([*[()] * 9, tuple(range(1, 10))], "rounds 1 to 9: {}; round 10: {1, ..., 9}"),
        ([*[()] * 9, tuple(range(1, 9))], "rounds 1 to 9: {}; round 10: {1, 2, 3, 4, 5, 6, 7, 8}"),
    ],
)
def test_index_sets_are_said_one_by_one_or_by_their_rule(influence: list[tuple[int, ...]], words: str) -> None:
    assert index_sets(influence) == words


def test_a_core_that_leaks_nothing_twice_is_dominated() -> None:
    _, curves, questions, fixed = game(RandomizedResponse(), 2)
    assert _dominated(questions, curves, exactly(fixed), "here", Budget()).verdict is Verdict.HOLDS


# --- every horizon


def response_for_ever() -> Stationary:
    return stationary(core_of(RandomizedResponse()), Curves(), Budget())


def test_curves_are_given_at_ever_twice_as_many_rounds_while_they_can_be_written_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = list(response_for_ever().doubling(Budget()))
    assert [one.horizon for one in found] == [2**k for k in range(every_horizon.MOST_DOUBLINGS)]
    delayed = stationary(core_of(EverLeaking()), Curves(), Budget())
    monkeypatch.setattr(every_horizon, "MOST_SEGMENTS", 9)
    assert [one.horizon for one in delayed.doubling(Budget())] == [1, 2, 4, 8]  # n rounds have n + 1 segments


class EverLeaking:
    """Says a noisy word of the first input in every round."""

    alphabet = (0, 1)
    initial = None

    def advance(self, state: int | None, x: int) -> int:
        return x if state is None else state

    def law(self, state: int) -> Any:
        return bernoulli(Fraction(1 + state, 3))


def test_a_product_is_written_out_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = curves_of(bent(4, 20), bent(5, 30))
    counts = Counter({1: 3, 2: 2})
    wanted = PowerFunction.identity()
    for number in counts.elements():
        wanted = wanted.tensor(curves.powers[number])
    assert product_of(curves, counts) == wanted
    size = (3 * 1 + 1) * (2 * 1 + 1)
    chains = [curves.powers[number].chain for number in counts.elements()]
    bits = sum(chain.total0.bit_length() + chain.total1.bit_length() for chain in chains)
    for name, most in (("MOST_SEGMENTS", size), ("MOST_BYTES", size * bits // 8)):
        with monkeypatch.context() as patched:
            patched.setattr(every_horizon, name, most)
            assert product_of(curves, counts) == wanted
            patched.setattr(every_horizon, name, most - 1)
            assert product_of(curves, counts) is None
    assert product_of(curves, Counter()) == PowerFunction.identity()


def test_as_many_pairs_of_states_are_followed_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    core = core_of(EverLeaking())
    steps = _Steps(core, Curves(), Budget())
    first, again = steps.followed((0, 1))
    assert (first, len(again)) == ((), 1)
    steps.followed((1, 0))
    assert steps.taken == 2
    for most, whole in ((2, True), (1, False)):
        monkeypatch.setattr(every_horizon, "MOST_PAIRS", most)
        steps = _Steps(core, Curves(), Budget())
        steps.followed((0, 1))
        if whole:
            steps.followed((1, 0))
        else:
            with pytest.raises(Stopped, match="MOST_PAIRS"):
                steps.followed((1, 0))


def test_a_fault_of_a_far_round_is_found_by_following_pairs() -> None:
    """Two later inputs tell apart what the first one was: seen in the third round."""
    found = closure(core_of(LateLeak()), Curves(), Budget())
    assert found.open is None
    assert found.states == 15
    for unstable in (found.context, found.future):
        assert unstable is not None
        assert unstable.round == 3
    assert found.rounds == 3


@pytest.mark.parametrize(("most", "decided"), [(4, True), (3, False)])
def test_pairs_are_followed_until_nothing_new_comes_and_no_more_than_are_allowed(
    most: int, decided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0 against 1 and 1 against 0 from the first round; from the second on each state beside itself."""
    monkeypatch.setattr(closing, "MOST_PAIRS", most)
    found = closure(core_of(EverLeaking()), Curves(), Budget())
    assert (found.open is None) is decided
    assert found.context is found.future is None
    assert found.rounds == 0
    assert decided or "MOST_PAIRS" in str(found.open)
    assert found.states == (3 if decided else 0)


class LateLeak:
    """Remembers two inputs; after 1, the first one counts in the third round."""

    alphabet = (0, 1)
    initial: tuple[int, ...] = ()

    def advance(self, state: tuple[int, ...], x: int) -> tuple[int, ...]:
        return (*state, x)[-3:] if len(state) < 3 else state

    def law(self, state: tuple[int, ...]) -> Any:
        return bernoulli(Fraction(1, 3) if state[0] and state[1:2] == (1,) and len(state) == 3 else Fraction(1, 2))


@pytest.mark.parametrize(
    ("before", "first", "again"),
    [
        ((), (1, 0, 2), (0,)),
        ((0,), (), (1, 0, 1)),
        ((0, 0), (2, 1), (1, 2, 0)),
        ((), (), (0,)),
        ((0,), (0, 0), (0, 0)),
        ((0,), (3,), (0,)),
    ],
)
def test_curves_come_as_often_as_when_they_are_listed(
    before: tuple[int, ...], first: tuple[int, ...], again: tuple[int, ...]
) -> None:
    start = Start(before, (0, 1), first, again)
    listed = [0] * len(before) + list(first) + list(again) * 20
    for horizon in range(14):
        assert start.counts(horizon) == Counter(number for number in listed[:horizon] if number)
    leaks = [t for t, number in enumerate(listed, 1) if number]
    wanted = None if any(again) else max(leaks, default=len(before))
    assert start.settled == wanted


def test_a_core_is_settled_when_its_last_challenge_is() -> None:
    early, late, never = (
        Start((), (0, 1), (1,), (0,)),
        Start((0,), (0, 1), (1, 0, 1), (0,)),
        Start((), (0, 1), (), (1,)),
    )
    curves = curves_of(bent(1, 9))
    for starts, settled in (((early, late), 4), ((late, early), 4), ((early,), 1), ((early, never), None), ((), 1)):
        assert Stationary(starts, curves, 2, (0, 1)).settled == settled
    silent = Start((), (0, 1), (0,), (0,))
    assert Stationary((silent,), curves, 2, (0, 1)).settled == 1
    made = Stationary((early, late), curves, 2, (0, 1)).at(4, Budget())
    assert made is not None
    one = curves.powers[1]
    assert made.power == supremum([one, one.tensor(one)])
    found = made.challenge(Fraction(1))
    assert found["challenge_round"] == 2
    assert (found["before"], found["challenge"], found["afterwards"]) == (["0"], ["0", "1"], "0")
    nothing = Stationary((silent,), curves, 2, (0, 1)).at(4, Budget())
    assert nothing is not None
    assert nothing.challenge(Fraction(1))["challenge_round"] == 1
    assert nothing.witness(Fraction(1), "0-1") == ((0, 0),) * 4
