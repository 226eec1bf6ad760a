"""What a bound on the looking leaves out is never passed over: it is found all the same, or the answer is open."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
import pytest

from dpcert import Budget, Draw, MechanismError, Pmf, Release, bernoulli, examine
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.outside import reach
from dpcert.audit.steadiness import compared
from dpcert.audit.steadiness import watched as watched_runs
from dpcert.audit.verdicts import requirements
from dpcert.audit.verdicts.requirements import Requirements
from dpcert.mechanisms.randbin.toy import RandBinToy

MANY = tuple(range(100))


def steadiness(mechanism: object, horizon: int = 1) -> tuple[str, str]:
    """DETERMINISTIC_MAP: verdict and detail."""
    record: Any = examine(mechanism, horizon=horizon, exp_epsilons=(1,))
    entry = next(entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP")
    return entry["verdict"], entry["detail"]


@dataclass
class Table:
    """A law that depends on the last item of a long table, which each asking changes."""

    table: Any
    change: Callable[[Any], None]
    alphabet: tuple[int, ...] = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        last = self.table[len(self.table) - 1]
        self.change(self.table)
        return bernoulli(Fraction(1, 2 + last + prefix[-1]))


def last_up(table: Any) -> None:
    table[len(table) - 1] += 1


@pytest.mark.parametrize("length", [1_500, 30_000])
@pytest.mark.parametrize("made", [list, lambda numbers: dict(enumerate(numbers))], ids=["list", "dict"])
def test_the_last_item_of_a_long_table_counts(made: Any, length: int) -> None:
    assert steadiness(Table(made([0] * length), last_up))[0] == "REFUTED"


@dataclass
class Tables:
    """Looks at the last of very many small tables; nothing changes."""

    tables: list[list[int]] = field(default_factory=lambda: [[0]] + [[n] for n in range(300)])
    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        seen = {}
        seen[x] = draw(bernoulli(Fraction(1, 3)))
        return Release(seen[x] ^ x ^ self.tables[0][0]), state


@pytest.mark.in_turns(few=True)
def test_more_places_than_are_looked_at_leave_only_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """All live runs are compared then, and where there are too many the answer is open and names the bound."""
    monkeypatch.setattr(reach, "MOST_PLACES", 200)
    verdict, detail = steadiness(Tables())
    assert (verdict, "4 live runs (all there are)" in detail) == ("HOLDS", True)
    assert "MOST_PLACES = 200" in detail
    monkeypatch.setattr(compared, "MANY", 3)
    verdict, detail = steadiness(Tables())
    assert (verdict, "MANY = 3" in detail, "MOST_PLACES = 200" in detail) == ("UNDECIDED", True, True)


@dataclass
class Matrix:
    """Looks at a matrix of a compiled library, of which nobody sees what changes; a number of the same never does."""

    kept: Any
    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        coin = draw(bernoulli(Fraction(1, 3)))
        return Release(coin ^ x ^ int(self.kept == 1)), state


@pytest.mark.in_turns(few=True)
def test_an_object_that_cannot_be_read_leaves_only_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, detail = steadiness(Matrix(flint.fmpz_mat([[0]])), horizon=2)
    assert (verdict, "16 live runs (all there are)" in detail, "fmpz_mat" in detail) == ("HOLDS", True, True)
    assert "all there are" not in steadiness(Matrix(flint.fmpz(0)), horizon=2)[1]
    monkeypatch.setattr(compared, "MANY", 3)
    verdict, detail = steadiness(Matrix(flint.fmpz_mat([[0]])), horizon=2)
    assert (verdict, "MANY = 3" in detail, "fmpz_mat" in detail) == ("UNDECIDED", True, True)


INSTALLED = """
from dataclasses import dataclass
from fractions import Fraction

from dpcert import Release, bernoulli

LOG = []


@dataclass(frozen=True)
class Installed:
    alphabet: tuple = (0, 1)
    initial: int = 0

    def step(self, state, x, draw):
        LOG.append(x)
        return Release(draw(bernoulli(Fraction(1, 3)))), state
