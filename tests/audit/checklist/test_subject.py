"""What an audit takes a mechanism for: nothing that an observer sees may get lost on the way to the game."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import pytest

from dpcert import (
    HALT,
    HAMMING,
    Budget,
    DpcertError,
    Draw,
    Pmf,
    Published,
    Release,
    bernoulli,
    examine,
    from_weights,
    point,
    uniform,
)
from dpcert.audit.checklist import of_code, publishing
from dpcert.audit.checklist import subject as subjects
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.kernels.view import core_of
from dpcert.mechanisms.two_round import TwoRound

Outputs = tuple[Any, ...]


@dataclass(frozen=True)
class Code:
    """Code under seeds from a function; `seeds` are two fair coins unless there is but one round."""

    respond: Callable[[Outputs, Outputs], Outputs]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    horizon: ClassVar[int] = 2

    def seeds(self, horizon: int) -> Pmf[tuple[int, ...]]:
        """Fair coins."""
        law: Pmf[tuple[int, ...]] = point(())
        for _ in range(horizon):
            law = law.product(uniform((0, 1))).map(lambda pair: (*pair[0], pair[1]))
        return law


def verdicts(record: Any) -> dict[str, str]:
    """Item -> verdict."""
    return {entry["item"]: entry["verdict"] for entry in record["checklist"]}


def test_earlier_outputs_that_read_a_later_seed_once_the_stream_goes_on_are_met() -> None:
    """Each stream's last output reads its own seed; the first output of a longer stream reads another one."""
    code = Code(lambda seeds, stream: (seeds[len(stream) - 1],) * len(stream))
    record = examine(code)
    assert verdicts(record)["PREFIX_DEPENDENCE"] == "REFUTED"
    assert verdicts(record)["FRESH_RANDOMNESS"] == "REFUTED"


@pytest.mark.parametrize("horizon", [0, 3])
@pytest.mark.parametrize("respond", [lambda _, stream: stream, lambda _, stream: stream[::-1]])
def test_code_has_no_more_rounds_than_it_says(horizon: int, respond: Callable[..., Any]) -> None:
    with pytest.raises(DpcertError, match=r"^Expected a horizon of at (least 1|most 2)"):
        examine(Code(respond), horizon=horizon)


def test_streams_are_counted_before_they_are_listed() -> None:
    @dataclass(frozen=True)
    class Long:
        alphabet: ClassVar[tuple[int, ...]] = (0, 1)
        seeds: ClassVar[Any] = staticmethod(lambda horizon: point((0,) * horizon))
        respond: ClassVar[Any] = staticmethod(lambda _, stream: (0,) * len(stream))

    record = examine(Long(), horizon=40, budget=Budget(max_positions=20))
    assert verdicts(record)["FRESH_RANDOMNESS"] == "UNDECIDED"


def test_code_that_goes_on_after_halt_is_refused() -> None:
    with pytest.raises(DpcertError, match=r"respond to go on with HALT after HALT but got \(HALT, 1\)"):
        examine(Code(lambda seeds, stream: (HALT, 1)[: len(stream)] if seeds[0] else stream))


def test_code_may_halt_in_its_last_round() -> None:
    record = examine(Code(lambda seeds, stream: (stream[0], HALT if seeds[-1] else stream[-1])[: len(stream)]))
    assert set(verdicts(record).values()) == {"HOLDS"}
    assert record["adaptive"]["total_variation"] == "1"


@dataclass(frozen=True)
class Steps:
    """A mechanism with hidden state from a function of (state, x, draw); its state is None before round 1."""

    answer: Callable[[Any, int, Draw], tuple[Any, Any]]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[None] = None
    horizon: ClassVar[int] = 2

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[Any, None], Any]:
        """The release, and what is remembered."""
        visible, after = self.answer(state, x, draw)
        return Release(visible), after


@dataclass(frozen=True)
class Publishing(Steps):
    """One that publishes something after each release."""

    published: Callable[[Outputs], Any]

    def publish(self, core: Outputs) -> Any:
        """Whatever the function says."""
        return self.published(core)


def coin(draw: Draw) -> int:
    return draw(bernoulli(Fraction(1, 2)))


def assert_all_is_lost(mechanism: object) -> None:
    """The value tells the input, and both the verdict and the curve say so."""
    record = examine(mechanism)
    assert verdicts(record)["POST_PROCESSING"] == "REFUTED"
    assert record["adaptive"]["total_variation"] == record["fixed_stream"]["total_variation"] == "1"


