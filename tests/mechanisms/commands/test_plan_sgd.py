"""`dpcert plan sgd`: three calibrations of one promise, splits that were tried, several events of a user, bad input."""

import json
import re
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import exp
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from dpcert.audit.algebra.decimals import ROUNDED_UP
from dpcert.audit.commands.cli import run
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.learning import plan as plans
from dpcert.mechanisms.learning.expected_waiting import expected_delay, expected_releases
from dpcert.mechanisms.learning.named_cores import named_core, squared_factor
from dpcert.mechanisms.learning.objective import named_objective
from dpcert.mechanisms.learning.optimisers import Averaged, Descent
from dpcert.mechanisms.learning.per_user import UserEvents, user_guarantee
from dpcert.mechanisms.learning.plan import (
    CalibrationPlan,
    SgdPlan,
    SgdQuestion,
    SgdUnmade,
    SweptSplit,
    best_split,
    sgd_planned,
)
from dpcert.mechanisms.learning.plan_document import sgd_asked, sgd_document
from dpcert.mechanisms.learning.plan_report import sgd_lead, sgd_sections
from dpcert.mechanisms.learning.rates import named_schedule
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.live.figures import live_figures
from dpcert.mechanisms.matrices.participations import AdjacentBins, Once
from dpcert.mechanisms.matrices.workloads import momentum_sums

SCHEMA = json.loads(files("dpcert.audit.records").joinpath("schemas", "plan-sgd-1.json").read_text(encoding="utf-8"))
FEW = (Fraction(1, 4), Fraction(1, 2))
SMALL = ("--epsilon", "8", "--delta", "1e-3", "--horizon", "2000")


def question(**change: Any) -> SgdQuestion:
    given: dict[str, Any] = {
        "epsilon": Fraction(8),
        "delta": Fraction(1, 1000),
        "events": 2000,
        "split": Fraction(1, 2),
        "updates": Updates(3, Fraction(1), named_schedule("1/2,1/4@9")),
        "core": "tree",
        "optimiser": "plain",
        "user": UserEvents(3, 900),
        "objective": named_objective("noise"),
    }
    return SgdQuestion(**given | change)


@cache
def whole() -> SgdPlan:
    """A plan with a sweep, once for tests that look at it from many sides."""
    return sgd_planned(question(), FEW)


def planned(name: str) -> CalibrationPlan:
    return next(row for row in whole().made if row.name == name)


def plan(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["plan", "sgd", *arguments]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return out


@pytest.mark.in_turns
def test_json_is_of_the_schema_and_the_same_every_time(capfd: pytest.CaptureFixture[str]) -> None:
    out = plan(capfd, *SMALL, "--json", "-")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert plan(capfd, *SMALL, "--json", "-") == out
    for name in ("paper", "sharp", "gaussian"):
        assert Fraction(document[name]["delta"]) <= Fraction(document["delta"])
        assert Fraction(document[name]["epsilon"]) == 8
    assert document["sweep"] == []


@pytest.mark.in_turns
def test_the_document_says_what_the_calibrations_do() -> None:
    document: Any = sgd_document(whole(), sgd_lead(whole()))
    jsonschema.validate(document, SCHEMA)
    for row in whole().made:
        made, shown = row.calibration, document[row.name]
        assert shown["U"] == made.randbin.level
        assert shown["backlog_worst"] == shown["delay_worst"] == made.randbin.waiting(2000)
        assert Fraction(shown["noise_per_coordinate"]) == made.sigma / 2**24
        assert Fraction(shown["sigma"]) * Fraction(shown["mu"]) == made.core.shift(made.change, made.participation)
        assert 2 * Fraction(shown["rho"]) == Fraction(shown["mu"]) ** 2
        assert [i for i, _ in shown["E"]] == sorted({1, 10, 100} & set(range(made.core.rounds)) | {shown["E"][-1][0]})
        assert all(a <= b for (_, a), (_, b) in pairwise(shown["E"]))
        assert shown["steps"][-1]["theorem"] == "" != shown["steps"][0]["theorem"]
    assert document["learning_rate"] == [{"bin": 1, "rate": "1/2"}, {"bin": 9, "rate": "1/4"}]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("change", [{"delta": 0.5}, {"horizon": 0}, {"paper": {}}, {"more": 1}, {"learning_rate": []}])
def test_the_schema_refuses(change: dict[str, Any]) -> None:
    document: Any = sgd_document(whole(), "")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | change, SCHEMA)


