"""Black boxes audited: refuted or estimated, replayed, the same in any number of processes, and never said to hold."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.black_boxes import Faulty, FaultyStreams, NoisyCounter, NoisyNumbers

from dpcert import ArgumentError, Budget, MechanismError, Requirements, Sampling, claim, estimate, examine
from dpcert.audit.commands.cli import run
from dpcert.audit.records.contract import RecordDocument
from dpcert.audit.records.record import Record, read
from dpcert.audit.sampled.fitting import Candidate
from dpcert.audit.sampled.policy import Policy
from dpcert.audit.sampled.replay import replayed
from dpcert.mechanisms.broken.peeking_value import CountedAnswers, PeekingValue

HERE = Path(__file__).parents[2] / "instances" / "black_boxes.py"
FEW = Sampling(runs=1_000)
QUICK = ["--tier", "sampled", "--runs", "1000"]


def asking(*claims: str, **more: Any) -> Requirements:
    return Requirements(tuple(map(claim, claims)), **more)


@pytest.fixture(scope="module")
def counted() -> Record:
    return estimate(NoisyCounter(), sampling=FEW, requirements=asking("eps=1,delta=0.1"))


def test_a_broken_mechanism_is_refuted_and_its_repaired_twin_is_not() -> None:
    asked = asking("eps=1.2,delta=0")
    broken = estimate(PeekingValue(), horizon=2, sampling=FEW, requirements=asked)
    repaired = estimate(CountedAnswers(), horizon=2, sampling=FEW, requirements=asked)
    exact = examine(CountedAnswers(), horizon=2, requirements=asked)
    assert [broken["verdict"], repaired["verdict"], exact["verdict"]] == ["REFUTED", "UNDECIDED", "HOLDS"]
    finding = broken["requirements"][0]
    assert finding["method"] == "SAMPLED"
    assert finding["witness"]["confidence"] == "999/1000"
    assert "confidence 0.999" in finding["detail"]


@pytest.mark.in_turns(few=True)
def test_the_witness_is_played_again_from_the_record_alone(counted: Record) -> None:
    hits = [tuple(test["hits"]) for test in counted["sampled"]["tests"]]
    assert replayed(NoisyCounter(), json.loads(counted.to_json())) == hits

    class Other(NoisyCounter):
        """Noise of another sign."""

        def step(self, x: int) -> int:
            return 2 * x - super().step(x)

    assert replayed(Other(), counted.document) != hits


def test_bounds_on_shares_are_rounded_outward_and_what_they_say_of_delta_down(counted: Record) -> None:
    rows = counted["sections"][0]["rows"]
    assert len(rows) == len(counted["sampled"]["tests"]) > 1
    found, inexact = counted["sampled"]["tests"], 0
    for row, one in zip(rows, found, strict=True):
        low, high = map(Fraction, one["shares"] if row[1] == "0-1" else one["shares"][::-1])
        said = {end: Fraction(share) for end, _, share in (cell.rpartition(" ") for cell in row[5:7])}
        assert said["at least"] <= low < said["at least"] + Fraction(1, 10**5)
        assert high <= said["at most"] < high + Fraction(1, 10**5)
        delta = low - Fraction(one["exp_epsilon"]) * high
        assert Fraction(row[7]) <= delta
        inexact += Fraction(row[7]) < delta
    assert inexact


@pytest.mark.in_turns
def test_numbers_are_cut_and_played_again() -> None:
    record = estimate(NoisyNumbers(), horizon=1, exp_epsilons=[1], sampling=Sampling(runs=4_000))
    lower = Fraction(record["adaptive"]["delta"][0]["lower"])
    assert Fraction(1, 5) < lower < Fraction(3830, 10_000)  # 2 Phi(1/2) - 1
    assert record["sampled"]["classes"][0]["cuts"]
    assert replayed(NoisyNumbers(), record.document) == [tuple(test["hits"]) for test in record["sampled"]["tests"]]


@pytest.mark.in_turns
def test_processes_change_nothing() -> None:
    one, two = (estimate(NoisyCounter(), sampling=Sampling(runs=1_600, jobs=jobs)).document for jobs in (1, 2))
    assert {**one, "provenance": None} == {**two, "provenance": None}


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    "asked",
    [
        asking(),
        asking("eps=1,delta=1"),
        asking("eps=1,delta=0", slack=Fraction(1)),
        asking("rho=10000", "mu=10000"),
        asking(no_gap=True, certified=True),
    ],
)
def test_nothing_is_said_to_hold(asked: Requirements) -> None:
    record = estimate(NoisyCounter(), sampling=FEW, requirements=asked)
    assert record["verdict"] == "UNDECIDED"
    assert '"HOLDS"' not in record.to_json()
    assert record.exit_status == 3


def test_a_record_reads_as_it_was_written_and_says_its_confidence(counted: Record) -> None:
    assert read(counted.to_json()) == counted
    for text in (counted.to_text(), counted.to_html(), counted.to_markdown()):
        assert "confidence 0.999" in text
    page = counted.to_html()
    assert "What the test runs show" in page
    assert "A policy and its event" in page
    assert "the sampler that draws from these laws" not in page


def forged(change: Callable[[Any], None], record: Record) -> str:
    document = json.loads(record.to_json())
    change(document)
    return json.dumps(document)


def fewer_hits(document: Any) -> None:
    test = document["sampled"]["tests"][0]
    test["hits"] = [test["runs"] // 2, test["runs"] // 2]


def more_confidence(document: Any) -> None:
    document["sampled"]["confidence"] = "999999/1000000"
    document["requirements"][0]["witness"]["confidence"] = "999999/1000000"


def holding(document: Any) -> None:
    document["lifts"]["pure"] |= {"verdict": "HOLDS", "method": "BY_CONSTRUCTION"}


def exact(document: Any) -> None:
    del document["sampled"]


def by_exhaustion(document: Any) -> None:
    document["requirements"][0]["method"] = "EXHAUSTIVE"


def more_runs(document: Any) -> None:
    document["sampled"]["runs"] = 10


def in_circles(document: Any) -> None:
    document["sampled"]["tests"][0]["nodes"][0]["ways"][0] = {"next": 0, "in_event": None}


@pytest.mark.parametrize(
    "change",
    [fewer_hits, more_confidence, holding, exact, by_exhaustion, more_runs, in_circles],
    ids=lambda f: f.__name__,
)
def test_a_record_that_says_more_than_its_runs_is_refused(change: Callable[[Any], None], counted: Record) -> None:
    with pytest.raises(ArgumentError, match="agrees with itself"):
        read(forged(change, counted))


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        (Faulty("raises"), "ZeroDivisionError"),
        (Faulty("a list"), "hashable output"),
        (Faulty("an array"), "hashable output"),
        (Faulty("its own entropy"), "answer the same to the same generator"),
        (Faulty("a memory"), "answer the same to the same generator"),
        (FaultyStreams("too few"), "outputs in order"),
        (FaultyStreams("no sequence"), "one output a round"),
        (FaultyStreams("a text"), "outputs in order"),
        (FaultyStreams("looks ahead"), "begin with the outputs"),
        (object(), "a sampler with `alphabet`"),
        (Faulty, "call it first"),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_what_is_no_sampler_is_refused_in_one_line(sampler: object, said: str) -> None:
    with pytest.raises(MechanismError, match=said) as caught:
        estimate(sampler, sampling=Sampling(runs=200))
    assert "\n" not in str(caught.value)


def test_a_bound_on_the_time_leaves_everything_open() -> None:
    record = estimate(NoisyCounter(), budget=Budget(max_seconds=1, allowed=1), requirements=asking("eps=1,delta=0.1"))
    assert record["verdict"] == "UNDECIDED"
    assert record["scope"]["stopped"] == "--max-seconds 1 was reached"
    assert record["sampled"]["tests"] == []
    assert read(record.to_json()) == record


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([f"{HERE}:NoisyCounter", *QUICK, "--claim", "eps=1,delta=0.1"], 1),
        ([f"{HERE}:NoisyCounter", *QUICK, "--claim", "eps=1,delta=1"], 3),
        ([f"{HERE}:NoisyNumbers", *QUICK, "--horizon", "1", "--jobs", "2", "--seed", "5", "--confidence", "0.9"], 3),
        ([f"{HERE}:Faulty", *QUICK, "--param", "kind=raises"], 2),
        ([f"{HERE}:NoisyCounter"], 2),
        (["two-round", "--runs", "1000"], 2),
        (["two-round", "--jobs", "2"], 2),
        (["two-round", "--tier", "sampled", "--runs", "10"], 2),
        (["two-round", *QUICK, "--confidence", "1"], 2),
        (["two-round", *QUICK, "--game", "npp"], 2),
        (["two-round", *QUICK, "--adjacency", "edit"], 2),
        (["randomized-response", *QUICK, "--horizon", "inf"], 2),
        (["two-round", *QUICK, "--certificate", "-"], 2),
        (["two-round", *QUICK, "--gap", "0.1"], 2),
    ],
)
def test_the_command_ends_as_it_should(arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", *arguments, "--quiet"]) == status
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def suite(folder: Path, status: str) -> list[str]:
    """A suite of two black boxes and a mechanism, as arguments."""
    file = folder / "dpcert.toml"
    file.write_text(
        f"""
        [defaults]
        horizon = 2
        [audit.counter]
        target = "{HERE}:NoisyCounter"
        tier = "sampled"
        runs = 1000
        claim = "eps=1,delta=0.1"
        status = "refuted"
        [audit.open]
        target = "two-round"
        tier = "sampled"
        runs = 400
        confidence = 0.9
        seed = 3
        claim = ["eps=1,delta=1", "eps=9,delta=0.5"]
        status = "{status}"
        [audit.exact]
        target = "two-round"
        claim = "eps=9,delta=0.5"
        """
    )
    return ["audit", "--suite", str(file)]


@pytest.mark.in_turns
def test_a_suite_holds_black_boxes_to_be_refuted_or_open(tmp_path: Path) -> None:
    lines = tmp_path / "suite.jsonl"
    assert run([*suite(tmp_path, "undecided"), "--json", str(lines), "--quiet"]) == 0
    assert run([*suite(tmp_path, "holds"), "--quiet"]) != 0
    found = {one["case"]: one["record"] for one in map(json.loads, lines.read_text().splitlines()) if "record" in one}
    assert {name: record["verdict"] for name, record in found.items()} == {
        "counter": "REFUTED",
        "open": "UNDECIDED",
        "exact": "HOLDS",
    }
    assert '"HOLDS"' not in json.dumps([found["counter"], found["open"]])


@pytest.mark.in_turns
def test_a_baseline_keeps_no_number_of_a_black_box_and_never_that_it_holds(tmp_path: Path) -> None:
    lock = tmp_path / "dpcert.lock"
    arguments = [*suite(tmp_path, "any"), "--baseline", str(lock), "--quiet"]
    assert run([*arguments, "--update-baseline"]) == 0
    assert run(arguments) == 0
    mine = [line for line in lock.read_text().splitlines() if "tier=sampled" in line]
    assert len({line.split("\t")[0] for line in mine}) == 2
    assert not any("HOLDS" in line or "delta at e^eps" in line or "kernel" in line for line in mine)
    assert any("delta at e^eps" in line for line in lock.read_text().splitlines())


@pytest.mark.parametrize("key", ["runs = 1000", "confidence = 0.9", "seed = 2", 'tier = "sampled"\nruns = 5'])
def test_keys_of_samples_are_checked(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dpcert.toml").write_text(f'[audit.one]\ntarget = "two-round"\n{key}\n')
    assert run(["audit", "--suite", str(tmp_path / "dpcert.toml")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_keys_are_written_in_the_order_of_the_type(counted: Record) -> None:
    keys = [key for key in RecordDocument.__annotations__ if key not in ("page", "context")]
    assert list(counted.document) == keys


def test_policies_are_chosen_at_slopes_that_no_float_knows_as_well() -> None:
    never, seldom = (Candidate(Fraction(10**400), "0-1", Policy(()), (0.5, other)) for other in (0.0, 1e-250))
    assert never.gain == 0.5 > 0 > seldom.gain


@pytest.mark.in_turns
def test_nothing_is_found_at_a_slope_that_no_float_knows() -> None:
    record = estimate(NoisyCounter(), horizon=1, exp_epsilons=[1, 10**400], sampling=Sampling(runs=100))
    assert Fraction(record["adaptive"]["delta"][1]["lower"]) == 0
    assert record["verdict"] == "UNDECIDED"
