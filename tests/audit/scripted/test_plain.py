"""Records, arrays and errors in plain code: merged where they behave alike, and not where they only look like it."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from instances import plainly
from instances.arraying import ARRAYING, NOT_ARRAYING, Shuffled
from instances.both_ways import assert_merged, assert_unmerged, both
from instances.forging import FORGED
from instances.keeping import Count
from instances.recording import RECORDED
from instances.seeds import chosen

from dpcert import MechanismError, examine, scripted
from dpcert.audit.scripted.by_state import StateExplorer
from dpcert.audit.scripted.unknown import Unknown


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("factory", RECORDED)
def test_states_of_records_behave_alike(factory: Any) -> None:
    assert_merged(factory)


@pytest.mark.parametrize("factory", FORGED)
def test_what_only_looks_like_a_record_is_not_merged(factory: Any) -> None:
    assert_unmerged(factory)


@pytest.mark.in_turns(few=True)
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("factory", ARRAYING)
def test_states_of_arrays_behave_alike(factory: Any) -> None:
    assert_merged(factory)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("factory", NOT_ARRAYING)
def test_what_arrays_tell_by_their_places_is_not_merged(factory: Any) -> None:
    generator = "numpy" if factory is Shuffled else "random"
    mechanism = scripted(factory, alphabet=(0, 1), generator=generator)
    try:
        with suppress(MechanismError):  # what all runs say of some of it
            assert mechanism.machine(2) is None
        assert mechanism.why_unmerged(2)
    finally:
        vars(np.sum).pop("told", None)


class Strict(Count):
    """Says which input it did not expect."""

    def __call__(self, x: Any) -> int:
        if x not in (0, 1):
            raise ValueError(f"expected 0 or 1, not {x if x else self}")
        return super().__call__(x)


class Repeats(Strict):
    """Keeps such a text."""

    def __call__(self, x: Any) -> Any:
        self.count = f"{x}"  # type: ignore[assignment]
        return self.rng.getrandbits(1)


class Passes(Strict):
    """Hands such a text on before the error is raised."""

    def noted(self, text: str) -> Any:
        self.count = len(text)
        return ValueError(text)

    def __call__(self, x: Any) -> Any:
        if x > 1:
            raise self.noted(f"{self}")
        return self.rng.getrandbits(1)


class Builds(Strict):
    """Makes an error with such a text, and raises it later."""

    def __call__(self, x: Any) -> Any:
        error = ValueError(f"{self}")
        if x > 1:
            raise error
        return self.rng.getrandbits(1)


class Ends(Strict):
    """Raises what a loop takes for its end."""

    def over(self, x: Any) -> Any:
        if x:
            raise StopIteration(f"{self}")
        return x

    def __call__(self, x: Any) -> Any:
        return len(list(map(self.over, (0, x)))), self.rng.getrandbits(1)


def test_words_of_an_error_that_is_raised_at_once_may_say_anything() -> None:
    machine = both(scripted(Strict, alphabet=(0, 1)), 2)
    assert machine is not None
    assert machine.merged
    assert scripted(Strict, alphabet=(0, 1), outcomes_of_errors=True).machine(2) is None


@pytest.mark.parametrize("factory", [Repeats, Passes, Builds, Ends])
def test_texts_that_go_anywhere_else_are_not_plain(factory: Any) -> None:
    mechanism = scripted(factory, alphabet=(0, 1))
    assert mechanism.machine(2) is None
    assert mechanism.why_unmerged(2).startswith("it has a step FORMAT")


class Tries(Count):
    """Counts in a table, and looks at what is not there."""

    def __init__(self, rng: Any) -> None:
        super().__init__(rng)
        self.table: dict[int, int] = {}

    def __call__(self, x: int) -> Any:
        try:
            self.table[x] += 1
        except KeyError:
            self.table[x] = 1
        for i in range(3):
            try:
                told = [0][i] // (1 - i)
            except (IndexError, ZeroDivisionError):
                break
        else:
            told = 2
        return self.table[x] + self.rng.getrandbits(1), told


class Looks(Tries):
    """Looks at the error itself, which has a text."""

    def __call__(self, x: int) -> Any:
        try:
            self.table[x] += 1
        except KeyError as error:
            self.table[x] = len(error.args)
        return self.rng.getrandbits(1)


class Whatever(Tries):
    def __call__(self, x: int) -> Any:
        try:
            self.table[x] += 1
        except:  # noqa: E722 - what it is about
            self.table[x] = 1
        return self.rng.getrandbits(1)


class AnyError(Tries):
    def __call__(self, x: int) -> Any:
        try:
            self.table[x] += 1
        except KeyError:
            self.table[x] = 1
        except Exception:  # noqa: BLE001 - what it is about
            self.table[x] = 2
        return self.rng.getrandbits(1)


class AfterAll(Tries):
    def __call__(self, x: int) -> Any:
        try:
            self.count += 1
        finally:
            self.count += x
        return self.rng.getrandbits(1)


class Kept(Exception):
    """An error of the user's."""