def test_noise_of_the_paper_is_by_its_own_sensitivity_and_that_of_the_others_by_their_level() -> None:
    """Claims 99: 2 G max eta, whatever comes later in the schedule; and 2 G max eta / U and rounding."""
    paper, sharp = planned("paper").calibration, planned("sharp").calibration
    assert (paper.change, paper.participation) == (Fraction(2**24), Once())
    assert 0 < sharp.change - Fraction(2**24, sharp.randbin.level) < 2
    assert planned("gaussian").noise * 10 < planned("paper").noise


def test_expected_waiting_is_near_what_runs_show() -> None:
    for row in whole().made:
        live = [live_figures(row.calibration.randbin, 2000) for _ in range(8)]
        bins, delay = sum(one.bins for one in live) / 8, sum(one.mean_delay for one in live) / 8
        assert float(row.releases) == pytest.approx(bins, rel=0.1)
        assert float(row.mean_delay) == pytest.approx(float(delay), rel=0.15)
        assert max(one.most_delay for one in live) <= row.waiting
    short = planned("paper").calibration.randbin
    assert (expected_releases(short, 30), expected_delay(short, 30)) == (0, None)


def test_more_for_buffering_is_less_waiting_and_more_noise() -> None:
    for name in ("paper", "sharp", "gaussian"):
        mine = [one for one in whole().swept if one.name == name]
        assert [one.split for one in mine] == list(FEW)
        assert all(b.waiting <= a.waiting for a, b in pairwise(mine))
        assert mine[0].noise < mine[-1].noise
        even = next(one for one in mine if one.split == Fraction(1, 2))
        assert (even.noise, even.waiting) == (planned(name).noise, planned(name).waiting)


def test_the_best_split_is_the_best_for_what_is_asked() -> None:
    swept = [SweptSplit("sharp", s, 2, w, n) for s, w, n in (
        (Fraction(1, 4), 90, Fraction(1)), (Fraction(1, 2), 50, Fraction(3, 2)), (Fraction(3, 4), 49, Fraction(9)),
    )]  # fmt: skip
    chosen = [best_split(swept, "sharp", named_objective(text)) for text in ("noise", "mix=1/2", "delay", "mix=1")]
    assert chosen == [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(3, 4)]
    assert best_split(swept, "paper", named_objective("noise")) == Fraction(1, 2)
    tied = [SweptSplit("sharp", Fraction(k, 8), 2, 7, Fraction(9 - k)) for k in (1, 2)]
    assert best_split(tied, "sharp", named_objective("delay")) == Fraction(1, 4)  # the other breaks the tie


@pytest.mark.in_turns
def test_auto_takes_the_best_of_what_was_tried_in_several_processes(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "SWEPT", (FEW[0], Fraction(3, 4)))
    asked = (*SMALL, "--split", "auto", "--minimise", "delay", "--json", "-")
    document = json.loads(plan(capfd, *asked, "--jobs", "2"))
    for name in ("paper", "sharp", "gaussian"):
        mine = [one for one in document["sweep"] if one["calibration"] == name]
        best = min(mine, key=lambda one: (one["backlog_worst"], Fraction(one["noise_per_coordinate"])))
        assert document[name]["split"] == best["split"]
    assert document["split"] == "auto"


