"""States that others run, against the same states run by one process."""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from instances import plainly
from instances.keeping import MERGED, UNMERGED, take_back
from instances.seeds import chosen
from instances.twins import Twins, machine_of, share_all, shared_machine

from dpcert import HALT, Scripted, scripted
from dpcert.audit.kernels.machine import Machine
from dpcert.audit.scripted.others import EXPLORED, ONCE_MORE, NoOthers, ShareDone, helped_by


@pytest.fixture(autouse=True)
def _taken_back() -> Iterator[None]:
    yield
    take_back()


KEEPING = """
CALLS = 0
SEEN = []
TOLD = {}

class Program:
    def __init__(self, rng):
        self.rng = rng
        self.kept = []
        self.window = (0, 0)

    def __call__(self, x):
        drawn = self.rng.randrange(3)
        self.window = (self.window[1], drawn)
        BODY
        self.kept.append((x, drawn))
        return drawn + len(self.kept) * x
"""
LASTING = [
    "global CALLS; CALLS += 1",
    "SEEN.append(x)",
    "TOLD[x] = drawn",
    "TOLD[len(TOLD)] = drawn",
    "Program.seen = x + drawn",
    "self.rng.randrange.__self__ is self.rng",
    "global CALLS; CALLS = CALLS + (len(self.kept) == 2)",
    "global CALLS; CALLS = CALLS + (len(self.kept) == 2 and drawn == 2)",
    "global CALLS; CALLS = 1 - CALLS",
    "global CALLS; CALLS = (CALLS + (len(self.kept) == 2)) % 6",
    "global CALLS; CALLS = (CALLS + (len(self.kept) == 2)) % 2",
]  # fmt: skip
"""What outlives a run, or cannot be looked into."""
KEPT = [
    "pass",
    "self.last = x if drawn else None",
    "self.first = self.kept[0] if self.kept else ()",
    "self.total = sum(one for _, one in self.kept) + Fraction(1, 3)",
    "self.kept = self.kept[-2:]",
    "self.kept = [] if x and drawn else self.kept",
]


def text_of(body: str) -> str:
    return KEEPING.replace("BODY", body)


def made(text: str, **options: Any) -> Callable[[], Scripted]:
    """Makes code of a text, anew each time."""

    def make() -> Scripted:
        space: dict[str, Any] = {"__name__": "plain_program", "Fraction": Fraction, "HALT": HALT}
        exec(compile(text, "plain_program.py", "exec"), space)
        return scripted(space["Program"], alphabet=(0, 1), **options)

    return make


def assert_alike(make: Callable[[], Scripted], horizon: int) -> Twins:
    """Nothing shows of who ran what."""
    shared, twins = shared_machine(make, horizon)
    alone = machine_of(make(), horizon)
    assert told(shared[0]) == told(alone[0])
    assert shared[1:] == alone[1:]
    return twins


def told(machine: Machine | None) -> Any:
    """All that a machine is."""
    return None if machine is None else (machine.laws, machine.steps, machine.runs, machine.merged)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("body", KEPT)