def test_a_value_beside_the_release_counts_where_there_is_a_publish_too() -> None:
    assert_all_is_lost(Publishing(lambda _, x, draw: (Published(coin(draw), x), None), lambda core: core[-1]))


def test_releasing_a_value_or_not_is_something_to_see() -> None:
    assert_all_is_lost(Steps(lambda _, x, __: (Published(0, 0) if x else 0, None)))


def test_code_that_begins_to_publish_in_round_2_is_played_whole() -> None:
    record = examine(Code(lambda _, stream: (0, Published(0, stream[-1]))[: len(stream)]))
    assert record["adaptive"]["total_variation"] == "1"


@pytest.mark.in_turns
@pytest.mark.parametrize("kind", ["input", "draw"])
def test_a_publish_that_reads_what_a_step_left_behind_is_met(kind: str) -> None:
    left: dict[str, int] = {}

    def masked(_: Any, x: int, draw: Draw) -> tuple[Any, Any]:
        left["input"], left["draw"] = x, coin(draw)
        return x ^ left["draw"], None

    assert_all_is_lost(Publishing(masked, lambda _: left[kind]))


@pytest.mark.in_turns
def test_a_publish_that_reads_what_a_law_or_code_left_behind_is_met() -> None:
    left: list[Any] = []

    def peek(core: Outputs) -> Any:
        del core
        return left[-1]

    @dataclass(frozen=True)
    class Core:
        alphabet: ClassVar[tuple[int, ...]] = (0, 1)
        publish: ClassVar[Any] = staticmethod(peek)

        def law(self, prefix: Outputs) -> Pmf[int]:
            left.append(prefix[-1])
            return bernoulli(Fraction(1, 2))

    @dataclass(frozen=True)
    class PublishingCode(Code):
        publish: ClassVar[Any] = staticmethod(peek)

    def masked(seeds: Outputs, stream: Outputs) -> Outputs:
        left.append(seeds[: len(stream)])
        return tuple(x ^ w for x, w in zip(stream, seeds, strict=False))

    assert_all_is_lost(Core())
    assert_all_is_lost(PublishingCode(masked))