"""


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("name", ["dpcert_team", "dpcert_team_file"])
def test_a_mechanism_in_an_installed_package_is_looked_into(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site-packages"
    file = folder / name / "__init__.py" if name == "dpcert_team" else folder / f"{name}.py"
    file.parent.mkdir(parents=True)
    file.write_text(INSTALLED, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    _, detail = steadiness(importlib.import_module(name).Installed())
    assert f"has changed while it ran: {name}.LOG" in detail
    assert "(all there are)" in detail


FLAG: list[int] = []


@dataclass
class PutBack:
    """Input 98 leaves something behind, which every other takes away: nothing is left where an audit ends."""

    alphabet: tuple[int, ...] = MANY
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        FLAG.clear()
        if x == 98:
            FLAG.append(1)
        return Release(draw(bernoulli(Fraction(1, 3)))), state


def test_what_only_a_late_input_leaves_behind_is_seen() -> None:
    FLAG.clear()
    watched: Any
    with watched_runs.watch(PutBack()) as watched:
        view = any_view_of(watched.mechanism)
        moved, cut = watched._stirred(view, view.alphabet, Budget())
    assert (bool(moved), cut) == (True, "")


def test_more_first_rounds_than_are_looked_at_leave_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_runs, "MOST_STIRRED", 3)
    verdict, detail = steadiness(Tables())
    assert (verdict, "MOST_STIRRED = 3" in detail) == ("UNDECIDED", True)


@dataclass
class Asks:
    """Names what leads anywhere, and uses it for nothing."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        known = vars(self)
        return Release(x ^ (not known) ^ draw(bernoulli(Fraction(1, 3)))), state


@pytest.mark.in_turns
def test_what_cannot_be_looked_into_rests_on_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, detail = steadiness(Asks(), 2)
    assert (verdict, "16 live runs (all there are)" in detail, "vars" in detail) == ("HOLDS", True, True)
    monkeypatch.setattr(watched_runs, "MOST_PROCESSES", 7)
    verdict, detail = steadiness(Asks(), 2)
    assert (verdict, "MOST_PROCESSES = 7" in detail) == ("UNDECIDED", True)


@dataclass
class Dies:
    """Ends the process in every run but those of an audit, which asks for laws by chosen draws."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        made = {}
        made[x] = draw(bernoulli(Fraction(1, 3)))
        return Release(made[x]), state


def test_a_run_without_an_answer_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_runs, "_one_after_another", lambda *_: None)  # what a process that ended sends
    verdict, detail = steadiness(Dies())
    assert (verdict, "gave no answer" in detail) == ("UNDECIDED", True)


@dataclass
class Sorted:
    """Keeps what it was asked and looks at none of it."""

    asked: dict[Any, int] = field(default_factory=dict)
    alphabet: tuple[int, ...] = (0, 1, 2)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        self.asked[prefix] = 0
        return bernoulli(Fraction(1, 2 + prefix[-1]))


@pytest.mark.in_turns
@pytest.mark.parametrize(("most", "verdict"), [(26, "UNDECIDED"), (27, "HOLDS")])
def test_some_of_the_runs_are_not_all_of_them(monkeypatch: pytest.MonkeyPatch, most: int, verdict: str) -> None:
    """27 streams: one more than are compared, or just as many."""
    monkeypatch.setattr(compared, "MANY", most)
    found, detail = steadiness(Sorted(), 3)
    assert (found, f"{most} live runs" in detail) == (verdict, True)
    monkeypatch.setattr(watched_runs, "BATCH", 1)
    assert steadiness(Sorted(), 3)[0] == verdict


SEEN: list[int] = []


class FirstOfItsProcess(RandBinToy):
    """The neighbour-preserving game: the fifth step of a process forgets what waits, and no other does."""

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        SEEN.append(0)
        return super().step(self.initial if len(SEEN) == 5 else state, x, draw)


class Logged(RandBinToy):
    """The same, where the number of steps is kept and decides nothing."""

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        SEEN.append(0)
        return super().step(state, x, draw)


@pytest.mark.in_turns
def test_state_is_looked_for_in_the_neighbour_preserving_game() -> None:
    """No live runs settle it: they show neither what is hidden nor what is simulated."""
    SEEN.clear()
    with pytest.raises(MechanismError, match="Expected FirstOfItsProcess"):
        examine(FirstOfItsProcess(), game="npp", horizon=8)
    SEEN.clear()
    record = examine(Logged(), game="npp", horizon=8)
    assert (record["verdict"], record.exit_status) == ("UNDECIDED", 3)
    assert record["adaptive"]["delta"][0]["upper"] == "1"


@pytest.mark.in_turns
def test_what_is_not_looked_at_for_want_of_time_keeps_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was seen to change: the bounds stand as those of the laws that were asked, and nothing holds."""
    monkeypatch.setattr(watched_runs, "MOST_STIRRED", 3)
    claim = Requirements((requirements.claim("eps=5,delta=0"), requirements.claim("eps=1/10,delta=0")))
    record = examine(Tables(), horizon=1, exp_epsilons=(1,), requirements=claim)
    found = [entry["verdict"] for entry in record["requirements"]]
    assert (found, record.exit_status) == (["UNDECIDED", "REFUTED"], 1)
    assert record["adaptive"]["total_variation"] == "1/3"
    assert examine(Tables(), horizon=1)["verdict"] == "UNDECIDED"