def test_states_are_the_same_whoever_runs_them(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    twins = assert_alike(made(text_of(body)), 3)
    assert not twins.why
    assert {share.kind for share in twins.shares} == {EXPLORED, ONCE_MORE}


def test_what_no_first_round_led_to_has_no_number_that_both_speak_of(monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    twins = assert_alike(made(text_of("self.chosen = max if self.kept else 0")), 3)
    assert twins.why == ["a state leads to what no state of the first round led to"]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("body", LASTING)
def test_what_outlives_a_run_is_found_before_and_after_it(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    try:
        twins = assert_alike(made(text_of(body)), 3)
    except NoOthers:
        return
    assert twins.why or machine_of(made(text_of(body))(), 3)[0] is None


def test_a_count_that_the_last_round_keeps_alone_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would show at its hundredth, which no other process would come to."""
    share_all(monkeypatch)
    text = text_of("global CALLS; CALLS = CALLS + (len(self.kept) == 2); drawn += CALLS > 100")
    mechanism, twins = made(text)(), Twins(made(text), count=40)
    with helped_by(twins, mechanism), pytest.raises(NoOthers, match="audit it in one process"):
        mechanism.machine(3)
    assert twins.why == ["a run changes what its code can reach"]


TAKEN_BACK = """
FLAG = 0

class Program:
    def __init__(self, rng):
        self.rng = rng
        self.kept = []

    def __call__(self, x):
        global FLAG
        drawn = self.rng.randrange(3)
        if len(self.kept) == 2:
            if self.kept[0] == 0 and self.kept[1] == 0:
                FLAG = 0
            if self.kept[0] == 0 and self.kept[1] == 1:
                FLAG = 1 if drawn else 0
            if self.kept[0] == 2 and self.kept[1] == 1 and FLAG:
                drawn = x
        self.kept.append(drawn)
        return drawn
"""


@pytest.mark.parametrize("size", [1, 1000])
def test_what_runs_here_leave_behind_and_take_back_is_seen(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One state's last round sets what another one reads, and one more puts it back: these are run in this process."""
    share_all(monkeypatch, size)
    mechanism, twins = made(TAKEN_BACK)(), Twins(made(TAKEN_BACK))
    with helped_by(twins, mechanism), pytest.raises(NoOthers, match="but a run changes what its code can reach, and"):
        mechanism.machine(3)
    assert twins.shares


INPUTS = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Item:
    value: int

    def weight(self, at):
        return WEIGHT

class Program:
    def __init__(self, rng):
        self.rng = rng
        self.at = 0

    def __call__(self, x):
        drawn = self.rng.randrange(3)
        self.at = self.at * 3 + drawn
        return drawn if x.weight(self.at) == 0 else 7

ALPHABET = Item(0), Item(1)
"""


def test_what_inputs_do_is_part_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method of theirs that is another one elsewhere, where constants and names are the same."""
    share_all(monkeypatch)

    def make(weight: str) -> Scripted:
        space: dict[str, Any] = {"__name__": "plain_program"}
        exec(compile(INPUTS.replace("WEIGHT", weight), "plain_program.py", "exec"), space)
        return scripted(space["Program"], alphabet=space["ALPHABET"])

    here, there = "self.value if at == 25 else 0", "0 if at == 25 else 0"
    mechanism, twins = make(here), Twins(lambda: make(there))
    with helped_by(twins, mechanism):
        shared = machine_of(mechanism, 3)
    assert repr(told(shared[0])) == repr(told(machine_of(make(here), 3)[0]))
    assert twins.why == ["its code is another one there"]


@pytest.mark.in_turns
@pytest.mark.parametrize("factory", [*MERGED, *UNMERGED])
def test_code_of_every_kind_is_shared_or_left(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    assert_alike(lambda: scripted(factory, alphabet=(0, 1)), 3)


@pytest.mark.in_turns
@pytest.mark.parametrize("block", range(8))
def test_random_plain_programs_are_the_same_whoever_runs_them(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    for seed in chosen(range(block * 20, block * 20 + 20)):
        text = plainly.program(seed, arrays=bool(seed % 2)).replace("LOG.clear()", "pass")
        size = random.Random(seed).randrange(1, 6)
        share_all(monkeypatch, size)
        assert_alike(lambda text=text: scripted(plainly.made(text), alphabet=(0, 1)), 3)  # type: ignore[misc]


class Lossy(Twins):
    """Lose what they were given after some shares."""

    def __init__(self, make: Callable[[], Scripted], after: int) -> None:
        super().__init__(make)
        self.after = after

    def _one(self, share: Any) -> ShareDone:
        return super()._one(share) if len(self.shares) < self.after else ShareDone(left="a process was lost")


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("after", [0, 1, 5, 12])
def test_what_is_left_is_run_here(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    mechanism, alone = made(text_of("pass"))(), made(text_of("pass"))()
    twins = Lossy(made(text_of("pass")), after)
    with helped_by(twins, mechanism):
        shared = machine_of(mechanism, 3)
    assert told(shared[0]) == told(machine_of(alone, 3)[0])
    assert twins.why == ["a process was lost"], shared[2]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("other", ["drawn += x", "drawn = self.rng.randrange(2)", "self.kept.append(0)"])
def test_other_code_is_told_by_its_first_round(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a digest had not told it."""
    share_all(monkeypatch)
    mechanism = made(text_of("pass"))()
    twins = Twins(made(text_of(other)))
    with helped_by(twins, mechanism):
        shared = machine_of(mechanism, 3)
    assert told(shared[0]) == told(machine_of(made(text_of("pass"))(), 3)[0])
    assert len(twins.why) == 1
    assert twins.why[0].endswith("there")


@pytest.mark.in_turns(few=True)
def test_outputs_that_are_not_sent_are_found_here(monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    text = text_of("pass").replace("return drawn", "return range(drawn) if x else drawn")
    twins = assert_alike(made(text), 3)
    assert twins.why == ["an output is no number or text, nor a tuple of these"]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("outcomes", [True, False])
def test_errors_and_the_end_are_the_same(outcomes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    raises = text_of("if drawn == 2 and len(self.kept) > 1: raise ValueError('no')")
    ends = text_of("self.kept = [0, 0] if drawn == 2 else self.kept").replace(
        "return drawn", "return HALT if self.kept[:1] == [0] else drawn"
    )
    for text in (raises, ends):
        twins = assert_alike(made(text, outcomes_of_errors=outcomes), 3)
        assert twins.shares
        assert not twins.why or not outcomes


@pytest.mark.in_turns(few=True)
def test_bounds_on_runs_are_those_of_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    share_all(monkeypatch)
    for most in (20, 60, 200):
        for module in ("by_state", "cells"):
            monkeypatch.setattr(f"dpcert.audit.scripted.{module}.MOST_CODE_RUNS", most)
        assert_alike(made(text_of("pass")), 3)
        assert_alike(made(text_of("self.kept = self.kept[-1:]")), 3)


@pytest.mark.in_turns(few=True)
def test_a_run_has_as_much_of_the_stack_as_where_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that goes as deep as there is room is refused by one process, so it is left to that."""
    share_all(monkeypatch)
    text = text_of("down(500 + 150 * len(self.kept))") + ("\ndef down(n):\n    return 0 if n == 0 else down(n - 1)\n")
    alone, twins = machine_of(made(text)(), 3), Twins(made(text))
    mechanism = made(text)()
    with helped_by(twins, mechanism):
        shared = machine_of(mechanism, 3)
    assert (shared[0] is None) == (alone[0] is None)
    assert shared[2] == alone[2]
