"""A suite on the workers of a real Dask scheduler: the same record, whoever decides a case, also when one is killed."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")

from instances.cluster import Cluster, cluster
from psutil import Process  # comes with it

from dpcert.audit.commands.cli import run

pytestmark = pytest.mark.in_turns(together="cluster of suites")
MECHANISMS = """
import signal
from fractions import Fraction

from dpcert import bernoulli


class Good:
    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(Fraction(1 + prefix[-1], 4))


class Killed(Good):
    def law(self, prefix):
        signal.raise_signal(signal.SIGKILL)

"""
WAITS = '''
"""Tells, while it is read, which worker it is at, and goes on once one was killed."""

import os
import time
from pathlib import Path

from mechanisms import Good

HERE = Path(__file__).parent
with (HERE / "at").open("a") as places:
    places.write(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1] + "\\n")
while not (HERE / "killed").exists():
    time.sleep(0.05)


class Waits(Good):
    pass
'''
INTERRUPTIBLE = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "  # a shell may have it ignored
    "from dpcert.audit.commands.cli import main; main(sys.argv[1:])"
)
SUITE = """
[defaults]
horizon = 2
[audit.waits]
target = "waits.py:Waits"
[audit.all]
target = "mechanisms.py:Good"
horizon = [1, 2]
[audit.exits]
target = "mechanisms.py:Killed"
[audit.built-in]
target = "two-round"
status = "refuted"
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "mechanisms.py").write_text(MECHANISMS, encoding="utf-8")
    (tmp_path / "waits.py").write_text(WAITS, encoding="utf-8")
    (tmp_path / "dpcert.toml").write_text(SUITE, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("elsewhere"), workers=2) as made:
        yield made


def audit(*words: str) -> list[str]:
    return ["audit", "--suite", "dpcert.toml", "--quiet", *words]


def dpcert(*words: str) -> list[str]:
    return [sys.executable, "-m", "dpcert", *audit(*words)]


def lines(record: Path) -> list[dict[str, Any]]:
    """What a suite found, but for the times."""
    found = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    for line in found[1:]:
        del line["milliseconds"]
        if line["record"]:
            for name in ("time", "seconds", "command"):
                del line["record"]["provenance"][name]
    return found


@pytest.mark.real("workers")
def test_a_killed_worker_shows_nowhere_in_the_record(suite: Path, two_workers: Cluster) -> None:
    spread = subprocess.Popen(dpcert("--scheduler", two_workers.address, "--json", "spread.jsonl"), cwd=suite)
    while not (suite / "at").exists() or not (suite / "at").read_text().endswith("\n"):
        assert spread.poll() is None
        time.sleep(0.05)
    worker = (suite / "at").read_text().split()[0]
    (victim,) = (one for one in two_workers.workers if str(one.pid) == worker)
    victim.kill()
    victim.wait()
    (suite / "killed").touch()
    assert spread.wait() == 3  # of the case whose process is killed
    (other,) = (one for one in two_workers.workers if one is not victim)
    assert str(other.pid) in (suite / "at").read_text().split()
    assert subprocess.run(dpcert("--jobs", "2", "--json", "here.jsonl"), cwd=suite).returncode == 3
    assert lines(suite / "spread.jsonl") == lines(suite / "here.jsonl")
    assert [line["error"] for line in lines(suite / "here.jsonl")[1:] if line["error"]] == [
        "its process ended by SIGKILL and gave no answer"
    ]


@pytest.mark.real("workers")
def test_an_interrupt_gives_up_what_is_at_work_and_frees_the_workers(suite: Path, two_workers: Cluster) -> None:
    words = ("--only", "waits", "--scheduler", two_workers.address, "--json", "spread.jsonl")
    with subprocess.Popen([sys.executable, "-c", INTERRUPTIBLE, *audit(*words)], cwd=suite) as spread:
        try:
            while not (suite / "at").exists():
                assert spread.poll() is None
                time.sleep(0.05)
            spread.send_signal(signal.SIGINT)
            assert spread.wait(timeout=300) == 3
        finally:
            spread.kill()
    assert [line["error"] for line in lines(suite / "spread.jsonl")[1:]] == ["interrupted while a worker was at it"]
    assert all(not Process(one.pid).children() for one in two_workers.workers if one.poll() is None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], "Expected a Dask scheduler but got scheduler=tcp://127.0.0.1:1"),
        (["--scheduler", "nowhere://"], "Expected a Dask scheduler but got scheduler=nowhere://"),
        (["--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"], "Expected --jobs or --scheduler but got both"),
    ],
)
def test_bad_input_is_one_line(
    suite: Path, words: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (suite / "killed").touch()
    monkeypatch.chdir(suite)
    assert run(audit(*words)) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_without_the_extra_one_line_names_it(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(suite)
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert run(audit("--scheduler", "tcp://127.0.0.1:1")) == 2
    err = capfd.readouterr().err
    assert "pip install 'dpcert[distributed]'" in err
    assert err.count("\n") == 1