@dataclass
class Counter:
    """A publish of its own mind."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[None] = None
    asked: int = field(default=0)

    def step(self, state: None, x: int, draw: Draw) -> tuple[Release[int, None], None]:
        """A noisy answer."""
        return Release(x ^ coin(draw)), state

    def publish(self, core: Outputs) -> int:
        """How often it was asked."""
        del core
        self.asked += 1
        return self.asked


def test_a_publish_that_changes_its_mind_is_refused() -> None:
    with pytest.raises(DpcertError, match=r"Counter.publish to answer alike .* but got 1 and 2 of .*test_subject.py"):
        examine(Counter())


def test_an_honest_publish_is_not_asked_after_halt() -> None:
    def halting(state: Any, _: int, draw: Draw) -> tuple[Any, Any]:
        return (HALT, None) if state and coin(draw) else (coin(draw), True)

    record = examine(Publishing(halting, sum))
    assert verdicts(record)["POST_PROCESSING"] == "HOLDS"


def test_halt_is_released_by_itself() -> None:
    with pytest.raises(DpcertError, match=r"step: Expected HALT to be released by itself .*test_subject.py"):
        examine(Steps(lambda *_: (Published(HALT, 0), None)))


def test_a_place_is_named_once() -> None:
    @dataclass(frozen=True)
    class Core:
        alphabet: ClassVar[tuple[int, ...]] = (0, 1)

        def law(self, prefix: Outputs) -> Pmf[int]:
            raise KeyError(prefix)

        def publish(self, core: Outputs) -> int:
            return len(core)

    with pytest.raises(DpcertError) as caught:
        examine(Core())
    assert str(caught.value).count("test_subject.py") == 1


def test_code_that_reads_the_future_has_no_executions_to_compare() -> None:
    """Live, nothing but zeros is published; of the whole stream, inputs are."""
    record = examine(Code(lambda _, stream: tuple(Published(0, x) for x in (*stream[1:], 0))))
    assert verdicts(record)["PREFIX_DEPENDENCE"] == "REFUTED"
    assert verdicts(record)["POST_PROCESSING"] == "UNDECIDED"
    assert record["fixed_stream"]["total_variation"] == "1"


REPEAT = 2
"""A null input that is no letter."""


@dataclass(frozen=True)
class Zeroed(Steps):
    """Steps whose input can be zeroed out."""

    null: ClassVar[int] = REPEAT


def test_a_null_input_outside_the_alphabet_is_among_the_inputs_of_every_condition() -> None:
    """The null input shows the coin of the round before; no letter does."""

    def repeating(state: Any, x: int, draw: Draw) -> tuple[Any, Any]:
        if x == REPEAT and state is not None:
            return state, state
        flip = coin(draw)
        return x % 2 ^ flip, flip

    record = examine(Zeroed(repeating), adjacency="zero-out")
    assert verdicts(record)["FRESH_RANDOMNESS"] == "REFUTED"
    assert record["adaptive"]["total_variation"] == "1/2"
    peeking = examine(Zeroed(lambda _, x, draw: (Published(coin(draw), x == REPEAT), None)), adjacency="zero-out")
    assert verdicts(peeking)["POST_PROCESSING"] == "REFUTED"
    assert peeking["adaptive"]["total_variation"] == "1"


@dataclass(frozen=True)
class ZeroedCode(Code):
    """Code whose input can be zeroed out."""

    null: ClassVar[int] = REPEAT


@pytest.mark.parametrize("after", [0, REPEAT])
def test_a_null_input_outside_the_alphabet_of_code_is_an_input_like_others(after: int) -> None:
    """What follows an input is told by round 1; at first sight that may be so for the null input alone."""

    def respond(seeds: Outputs, stream: Outputs) -> Outputs:
        told = tuple(int(x in (REPEAT, after)) for x in (*stream[1:], seeds[0]))
        return told if REPEAT in stream[1:] or after == 0 else tuple(0 for _ in stream)

    record = examine(ZeroedCode(respond), adjacency="zero-out")
    assert verdicts(record)["PREFIX_DEPENDENCE"] == "REFUTED"
    assert record["fixed_stream"]["total_variation"] == "1"


def test_seeds_whose_law_changes_are_no_seeds() -> None:
    laws = iter((uniform((0, 1)), bernoulli(Fraction(1, 4)), uniform((0, 1))))

    @dataclass(frozen=True)
    class Moody:
        alphabet: ClassVar[tuple[int, ...]] = (0, 1)
        horizon: ClassVar[int] = 1

        def seeds(self, horizon: int) -> Pmf[tuple[int, ...]]:
            del horizon
            return next(laws).map(lambda seed: (seed,))

        def respond(self, seeds: Outputs, stream: Outputs) -> Outputs:
            return tuple(x ^ w for x, w in zip(stream, seeds, strict=False))

    assert verdicts(examine(Moody()))["DETERMINISTIC_MAP"] == "REFUTED"


def leaking(_: Any, x: int, draw: Draw) -> tuple[Any, Any]:
    """A certified core, and the input beside it."""
    return Published(coin(draw), x), None


def test_the_certificate_of_a_core_is_none_for_what_is_seen_beside_it() -> None:
    """Nothing is in the core, and all in what is published, which tells more to those who adapt."""

    @dataclass(frozen=True)
    class Beside:
        alphabet: ClassVar[tuple[Any, ...]] = TwoRound().alphabet

        def law(self, prefix: Outputs) -> Pmf[Any]:
            return TwoRound().law(prefix[:2]).map(lambda y: Published(0, y)) if len(prefix) < 3 else point(0)

    whole = examine(Beside(), horizon=2)
    assert verdicts(whole)["POST_PROCESSING"] == "REFUTED"
    assert verdicts(whole)["DETERMINISTIC_MAP"] == "HOLDS"
    assert verdicts(whole)["STABLE_COST"] == "HOLDS"
    assert whole["lifts"]["curve"]["verdict"] == "REFUTED"
    short = examine(Beside(), horizon=2, budget=Budget(max_positions=2))
    assert short["lifts"]["curve"]["verdict"] == "UNDECIDED"


def test_values_that_were_not_compared_to_the_end_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "MOST_EXECUTIONS", 1)
    record = examine(Steps(leaking))
    assert verdicts(record)["POST_PROCESSING"] == "UNDECIDED"
    assert record["adaptive"]["total_variation"] == "1"


def test_nothing_bounds_what_may_be_another_mechanism_than_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run live, only the last output is new, and says nothing; handed in whole, all inputs are told."""
    monkeypatch.setattr(of_code, "MOST_RUNS", 1)
    record = examine(Code(lambda _, stream: (*stream[1:], 0)))
    assert verdicts(record)["PREFIX_DEPENDENCE"] == record["verdict"] == "UNDECIDED"
    for curve in (record["fixed_stream"], record["adaptive"]):
        assert curve["delta"][0] == {"exp_epsilon": "1", "lower": "0", "upper": "1"}


