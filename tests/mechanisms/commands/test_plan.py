"""`dpcert plan randbin`: bounds that live runs keep, a promise kept by every design, and bad input in one line."""

import json
import random
import re
from contextlib import nullcontext
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import jsonschema
import pytest
from instances.seeds import chosen

from dpcert.audit.algebra.decimals import ROUNDED_UP
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import expected
from dpcert.audit.kernels.targets import find
from dpcert.mechanisms.commands import plan as plan_command
from dpcert.mechanisms.design import plan as plans
from dpcert.mechanisms.design import plan_report
from dpcert.mechanisms.design.plan import Choice, DesignPlan, Unmade, choices, planned
from dpcert.mechanisms.design.plan_document import asked
from dpcert.mechanisms.design.plan_report import ROWS, _slopes, missing, profile, saved, table
from dpcert.mechanisms.design.promise import Promise, promised
from dpcert.mechanisms.live.figures import LiveFigures, live_figures
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.toy import RandBinToy

T = TypeVar("T")
SMALL = ("--epsilon", "4", "--delta", "1/1000", "--horizon", "2000")
PROMISE = promised(Fraction(1, 1000), 2000, epsilon=4)
LIVE = LiveFigures(2000, 50, 60, 10, Fraction(30), 60, 0)
SCHEMA = json.loads(files("dpcert.audit.records").joinpath("schemas", "plan-1.json").read_text(encoding="utf-8"))


@cache
def designs() -> list[DesignPlan | Unmade]:
    """What is planned for the small promise, once for tests that look at it from many sides."""
    return planned(PROMISE, None)


