"""Cases run in processes of their own: whatever one does, the others go on; how many there are shows nowhere."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from instances.suites import SUITE, repository

from dpcert.audit.commands.cli import run
from dpcert.audit.errors import Interrupted
from dpcert.audit.outside.engine import engine
from dpcert.audit.suites import deciding, journal, running
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.expanding import suite
from dpcert.audit.suites.running import outcomes

HOSTILE = """
import os
import signal
import sys
import time

from dpcert import bernoulli
from fractions import Fraction

SEEN = []
open(os.path.join(os.path.dirname(__file__), "read"), "w").close()


class Good:
    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(Fraction(1 + prefix[-1], 4))


class Exits(Good):
    def law(self, prefix):
        os._exit(0)


class Killed(Good):
    def law(self, prefix):
        signal.raise_signal(signal.SIGKILL)


class Raises(Good):
    def law(self, prefix):
        raise RuntimeError("no law")


class SystemExits(Good):
    def law(self, prefix):
        sys.exit(7)


class Slow(Good):
    def law(self, prefix):
        time.sleep(0.02)
        return super().law(prefix)


class Prints(Good):
    def law(self, prefix):
        print("a law is asked for")
        return super().law(prefix)
"""
ALL = """
[defaults]
horizon = 2
[audit.all]
target = "hostile.py"
[audit.last]
target = "two-round"
status = "refuted"
"""


def without_times(document: Mapping[str, Any]) -> dict[str, Any]:
    record = document["record"]
    return dict(document) | {
        "milliseconds": 0,
        "record": None if record is None else {k: v for k, v in record.items() if k != "provenance"},
    }


def hostile(folder: Path) -> Path:
    (folder / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    file = folder / "dpcert.toml"
    names = ", ".join(f'"hostile.py:{name}"' for name in ("Good", "Exits", "Killed", "Raises", "SystemExits", "Prints"))
    file.write_text(ALL.replace('"hostile.py"', f"[{names}]"), encoding="utf-8")
    return file


@pytest.mark.in_turns
def test_a_record_is_the_same_at_any_number_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = []
    for jobs in ("1", "2", "5"):
        assert run(["audit", "--suite", str(file), "--jobs", jobs, "--json", "out.jsonl", "--quiet"]) == 1
        found.append([without_times(line) for line in journal.read(Path("out.jsonl").read_text(encoding="utf-8"))])
    assert found[0] == found[1] == found[2]
    assert [line["case"] for line in found[0]] == ["flip[lie=1/4]", "flip[lie=1/3]", "leak", "bounded"]


@pytest.mark.in_turns
def test_whatever_one_case_does_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file = hostile(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["audit", "--suite", str(file), "--jobs", "3", "--json", "-"]) == 2
    out = capfd.readouterr().out
    lines = {line["case"].partition(":")[2].rstrip("]"): line for line in journal.read(out)}
    assert lines["Good"]["result"] == lines[""]["result"] == "passed"
    assert "it used os._exit" in lines["Exits"]["error"]
    assert lines["Killed"]["error"] == "its process ended by SIGKILL and gave no answer"
    assert "RuntimeError: no law (hostile.py:" in lines["Raises"]["error"]
    assert "SystemExit" in lines["SystemExits"]["error"]
    assert [lines[name]["exit_status"] for name in ("Exits", "Killed", "Raises", "SystemExits")] == [2, 3, 2, 2]
    assert lines["Prints"]["record"]["kernel_digest"] == lines["Good"]["record"]["kernel_digest"]


def test_what_is_not_begun_in_time_is_said_to_be_not_run(tmp_path: Path) -> None:
    cases = suite(str(repository(tmp_path))).cases
    found = list(outcomes(cases, 1, seconds=0))
    assert [one.result for one in found] == ["not run"] * len(cases)
    assert {one.exit_status for one in found} == {3}


def test_an_interrupt_before_the_start_begins_nothing(tmp_path: Path) -> None:
    cases = suite(str(repository(tmp_path))).cases
    assert {one.result for one in outcomes(cases, 2, interrupted=lambda: True)} == {"not run"}


@pytest.mark.parametrize("interrupt", [Interrupted, KeyboardInterrupt])
def test_an_interrupt_before_anything_is_decided_is_no_error_of_anybodys(
    interrupt: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Case, **__: object) -> NoReturn:
        raise interrupt

    monkeypatch.setattr(deciding, "examined", interrupted)
    outcome = deciding.decided(suite(str(repository(tmp_path))).cases[0])
    assert (outcome.result, outcome.exit_status) == ("not run", 3)
    assert (outcome.document, outcome.error) == (None, "interrupted; nothing was decided")


@pytest.mark.real("kills")
@pytest.mark.in_turns
@pytest.mark.skipif(sys.platform == "win32", reason="signals of other systems")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_keeps_what_was_done(tmp_path: Path, end: signal.Signals) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    file = tmp_path / "dpcert.toml"
    file.write_text(
        "[audit.quick]\ntarget = 'two-round'\nstatus = 'refuted'\n"
        "[audit.slow]\ntarget = 'hostile.py:Slow'\nhorizon = 9\n[audit.never]\ntarget = 'two-round'\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "dpcert", "audit", "--suite", str(file), "--json", "out.jsonl"]
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"sys.argv = ['dpcert', *{command[3:]!r}]; from dpcert.__main__ import main; main()"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("[1/3] passed    quick")
        while not (tmp_path / "read").exists():
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.5)  # into the slow one, in which an interrupt has something to cut, if the machine is not busy
        process.send_signal(end)
        rest = process.stdout.read()
    lines = {line["case"]: line for line in journal.read((tmp_path / "out.jsonl").read_text(encoding="utf-8"))}
    assert lines["quick"]["record"]["verdict"] == "REFUTED"
    if end == signal.SIGINT:
        assert process.returncode == 3
        if lines["slow"]["record"] is None:  # it had not come to its game yet
            assert lines["slow"]["result"] == "not run"
            assert lines["slow"]["error"] == "interrupted; nothing was decided"
        else:
            assert lines["slow"]["result"] == "undecided"
            assert lines["slow"]["record"]["scope"]["stopped"] == "interrupted"
        assert lines["never"]["error"] == "interrupted before it began"
        assert "1 as expected, 2 undecided" in rest
    else:
        assert set(lines) == {"quick"}


@pytest.mark.in_turns
def test_an_own_bound_of_a_case_ends_it(tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    file = tmp_path / "dpcert.toml"
    file.write_text("[audit.slow]\ntarget = 'hostile.py:Slow'\nhorizon = 9\nmax_seconds = 1\n", encoding="utf-8")
    (found,) = outcomes(suite(str(file)).cases, 1)
    assert found.result == "undecided"
    assert found.document is not None
    assert found.document["scope"]["stopped"] == "--max-seconds 1 was reached"


@pytest.mark.in_turns
def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = repository(tmp_path, SUITE)
    monkeypatch.chdir(tmp_path)
    run(["audit", "--suite", str(file), "--json", "out.jsonl", "--quiet"])
    text = Path("out.jsonl").read_text(encoding="utf-8")
    whole = journal.read(text)
    for cut in range(text.index("\n") + 1, len(text), 997):
        kept = journal.read(text[:cut])
        assert kept == whole[: len(kept)]
    assert json.loads(text.split("\n", 1)[0])["cases"] == [line["case"] for line in whole]
    assert os.path.getsize("out.jsonl") == len(text.encode())


FILE_AND_NAME = """
[audit.file]
target = "primitives/flip.py:Flip"
horizon = [1, 2]

[audit.name]
target = "two-round"
horizon = [1, 2]
"""


@pytest.mark.in_turns(few=True)
def test_what_code_may_ask_of_dpcert_is_read_once_for_all_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a case is of a file; what is built in does without."""
    read: list[int] = []
    monkeypatch.setattr(running, "read_public_names", lambda: read.append(os.getpid()))
    both = suite(str(repository(tmp_path, FILE_AND_NAME))).cases
    for name, times in (("file", 1), ("name", 0)):
        list(outcomes([case for case in both if case.name.startswith(name)], 2))
        assert read == [os.getpid()] * times
        read.clear()


@pytest.mark.in_turns(few=True)
def test_what_results_are_bound_to_is_read_once_for_all_cases(tmp_path: Path) -> None:
    cases = suite(str(repository(tmp_path, '[audit.one]\ntarget = "two-round"\nhorizon = [1, 2]\n'))).cases
    engine.cache_clear()
    assert len(list(outcomes(cases, 2))) == 2
    assert engine.cache_info().currsize == 0
    kept = [replace(case, cache=str(tmp_path)) for case in cases]
    assert [found.error for found in outcomes(kept, 2)] == ["", ""]
    assert engine.cache_info().currsize == 1
