"""`dpcert run sgd`: its answer, document and page; what it says of itself; interrupts; bad input in one line."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dpcert.audit.commands.cli import run
from dpcert.mechanisms.learning.calibration import Wish
from dpcert.mechanisms.learning.per_user import user_guarantee
from dpcert.mechanisms.streams.named import labelled
from dpcert.mechanisms.streams.participation import Habits
from dpcert.mechanisms.training import sweep
from dpcert.mechanisms.training.setting import SgdSetting
from dpcert.mechanisms.training.trained import TrainedRun

SCHEMA = json.loads(files("dpcert.audit.records").joinpath("schemas", "sgd-run-1.json").read_text(encoding="utf-8"))
PROMISE = ("--epsilon", "16", "--delta", "1/1000", "--horizon", "700")
QUICK = ("run", "sgd", "phishing", *PROMISE, "--calibration", "sharp")


MARKING = """
import signal, sys, pathlib
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
from dpcert.audit.commands.cli import run
from dpcert.mechanisms.training import sweep
told = sweep._told
def marking(*given):
    for one in told(*given):
        yield one
        pathlib.Path("begun").touch()
sweep._told = marking
sys.exit(run(sys.argv[1:]))
"""
"""The command, which leaves a file once a run is made."""


def asked(capfd: pytest.CaptureFixture[str], *more: str) -> str:
    assert run([*QUICK, *more]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return out


@pytest.mark.in_turns
def test_all_runs_in_one_table_with_what_is_to_be_known_of_them(capfd: pytest.CaptureFixture[str]) -> None:
    out = asked(capfd, "--seeds", "2")
    assert out.startswith("6 runs. Most events foretold by sharp, at ε = 16: ")
    assert [re.search(rf"^  700 .* {name} ", out, re.M) is not None for name in ("sharp", "batches", "no-privacy")] == [
        True
    ] * 3
    assert re.search(r"^Waiting\n  events  ε .* mean delay  longest delay  most waiting$", out, re.M)
    assert "What may be published of one run is its models and their times." in out
    assert "not for streams in which one is missing" in out
    assert "SIMULATION" not in out


@pytest.mark.in_turns
def test_document_and_page_of_a_sweep_with_an_edit(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    more = ("--epsilon", "20", "--seeds", "2", "--simulate", "4", "--edit", "300")
    document: Any = json.loads(asked(capfd, *more, "--json", "-", "--html", str(page), "--no-baselines"))
    jsonschema.validate(document, SCHEMA)
    assert (document["schema"], document["private"], document["interrupted"]) == ("dpcert.sgd-run/1", False, False)
    results = document["results"]
    assert [(r["epsilon"], r["split"]) for r in results] == [("16", "1/2"), ("20", "1/2")]
    for one in results:
        assert one["neighbours"] == "edit"
        assert [made["seed"] for made in one["runs"]] == [1, 2]
        assert one["accuracy"]["least"] <= one["accuracy"]["median"] <= one["accuracy"]["largest"]
        assert one["account"]
        assert all(len(made["last_model"]) == 10 for made in one["runs"])
    for edit in document["edits"]:
        assert [b["bin"] for b in edit["bins"]] in ([edit["bins"][0]["bin"], edit["bins"][0]["bin"] + 1], [])
    text = page.read_text(encoding="utf-8")
    for title in (
        *("Runs", "Accuracy against ", "Accuracy against mean delay", "Accuracy over time", "Events that wait"),
        *("Inclusion delay", "Released trajectory", "What an edit changes: sharp", "Account of sharp"),
    ):
        assert title in text, title
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text, re.DOTALL))
    assert [facts[name] for name in ("ε", "Horizon", "Split", "Seeds")] == ["16, 20", "700 events", "0.5", "2"]
    assert "nothing of it is private" in text
    assert "<script" not in text


@pytest.mark.in_turns
def test_optimisers_schedules_buffers_and_events_of_a_user_as_in_a_plan(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    more = ("--optimiser", "momentum=1/2", "--learning-rate", "1/4,1/8@9", "--core", "blt=3", "--events-per-user", "2")
    document: Any = json.loads(asked(capfd, *more, "--no-baselines", "--json", "-", "--html", str(page)))
    jsonschema.validate(document, SCHEMA)
    (one,) = document["results"]
    assert (one["optimiser"], one["core"]) == ("momentum=1/2", "blt=3")
    assert one["learning_rate"] == [{"bin": 1, "rate": "1/4"}, {"bin": 9, "rate": "1/8"}]
    found = user_guarantee(Fraction(16), Fraction(one["proven_delta"]), 2)
    user = one["user"]
    assert (user["edits"], Fraction(user["epsilon"]), Fraction(user["delta"])) == (2, 32, found.delta)
    assert (Fraction(user["each_epsilon"]), Fraction(user["each_delta"])) == found.each
    text = page.read_text(encoding="utf-8")
    assert "Several events of one user" in text
    assert "at most 2, at least 1 events apart" in text
    assert any("for whoever has up to 2 of them nothing is kept (δ = 1)" in said for said in document["remarks"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"results": [one | {"proven_delta": 0.001}]}, SCHEMA)


@pytest.mark.parametrize(
    ("stream", "churn", "events"),
    [("phishing", "0", 1), ("digits", "0", 4), ("digits", "1/10", 8), ("hyperplane", "1/10", 1)],
)
def test_rows_of_a_file_come_in_every_pass(stream: str, churn: str, events: int) -> None:
    """The most often that a row comes of users who come once, and a user of at most twice as many where some return."""
    horizon = 1_250 if stream == "phishing" else 5_400
    setting = SgdSetting(stream, Wish(Fraction(1), Fraction(1, 1000), horizon), habits=Habits(Fraction(churn)))
    assert setting.edits == events
    assert setting.passes == labelled(stream, horizon, 1).passes


@pytest.mark.in_turns
def test_a_clip_that_follows_gradients_is_charged_as_one_and_is_a_weight_more(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """From a hundred times too large down, towards where half of the gradients are within it."""
    asked_for = ("--no-baselines", "--simulate", "3", "--clip", "adaptive=100", "--json", "-")
    document: Any = json.loads(asked(capfd, *asked_for))
    jsonschema.validate(document, SCHEMA)
    (one,) = document["results"]
    assert (one["clip"], one["adaptive_clip"], one["model"]) == ("1", "100", "Logistic")
    assert len(one["runs"][0]["last_model"]) == 11
    assert one["runs"][0]["last_model"][-1] < -0.2
    assert any("units of the clip in force" in said for said in document["remarks"])


@pytest.mark.in_turns
def test_baselines_are_said_to_keep_less(capfd: pytest.CaptureFixture[str]) -> None:
    results = json.loads(asked(capfd, "--json", "-"))["results"]
    assert {r["method"]: r["neighbours"] for r in results} == {
        "sharp": "edit",
        "batches": "hamming",
        "no-privacy": "none",
    }
    noise = {r["method"]: r["noise_per_coordinate"] for r in results}
    assert noise["sharp"] > noise["batches"] > noise["no-privacy"] == 0


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("rivers", *PROMISE), "Expected a stream of sea, hyperplane, .* but got stream='rivers'"),
        (("phishing", "--epsilon", "1", "--delta", "1e-6", "--horizon", "50"), "a horizon of at least .* horizon=50"),
        (("phishing", "--epsilon", "1", "--delta", "1e-6", "--horizon", "0"), "a whole number of at least 1"),
        (("phishing", *PROMISE, "--learning-rate", "0"), "a step size above 0"),
        (("phishing", *PROMISE, "--learning-rate", "-1/2"), "a step size above 0"),
        (("phishing", *PROMISE, "--clip", "0"), "a clip above 0"),
        (("phishing", *PROMISE, "--split", "1"), "which leaves something to both"),
        (("phishing", "--epsilon", "0", "--delta", "1e-6"), "an epsilon above 0"),
        (("phishing", *PROMISE, "--core", "bush"), "a core .tree, square-root, band=B or blt=K. but got core='bush'"),
        (("phishing", *PROMISE, "--calibration", "loose"), "a calibration of|paper, sharp, gaussian"),
        (("digits", *PROMISE, "--model", "logistic"), "two classes for logistic regression"),
        (("phishing", *PROMISE, "--model", "forest"), "logistic or softmax or hidden-layer"),
        (("phishing", *PROMISE, "--churn", "2"), "chances from 0 to 1/2"),
        (("phishing", *PROMISE, "--edit", "3"), "--simulate with --edit"),
        ((*QUICK[2:], "--simulate", "1", "--edit", "3", "--state", "kept"), "--edit without --releases and --state"),
        ((*QUICK[2:], "--jobs", "2", "--scheduler", "tcp://127.0.0.1:1"), "--jobs or --scheduler but got both"),
        ((*QUICK[2:], "--scheduler", "tcp://127.0.0.1:1", "--state", "kept"), "a run is kept on this machine"),
        ((*QUICK[2:], "--seeds", "2", "--state", "kept"), "promises=1, calibrations=1, seeds=2"),
        (("phishing", *PROMISE, "--learning-rate", "1e-9"), "whose product is at least 2\\^-24 but got clip=1, rate="),
        (
            ("phishing", *PROMISE, "--calibration", "sharp", "--simulate", "1", "--edit", "701"),
            "an event from 1 to 700",
        ),
        (("digits", *PROMISE[:4], "--horizon", "100000000"), "at most 4194304 events of 64 features"),
        (("led", *PROMISE[:4], "--horizon", "1000", "--horizon", "99999999"), "at most 11184810 events of 24 features"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], why: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "sgd", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert re.search(why, err), err


def test_a_missing_package_is_one_line(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert run(["run", "sgd", "breast-cancer", *PROMISE]) == 2
    assert capfd.readouterr().err == (
        "dpcert: Expected the package scikit-learn but it is not installed: pip install 'dpcert[learn]'\n"
    )


def test_an_interrupt_keeps_the_runs_that_were_made(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, real = list[TrainedRun](), sweep.trained

    def two(*given: Any, **named: Any) -> TrainedRun:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(real(*given, **named))
        return made[-1]

    monkeypatch.setattr(sweep, "trained", two)
    assert run([*QUICK, "--seeds", "3", "--json", "-"]) == 3
    document = json.loads(capfd.readouterr().out)
    assert document["interrupted"]
    assert [one["method"] for one in document["results"]] == ["sharp", "batches"]


@pytest.mark.real("signals")
@pytest.mark.in_turns
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_real_interrupt_of_several_processes_keeps_what_was_made(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MARKING, *QUICK, "--seeds", "100000", "--jobs", "2", "--no-baselines"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command, "--json", "out.json"], cwd=tmp_path, **pipes) as process:
        try:
            while process.poll() is None and not (tmp_path / "begun").exists():
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()  # so that none of a hundred thousand runs is left behind
    assert process.returncode == 3, err
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["interrupted"]
    assert len(document["results"][0]["runs"]) >= 1
    assert out.decode().startswith("Interrupted after ")
