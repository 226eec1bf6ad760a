"""Laws of all prefixes by number: asked for, found again, compared and written as if each stood alone."""

import random
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from dpcert.audit.algebra.common_laws import bernoulli, from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget, Stopped, best_so_far
from dpcert.audit.checklist.conditions import _changed
from dpcert.audit.errors import MechanismError
from dpcert.audit.examine import examine
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels import futures
from dpcert.audit.kernels.laws_digest import digest_of_laws
from dpcert.audit.kernels.prefix_laws import PrefixLaws
from dpcert.audit.kernels.release import HALT
from dpcert.audit.kernels.view import core_of
from dpcert.audit.limits import within
from dpcert.audit.relations.adjacency import HAMMING

ALPHABETS: tuple[tuple[Any, ...], ...] = (
    (0, 1),
    (-1, 0, 1),
    (1, 10, 11),
    ("a", "a, b", "a)"),
    (1, 1.0, True),
    (Fraction(1, 2), 1, (1, 2)),
    (0,),
    ((0,), (0, 0), ()),
)


@dataclass(frozen=True)
class Drawn:
    """A law drawn for each prefix, out of a few."""

    seed: int
    alphabet: tuple[Any, ...] = (0, 1)
    asked: list[tuple[Any, ...]] = field(default_factory=list, compare=False)

    def law(self, prefix: tuple[Any, ...]) -> Pmf[Any]:
        self.asked.append(prefix)
        number = random.Random(f"{self.seed} {prefix!r}").randrange(4)
        return from_weights({"u": number + 1, 0: 1, -1: number % 2})


@pytest.mark.parametrize("alphabet", ALPHABETS, ids=repr)
@pytest.mark.parametrize("at_once", [3, 4_096])
def test_the_digest_is_that_of_laws_one_by_one(
    alphabet: tuple[Any, ...], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpcert.audit.kernels.prefix_laws.LINES_AT_ONCE", at_once)
    for rounds in (1, 2, 5 if len(alphabet) == 2 else 4):
        laws = core_of(Drawn(rounds, alphabet)).ask_prefixes(rounds)
        assert digest_of_laws(laws) == digest_of_laws(dict(laws).items())
        assert len(list(laws)) == len(laws) == sum(len(alphabet) ** t for t in range(1, rounds + 1))


def test_an_order_of_texts_that_is_not_foreseen_is_put_right() -> None:
    class Backwards(PrefixLaws):
        def lines(self, text_of: Any) -> Any:
            for block in reversed(list(super().lines(text_of))):
                yield block[::-1]

    core = core_of(Drawn(1))
    right = core.ask_prefixes(4)
    wrong = Backwards(right.inputs)
    wrong.rounds, wrong.distinct = right.rounds, right.distinct
    assert digest_of_laws(wrong) == digest_of_laws(right)


def test_every_law_is_found_by_its_prefix_and_asked_for_once() -> None:
    mechanism = Drawn(2, (0, "x", 5))
    core = core_of(mechanism)
    laws = core.ask_prefixes(4)
    assert mechanism.asked == [p for t in range(1, 5) for p in product(mechanism.alphabet, repeat=t)]
    for prefix, law in laws:
        assert core.law(prefix) is law == laws.get(prefix)
    assert laws.get(()) is laws.get((0,) * 5) is laws.get((0, 7)) is None
    assert core.ask_prefixes(3) is laws
    assert len(mechanism.asked) == len(laws)


class Unsteady(Drawn):
    """Answers otherwise when it is asked again for these prefixes."""

    def law(self, prefix: tuple[Any, ...]) -> Pmf[Any]:
        again = prefix in self.asked
        law = super().law(prefix)
        return bernoulli(Fraction(1, 7)) if again and random.Random(f"{self.seed} {prefix}").random() < 0.05 else law


def test_the_first_change_is_that_of_laws_asked_for_again_one_by_one() -> None:
    changes = 0
    for seed in range(12):
        one, other = core_of(Unsteady(seed, (0, 1, 2))), core_of(Unsteady(seed, (0, 1, 2)))
        count, change = _changed(one, one.ask_prefixes(4))
        assert (count, change) == _changed(other, dict(other.ask_prefixes(4)).items())
        changes += change is not None
    assert changes > 3


def test_rounds_that_were_asked_for_stay_known_where_the_limit_ends_it() -> None:
    mechanism = Drawn(4)
    core = core_of(mechanism)

    def limit() -> None:
        if len(mechanism.asked) > 200:
            raise Stopped("enough")

    with best_so_far(Budget()) as part, within(limit):
        core.ask_prefixes(12)
    assert part.stopped == "enough"
    asked = len(mechanism.asked)
    core.law((0, 1, 0, 1, 0))
    assert len(mechanism.asked) == asked
    assert len(core.ask_prefixes(8).rounds) == 8
    assert all(mechanism.asked.count(p) == 1 for p in product((0, 1), repeat=5))


@pytest.mark.parametrize(("answer", "words"), [(0.5, "return a Pmf but got float"), (HALT, "go on but got HALT")])
def test_an_answer_that_is_no_law_is_refused_where_it_comes(answer: Any, words: str) -> None:
    class Wrong(Drawn):
        def law(self, prefix: tuple[Any, ...]) -> Any:
            right = super().law(prefix)
            if prefix != (1, 0, 1, 1):
                return right
            return from_weights({HALT: 1, 0: 1}) if answer is HALT else answer

    with pytest.raises(MechanismError, match=words):
        core_of(Wrong(1)).ask_prefixes(6)


def test_a_record_is_the_same_whether_laws_have_numbers_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a core none of whose prefixes merge: it is played as it is, and its laws are those that were asked for."""

    @dataclass(frozen=True)
    class Apart:
        alphabet: tuple[int, ...] = (0, 1)

        def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
            return from_weights({0: 1, 1: 1 + int("1" + "".join(map(str, prefix)))})

    by_prefix = examine(Apart(), horizon=3)
    monkeypatch.setattr(futures, "MERGED_FROM", 0)
    numbered = examine(Apart(), horizon=3)
    assert {**numbered.document, "provenance": {}} == {**by_prefix.document, "provenance": {}}


def test_where_every_prefix_is_a_state_too_many_are_not_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.games.paired.MOST_PREFIX_PAIRS", 20)
    core = core_of(Drawn(1))
    whole = explore(PairedGame(core, HAMMING, 12), Budget())
    assert whole.stopped is not None
    assert "MOST_PREFIX_PAIRS" in whole.stopped
    assert [len(level.positions) for level in whole.levels] == [1, 4, 12]
    assert explore(PairedGame(core, HAMMING, 4), Budget(max_positions=10_000)).stopped is None  # somebody's own bound
    assert explore(PairedGame(futures.merged_by_futures(core, 4), HAMMING, 4), Budget()).stopped is not None
    record = examine(RandomizedPrefixes(), horizon=5, exp_epsilons=(1,))
    assert (record["verdict"], record.exit_status) == ("UNDECIDED", 3)
    assert "MOST_PREFIX_PAIRS" in record["lifts"]["curve"]["detail"]


@dataclass(frozen=True)
class RandomizedPrefixes:
    """Says by a coin what the last input was."""

    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return bernoulli(Fraction(1 + prefix[-1], 3))