class Renamed(Tries):
    """Catches an error that is no class of errors alone."""

    def __call__(self, x: int) -> Any:
        try:
            self.table[x] += 1
        except (KeyError, *(Kept,)):
            self.table[x] = 1
        return self.rng.getrandbits(1)


def test_some_errors_of_values_may_be_caught() -> None:
    machine = both(scripted(Tries, alphabet=(0, 1)), 3)
    assert machine is not None
    assert machine.merged


@pytest.mark.parametrize("factory", [Looks, Whatever, AnyError, AfterAll, Renamed])
def test_other_errors_and_what_they_say_may_not(factory: Any) -> None:
    mechanism = scripted(factory, alphabet=(0, 1))
    assert mechanism.machine(2) is None
    assert mechanism.why_unmerged(2) == "it catches errors"


def test_an_error_of_a_module_of_the_users_is_none_of_pythons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Tries.__call__.__globals__, "KeyError", KeyError)
    mechanism = scripted(Tries, alphabet=(0, 1))
    assert mechanism.machine(2) is None
    assert mechanism.why_unmerged(2) == "it catches errors"


def by_both(seeds: range, horizon: int) -> int:
    """How many random programs of plain code do by their states what they do run by run, some ways being merged."""
    merged = 0
    for seed in seeds:
        factory = plainly.made(plainly.program(seed, arrays=bool(seed % 2)))
        machine = both(scripted(factory, alphabet=(0, 1), outcomes_of_errors=True), horizon)
        merged += machine is not None and machine.merged > 0
    return merged


@pytest.mark.in_turns
@pytest.mark.parametrize("part", chosen(range(12)))
def test_random_plain_programs_do_by_state_what_they_do_run_by_run(part: int) -> None:
    assert by_both(range(part * 6, part * 6 + 6), 2) >= 3


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(100))
def test_many_random_plain_programs_do_by_state_what_they_do_run_by_run(part: int) -> None:
    assert by_both(range(1_000 + part * 20, 1_000 + part * 20 + 20), 3) >= 10


def refused(_: StateExplorer) -> Any:
    raise Unknown("as before states were merged")


@pytest.mark.in_turns
@pytest.mark.parametrize("part", chosen(range(6)))
def test_curves_of_random_plain_programs_are_those_of_every_run(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(5_000 + part * 2, 5_000 + part * 2 + 2):
        factory = plainly.made(plainly.program(seed, arrays=bool(seed % 2)))
        records = []
        for unmerged in (False, True):
            with monkeypatch.context() as changing:
                if unmerged:
                    changing.setattr(StateExplorer, "found", refused)
                record = examine(scripted(factory, alphabet=(0, 1), outcomes_of_errors=True), horizon=2)
            records.append([record[key] for key in ("verdict", "fixed_stream")] + [record["adaptive"]["power"]])
        assert records[0] == records[1]
