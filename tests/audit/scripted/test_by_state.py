"""Code explored state by state, against the same code run on every stream through all that it may draw."""

import math
import random
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from instances.both_ways import both
from instances.keeping import (
    MERGED,
    UNMERGED,
    Aliases,
    Count,
    EqualNumbers,
    Halts,
    Keeps,
    Late,
    OldDraws,
    Rejects,
    Rng,
    take_back,
)
from instances.seeds import chosen
from instances.stateful import made, program
from instances.telling import TELLING

from dpcert import HALT, MechanismError, Published, examine, scripted
from dpcert.audit.scripted import by_state, cells, code
from dpcert.audit.scripted.by_state import StateExplorer
from dpcert.audit.scripted.forms import Forms
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.unknown import Unknown


@pytest.fixture(autouse=True)
def _taken_back() -> Iterator[None]:
    """What code keeps on things of ours or of libraries stays there, and nothing is merged from then on."""
    yield
    take_back()


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("factory", MERGED)
def test_states_that_are_merged_behave_alike(factory: Any) -> None:
    machine = both(scripted(factory, alphabet=(0, 1)), 2 if factory in (Rejects, Late, OldDraws) else 3)
    assert machine is not None
    assert machine.merged > 0


@pytest.mark.parametrize("factory", UNMERGED)
def test_states_of_which_not_all_is_known_are_not_merged(factory: Any) -> None:
    assert both(scripted(factory, alphabet=(0, 1)), 3) is None


