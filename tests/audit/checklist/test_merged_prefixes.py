"""On which core a game is played: one whose prefixes are merged, where every prefix is met and there is time."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpcert import HAMMING, Budget, Pmf, bernoulli
from dpcert.audit.checklist import publishing
from dpcert.audit.checklist import subject as subjects
from dpcert.audit.checklist.conditions import _pure
from dpcert.audit.checklist.subject import Subject, _meets_all, _merged, _with_futures, subject_of
from dpcert.audit.errors import Stopped
from dpcert.audit.finding import Verdict
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels import futures
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.view import any_view_of, core_of
from dpcert.audit.relations.adjacency import UNIT_HAMMING, Adjacency, AnyRounds, ChallengeAt, ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.mechanisms.randomized_response import RandomizedResponse

ANY: Adjacency[Any] = AnyRounds()
ZERO: Adjacency[Any] = ZeroOut(null=0)


class LastCounts:
    """A core of all prefixes whose laws turn on the last input: all of one last input are alike."""

    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return bernoulli(Fraction(1 + prefix[-1], 4))


@pytest.fixture(autouse=True)
def _however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefixes are merged of however few rounds."""
    for name in ("LEAST_MERGED", "FEWEST_MERGED", "MERGED_FROM"):
        if hasattr(futures, name):
            monkeypatch.setattr(futures, name, 0)


@pytest.mark.parametrize(
    ("relation", "all_"),
    [
        (HAMMING, True), (UNIT_HAMMING, True), (ANY, True), (ZERO, False), (ChallengeAt(HAMMING, 2), True),
        (ChallengeAt(ANY, 2), True), (ChallengeAt(UNIT_HAMMING, 2), False), (ChallengeAt(ZERO, 2), False),
        (Hops(HAMMING, 2), True), (Hops(ZERO, 2), False), (Hops(UNIT_HAMMING, 2), True),
    ],
)  # fmt: skip
def test_prefixes_are_all_met_under_relations_that_leave_no_stream_out(relation: Adjacency[Any], all_: bool) -> None:
    assert _meets_all(relation) is all_


def given() -> tuple[Subject, Core]:
    core = core_of(LastCounts())
    assert core.tells_prefixes_apart
    return Subject(core, core, core, {}), core


def test_prefixes_are_merged_where_they_are_all_met_and_told_apart() -> None:
    subject, core = given()
    merged = _with_futures(subject, core, HAMMING, 4, Budget())
    assert merged.seen is core
    assert merged.played is merged.core is not core
    assert isinstance(merged.played, Core)
    states = {merged.played.initial}
    for _ in range(3):
        states |= {merged.played.advance(state, x) for state in states for x in (0, 1)}
    assert len(states) < 15
    assert _with_futures(subject, core, ZERO, 4, Budget()) is subject
    markov = core_of(RandomizedResponse())
    if not markov.tells_prefixes_apart:
        plain = Subject(markov, markov, markov, {})
        assert _with_futures(plain, markov, HAMMING, 4, Budget()) is plain


class Changing(LastCounts):
    """One law is another one when it is asked for again."""

    def __init__(self, changes: bool) -> None:
        self.changes, self.asked = changes, set[Any]()

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        again = self.changes and prefix in self.asked and prefix == (0, 1)
        self.asked.add(prefix)
        return bernoulli(Fraction(1, 5)) if again else super().law(prefix)


@pytest.mark.parametrize("changes", [False, True])
def test_laws_of_prefixes_that_were_merged_are_asked_for_again(changes: bool) -> None:
    core = core_of(Changing(changes))
    merged = _with_futures(Subject(core, core, core, {}), core, HAMMING, 3, Budget()).played
    assert isinstance(merged, Core)
    game = PairedGame(merged, HAMMING, 3)
    explore(game)
    found = _pure(merged, game.laws(), "here")
    assert (found.verdict is Verdict.REFUTED) is changes
    assert ("(0, 1)" in found.detail) is changes
    assert changes or found.detail.startswith("All 14 laws were asked for twice")


def test_no_more_prefixes_are_asked_for_than_positions_are_allowed() -> None:
    subject, core = given()
    prefixes = futures.count_prefixes(2, 4)
    assert _with_futures(subject, core, HAMMING, 4, Budget(max_positions=prefixes)) != subject
    assert _with_futures(subject, core, HAMMING, 4, Budget(max_positions=prefixes - 1)) is subject


def test_where_the_time_is_over_the_core_is_played_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(*_: Any) -> Any:
        raise Stopped("it was enough")

    subject, core = given()
    monkeypatch.setattr(futures, "merged_by_futures", ends)
    assert _with_futures(subject, core, HAMMING, 4, Budget()) is subject
    monkeypatch.setattr(subjects, "merged", ends)
    assert _merged(core, 4, Budget()) is core


class Weighted:
    """The sum of all inputs behind noise, given by its weights."""

    alphabet = (0, 1)

    def weights(self, t: int) -> tuple[int, ...]:
        return (1,) * t

    def noise_law(self, t: int) -> Pmf[int]:
        del t
        return bernoulli(Fraction(1, 3))


def test_weights_are_all_asked_for_up_to_as_many_rounds_as_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(subjects, "merged", lambda core, horizon: asked.append(horizon) or core)
    core = core_of(Weighted())
    assert core.linear is not None
    assert not core.linear.sparse
    sparse = replace(core, linear=_Sparse())  # type: ignore[arg-type]
    for rounds in (subjects.LISTED_ROUNDS, subjects.LISTED_ROUNDS + 1):
        _merged(core, rounds, Budget())
        _merged(sparse, rounds, Budget())
        _merged(core_of(LastCounts()), rounds, Budget())
    listed = subjects.LISTED_ROUNDS
    assert asked == [listed] * 3 + [listed + 1] * 2


class _Sparse:
    """Weights that are given by stretches."""

    sparse = True


def test_what_may_be_published_of_more_than_a_core_leaves_it_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    class Beside(LastCounts):
        def publish(self, core: tuple[int, ...]) -> int:
            return core[-1]

    class Unread(LastCounts):
        def publish(self, core: tuple[int, ...]) -> int:
            return dict(enumerate(core))[0]

    monkeypatch.setattr(publishing, "MOST_EXECUTIONS", 3)
    for mechanism, merged in ((LastCounts(), True), (Beside(), True), (Unread(), False)):
        subject = subject_of(mechanism, any_view_of(mechanism), HAMMING, 4, Budget())
        assert (subject.played is not subject.seen and isinstance(subject.played, Core)) is merged or not merged
        assert subject.core is not None
        assert (subject.core.whole is not None) is merged
