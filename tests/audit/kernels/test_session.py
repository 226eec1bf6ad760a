"""Live sessions: the sampler's exact law, goodness of fit against the enumerated law, replay, and refusals.

The statistical tests bound their own false alarms. With n runs, k cells and KL the divergence of the counts from the
law, P(n KL >= t) <= e^-t (e t / (k - 1))^(k - 1) for every law and t > k - 1 (Agrawal, arXiv:1904.02291v4). A
threshold of e^-20 in each of the nine tests makes a false alarm in any of them less likely than 10^-7.
As many runs as it takes to see a sampler that is off by one unit of weight for sure: the mutants are seen by as many.
"""

import secrets
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, count
from math import comb, factorial, log, prod
from typing import Any, ClassVar

import pytest
from instances.chance import SURPRISE, surprise
from instances.seeds import spread

from dpcert import (
    HALT,
    ArgumentError,
    DpcertError,
    Draw,
    MechanismError,
    Pmf,
    Release,
    Session,
    bernoulli,
    from_weights,
    point,
    uniform,
)
from dpcert.audit.kernels import session
from dpcert.audit.kernels.draws import enumerated
from dpcert.audit.kernels.session import sample
from dpcert.audit.kernels.targets import built_in
from dpcert.audit.kernels.view import view_of
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.sparse_vector import SparseVector
from dpcert.mechanisms.two_round import TwoRound

TARGETS = (
    "two-round", "two-round-repeated", "randomized-response", "interval-sums", "binary-tree", "shared-coin",
    "clipped-sum", "sparse-vector",
)  # fmt: skip
RUNS = 3_000  # of SparseVector, whose mutant is the hardest to see: it surprises by some 105 nats

Transcript = tuple[Hashable, ...]


def target(name: str) -> Any:
    return built_in()[name].load()()


def stream(mechanism: object, rounds: int = 3) -> tuple[Any, ...]:
    """A fixed stream through the alphabet, as long as the mechanism allows."""
    view = view_of(mechanism)
    return tuple(view.alphabet[t % len(view.alphabet)] for t in range(min(rounds, view.horizon or rounds)))


def transcript(run: Session, inputs: tuple[Any, ...]) -> Transcript:
    """What is seen when a session answers `inputs`, or as many of them as it takes to halt."""
    for x in inputs:
        if not run.halted:
            run.send(x)
    return tuple(release.visible for release in run.transcript)


def enumerated_law(mechanism: object, inputs: tuple[Any, ...]) -> dict[Transcript, Fraction]:
    """The law of the transcript, from the kernels that audits use."""
    view = view_of(mechanism)
    masses: dict[tuple[Transcript, Hashable], Fraction] = {((), view.initial): Fraction(1)}
    for x in inputs:
        longer: dict[tuple[Transcript, Hashable], Fraction] = {}
        for (seen, state), mass in masses.items():
            if seen[-1:] == (HALT,):
                longer[seen, state] = mass
                continue
            kernel = view.kernel(state, x)
            for visible, after, weight in kernel.entries:
                key = (*seen, visible), after
                longer[key] = longer.get(key, Fraction(0)) + mass * Fraction(weight, kernel.denominator)
        masses = longer
    law: dict[Transcript, Fraction] = {}
    for (seen, _), mass in masses.items():
        law[seen] = law.get(seen, Fraction(0)) + mass
    return law


def live_counts(mechanism: object, inputs: tuple[Any, ...], runs: int = RUNS) -> Counter[Transcript]:
    return Counter(transcript(Session(mechanism), inputs) for _ in range(runs))


def off_by_one(law: Pmf[Any]) -> Any:
    """A sampler with < mistaken for <=: the first outcome weighs one unit too much, the last one too little."""
    weights, denominator = law.integer_weights()
    at = secrets.randbelow(denominator)
    return next(y for y, up_to in zip(weights, accumulate(weights.values()), strict=True) if at <= up_to)


# ---------------------------------------------------------------- the law of live runs


def test_all_primitives_are_tested() -> None:
    assert set(TARGETS) <= set(built_in())


@pytest.mark.in_turns
@pytest.mark.parametrize("name", spread(TARGETS, 8))
def test_live_runs_fit_the_enumerated_law(name: str) -> None:
    mechanism = target(name)
    inputs = stream(mechanism)
    assert surprise(live_counts(mechanism, inputs), enumerated_law(mechanism, inputs)) < SURPRISE


@pytest.mark.in_turns
@pytest.mark.parametrize("name", spread(TARGETS, 8))
def test_a_sampler_that_is_off_by_one_weight_is_rejected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "sample", off_by_one)
    mechanism = SparseVector(span=1) if name == "sparse-vector" else target(name)  # else both noises shift, and cancel
    inputs = stream(mechanism)
    assert surprise(live_counts(mechanism, inputs), enumerated_law(mechanism, inputs)) > SURPRISE