@pytest.mark.parametrize("factory", TELLING)
def test_code_that_is_not_plain_is_run_as_it_is(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its states are not merged, whatever their forms say: those of some of them are equal."""
    asked: list[str] = []

    def told(roots: Iterable[Any], generator: Any, **others: Any) -> Any:
        try:
            return only_plain(roots, generator, **others)
        except Unknown as why:
            asked.append(str(why))
            raise

    monkeypatch.setattr(code, "only_plain", told)
    with suppress(MechanismError):  # what all runs say of some of it
        assert scripted(factory, alphabet=(0, 1)).machine(2) is None
    assert asked


class Iterates(Count):
    """Has something that plain code has not."""

    def __call__(self, x: int) -> Any:
        return iter((x, self.rng.getrandbits(1))).__next__()


@pytest.mark.in_turns(few=True)
def test_why_states_are_not_merged_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    record = examine(scripted(Iterates, alphabet=(0, 1)), horizon=2)
    detail = next(one["detail"] for one in record["checklist"] if one["item"] == "DETERMINISTIC_MAP")
    assert detail.startswith("States are not merged, since it names __next__. All ")
    assert "not merged" not in str(examine(scripted(Count, alphabet=(0, 1)), horizon=2).document)
    monkeypatch.setattr(cells, "MOST_CODE_RUNS", 3)
    with pytest.raises(MechanismError, match="draws; states are not merged, since it names __next__"):
        scripted(Iterates, alphabet=(0, 1)).machine(2)


def test_inputs_that_format_are_not_plain() -> None:
    assert scripted(Count, alphabet=(0, 1)).machine(2) is not None

    class Formats(Count):
        def __call__(self, x: Any) -> Any:
            return x, self.rng.getrandbits(1)

    assert scripted(Formats, alphabet=("a", "b")).machine(2) is not None
    assert scripted(Formats, alphabet=("a", "%s")).machine(2) is None


def test_nothing_plain_is_refused() -> None:
    """What a counter, a window and a table are written with."""

    class Plain(Count):
        most, step = 4, Fraction(1, 2)

        def __init__(self, rng: random.Random) -> None:
            self.rng, self.count = rng, 0
            self.window: deque[int] = deque(maxlen=2)
            self.table = {"seen": [0, 0], "last": None}

        def __call__(self, x: int) -> Any:
            self.window.append(x)
            self.table["seen"][x] += 1  # type: ignore[index]
            self.table["last"] = x if self.table["last"] is None else max(x, 0)
            total = sum(self.window) + round(math.sqrt(self.count)) + int(self.step * 2)
            self.count = min(self.count + x, self.most)
            return total, self.rng.choice((0, 1)), sorted(self.table["seen"])[0]  # type: ignore[arg-type]

    machine = both(scripted(Plain, alphabet=(0, 1)), 3)
    assert machine is not None
    assert machine.merged > 0


def test_code_that_halts_or_raises_has_a_state_for_that() -> None:
    machine = both(scripted(Halts, alphabet=(0, 1), outcomes_of_errors=True), 2)
    assert machine is not None
    assert machine.states == 6


class GoesOn(Count):
    """Answers after it has halted."""

    def __call__(self, x: int) -> Any:
        self.count += 1
        return HALT if self.count == 1 else x


def test_code_that_goes_on_after_it_has_halted_is_refused() -> None:
    with pytest.raises(MechanismError, match="go on with HALT after HALT"):
        examine(scripted(GoesOn, alphabet=(0, 1)), horizon=2)


@pytest.mark.in_turns
@pytest.mark.parametrize("part", chosen(range(12)))
def test_random_programs_do_by_state_what_they_do_run_by_run(part: int) -> None:
    for seed in range(part * 4, part * 4 + 4):
        both(scripted(made(program(seed)), alphabet=(0, 1), outcomes_of_errors=True), 2)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(50))
def test_many_random_programs_do_by_state_what_they_do_run_by_run(part: int) -> None:
    for seed in range(1_000 + part * 20, 1_000 + part * 20 + 20):
        both(scripted(made(program(seed)), alphabet=(0, 1), outcomes_of_errors=True), 3)


def known(record: Any) -> dict[str, Any]:
    """What a record says of the mechanism, without how it was found."""
    entries = [(one["item"], one["verdict"], one.get("rung"), one.get("witness")) for one in record["checklist"]]
    adaptive = {key: value for key, value in record["adaptive"].items() if key != "strategies"}
    return {"entries": entries, "adaptive": adaptive, **{key: record[key] for key in ("verdict", "fixed_stream")}}


def refused(_: StateExplorer) -> Any:
    raise Unknown("as before states were merged")


@pytest.mark.in_turns
@pytest.mark.parametrize("factory", [Count, EqualNumbers, Aliases, Late])
def test_records_are_those_of_every_seed_and_stream(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    by_states = known(examine(scripted(factory, alphabet=(0, 1)), horizon=2))
    monkeypatch.setattr(StateExplorer, "found", refused)
    assert by_states == known(examine(scripted(factory, alphabet=(0, 1)), horizon=2))


class Absent(Count):
    """Takes None for nobody, which is no input of its alphabet."""

    def __call__(self, x: Any) -> int:
        self.count += x or 0
        return self.count + self.rng.getrandbits(1)


def test_an_input_of_the_relation_alone_is_one_of_which_no_state_knows() -> None:
    record = examine(scripted(Absent, alphabet=(0, 1)), horizon=2, adjacency="zero-out")
    assert record["adaptive"]["total_variation"] == "3/4"


class Publishes(Count):
    """Publishes beside the core what the core tells, and what it does not."""

    def __call__(self, x: int) -> Any:
        self.count += x
        drawn = self.rng.randrange(2)
        return Published(drawn, drawn + 1 if self.count < 2 else x)


@pytest.mark.in_turns
def test_what_is_published_beside_the_core_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    by_states = known(examine(scripted(Publishes, alphabet=(0, 1)), horizon=2))
    monkeypatch.setattr(StateExplorer, "found", refused)
    assert by_states == known(examine(scripted(Publishes, alphabet=(0, 1)), horizon=2))


def test_a_long_horizon_is_explored_by_state() -> None:
    mechanism = scripted(Count, alphabet=(0, 1))
    machine = mechanism.machine(5)
    assert machine is not None
    assert machine.states == 15
    assert machine.runs == 15 * 2 * 4
    long = scripted(Count, alphabet=(1,))
    assert long.machine(9) is not None
    with pytest.raises(MechanismError, match="Expected at most 100000 seeds in all"):
        long.seeds(9)


class Rolls(Count):
    """Draws for nothing, often."""

    def __call__(self, x: int) -> int:
        return x + sum([self.rng.randrange(1) for _ in range(150)]) + self.rng.getrandbits(1)


def test_draws_are_counted_round_by_round() -> None:
    machine = scripted(Rolls, alphabet=(0, 1)).machine(3)
    assert machine is not None
    assert machine.runs == 3 * 2 * 2


@pytest.mark.parametrize("factory", [Aliases, Late, Keeps])
def test_states_that_are_wrongly_one_are_found_out(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forms, "of", lambda *_: ())
    assert scripted(factory, alphabet=(0, 1)).machine(3) is None


class Elsewhere(Count):
    """Draws from numpy's own generator, which it gives a seed each time."""

    def __init__(self, rng: Rng) -> None:
        super().__init__(rng)
        np.random.seed(3)

    def __call__(self, x: int) -> Any:
        return x + int(np.random.randint(9)) + self.rng.getrandbits(1)


def test_what_is_drawn_from_numpy_is_seen() -> None:
    kept = np.random.get_state()
    try:
        assert both(scripted(Elsewhere, alphabet=(0, 1)), 3) is None
    finally:
        np.random.set_state(kept)


class Typed(Count):
    """Notes whether a draw is a float, after one input alone, and tells it two rounds later."""

    noted: Any = False

    def __call__(self, x: int) -> Any:
        u = self.rng.random()
        shown, self.count = self.count > 1 and self.noted, self.count + 1
        self.noted = self.noted or (bool(x) and type(u) is float)
        return shown, u < 0.5


def test_what_a_run_on_floats_leaves_behind_is_compared() -> None:
    """It takes other steps only after two rounds, on a way that others have joined."""
    with pytest.raises(MechanismError, match="on a float it"):
        scripted(Typed, alphabet=(0, 1)).machine(3)


class Hidden(Count):
    """Keeps what it drew in an attribute of a function of a library, which no form reads again once it was seen."""

    memory: list[int] = []  # noqa: RUF012 - what all objects of the class share

    def __call__(self, x: int) -> Any:
        self.count += 1
        if self.count == 1:
            Hidden.memory.clear()
            Hidden.memory.append(x)
        return self.rng.randrange(2) ^ (self.count > 2 and Hidden.memory[0])


def test_whole_runs_are_held_against_the_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is hidden for two rounds shows in no single step."""
    of = Forms.of

    def blind(forms: Forms, roots: Any, generator: Any, _: Any) -> Any:
        memory, Hidden.memory = Hidden.memory, []
        try:
            return of(forms, roots, generator)
        finally:
            Hidden.memory = memory

    assert both(scripted(Hidden, alphabet=(0, 1)), 3) is not None
    monkeypatch.setattr(Forms, "of", blind)
    with monkeypatch.context() as once:
        once.setattr(by_state, "COMPARED_RUNS", 0)
        assert scripted(Hidden, alphabet=(0, 1)).machine(4) is None
    monkeypatch.setattr(StateExplorer, "_look_again", lambda _: None)
    assert scripted(Hidden, alphabet=(0, 1)).machine(4) is None
    monkeypatch.setattr(by_state, "COMPARED_RUNS", 0)
    assert scripted(Hidden, alphabet=(0, 1)).machine(4) is not None


def test_too_many_seeds_for_all_states_leave_them_unmerged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_state, "MOST_SEEDS_BY_STATE", 10)
    assert scripted(Count, alphabet=(0, 1)).machine(2) is None


def test_answers_of_the_machine_are_those_that_an_audit_uses() -> None:
    from dpcert.audit.kernels.view import any_view_of

    code: Any = any_view_of(scripted(Count, alphabet=(0, 1)))
    seeds = tuple(next(iter(law.support)) for law in code.seeds_by_round(5))
    stream = (1,) * 5
    assert code.machine(5).respond(seeds, stream) == code.respond(seeds, stream) == code.again(seeds, stream)
