"""A run that is kept: killed anywhere and gone on with, it releases what an unbroken one does, each model once."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dpcert.audit.commands.cli import run
from dpcert.mechanisms.live.lease import Lease
from dpcert.mechanisms.training import kept, trained
from dpcert.mechanisms.training.kept import Sink

RUN = ("run", "sgd", "phishing", "--epsilon", "16", "--delta", "1/1000", "--calibration", "sharp", "--simulate", "3")


def released(path: Path) -> list[list[Any]]:
    return [[one["release"], one["model"]] for one in map(json.loads, path.read_text().splitlines())]


def asked(folder: Path, *more: str, horizon: int = 900) -> list[str]:
    where = ("--state", str(folder / "state"), "--releases", str(folder / "releases"))
    return [*RUN, "--horizon", str(horizon), *where, *more]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    path = tmp_path_factory.mktemp("unbroken") / "releases"
    assert run([*RUN, "--horizon", "900", "--releases", str(path)]) == 0
    return released(path)


class Died(Exception):
    """As a kill would be, but for what is in memory."""


@pytest.mark.in_turns
@pytest.mark.parametrize("written", [False, True])
def test_broken_off_around_any_write_it_goes_on(
    tmp_path: Path, unbroken: list[list[Any]], monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    """Before a chunk's releases are written, and after that and before they are acknowledged."""
    monkeypatch.setattr(trained, "EVENTS_A_SAVE", 100)
    real, lives = Sink.take, 0

    def dies(self: Sink, made: Any) -> None:
        if made and self.lines is not None and len(made) > 1 and lives < 3:
            if written:
                self.lines.write(made[:-1])
                self.lines.stream.write(b'{"release": ')
            raise Died
        real(self, made)

    monkeypatch.setattr(kept.Sink, "take", dies)
    for lives in range(4):
        assert run(asked(tmp_path)) == (0 if lives == 3 else 2)
    assert released(tmp_path / "releases") == unbroken
    assert [number for number, _ in unbroken] == list(range(1, len(unbroken) + 1))


@pytest.mark.real("kills")
@pytest.mark.in_turns
def test_killed_it_goes_on(tmp_path: Path, unbroken: list[list[Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import sys; from dpcert.mechanisms.training import trained; trained.EVENTS_A_SAVE = 20; "
    script += "from dpcert.audit.commands.cli import run; sys.exit(run(sys.argv[1:]))"
    process = subprocess.Popen([sys.executable, "-c", script, *asked(tmp_path)], stdout=subprocess.DEVNULL)
    path = tmp_path / "releases"
    while process.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") > 2):
        time.sleep(0.001)
    process.kill()
    process.wait()
    monkeypatch.setattr(trained, "EVENTS_A_SAVE", 100)
    run(asked(tmp_path))
    assert released(path) == unbroken


REACTING = ("--feedback", "1/2", "--churn", "1/10")


@pytest.mark.in_turns
@pytest.mark.parametrize("after", [False, True])
def test_users_who_look_at_the_model_go_on_as_they_were(
    tmp_path: Path, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken off around writes of either lease: who comes next is what it would have been."""
    path = tmp_path / "unbroken"
    path.mkdir()
    assert run([*RUN, "--horizon", "500", *REACTING, "--releases", str(path / "r"), "--json", str(path / "j")]) == 0
    real, left = Lease.commit, 0

    def dies(self: Lease, *given: Any) -> None:
        nonlocal left
        left -= 1
        if left or after:
            real(self, *given)
        if not left:
            raise KeyboardInterrupt

    monkeypatch.setattr(Lease, "commit", dies)
    lives = [*(random.randrange(1, 40) for _ in range(4)), 150, 100, 1000]
    for left in lives:
        status = run(asked(tmp_path, *REACTING, "--json", str(tmp_path / "j"), horizon=500))
        assert status == (0 if left > 500 else 3)
    assert len(released(path / "r")) > 8
    assert released(tmp_path / "releases") == released(path / "r")
    whole, last = (json.loads((at / "j").read_text())["results"][0]["runs"][0] for at in (path, tmp_path))
    assert (last["deleted"], last["inserted"]) == (whole["deleted"], whole["inserted"])
    assert last["deleted"] > 20


@pytest.mark.in_turns
def test_what_it_goes_on_from_is_said_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trained, "EVENTS_A_SAVE", 450)
    real = Sink.take
    monkeypatch.setattr(kept.Sink, "take", lambda self, made: (real(self, made), _stop(self.run.rounds == 450))[0])
    assert run(asked(tmp_path)) == 3
    assert capfd.readouterr().err == "dpcert: interrupted; it goes on from its state\n"
    monkeypatch.setattr(kept.Sink, "take", real)
    assert run(asked(tmp_path, "--json", str(tmp_path / "j"))) == 0
    assert "It goes on from event 451, from which all is measured." in capfd.readouterr().out
    (result,) = json.loads((tmp_path / "j").read_text())["results"]
    (one,) = result["runs"]
    assert (one["first_event"], one["accuracy_over_time"][-1][0], one["waiting"][-1][0]) == (451, 900, 900)
    assert all(0 <= waiting <= 450 for _, waiting in one["waiting"])
    for options, why in (
        ((), "Expected a run with events left of 900 but got state="),
        (("--seeds", "2"), "Expected one promise, one --calibration and one seed"),
        (("--clip", "2"), "Expected the state of the same run but got state="),
        (("--churn", "1/10"), "Expected the state of the same run but got state="),
    ):
        assert run(asked(tmp_path, *options)) == 2
        err = capfd.readouterr().err
        assert err.startswith(f"dpcert: {why}")
        assert err.count("\n") == 1


def _stop(now: bool) -> None:
    if now:
        raise KeyboardInterrupt


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("text", ["", "nothing\n", '{"release": 9999}\n'])
def test_releases_that_are_not_of_the_run_stay(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trained, "EVENTS_A_SAVE", 450)
    real = Sink.take
    monkeypatch.setattr(kept.Sink, "take", lambda self, made: (real(self, made), _stop(self.run.rounds == 450))[0])
    assert run(asked(tmp_path)) == 3
    (tmp_path / "releases").write_text(text)
    capfd.readouterr()
    assert run(asked(tmp_path)) == 2
    assert "Expected a file with the releases of this run, " in capfd.readouterr().err
    assert (tmp_path / "releases").read_text() == text
