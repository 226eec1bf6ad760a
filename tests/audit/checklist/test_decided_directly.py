"""Small parts of the checklist by themselves, each at the edge where it decides the other way."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from dpcert import Pmf, PowerFunction, bernoulli, from_weights
from dpcert.audit.budget import Budget
from dpcert.audit.checklist import additive as adding
from dpcert.audit.checklist import conditions
from dpcert.audit.checklist import declared as declaring
from dpcert.audit.checklist import stationary as long_run
from dpcert.audit.checklist.additive import rises_with_size
from dpcert.audit.checklist.contexts import Curves
from dpcert.audit.checklist.declared import _no_metric, declared
from dpcert.audit.checklist.hints import InvariantPair, hints_of
from dpcert.audit.checklist.horizons import horizons
from dpcert.audit.checklist.index_sets import index_sets
from dpcert.audit.checklist.ladder import RUNGS, ladder, unsteady
from dpcert.audit.checklist.stationary import Start, TensorCurve, product_of, stationary
from dpcert.audit.checklist.subject import subject_of
from dpcert.audit.errors import MechanismError
from dpcert.audit.finding import Finding, Item, Verdict
from dpcert.audit.games.paired import PairedGame
from dpcert.audit.games.question import asked
from dpcert.audit.kernels.view import core_of, view_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound


@dataclass(frozen=True)
class Late:
    """Two rounds of the paper's mechanism after one that says nothing: challenges of round 1 are all alike."""

    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return bernoulli(Fraction(1, 2)) if len(prefix) == 1 else TwoRound().law(prefix[1:])


def test_a_challenge_that_leaks_nothing_is_not_the_last_that_is_looked_at() -> None:
    core = core_of(Late())
    found = analyse(PairedGame(core, HAMMING, 3), Budget())
    rungs = ladder(core, found.solution.levels, found.fixed, "here", Budget())
    assert tuple(one.name for one in rungs) == RUNGS
    rung = rungs[4]
    witness: Any = rung.finding.witness
    assert rung.finding.verdict is Verdict.REFUTED
    assert (witness["round"], witness["deltas"]) == (2, ["991/10000", "9/100"])


def test_groups_of_rounds_that_are_left_over_are_counted() -> None:
    assert index_sets([()] * 5 + [(1,)] * 5) == "rounds 1 to 5: {}; rounds 6 to 10: {1}"
    said = index_sets([() if t % 2 else (1,) for t in range(1, 21)])
    assert said.endswith("round 7: {}; round 8: {1}; and 12 more rounds")
    eight = index_sets([() if t % 2 else (1,) for t in range(1, 8)] + [(1, 3)] * 4)
    assert eight.endswith("round 7: {}; rounds 8 to 11: {1, 3}")


@dataclass(frozen=True)
class Noisy:
    """The input plus noise."""

    noise: Mapping[int, int]
    modulus: int | None = None
    alphabet: tuple[int, ...] = (0, 1)

    def weights(self, t: int) -> tuple[int, ...]:
        return (*[0] * (t - 1), 1)

    def noise_law(self, t: int) -> Pmf[int]:
        del t
        return from_weights(dict(self.noise))


@pytest.mark.parametrize(
    "noise",
    [
        {0: 1, 1: 2, 2: 1},
        {-1: 1, 0: 2, 1: 1},
        {0: 1, 2: 2, 4: 1},  # a shift by 1 shows all, one by 2 does not
        {-3: 1, 0: 2, 3: 1},
        {0: 1, 3: 1},
        {-4: 1, -3: 1, -2: 1, -1: 1},
        {0: 1, 1: 1, 2: 1, 5: 1},
        {0: 2, 1: 1},
        {5: 1, 6: 3, 7: 1},
    ],
)
def test_a_curve_rises_with_the_shift_only_where_every_shift_says_so(noise: dict[int, int]) -> None:
    linear = core_of(Noisy(noise)).linear
    assert linear is not None
    law = from_weights(noise)
    curves = {s: PowerFunction.from_laws(law, law.map(lambda k, s=s: k + s)) for s in range(-12, 13)}  # type: ignore[misc]
    expected = all(curves[s] == curves[-s] and curves[s - 1] <= curves[s] for s in range(1, 13))
    assert rises_with_size(linear, 2) is expected