def test_several_events_of_a_user_are_as_many_hops() -> None:
    found = user_guarantee(Fraction(1, 2), Fraction(1, 10**6), 4)
    assert (found.edits, found.epsilon) == (4, 2)
    assert float(found.delta) == pytest.approx(1e-6 * sum(exp(j / 2) for j in range(4)))
    again = user_guarantee(*found.each, 4)
    assert again.epsilon == Fraction(1, 2)
    assert again.delta == pytest.approx(1e-6)
    assert again.delta >= Fraction(1, 10**6)  # the sum is rounded up both times
    assert user_guarantee(Fraction(30), Fraction(1, 2), 9).delta == 1  # claims 12: capped
    assert [UserEvents(5, 400).within(t) for t in (1, 400, 401, 1201, 10**6)] == [1, 1, 2, 4, 5]
    user = planned("sharp").user
    assert (user.edits, user.epsilon) == (3, 24)  # 900 apart, three of them fit 2,000 events


def test_what_to_plan_for_is_rounded_down_and_what_is_kept_up() -> None:
    shown = list(sgd_sections(whole(), lambda _: None))
    rows = {one["title"]: one["rows"] for one in shown}
    for row, told, noise in zip(whole().made, rows["Several events of one user"], rows["Noise"], strict=True):
        epsilon, delta, for_epsilon, for_delta = (Fraction(cell.removeprefix(ROUNDED_UP)) for cell in told[2:])
        user = row.user
        assert epsilon >= user.epsilon
        assert delta >= user.delta
        assert Fraction(9, 10) * user.each[0] < for_epsilon <= user.each[0]
        assert Fraction(9, 10) * user.each[1] < for_delta <= user.each[1]
        assert user_guarantee(for_epsilon, for_delta, user.edits).delta <= row.calibration.proven
        assert Fraction(noise[4]) >= row.mu
        assert Fraction(noise[6]) >= row.calibration.proven


@pytest.mark.in_turns
def test_the_text_and_the_page_show_all_of_it(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["plan", "sgd", *SMALL, "--events-per-user", "2", "--html", str(tmp_path / "p.html"), "--jobs", "1"]
    monkeypatch.setattr("sys.argv", ["dpcert", *arguments])
    monkeypatch.setattr(plans, "SWEPT", FEW[1:])  # which the plan itself is made for
    out = plan(capfd, *arguments[2:])
    html = (tmp_path / "p.html").read_text(encoding="utf-8")
    for title in ("Waiting", "Noise", "Several events of one user", "The split of ε", "Waiting against noise"):
        assert f"\n{title}\n" in out
        assert title in html
    assert html.count("<svg") == html.count("noise a coordinate against") == 2
    assert "Not made" not in html
    pairs = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html, re.DOTALL))
    assert [pairs[name] for name in ("ε", "δ", "Horizon", "Split")] == ["8", "0.001", "2,000 events", "0.5"]
    assert pairs["Command"].startswith("dpcert plan sgd --epsilon 8")
    assert "dpcert" in html.partition('id="provenance"')[2]
    assert "thm:DP-comp" in out


def test_what_cannot_be_made_says_why_beside_what_can() -> None:
    row = SgdUnmade("paper", "Expected more.")
    partial = SgdPlan(question(), (row, *whole().made[1:]), ())
    document: Any = sgd_document(partial, "")
    jsonschema.validate(document, SCHEMA)
    assert document["paper"] == {"reason": "Expected more."}
    shown = list(sgd_sections(partial, lambda _: None))
    assert next(one["rows"] for one in shown if one["title"] == "Not made") == [["paper", "Expected more."]]
    assert "instead of" not in sgd_lead(partial)
    assert sgd_asked(question())["Step size"] == "0.5, 0.25 from bin 9"


@pytest.mark.in_turns
def test_other_sums_have_other_noise() -> None:
    for name, rounds in (("square-root", 40), ("band=8", 40)):
        core = named_core(name)(rounds, 1, 100)
        assert core.rounds == rounds
    one = sgd_planned(question(core="band=4", epsilon=Fraction(30), events=300, user=UserEvents(1)))
    assert all(row.squared_model_noise for row in one.made)
    assert GaussianShift.of_mu(one.made[0].mu).rho.upper > 0


