"""Results that are kept: taken up where nothing has changed, and never where anything that they rest on has."""

import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from instances.seeds import chosen, spread

from dpcert.audit.records import unchanged
from dpcert.audit.suites import deciding, results
from dpcert.audit.suites.case import Case, Status
from dpcert.audit.suites.outcome import CaseOutcome
from dpcert.audit.suites.running import outcomes
from dpcert.audit.verdicts.requirements import Requirements, required_delta

TARGET = """
from dataclasses import dataclass
from fractions import Fraction

from dpcert import Pmf, bernoulli
import deep_down

TABLE = {0: 1, 1: 2, 2: 3}


@dataclass(frozen=True)
class Walk:
    lie: Fraction = Fraction(1, 4)
    alphabet = (0, 1)
    initial = (0, 0)

    def advance(self, state, x):
        return min(state[0] + 1, 9), (state[1] + x) % 3

    def law(self, state) -> Pmf[int]:
        return bernoulli(deep_down.chance(state, self.lie) * TABLE[state[1]])

    def publish(self, core):
        return sum(core)
"""
DEEP = """
from fractions import Fraction

LATE = Fraction(1, 3)


class Chances:
    scale = 1

    def of(self, state, lie):
        return lie * self.scale * (LATE if state[0] == 3 else 1)


def chance(state, lie):
    return Chances().of(state, lie)
"""


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A walk of which all is in the user's files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # of files that are edited twice in a second
    (tmp_path / "kept").mkdir()
    (tmp_path / "walk.py").write_text(TARGET)
    (tmp_path / "deep_down.py").write_text(DEEP)
    place = "walk.py:Walk"
    return Case("walk", place, place, {"lie": "1/5"}, horizon=3, cache=str(tmp_path / "kept"))


def decided(case: Case) -> CaseOutcome:
    """What becomes of a case in a process of its own."""
    (outcome,) = outcomes([case], 1)
    assert not outcome.error, outcome.error
    return outcome


def findings(outcome: CaseOutcome) -> dict[str, Any]:
    assert outcome.document is not None
    return {key: value for key, value in outcome.document.items() if key != "provenance"}