def live_law(mechanism: object, inputs: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> dict[Transcript, Fraction]:
    """The exact law of a session's transcript, over every value that the operating system could return."""

    def run(draw: Draw) -> Transcript:
        monkeypatch.setattr(secrets, "randbelow", lambda n: draw(uniform(range(n))))
        return transcript(Session(mechanism), inputs)

    weights, denominator = enumerated("session", run)
    return {seen: Fraction(w, denominator) for seen, w in weights.items()}  # type: ignore[misc]  # run's own results


@pytest.mark.in_turns
@pytest.mark.parametrize("name", TARGETS)
def test_over_all_entropy_the_law_is_exact(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = target(name)
    inputs = stream(mechanism, 2)
    law = live_law(mechanism, inputs, monkeypatch)
    assert law == enumerated_law(mechanism, inputs)
    monkeypatch.setattr(session, "sample", off_by_one)
    assert live_law(mechanism, inputs, monkeypatch) != law


def test_the_bound_on_false_alarms_holds() -> None:
    """Every count vector of 12 throws at three cells: the exact chance of a surprise of s nats is at most e^-s."""
    law = dict(enumerate([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]))
    runs, chances = 12, []
    for a in range(runs + 1):
        for b in range(runs + 1 - a):
            counts = {0: a, 1: b, 2: runs - a - b}
            ways = factorial(runs) // prod(factorial(n) for n in counts.values())
            distance = sum(n * log(n / (runs * law[y])) for y, n in counts.items() if n)
            alarm = distance - 2 * (1 + log(distance / 2)) if distance > 2 else float(0)
            chances.append((alarm, ways * prod(law[y] ** n for y, n in counts.items())))
    assert len(chances) == comb(runs + 2, 2)
    assert sum(chance for _, chance in chances) == 1
    tails = [(least, sum(chance for alarm, chance in chances if alarm >= least)) for least, _ in chances if least > 0]
    assert len(tails) > 20
    assert all(log(tail) <= -least for least, tail in tails)


# ---------------------------------------------------------------- sample


def test_sample_counts_every_unit_once(monkeypatch: pytest.MonkeyPatch) -> None:
    law = from_weights({"a": 3, "never": 0, "b": 1, "c": 2})
    asked: list[int] = []
    units = count()

    def next_unit(below: int) -> int:
        asked.append(below)
        return next(units)

    monkeypatch.setattr(secrets, "randbelow", next_unit)
    assert [sample(law) for _ in range(6)] == ["a", "a", "a", "b", "c", "c"]
    assert asked == [6] * 6


def test_sample_takes_weights_of_hundreds_of_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = 3**400, 1, 2**700 + 1
    law = from_weights({"a": first, "b": second, "c": third})
    total = first + second + third
    counts = Counter(sample(law) for _ in range(RUNS))
    assert surprise(counts, dict(law.items())) < SURPRISE
    assert counts["a"] < counts["c"]
    for unit, expected in ((0, "a"), (first - 1, "a"), (first, "b"), (first + 1, "c"), (total - 1, "c")):
        monkeypatch.setattr(secrets, "randbelow", lambda below, unit=unit: unit if below == total else -1)
        assert sample(law) == expected


def test_sample_of_a_sure_outcome() -> None:
    assert {sample(point("only")) for _ in range(20)} == {"only"}


# ---------------------------------------------------------------- records of a run


@pytest.mark.parametrize("name", TARGETS)
def test_recorded_draws_replay_to_the_same_transcript(name: str) -> None:
    mechanism = target(name)
    inputs = stream(mechanism)
    for _ in range(20):
        run = Session(mechanism)
        seen = transcript(run, inputs)
        again = Session(mechanism, draws=run.draws)
        assert transcript(again, inputs) == seen
        assert (again.transcript, again.draws) == (run.transcript, run.draws)


def test_draws_decide_the_transcript() -> None:
    inputs, draws = (1, 0, 1), (1, 1, -1)
    run = Session(ClippedSum(), draws=iter(draws))
    assert transcript(run, inputs) == (2, 2, 3)
    assert run.draws == draws
    assert [release.hidden for release in run.transcript] == [None] * 3
    assert transcript(Session(ClippedSum(), draws=(-1, -1, 1)), inputs) == (0, 0, 1)


def test_a_new_session_is_empty() -> None:
    run = Session(SharedCoin())
    assert (run.draws, run.transcript, run.halted) == ((), (), False)


@dataclass(frozen=True)
class Fussy:
    """Draws a bit, and cannot bear input 1."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        bit = draw(bernoulli(Fraction(1, 2)))
        if x:
            raise RuntimeError("no ones, please")
        return Release(bit), state


def test_a_step_that_raised_leaves_no_draws() -> None:
    run = Session(Fussy())
    with pytest.raises(MechanismError, match="no ones, please"):
        run.send(1)
    assert (run.draws, run.transcript) == ((), ())


# ---------------------------------------------------------------- refusals


def refused(error: pytest.ExceptionInfo[DpcertError], *words: str) -> None:
    """One line that starts with what was expected and has all the words."""
    text = str(error.value)
    assert text.startswith("Expected ")
    assert "\n" not in text
    assert all(word in text for word in words)


def test_halt_ends_a_session() -> None:
    run = Session(SparseVector(), draws=(2, -2, -2, 2))
    assert [(run.send(x).visible, run.halted) for x in (0, 1, 1)] == [(0, False), (0, False), (HALT, True)]
    with pytest.raises(ArgumentError) as error:
        run.send(0)
    refused(error, "has not halted", "rounds=3")
    assert len(run.transcript) == 3


@pytest.mark.parametrize("x", [2, -1, "0", None, (0,), [0], {}])
def test_a_wrong_input(x: object) -> None:
    run = Session(SharedCoin())
    with pytest.raises(ArgumentError) as error:
        run.send(x)
    refused(error, "an input from (0, 1)", f"x={x!r}")
    assert (run.draws, run.transcript) == ((), ())
    assert run.send(1).visible in {0, 1}


def test_too_many_rounds() -> None:
    run = Session(TwoRound())
    assert len(transcript(run, (0, 1))) == 2
    with pytest.raises(ArgumentError) as error:
        run.send(0)
    refused(error, "at most 2 rounds", "round=3")


@pytest.mark.parametrize("draws", [(), (1,)])
def test_recorded_draws_that_run_out(draws: tuple[int, ...]) -> None:
    run = Session(ClippedSum(), draws=draws)
    with pytest.raises(ArgumentError) as error:
        transcript(run, (0, 1, 0))
    refused(error, "recorded draws for every round", f"got {len(draws)}")


@pytest.mark.parametrize(
    ("mechanism", "draws", "inputs"),
    [(TwoRound(), (1, 0, 1), (0, 1)), (SparseVector(), (2, -2, -2, 2, 0), (0, 1, 1))],
    ids=["the last round", "a halt"],
)
def test_recorded_draws_left_over_at_the_end(mechanism: Any, draws: tuple[int, ...], inputs: tuple[int, ...]) -> None:
    run = Session(mechanism, draws=draws)
    with pytest.raises(ArgumentError) as error:
        transcript(run, inputs)
    refused(error, "every recorded draw to be used", f"recorded={len(draws)}", f"used={len(draws) - 1}")
    assert len(run.transcript) == len(inputs) - 1


def test_a_replay_may_end_early_and_is_then_asked_to_close() -> None:
    with pytest.raises(ArgumentError) as error, Session(SharedCoin(), draws=(1, 0)) as run:
        run.send(1)
    refused(error, "every recorded draw to be used", "recorded=2", "used=1")
    with pytest.raises(ZeroDivisionError), Session(SharedCoin(), draws=(1, 0)):
        raise ZeroDivisionError
    with Session(ClippedSum(), draws=(1, 1)) as run:
        assert transcript(run, (1, 0)) == (2, 2)
    run = Session(ClippedSum())
    run.send(0)
    run.close()


@pytest.mark.parametrize("draw", [7, None, "1", [1]])
def test_a_recorded_draw_that_does_not_fit(draw: object) -> None:
    run = Session(ClippedSum(), draws=(draw,))
    with pytest.raises(ArgumentError) as error:
        run.send(1)
    refused(error, "a recorded draw that the law can give", f"draw={draw!r}")


def test_a_class_is_no_mechanism() -> None:
    with pytest.raises(MechanismError) as error:
        Session(SharedCoin)
    refused(error, "an instance", "SharedCoin")


@dataclass(frozen=True)
class Answering:
    """A step that answers whatever it was told to."""

    answer: Any
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> Any:
        del state, x, draw
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [(1, 0), None, 3, (Release(1),), (Release(1), 0, 0), [Release(1), 0]],
)
def test_a_step_that_answers_with_something_else(answer: object) -> None:
    with pytest.raises(MechanismError) as error:
        Session(Answering(answer)).send(0)
    refused(error, "Answering.step to return (Release, state)", type(answer).__name__)


@pytest.mark.parametrize(
    ("answer", "words"),
    [((Release([]), 0), "a hashable visible output"), ((Release(0), []), "a hashable state")],  # type: ignore[arg-type]
)
def test_unhashable_answers(answer: object, words: str) -> None:
    with pytest.raises(MechanismError, match=f"^Answering.step: Expected {words} but got "):
        Session(Answering(answer)).send(0)


@dataclass(frozen=True)
class DrawsFromADict:
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x + draw({0: Fraction(1, 2), 1: Fraction(1, 2)})), state  # type: ignore[arg-type]


def test_a_live_draw_from_something_that_is_no_pmf() -> None:
    with pytest.raises(MechanismError) as error:
        Session(DrawsFromADict()).send(0)
    refused(error, "DrawsFromADict.step to draw from a Pmf but got dict", "test_session.py:")