def test_published_values_that_were_not_compared_leave_the_curve_open(monkeypatch: pytest.MonkeyPatch) -> None:
    class Summed:
        alphabet = (0, 1)

        def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
            return from_weights({0: 1 + prefix[-1], 1: 2})

        def publish(self, core: tuple[int, ...]) -> int:
            return sum({t: y + 0 for t, y in enumerate(core)}.values())

    assert examine(Summed(), horizon=2).exit_status == 0
    monkeypatch.setattr("dpcert.audit.checklist.publishing.MOST_EXECUTIONS", 3)
    record = examine(Summed(), horizon=2)
    (found,) = [entry for entry in record["checklist"] if entry["item"] == "POST_PROCESSING"]
    assert "for it names values" in found["detail"]
    assert record.exit_status == 3
    assert "whether what is published follows from the core" in record["lifts"]["curve"]["detail"]


@dataclass(frozen=True)
class Flipped:
    """A biased coin a round: an input of 0 or 1 is flipped by it, a 2 comes out; `shown` makes an output of it."""

    shown: Callable[[int, int, int], Any]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    null: ClassVar[int] = 2

    def seeds(self, horizon: int) -> Pmf[tuple[int, ...]]:
        """Independent coins."""
        law: Pmf[tuple[int, ...]] = point(())
        for _ in range(horizon):
            law = law.product(from_weights({0: 3, 1: 1})).map(lambda pair: (*pair[0], pair[1]))
        return law

    def respond(self, seeds: Outputs, stream: Outputs) -> Outputs:
        """One output a round."""
        return tuple(self.shown(t, x, 2 if x == 2 else x ^ seeds[t]) for t, x in enumerate(stream))


@dataclass(frozen=True)
class FlippedAndPublished(Flipped):
    """With a `publish` of its own."""

    def publish(self, core: Outputs) -> Any:
        """The last release once more."""
        return core[-1]


def test_code_that_publishes_only_under_a_null_input_is_played_and_replayed_alike() -> None:
    """It used to be taken for one that publishes nothing on one side and for one that does on the other."""
    code = Flipped(lambda _, x, y: Published(y, y) if x == 2 else y)
    record = examine(code, horizon=1, adjacency="zero-out")
    assert record["adaptive"]["total_variation"] == "1"
    assert len(record["adaptive"]["strategies"]) > 0


@pytest.mark.parametrize("kind", [Flipped, FlippedAndPublished])
def test_code_that_begins_to_publish_in_round_2_is_played_and_replayed_alike(kind: type[Flipped]) -> None:
    """Whether its own `publish` makes it one that publishes from round 1, or not."""
    record = examine(kind(lambda t, _, y: Published(y, y) if t == 1 else y), horizon=2)
    assert record["adaptive"]["total_variation"] == "1/2"
    assert verdicts(record)["FRESH_RANDOMNESS"] == "HOLDS"


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("said", [None, "another reason"])
@pytest.mark.parametrize("published", [False, True])
def test_a_game_is_open_where_what_is_published_may_follow_from_more_than_the_core(
    unknown: bool, said: str | None, published: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is for another reason, or nothing is published."""
    view = core_of(TwoRound())
    plain = subjects.subject_of(TwoRound(), view, HAMMING, 2, Budget())
    assert plain.open is None
    finding = Finding(Verdict.UNDECIDED if unknown else Verdict.HOLDS, Method.EXHAUSTIVE, "all", "said")
    given = replace(plain, findings={**plain.findings, Item.POST_PROCESSING: finding}, open=said)
    monkeypatch.setattr(subjects, "_examined", lambda *_: given)
    monkeypatch.setattr(subjects, "publisher_of", lambda *_: object() if published else None)
    found = subjects.subject_of(TwoRound(), view, HAMMING, 2, Budget()).open
    why = "whether what is published follows from the core was not decided"
    assert found == (why if unknown and published and not said else said)