class Distances:
    """Of three aggregates: rows of a table."""

    budget = Budget()

    def __init__(self, *rows: tuple[Any, ...]) -> None:
        self.rows = rows

    def distance(self, u: int, v: int) -> Any:
        return self.rows[u][v]


THIRD = Fraction(1, 3)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (((0, THIRD, 2 * THIRD), (THIRD, 0, THIRD), (2 * THIRD, THIRD, 0)), None),
        (((0, THIRD, 1), (THIRD, 0, THIRD), (1, THIRD, 0)), "it is no metric, 1 from 0 to 2 and less by way of 1"),
        (((0, 1, 1), (1, 0, 2), (1, 3, 0)), "it is no metric, 2 from 1 to 2 and 3 back"),
        (((0, 1, 1), (1, 1, 1), (1, 1, 0)), "it is no metric, 1 from 1 to 1"),
        (((0, 0, 1), (0, 0, 1), (1, 1, 0)), "it is no metric, 0 from 0 to 1"),
        (((0, -1, 1), (-1, 0, 1), (1, 1, 0)), "it is no metric, -1 from 0 to 1"),
        (((0, "a", 1), ("a", 0, 1), (1, 1, 0)), ""),
    ],
)
def test_a_metric_is_told_from_what_is_none(rows: Any, says: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    pair: Any = Distances(*rows)
    monkeypatch.setattr(declaring, "MOST_TRIPLES", 27)
    found = _no_metric(pair, range(3))
    assert found == says if not says else found is not None and found.startswith(says)
    if says is None:
        monkeypatch.setattr(declaring, "MOST_TRIPLES", 26)
        assert "MOST_TRIPLES" in (_no_metric(pair, range(3)) or "")


@dataclass(frozen=True)
class Says:
    """Adds noise to x_t, and declares a distance."""

    factor: Fraction = Fraction(1)
    directed: bool = False
    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return from_weights({-1: 1, 0: 2, 1: 1}).map(lambda k: prefix[-1] + k)

    @property
    def invariant_pair(self) -> InvariantPair:
        size = (lambda d: d) if self.directed else (lambda d: self.factor * abs(d))
        return InvariantPair(lambda u, v: size(u - v), lambda u, v: u + v)

    def index_set(self, t: int) -> tuple[int, ...]:
        return (t,)


@pytest.mark.parametrize(("mechanism", "scalar"), [(Says(), True), (Says(THIRD), True), (Says(directed=True), False)])
def test_a_declared_distance_is_named_where_it_serves_the_first_rung(mechanism: Any, scalar: bool) -> None:
    hints = hints_of(mechanism)
    assert hints is not None
    found = declared(core_of(mechanism), hints, 2, Curves(), Budget())
    assert found.shape is not None
    assert found.scalar is scalar
    assert found.shape.distance == ("its own distance" if scalar else None)
    assert found.shape.influence == ((1,), (2,))


def test_when_a_challenge_has_leaked_its_last() -> None:
    assert Start((0, 0), (0, 1), (0, 3, 0), (0,)).settled == 4
    assert Start((0, 0), (0, 1), (0, 0), (0,)).settled == 2
    assert Start((), (0, 1), (1,), (0, 2)).settled is None
    counted = Start((0,), (0, 1), (1, 0, 1), (0, 2)).counts
    assert [counted(t) for t in range(9)] == [
        Counter(), Counter(), Counter({1: 1}), Counter({1: 1}), Counter({1: 2}), Counter({1: 2}),
        Counter({1: 2, 2: 1}), Counter({1: 2, 2: 1}), Counter({1: 2, 2: 2}),
    ]  # fmt: skip


def test_a_product_that_is_too_long_is_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = Curves()
    number = curves.of_laws(bernoulli(Fraction(1, 4)), bernoulli(Fraction(3, 4)))
    monkeypatch.setattr(long_run, "MOST_SEGMENTS", 4)
    whole = product_of(curves, Counter({number: 3}))
    assert whole is not None
    assert whole == curves.powers[number].tensor(curves.powers[number]).tensor(curves.powers[number])
    assert len(whole.chain) == 4
    monkeypatch.setattr(long_run, "MOST_SEGMENTS", 3)
    assert product_of(curves, Counter({number: 3})) is None
    assert product_of(curves, Counter()) == PowerFunction.identity()
    monkeypatch.setattr(long_run, "MOST_BYTES", 0)
    assert product_of(curves, Counter({number: 2})) is None


def test_a_stationary_core_at_any_horizon() -> None:
    found = stationary(core_of(RandomizedResponse()), Curves(), Budget())
    assert (found.settled, found.depth, found.alphabet) == (1, 2, (0, 1))
    for horizon in (1, 3):
        tensored = found.at(horizon, Budget())
        assert tensored is not None
        assert tensored.power == PowerFunction.from_laws(bernoulli(Fraction(1, 4)), bernoulli(Fraction(3, 4)))
        pairs = tensored.witness(Fraction(1), "0-1")
        assert (len(pairs), sum(a != b for a, b in pairs)) == (horizon, 1)
    assert found.at(0, Budget()) is not None


def test_where_nothing_leaks_the_first_round_is_shown() -> None:
    same = ((0, 0), (0, 0))
    shown = TensorCurve(2, {}, lambda _: same).challenge(Fraction(1))
    assert (shown["challenge_round"], shown["before"], shown["challenge"], shown["afterwards"]) == (
        1,
        [],
        ["0", "0"],
        "0",
    )


def test_the_order_that_reaches_more_is_shown() -> None:
    """World 1 shows itself and world 0 does not, so that at e^epsilon = 9 one order reaches nothing."""
    uneven = PowerFunction.from_laws(bernoulli(Fraction(1, 9)), from_weights({1: 1, 2: 1}))
    pairs = ((0, 0), (0, 1), (1, 1))
    shown = TensorCurve(3, {7: uneven}, lambda key: {7: pairs}[key]).challenge(Fraction(9))
    assert uneven.hockey_stick(9, "0-1") > uneven.hockey_stick(9, "1-0")
    assert (shown["order"], shown["challenge_round"], shown["challenge"]) == ("0-1", 2, ["0", "1"])
    assert (shown["before"], shown["afterwards"]) == (["0"], "1")
    back = TensorCurve(3, {7: uneven.reversed()}, lambda _: pairs).challenge(Fraction(9))
    assert back["order"] == "1-0"


def test_one_round_of_seventeen_is_more() -> None:
    odd = [tuple(range(1, 2 * n, 2)) for n in (16, 17)]
    said = index_sets([*[()] * 40, odd[0], odd[1]])
    assert f"round 41: {{{', '.join(map(str, odd[0]))}}}; " in said
    assert said.endswith(f"{', '.join(map(str, odd[0]))}, and 1 more}}")
    assert index_sets([*[()] * 40, tuple(range(3, 13))]) == "rounds 1 to 40: {}; round 41: {3, ..., 12}"


def test_what_answers_in_two_ways_is_named() -> None:
    made = unsteady(core_of(RandomizedResponse()), "it did not")
    assert isinstance(made, MechanismError)
    assert str(made) == "Expected RandomizedResponse to answer the same questions alike every time but it did not"


@pytest.mark.parametrize(
    ("changed", "played"),
    [({}, 3), ({"hops": 2}, 101), ({"challenge_round": 5}, 101), ({"horizon": 100}, 100), ({"adjacency": "any"}, 101)],
)
def test_many_rounds_are_played_few_only_for_what_a_theorem_is_about(changed: dict[str, Any], played: int) -> None:
    mechanism = Noisy({0: 1, 1: 2, 2: 1})
    view = view_of(mechanism)
    plain: dict[str, Any] = {"horizon": 101, "adjacency": "hamming", "hops": 1, "challenge_round": None}
    made = asked(view, **{**plain, **changed}, exp_epsilons=(1,), epsilons=(), deltas=())
    subject = subject_of(mechanism, view, HAMMING, 3, Budget())
    assert horizons(subject, view, made, Budget()).played == played


class Rounding(RandomizedResponse):
    """Publishes how many ones there were."""

    def publish(self, core: tuple[int, ...]) -> int:
        return sum(core)


def test_what_is_published_and_follows_from_the_core_leaves_nothing_open() -> None:
    mechanism = Rounding()
    subject = subject_of(mechanism, view_of(mechanism), HAMMING, 2, Budget())
    assert subject.findings[Item.POST_PROCESSING].verdict is Verdict.HOLDS
    assert subject.open is None
    assert subject.played is subject.core is not None


def test_where_there_are_too_many_shifts_nothing_is_said_to_rise(monkeypatch: pytest.MonkeyPatch) -> None:
    linear = core_of(Noisy({0: 1, 1: 2, 2: 1})).linear
    assert linear is not None
    monkeypatch.setattr(adding, "MOST_SHIFTS", 3)
    assert rises_with_size(linear, 1)
    monkeypatch.setattr(adding, "MOST_SHIFTS", 2)
    assert not rises_with_size(linear, 1)


@dataclass(frozen=True)
class Thresholds:
    """Round 2 counts x_1 >= 1 and x_2 >= 2: input 1 for 0 leaves a trace in slot 1 alone."""

    alphabet: tuple[int, ...] = (0, 1, 2)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        total = (prefix[0] >= 1) + (prefix[1] >= 2) if len(prefix) == 2 else 0
        return from_weights({-1: 1, 0: 2, 1: 1}).map(lambda k: total + k)


def test_a_slot_that_is_silent_is_shown_to_matter() -> None:
    mechanism, horizon = Thresholds(), 2
    core = core_of(mechanism)
    found = analyse(PairedGame(core, HAMMING, horizon), Budget())
    vector = ladder(core, found.solution.levels, found.fixed, "here", Budget())[1]
    witness: Any = vector.finding.witness
    assert vector.finding.verdict is Verdict.REFUTED
    one, two = (tuple(map(int, witness["influential"][f"history{b}"])) for b in (0, 1))
    assert witness["influential"]["round"] == 2
    assert one[0] == two[0]
    assert mechanism.law(one) != mechanism.law(two)


def test_live_runs_are_compared_where_somebody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = RandomizedResponse()
    view = view_of(mechanism)
    made = asked(
        view, horizon=1, adjacency="hamming", hops=1, challenge_round=None, exp_epsilons=(1,), epsilons=(), deltas=()
    )
    subject = subject_of(mechanism, view, HAMMING, 1, Budget())
    game = PairedGame(core_of(mechanism), HAMMING, 1)
    found = analyse(game, Budget())
    refuted = Finding(Verdict.REFUTED, None, "here", "it answered otherwise")
    seen: list[Any] = []

    def steadied(watch: Any, *rest: Any) -> Finding:
        seen.append((watch, rest[0], rest[3]))
        return refuted

    monkeypatch.setattr(conditions, "steadied", steadied)
    plain = conditions.checklist(subject, game, made, found, "here", Budget())
    assert [entry.finding.verdict for entry in plain if entry.item is Item.DETERMINISTIC_MAP] == [Verdict.HOLDS]
    assert not seen
    watch: Any = object()
    live = conditions.checklist(subject, game, made, found, "here", Budget(), watch=watch)
    assert [entry.finding for entry in live if entry.item is Item.DETERMINISTIC_MAP] == [refuted]
    assert seen == [(watch, subject.asked, 1)]
    unasked = conditions.checklist(replace(subject, asked=None), game, made, found, "here", Budget(), watch=watch)
    assert [entry.finding for entry in unasked if entry.item is Item.DETERMINISTIC_MAP] != [refuted]