def plan(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["plan", "randbin", *arguments]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return out


def seeded(seed: int) -> Any:
    """Draws from the same laws as a session's, from a generator that repeats them."""
    generator = random.Random(seed)

    def draw(law: Pmf[T]) -> T:
        return law.outcome_at(generator.randrange(law.token_weights()[1]))

    return draw


@pytest.mark.in_turns
def test_the_text_names_every_design_and_what_is_saved(capfd: pytest.CaptureFixture[str]) -> None:
    out = plan(capfd, *SMALL)
    lead, *lines = out.splitlines()
    rows = designs()
    assert lead == saved(rows)
    for one in rows:
        assert isinstance(one, DesignPlan)
        shown = next(line for line in lines if line.startswith(f"  {one.name} "))
        numbers = [str(one.mechanism.level), str(one.mechanism.error_within(2000)), str(one.waiting)]
        assert shown.removeprefix(f"  {one.name} ").split()[:3] == numbers
    assert "lemma:randbin_NPDO" in out
    assert "Not made" not in out


@pytest.mark.in_turns
def test_json_is_of_the_schema_and_the_same_every_time(capfd: pytest.CaptureFixture[str]) -> None:
    out = plan(capfd, *SMALL, "--json", "-")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert plan(capfd, *SMALL, "--json", "-") == out
    assert [one["target"] for one in document["designs"]] == ["randbin", "randbin", "randbin-sharp", "randbin-gaussian"]
    assert all(Fraction(one["delta"]) <= Fraction(document["delta"]) for one in document["designs"])
    live = json.loads(plan(capfd, *SMALL, "--json", "-", "--live", "1000000"))
    jsonschema.validate(live, SCHEMA)
    assert [one.pop("live")["events"] for one in live["designs"]] == [2000] * 4  # at most the horizon
    assert live["designs"] == [{k: v for k, v in one.items() if k != "live"} for one in document["designs"]]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("change", [{"delta": 0.5}, {"events": 0}, {"designs": []}, {"more": 1}])
def test_the_schema_refuses(change: dict[str, Any]) -> None:
    document = {"schema": "dpcert.plan/1", "exp_epsilon": "2", "delta": "1/2", "events": 1, "saved": ""}
    document["designs"] = [row.document for row in designs()[:1]]
    jsonschema.validate(document, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | change, SCHEMA)


def test_the_given_parameters_make_the_design() -> None:
    for one in designs():
        assert isinstance(one, DesignPlan)
        made = find(one.choice.target, one.document["given"]).mechanism
        assert made == one.mechanism


@pytest.mark.in_turns
def test_the_page_has_both_figures_and_the_table(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = plan(capfd, *SMALL, "--html", str(tmp_path / "plan.html"))
    html = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert html.count("<svg") == html.count("most events waiting against events") + html.count("proven δ against") == 2
    assert "Designs" in html
    assert "Not made" not in html
    again = plan(capfd, *SMALL, "--html", "-")
    assert again.partition('id="provenance"')[0] == html.partition('id="provenance"')[0]
    assert text.startswith("At the same ε and δ")


BAD = [
    (("--delta", "1/2"), "a promised epsilon"),
    (("--epsilon", "0", "--delta", "1/2"), "epsilon=0"),
    (("--epsilon", "-1", "--delta", "1/2"), "epsilon=-1"),
    (("--exp-epsilon", "1", "--delta", "1/2"), "exp_epsilon=1"),
    (("--epsilon", "1", "--exp-epsilon", "3", "--delta", "1/2"), "not both"),
    (("--epsilon", "1", "--delta", "0"), "delta=0"),
    (("--epsilon", "1", "--delta", "1"), "delta=1"),
    (("--epsilon", "1", "--delta", "half"), "delta='half'"),
    (("--epsilon", "1", "--delta", "1/2", "--horizon", "0"), "horizon=0"),
    (("--epsilon", "1", "--delta", "1/2", "--live", "0"), "live=0"),
    (("--epsilon", "0.001", "--delta", "1e-6"), "a larger delta"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_bad_input_is_one_line(arguments: tuple[str, ...], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "randbin", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("dpcert: Expected ")
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.in_turns
def test_the_page_names_what_was_asked_and_what_answered(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["plan", "randbin", *SMALL, "--live", "5000", "--html", "-"]
    monkeypatch.setattr("sys.argv", ["dpcert", *arguments])
    html = plan(capfd, *arguments[2:])
    pairs = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html, re.DOTALL))
    assert [pairs[name] for name in ("ε", "e<sup>ε</sup>", "δ")] == ["4", "≈ 54.5982", "0.001"]
    assert [pairs[name] for name in ("Horizon", "Live runs")] == ["2,000 events", "2,000 events of each design"]
    assert pairs["Command"] == "dpcert " + " ".join(arguments)
    assert re.match(r"\d{4}-\d\d-\d\dT", pairs["Computed"])
    assert [one.split()[0] for one in pairs["Versions"].split(", ")][:2] == ["dpcert", "numpy"]
    assert pairs["Platform"].startswith("Python 3.")


def test_no_decimal_of_a_profile_is_below_what_is_proven() -> None:
    made = [one for one in designs() if isinstance(one, DesignPlan)]
    rows, slopes = profile(designs())["rows"], list(_slopes(PROMISE.exp_epsilon, ROWS))
    marked = 0
    for e, row in zip(slopes, rows, strict=True):
        for exact, cell in zip([e, *(one.mechanism.delta_at(e) for one in made)], row, strict=True):
            above = Fraction(cell.removeprefix(ROUNDED_UP)) - exact
            assert above > 0 if cell.startswith(ROUNDED_UP) else above == 0
            assert above <= exact / 10**5
            marked += cell.startswith(ROUNDED_UP)
    assert marked > len(rows)
    for one, row in zip(made, table(designs())["rows"], strict=True):
        assert Fraction(row[5]) >= one.delta


def test_epsilon_is_told_where_its_exponential_was_given() -> None:
    promise = Promise(Fraction(3), Fraction(1, 3), 1)
    told = asked(promise, None, None)
    assert told == {"ε": "≈ 1.09862", "e^ε": "3", "δ": "≈ 0.333334", "Horizon": "1 event"}


@pytest.mark.in_turns(few=True)
def test_progress_names_every_part_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(plan_command, "progress_line", lambda **_: nullcontext(said.append))
    assert run(["plan", "randbin", *SMALL, "--live", "10"]) == 0
    names = [choice.name for choice in choices(PROMISE)]
    assert said[:-2] == [f"{what}: {name}" for name in names for what in ("Designing", "Running")]
    assert said[-2:] == ["Working out how long events wait", "Working out the curves of privacy"]


@pytest.mark.in_turns
def test_a_path_that_cannot_be_written_costs_no_result(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    nowhere = "/dev/full"
    assert run(["plan", "randbin", *SMALL, "--json", nowhere, "--html", str(tmp_path / "plan.html")]) == 2
    out, err = capfd.readouterr()
    assert out.startswith("At the same ε and δ")
    assert err.startswith("dpcert: Expected a writable file")
    assert err.count("\n") == 1
    assert (tmp_path / "plan.html").is_file()


@pytest.mark.in_turns
@pytest.mark.parametrize("events", [1, 5, 50])
def test_a_horizon_in_which_no_bin_leaves(events: int) -> None:
    rows = planned(promised(Fraction(1, 10**6), events, epsilon=1), None)
    assert saved(rows) == f"No bin leaves within so few events: all {events} wait."
    made = [one for one in rows if isinstance(one, DesignPlan)]
    assert [one.delay for one in made] == [None] * len(made)
    for one in made:
        live = live_figures(one.mechanism, events, seeded(1))
        assert (live.bins, live.waiting) == (0, events)
    table(rows), profile(rows)


def test_the_first_bin_may_leave_where_a_delay_is_given() -> None:
    one = next(one for one in designs() if one.choice.target == "randbin-sharp")
    assert isinstance(one, DesignPlan)
    first = 3 * one.mechanism.level + one.mechanism.scheduler.error_function(1)
    for events, delay in ((first - 1, None), (first, (2 * one.mechanism.level, one.mechanism.waiting(first)))):
        promise = Promise(PROMISE.exp_epsilon, PROMISE.delta, events)
        assert DesignPlan(one.choice, one.mechanism, promise).delay == delay


def test_what_cannot_be_made_leaves_the_others(capfd: pytest.CaptureFixture[str]) -> None:
    out = plan(capfd, "--epsilon", "300", "--delta", "1e-6", "--horizon", "1000")
    assert "instead of" in out
    gaussian = next(line for line in out.splitlines() if line.startswith("  Gaussian "))
    assert gaussian.split()[1:] == ["none"] * 5
    assert "Expected an e^epsilon of at most 2^64 (MOST_SEARCHED)" in out
    document = json.loads(plan(capfd, "--epsilon", "300", "--delta", "1e-6", "--horizon", "1000", "--json", "-"))
    jsonschema.validate(document, SCHEMA)
    assert [("reason" in one) for one in document["designs"]] == [False, False, False, True]


def test_without_any_design_the_promise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**given: Any) -> Any:
        raise expected("another promise", **given)

    for name in ("RandBinPaper", "RandBinSharp", "_gaussian"):
        monkeypatch.setattr(plans, name, refuse)
    with pytest.raises(ValueError, match="one of the designs"):
        planned(PROMISE, None)


@pytest.mark.parametrize("events", [10**8 + 1, 10**12, 10**18])
def test_more_events_than_there_is_memory_for_are_refused(events: int) -> None:
    what = f"^Expected a horizon of at most 100000000 events \\(MOST_EVENTS\\) but got horizon={events}$"
    with pytest.raises(ValueError, match=what):
        planned(Promise(PROMISE.exp_epsilon, PROMISE.delta, events), None)


def test_a_design_that_breaks_the_promise_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    loose = choices(Promise(PROMISE.exp_epsilon, Fraction(1, 10), PROMISE.events))[2]
    broken = lambda **given: loose.make(**given | {"delta": Fraction(1, 10)})  # noqa: E731
    monkeypatch.setattr(plans, "RandBinSharp", broken)
    with pytest.raises(AssertionError, match="more than was promised"):
        planned(PROMISE, None)


def row(name: str, waiting: int, live: LiveFigures | None = None) -> DesignPlan:
    """A design of which nothing but its bound matters."""
    toy: Any = RandBinToy()
    made = DesignPlan(Choice("randbin", name, {}, lambda: toy), toy, PROMISE, live)
    made.__dict__["waiting"] = waiting
    return made


def test_what_is_saved_where_the_paper_is_not_the_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DesignPlan, "delay", (4, 9))
    paper, worse, better = row("paper", 100), row("worse", 130), row("better", 75)
    assert saved([paper, worse]) == "No design has fewer events waiting than the paper's: at most 100."
    assert saved([paper, worse, better]) == (
        "At the same ε and δ at most 75 events ever wait (better), instead of 100 (paper): 25 % less."
    )
    unmade = Unmade(paper.choice, "why")
    assert saved([unmade, better]) == "At most 75 events ever wait (better); the paper's design cannot be made."
    assert missing([unmade, better])["rows"] == [["paper", "why"]]
    slow = row("slow", 75, LiveFigures(2000, 50, 60, 10, Fraction(45), 60, 0))
    assert saved([row("paper", 100, LIVE), slow]).endswith("in live runs inclusion took 50 % more on average.")
    idle = row("idle", 75, LiveFigures(2000, 0, 60, 0, Fraction(0), 0, 0))
    assert saved([row("paper", 100, LIVE), idle]).endswith("25 % less.")


@pytest.mark.in_turns
@pytest.mark.parametrize("number", chosen(range(4)))
def test_live_runs_keep_the_bounds(number: int) -> None:
    promise = promised(Fraction(1, 10**6), 10**5, epsilon=1)
    choice = choices(promise)[number]
    one = DesignPlan(choice, choice.make(**choice.given), promise)
    live = live_figures(one.mechanism, one.events, seeded(number))
    assert one.delay is not None
    assert one.waiting // 3 < live.waiting <= one.waiting  # the bound is not far off either
    assert one.delay[0] <= live.least_delay <= live.mean_delay <= live.most_delay <= one.delay[1]
    assert one.delta <= promise.delta


def test_live_figures_are_what_a_session_shows_event_by_event() -> None:
    run_ = RandBinSession(RandBinToy(), draw=seeded(5))
    bins, waiting = [], 0
    for event in range(300):
        run_.push(event)
        waiting = max(waiting, run_.backlog)
        if run_.latest and (not bins or bins[-1].number != run_.latest.number):
            bins.append(run_.latest)
    delays = [delay for out in bins for delay in out.inclusion_delay]
    live = live_figures(RandBinToy(), 300, seeded(5))
    assert (live.events, live.bins, live.waiting) == (300, len(bins), waiting)
    assert (live.least_delay, live.most_delay) == (min(delays), max(delays))
    assert live.mean_delay == Fraction(sum(delays), len(delays))


def test_steps_of_epsilon_hit_the_promise() -> None:
    slopes = list(plan_report._slopes(Fraction(4), 4))
    assert slopes[0] == 1
    assert slopes[2:] == [2, slopes[3], 4, 4 * slopes[1], 8]
    assert 2 < slopes[3] < 4
    assert abs(slopes[3] ** 4 - 64) < Fraction(1, 10**6)