def test_named_buffers_are_near_the_square_root() -> None:
    """Their largest error, of sensitivity and decoder, beside that of the square root and the tree, all certified."""
    largest, rounds, change = 1 << 23, 400, Fraction(1 << 18)
    error = {}
    for name in ("tree", "square-root", "blt=1", "blt=3", "blt=6"):
        core = named_core(name)(rounds, 1, largest)
        factor = squared_factor(core, Descent())
        assert factor is not None
        error[name] = float(core.shift(change, AdjacentBins())) / 2**core.row_bits * float(factor) ** 0.5
    assert error["blt=3"] < error["blt=1"] < error["tree"] / 2
    assert max(error["blt=3"], error["blt=6"]) < 1.02 * error["square-root"]


def test_momentum_has_the_noise_of_its_workload() -> None:
    """Against the decoder M R^-1 in floats, and the plain sums of a tree by the nodes of a prefix."""
    core: Any = named_core("band=4")(40, 1, 100)
    encoder = np.zeros((40, 40))
    for k, value in enumerate(core.encoder.values):
        encoder += np.diag(np.full(40 - k, value / 2**core.row_bits), -k)
    workload = np.array([[float(x) for x in row] for row in momentum_sums(40, Fraction(1, 2)).matrix()])
    rows = np.square(workload @ np.linalg.inv(encoder)).sum(axis=1)
    assert float(squared_factor(core, Descent(Fraction(1, 2))) or 0) == pytest.approx(rows.max())
    assert squared_factor(core, Descent(Fraction(1, 2), nesterov=True)) is None
    tree = named_core("tree")
    for rounds in (1, 2, 6, 7, 40):
        assert squared_factor(tree(rounds, 1, 1), Descent()) == max(t.bit_count() for t in range(1, rounds + 1))
    assert squared_factor(tree(8, 1, 1), Descent(Fraction(1, 2))) is None
    assert squared_factor(tree(8, 1, 1), Averaged()) is None


BAD = [
    (("--epsilon", "0", "--delta", "1/2"), "an epsilon above 0"),
    (("--epsilon", "1", "--delta", "1"), "delta=1"),
    ((*SMALL, "--split", "1"), "a split above 0 and below 1, which leaves something to both, but got split=1"),
    ((*SMALL, "--split", "0"), "a split above 0 and below 1, which leaves something to both, but got split=0"),
    ((*SMALL, "--split", "most"), "split='most'"),
    ((*SMALL, "--minimise", "all"), "noise, delay or mix=W but got minimise='all'"),
    ((*SMALL, "--minimise", "mix=2"), "a weight of waiting from 0 to 1"),
    ((*SMALL[:4], "--horizon", "20"), "the first bin's, but got horizon=20"),
    ((*SMALL[:4], "--horizon", "1000000000000"), "a horizon of at most 100000000 events (MOST_EVENTS)"),
    ((*SMALL, "--learning-rate", "0"), "a step size above 0 but got rate=0"),
    ((*SMALL, "--learning-rate", "-1"), "a step size above 0 but got rate=-1"),
    ((*SMALL, "--clip", "0"), "a clip above 0"),
    ((*SMALL, "--clip", "adaptive=0"), "a clip above 0, and a share of gradients"),
    ((*SMALL, "--clip", "adaptive="), "a number, adaptive or adaptive=START but got clip='adaptive='"),
    ((*SMALL, "--dimension", "0"), "dimension=0"),
    ((*SMALL, "--dimension", "999999999999"), "components but got dimension=999999999999"),
    ((*SMALL, "--core", "bush"), "a core (tree, square-root, band=B or blt=K) but got core='bush'"),
    ((*SMALL, "--core", "band=0"), "a band of at least 1 diagonal"),
    ((*SMALL, "--core", "blt=9"), "from 1 to 8 buffers but got core='blt=9'"),
    ((*SMALL, "--optimiser", "lion"), "any other needs its own audit (dpcert audit), but got optimiser='lion'"),
    ((*SMALL, "--events-per-user", "99999"), "from 1 to 10000 events of one user"),
    ((*SMALL, "--apart", "0"), "apart=0"),
    (("--epsilon", "0.001", "--delta", "1e-6"), "a larger delta"),
]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_bad_input_is_one_line(arguments: tuple[str, ...], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "sgd", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("dpcert: Expected ")
    assert err.count("\n") == 1
    assert said in err