def test_a_second_run_solves_nothing(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    first = decided(case)
    assert not first.kept
    monkeypatch.setattr(deciding, "examined", None)
    second = decided(case)
    assert second.kept
    assert findings(second) == findings(first)
    assert second.document is not None
    assert first.document is not None
    assert second.document["provenance"]["time"] == first.document["provenance"]["time"]
    assert (second.status, second.result) == (first.status, first.result)
    assert sorted(path.name for path in Path(case.cache).iterdir()) == [results.RESULTS]


@pytest.mark.in_turns(few=True)
def test_what_a_result_does_not_depend_on_may_change(case: Case) -> None:
    decided(case)
    for other in (
        replace(case, name="another"),
        replace(case, status=Status.ANY),
        replace(case, max_seconds=900),
        replace(case, context={"schema": "dpcert.context/1", "trust": "a reason"}),  # type: ignore[arg-type]
    ):
        assert decided(other).kept, other


ASKED: dict[str, dict[str, Any]] = {
    "horizon": {"horizon": 4},
    "parameter": {"parameters": {"lie": "1/6"}},
    "hops": {"hops": 2},
    "challenge round": {"challenge_round": 1},
    "adjacency": {"adjacency": "unit-hamming", "relation": "unit-hamming"},
    "slopes": {"exp_epsilons": (Fraction(3),)},
    "epsilons": {"epsilons": (Fraction(1),)},
    "deltas": {"deltas": (Fraction(1, 9),)},
    "requirement": {"requirements": Requirements(bounds=(required_delta("2:1/100"),))},
    "certified": {"requirements": Requirements(certified=True)},
    "tier": {"tier": "exact"},
    "gap": {"gap": Fraction(1, 10)},
    "positions": {"max_positions": 10_000},
    "certificate": {"certificate_gap": Fraction(0)},
}


@pytest.mark.in_turns
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_another_question_has_another_answer(asked: dict[str, Any], case: Case) -> None:
    decided(case)
    other = replace(case, **asked)
    found = decided(other)
    assert not found.kept
    assert findings(found) == findings(decided(replace(other, cache="")))
    again = decided(other)
    assert again.kept
    assert (again.certificate, findings(again)) == (found.certificate, findings(found))
    assert decided(case).kept


EDITS: dict[str, tuple[str, str, str]] = {
    "a law": ("walk.py", "* TABLE[state[1]]", "* TABLE[state[1]] / 2"),
    "a global": ("walk.py", "2: 3}", "2: 2}"),
    "the next state": ("walk.py", "% 3", "% 2"),
    "the alphabet": ("walk.py", "alphabet = (0, 1)", "alphabet = (0, 1, 2)"),
    "publish": ("walk.py", "return sum(core)", "return max(core)"),
    "what a module deep down computes": ("deep_down.py", "lie * self", "lie / 2 * self"),
    "a class deep down": ("deep_down.py", "scale = 1", "scale = Fraction(1, 2)"),
    "a late round alone": ("deep_down.py", "LATE = Fraction(1, 3)", "LATE = Fraction(1, 2)"),
    "a default": ("walk.py", "lie: Fraction = Fraction(1, 4)", "lie: Fraction = Fraction(1, 5)"),
    "a comment": ("walk.py", "import deep_down", "import deep_down  # which has the chances"),
    "a line before it": ("walk.py", "TABLE =", "\nTABLE ="),
}


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("edit", spread([*EDITS], 4))
def test_a_kernel_that_changed_is_audited_anew(edit: str, case: Case) -> None:
    before = findings(decided(case))
    file, old, new = EDITS[edit]
    text = Path(file).read_text()
    assert text.count(old) == 1
    Path(file).write_text(text.replace(old, new))
    found = decided(case)
    assert not found.kept
    assert findings(found) == findings(decided(replace(case, cache="")))
    Path(file).write_text(text)
    assert findings(decided(case)) == before


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("guard", ["laws", "code"])
def test_either_guard_alone_finds_a_law_that_changed(guard: str, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what is asked anew where code were taken for the same, and by code where laws were."""
    if guard == "laws":
        monkeypatch.setattr(results, "reached", lambda _: "the same")
        monkeypatch.setattr(results, "stands_as_before", lambda *_: True)
    else:
        monkeypatch.setattr(results, "laws_now", lambda *_: "the same")
    decided(case)
    assert decided(case).kept
    for seed in chosen(range(20), 10):
        late = f"Fraction({seed + 1}, {Random(seed).choice((89, 97))})"
        Path("deep_down.py").write_text(DEEP.replace("LATE = Fraction(1, 3)", f"LATE = {late}"))
        assert not decided(case).kept, late
        assert decided(case).kept


def test_another_dpcert_or_python_finds_anew(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    decided(case)
    monkeypatch.setattr(unchanged, "engine", lambda: "another")
    assert not decided(case).kept
    assert decided(case).kept


OUTSIDE: dict[str, str] = {
    "a file": "open('numbers.txt').read()",
    "a module by name": "__import__('deep_down').LATE",
    "evaluated": "eval('1')",
}


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("code", spread([*OUTSIDE.values()], 3))
def test_code_that_leads_to_what_cannot_be_looked_into_is_never_kept(code: str, case: Case) -> None:
    Path("numbers.txt").write_text("1")
    text = TARGET.replace("return sum(core)", f"{code}\n        return sum(core)")
    Path("walk.py").write_text(text)
    for _ in range(2):
        (outcome,) = outcomes([replace(case, horizon=1)], 1)
        assert not outcome.kept


@pytest.mark.in_turns(few=True)
def test_a_file_that_publish_reads_is_read_again(case: Case) -> None:
    """What it says decides the verdict; neither the code nor a law changes with it."""
    Path("numbers.txt").write_text("0")
    Path("walk.py").write_text(TARGET.replace("return sum(core)", "return sum(core) * int(open('numbers.txt').read())"))
    for number in ("0", "1", "0"):
        Path("numbers.txt").write_text(number)
        found, fresh = (next(iter(outcomes([one], 1))) for one in (case, replace(case, cache="")))
        assert not found.kept
        if not (found.error or fresh.error):  # in some processes reading a file is refused, as what may change
            assert findings(found) == findings(fresh)


UNKNOWN: dict[str, dict[str, Any]] = {
    "every horizon": {"horizon": "inf"},
    "of one's own": {"adjacency": "walk.py:Mine", "relation": "walk.py:Mine"},
    "the other game": {"game": "npp"},
    "samples": {"tier": "sampled"},
    "no folder": {"cache": ""},
}


@pytest.mark.parametrize("asked", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_known_has_no_name(asked: dict[str, Any], case: Case) -> None:
    target = deciding.targets.find(case.place, dict(case.parameters))
    assert results.known_case(case, target) is not None
    assert results.known_case(replace(case, **asked), target) is None


@pytest.mark.in_turns(few=True)
def test_what_time_may_have_cut_short_is_not_kept(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not decided(replace(case, max_positions=2)).kept
    assert not decided(replace(case, max_positions=2)).kept
    real = results.KnownCase.keep

    def long(known: results.KnownCase, examination: Any, certificate: str, why: str, _: int) -> None:
        real(known, examination, certificate, why, 6 * 10**9)

    monkeypatch.setattr(results.KnownCase, "keep", long)
    bounded = replace(case, max_seconds=10)
    assert not decided(bounded).kept
    assert not decided(bounded).kept
    decided(case)
    assert decided(bounded).kept


def _edited(sql: str, *values: Any) -> Callable[[Path], None]:
    def edit(file: Path) -> None:
        with sqlite3.connect(file) as connection:
            connection.execute(sql, values)

    return edit


DAMAGE: dict[str, Callable[[Path], None]] = {
    "another verdict": _edited("""UPDATE results SET said = replace(said, 'REFUTED', 'HOLDS')"""),
    "another name": _edited("UPDATE results SET name = ?", "0" * 64),
    "other laws": _edited("UPDATE results SET laws = ?", "0" * 64),
    "numbers": _edited("UPDATE results SET said = 7"),
    "no table": _edited("DROP TABLE results"),
    "somebody's file": lambda file: (file.write_text("somebody's"), None)[1],
    "cut": lambda file: (file.write_bytes(file.read_bytes()[:5000]), None)[1],
    "a folder": lambda file: (file.unlink(), file.mkdir(), None)[2],
}


@pytest.mark.in_turns
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_as_if_there_were_none(damage: Callable[[Path], None], case: Case) -> None:
    first = decided(case)
    damage(Path(case.cache) / results.RESULTS)
    second = decided(case)
    assert not second.kept
    assert findings(second) == findings(first)


def test_a_database_of_others_is_left_alone(case: Case) -> None:
    file = Path(case.cache) / results.RESULTS
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE results (name TEXT, laws TEXT, said TEXT, seal TEXT)")
    for _ in range(2):
        assert not decided(case).kept
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM results").fetchone() == (0,)


@pytest.mark.in_turns
def test_many_processes_keep_theirs_in_one_file(case: Case) -> None:
    many = [replace(case, name=str(n), parameters={"lie": f"1/{n}"}) for n in range(5, 10)]
    assert not any(one.kept for one in outcomes(many, 4))
    assert all(one.kept for one in outcomes(many, 4))


@pytest.mark.in_turns
def test_the_oldest_go_where_there_are_too_many(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_RESULTS", 2)
    many = [replace(case, parameters={"lie": f"1/{n}"}) for n in (5, 6, 7)]
    for one in many:
        decided(one)
    assert [decided(one).kept for one in many[::-1]] == [True, True, False]


def test_a_context_is_put_beside_what_is_kept(case: Case) -> None:
    context: Any = {"schema": "dpcert.context/1", "trust": "a reason"}
    decided(case)
    found = decided(replace(case, context=context))
    assert found.kept
    assert found.document is not None
    assert found.document["context"] == context
