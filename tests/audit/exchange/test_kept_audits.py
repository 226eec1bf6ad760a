"""A kept audit says what a new one would, and is taken up only where nothing that it depends on has changed."""

import contextlib
import json
import random
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from instances.random_core import random_core
from instances.seeds import by_turns, chosen

from dpcert import _pytest, examine
from dpcert.audit.errors import ArgumentError, MechanismError
from dpcert.audit.examine import examination
from dpcert.audit.exchange import asserting, kept
from dpcert.audit.exchange.asserting import Auditor, MechanismAudit, NotShown
from dpcert.audit.exchange.kept import KeptAudits
from dpcert.audit.kernels import targets
from dpcert.audit.outside.marks import changed
from dpcert.audit.outside.reach import reach
from dpcert.audit.records.reached import reached
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.mechanisms.broken.correlated_seeds import CorrelatedSeeds
from dpcert.mechanisms.broken.hidden_counter import HiddenCounter
from dpcert.mechanisms.broken.wall_clock import WallClock
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.two_round import TwoRound

CORE = """
from fractions import Fraction
from dpcert import bernoulli, Pmf
import helping

RATE = Fraction(1, 4)
TABLE = {"low": Fraction(1, 8), "of": helping.half}

class Label:
    def __init__(self, y): self.y = y
    def __eq__(self, other): return self.y == other.y
    def __hash__(self): return hash(self.y)

class Core:
    "A core."
    alphabet = (0, 1)
    shift = Fraction(1, 16)

    def __init__(self, truth: Fraction = Fraction(1, 2)):
        self.truth = truth

    def law(self, prefix, more=Fraction(1, 32)):
        return bernoulli(helping.half(RATE + more) + self.shift + (TABLE["low"] if prefix[-1] else 0) * self.truth)
"""
HELPING = """
def half(value):
    return value / 2
"""


@pytest.fixture(autouse=True)
def _every_audit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST_KEPT", 0)
    monkeypatch.setattr(kept, "PART_OF_AUDIT", Fraction(1, 10**6))
    monkeypatch.setattr(kept, "BYTES_A_MILLISECOND", 10**9)


class Audits:
    """A folder of kept audits, and audits as test after test, run after run, make them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = KeptAudits(folder)

    def new_run(self) -> "Audits":
        return Audits(self.folder)

    def audit(self, mechanism: object, **asked: Any) -> MechanismAudit:
        return Auditor("test", lambda *_: None, lambda _: None, self.run).audit(mechanism, **asked)


@pytest.fixture
def audits(tmp_path: Path) -> Audits:
    return Audits(tmp_path / "kept")


def lasting(record: Any) -> dict[str, Any]:
    """A record without what differs between two runs."""
    return {key: value for key, value in record.document.items() if key != "provenance"}


def anew(mechanism: object, **asked: Any) -> dict[str, Any]:
    return lasting(Auditor("test", lambda *_: None, lambda _: None).audit(mechanism, **asked).record)


@pytest.mark.parametrize("seed", chosen(range(16)))
def test_random_mechanisms_say_the_same_with_and_without(seed: int, audits: Audits) -> None:
    mechanism = random_core(seed, 2, 2, 2) if seed % 2 else random_interactive(seed, 2, 2, 2, seed % 4 == 0)[0]
    due = anew(mechanism, horizon=2)
    said: list[list[str]] = []
    for run in (audits, audits, audits.new_run(), audits.new_run()):
        found = run.audit(mechanism, horizon=2)
        assert lasting(found.record) == due
        said.append([tried(lambda found=found: found.require_no_gap()), tried(found.require_certified)])
        said[-1].append(tried(lambda found=found: found.require_delta(exp_epsilon=2, delta="1/3")))
        said[-1].append(tried(lambda found=found: found.require_claim(epsilon=3, delta="1/5")))
        said[-1] += [f"{check.name} {check.result} {check.detail} {check.witness}" for check in found.checks]
        taken = run.run.taken
    assert said[0] == said[1] == said[2] == said[3]
    assert taken == 1, "or nothing here is about what is kept"


def tried(require: Callable[[], object]) -> str:
    try:
        require()
    except NotShown as error:
        return str(error)
    return ""


def test_what_holds_is_not_decided_again(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    audits.audit(TwoRound()).require_delta(exp_epsilon=1, delta="991/10000").require_claim(epsilon=2, delta="1/10")
    later = audits.new_run()
    monkeypatch.setattr("dpcert.audit.exchange.asserting.examination", None)
    found = later.audit(TwoRound()).require_claim(epsilon=2, delta="1/10").require_delta(exp_epsilon=1, delta="0.0991")
    assert [check.result.value for check in found.checks] == ["passed", "passed"]
    assert found.record["requirements"] == []
    assert found.record["headline"]["badge"] == "GAP"
    monkeypatch.undo()
    with pytest.raises(NotShown, match="Exceeded by 91/10000: an adversary reaches delta 991/10000"):
        later.audit(TwoRound()).require_delta(exp_epsilon=1, delta="0.09")
    with pytest.raises(NotShown, match="no gap"):
        audits.new_run().audit(TwoRound()).require_no_gap()


def test_the_adversary_of_a_failure_is_that_of_the_same_audit(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a slope that no record has, and at one that it has; nothing is audited once more for it."""
    count = 0

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        return examination(*arguments, **options)

    monkeypatch.setattr(asserting, "examination", counted)
    audit = audits.new_run().audit(TwoRound())
    for exp_epsilon in ("5/4", "1"):
        with pytest.raises(NotShown, match="An adversary reaches delta") as failure:
            audit.require_delta(exp_epsilon=exp_epsilon, delta=0)
        (reached,) = re.findall(r"An adversary reaches delta (\S+) at e\^eps = (\S+) ", str(failure.value))
        record = examine(TwoRound(), exp_epsilons=[Fraction(exp_epsilon)])
        assert reached == (record["adaptive"]["delta"][0]["lower"], exp_epsilon)
    assert count == 1


CHANGES = {
    "a global": ("RATE = Fraction(1, 4)", "RATE = Fraction(1, 5)"),
    "an item of a table with functions": ("Fraction(1, 8)", "Fraction(1, 9)"),
    "an attribute of the class": ("shift = Fraction(1, 16)", "shift = Fraction(1, 17)"),
    "a default of a parameter": ("truth: Fraction = Fraction(1, 2)", "truth: Fraction = Fraction(1, 3)"),
    "a default of an argument": ("more=Fraction(1, 32)", "more=Fraction(1, 33)"),
    "code": ("prefix[-1] else", "prefix[0] else"),
    "the alphabet": ("alphabet = (0, 1)", "alphabet = (0, 1, 2)"),
    "the place": ("class Core", "\nclass Core"),
    "the docstring": ("A core.", "The core."),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "core.py").write_text(CORE, encoding="utf-8")
    (tmp_path / "helping.py").write_text(HELPING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "helping", raising=False)
    return tmp_path


@pytest.mark.in_turns
@pytest.mark.parametrize("what", CHANGES)
def test_a_change_in_the_user_s_file_is_audited_anew(what: str, project: Path, audits: Audits) -> None:
    audits.audit("core.py:Core", horizon=2)
    again = audits.new_run()
    again.audit("core.py:Core", horizon=2)
    assert again.run.taken == 1
    changed = CORE.replace(*CHANGES[what], 1)
    assert changed != CORE
    (project / "core.py").write_text(changed, encoding="utf-8")
    after = audits.new_run()
    assert lasting(after.audit("core.py:Core", horizon=2).record) == anew("core.py:Core", horizon=2)
    assert after.run.taken == 0


def test_a_change_in_what_the_file_imports_is_audited_anew(project: Path, audits: Audits) -> None:
    before = lasting(audits.audit("core.py:Core", horizon=2).record)
    (project / "helping.py").write_text(HELPING.replace("/ 2", "/ 3"), encoding="utf-8")
    sys.modules.pop("helping")
    after = audits.new_run()
    found = lasting(after.audit("core.py:Core", horizon=2).record)
    assert (after.run.taken, found["source_digest"]) == (0, before["source_digest"])
    assert found["kernel_digest"] != before["kernel_digest"]


@pytest.mark.in_turns
@pytest.mark.parametrize(
    "other",
    [
        {"horizon": 1}, {"hops": 2}, {"challenge_round": 1}, {"adjacency": "edit"}, {"adjacency": "any"},
        {"deltas": (1,)},        {"exp_epsilons": (Fraction(2),)}, {"epsilons": (Fraction(1),)}, {"max_positions": 100},
        {"target": "another"},        {"parameters": {"p": 1}},
    ],
    ids=str,
)  # fmt: skip
def test_another_option_is_audited_anew(other: dict[str, Any], audits: Audits) -> None:
    asked: dict[str, Any] = {"horizon": 2}
    audits.audit(TwoRound(), **asked)
    found = audits.audit(TwoRound(), **(asked | other))
    assert audits.run.taken == 0
    assert lasting(found.record) == anew(TwoRound(), **(asked | other))
    audits.audit(TwoRound(), **asked)
    assert audits.run.taken == 1


def test_another_dpcert_audits_anew(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    audits.audit(TwoRound())
    monkeypatch.setattr(kept, "engine", lambda: "another")
    later = audits.new_run()
    later.audit(TwoRound())
    assert later.run.taken == 0


def test_the_engine_is_every_file_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    (package / "room").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (package / "linked").symlink_to(tmp_path / "elsewhere")
    (package / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(sys.modules["dpcert"], "__file__", str(package / "__init__.py"))
    seen = {kept.engine.__wrapped__()}
    for name in ("room/a.py", "linked/b.py", "room/schema.json", "__init__.py", "room/page.j2"):
        (package / name).write_text("changed = 1", encoding="utf-8")
        seen.add(kept.engine.__wrapped__())
    assert len(seen) == 6
    monkeypatch.setattr(sys, "version", "4")
    assert kept.engine.__wrapped__() not in seen


def test_laws_that_are_no_longer_what_they_were_are_audited_anew(audits: Audits) -> None:
    """Were something missing in the digest of the code: another digest of the laws stands in what was kept."""
    audits.audit(TwoRound())
    (path,) = audits.folder.iterdir()
    text = path.read_text(encoding="utf-8").partition("\n")[2]
    head, _, body = text.partition("\n")
    other = json.dumps(json.loads(head) | {"laws": "0" * 64}) + "\n" + body
    path.write_text(f"{sha256(other.encode()).hexdigest()}\n{other}", encoding="utf-8")
    later = audits.new_run()
    assert lasting(later.audit(TwoRound()).record) == anew(TwoRound())
    assert later.run.taken == 0


class Relation:
    """Hamming, in the user's own words."""

    name, initial = "mine", False

    def legal(self, state: Any, round_: int, alphabet: Any) -> Any:
        return HAMMING.legal(state, round_, alphabet)


@pytest.mark.parametrize(
    ("mechanism", "asked"),
    [
        (TwoRound(), {"max_seconds": 60}), (TwoRound(), {"adjacency": Relation()}), (TwoRound(), {"max_positions": 2}),
        (TwoRound(), {"adjacency": ChallengeAt(HAMMING, 1)}), (RandBinToy(), {"game": "npp", "horizon": 2}),
        ("randomized-response", {"horizon": "inf"}), (CorrelatedSeeds(), {"horizon": 2}), (WallClock(), {"horizon": 2}),
        (HiddenCounter(), {"horizon": 2}), (TwoRound(), {"exp_epsilons": iter((Fraction(1),))}),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, (str, dict)) else str(value)[:30],
)  # fmt: skip
def test_what_is_not_kept(mechanism: Any, asked: dict[str, Any], audits: Audits) -> None:
    audits.audit(mechanism, **asked)
    assert audits.run.known == {}
    assert not audits.folder.exists()


OUTSIDE = {
    "random": "import random\ndef f(): return random.random() * 0",
    "environment": "import os\ndef f(): return len(os.environ) * 0",
    "a file": "def f():\n    with open('data', 'w'): return 0",
    "the time": "import time\ndef f(): return int(time.time() * 0)",
    "a generator": "g = (0 for _ in iter(int, 1))\ndef f(): return next(g)",
    "eval": "def f(): return eval('0')",
}


@pytest.mark.in_turns
@pytest.mark.parametrize("what", OUTSIDE)
def test_code_that_leads_outside_is_not_kept(what: str, project: Path, audits: Audits) -> None:
    law = "        return bernoulli(Fraction(1 + f(), 2))"
    head = f"from fractions import Fraction\nfrom dpcert import bernoulli\n{OUTSIDE[what]}\n"
    text = f"{head}class Mine:\n    alphabet = (0, 1)\n    def law(self, prefix):\n{law}\n"
    (project / "outside.py").write_text(text, encoding="utf-8")
    with contextlib.suppress(MechanismError):
        audits.audit("outside.py:Mine", horizon=1)
    assert audits.run.known == {}


def test_a_mechanism_that_is_a_tuple_or_holds_a_cache_has_its_code_read_or_none() -> None:
    from typing import NamedTuple

    class Tuple(NamedTuple):
        alphabet: tuple[int, ...] = (0, 1)

        def law(self, prefix: Any) -> Any: ...

    assert reached(Tuple()) is None
    assert reached(TwoRound()) == reached(TwoRound()) != reached(TwoRound((Fraction(1, 2), Fraction(1, 3))))


def test_what_a_metaclass_holds_is_part_of_what_is_reached() -> None:
    class Meta(type):
        rate = Fraction(1, 64)

    class Core(metaclass=Meta):
        alphabet = (0, 1)

        def law(self, prefix: Any) -> Any: ...

    core = Core()
    before, marks = reached(core), reach(core).marks()
    assert before == reached(core) is not None
    Meta.rate = Fraction(1, 65)
    assert before != reached(core)
    assert changed(marks, reach(core).marks()) == ["Meta.rate"]


def test_a_hundred_damaged_files_are_audited_anew_and_never_believed(audits: Audits) -> None:
    audits.audit(TwoRound()).require_delta(exp_epsilon=1, delta="1/2")
    due, rng = anew(TwoRound()), random.Random(1)
    (path,) = audits.folder.iterdir()
    whole = path.read_bytes()
    for _ in range(100):
        damaged = mutated(whole, rng)
        assert damaged != whole
        path.write_bytes(damaged)
        assert KeptAudits(path.parent).find(path.name) is None
    later = audits.new_run()
    assert lasting(later.audit(TwoRound()).record) == due
    assert later.run.taken == 0
    assert KeptAudits(path.parent).find(path.name) is not None


def mutated(whole: bytes, rng: random.Random) -> bytes:
    at, other = rng.randrange(len(whole)), rng.randrange(1, 256)
    kind = rng.randrange(5)
    if kind == 0:
        return whole[:at] + bytes([whole[at] ^ other]) + whole[at + 1 :]
    if kind == 1:
        return whole[:at]
    if kind == 2:
        return whole[:at] + bytes(rng.randrange(256) for _ in range(5)) + whole[at:]
    if kind == 3:
        return whole[:at] + whole[at + 7 :]
    digit = rng.choice([i for i, c in enumerate(whole) if chr(c).isdigit()])
    return whole[:digit] + str((whole[digit] - 48 + rng.randrange(1, 10)) % 10).encode() + whole[digit + 1 :]


FORGED = {
    "delta": lambda d: d["adaptive"]["delta"][0].update(lower="0", upper="0"),
    "the power function": lambda d: d["adaptive"].update(power=[["0", "0"], ["1", "1"]]),
    "total variation": lambda d: d["adaptive"].update(total_variation="0"),
    "the gap": lambda d: d["lifts"]["curve"].update(verdict="HOLDS", witness={}),
    "a certificate": lambda d: [entry.update(verdict="HOLDS") for entry in d["checklist"]],
    "the source": lambda d: d.update(source_digest="sha256:" + "0" * 64),
    "a requirement": lambda d: d["requirements"][0].update(verdict="REFUTED"),
    "no requirement": lambda d: d.update(requirements=[]),
    "a key": lambda d: d.pop("scope"),
}


@pytest.mark.in_turns
@pytest.mark.parametrize("what", FORGED)
def test_a_forged_record_that_contradicts_itself_is_not_believed(what: str, audits: Audits) -> None:
    audits.audit(TwoRound()).require_delta(exp_epsilon=1, delta="1/2")
    (path,) = audits.folder.iterdir()
    head, _, body = path.read_text(encoding="utf-8").partition("\n")[2].partition("\n")
    document = json.loads(body)
    FORGED[what](document)
    rest = f"{head}\n{json.dumps(document)}"
    path.write_text(f"{sha256(rest.encode()).hexdigest()}\n{rest}", encoding="utf-8")
    later = audits.new_run()
    assert lasting(later.audit(TwoRound()).record) == anew(TwoRound())
    assert later.run.taken == 0


def test_an_audit_that_is_not_read_in_time_is_not_tried_again(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "BYTES_A_MILLISECOND", 0)
    audits.audit(TwoRound())
    (path,) = audits.folder.iterdir()
    assert path.read_bytes() == b""
    monkeypatch.setattr(kept, "BYTES_A_MILLISECOND", 10**9)
    later = audits.new_run()
    later.audit(TwoRound()).require_delta(exp_epsilon=1, delta=1)
    assert (later.run.taken, path.read_bytes()) == (0, b"")
    later.audit(TwoRound())
    assert later.run.taken == 1


def test_quick_audits_are_not_kept(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST_KEPT", 10**6)
    audits.audit(TwoRound())
    assert audits.run.known == {}


def test_the_oldest_go_where_there_are_too_many(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_KEPT", 2)
    for exp_epsilon in (2, 3, 4):
        audits.audit(TwoRound(), exp_epsilons=(Fraction(exp_epsilon),))
    assert len(list(audits.folder.iterdir())) == 2


def test_what_a_test_changes_in_its_record_changes_no_other(audits: Audits) -> None:
    due = anew(TwoRound())
    for run in (audits, audits, audits.new_run(), audits.new_run()):
        record: Any = run.audit(TwoRound()).record
        assert lasting(record) == due
        record.document["adaptive"]["delta"].clear()


def test_without_pytest_s_cache_nothing_is_written(tmp_path: Path) -> None:
    assert _pytest._folder(SimpleNamespace()) is None  # type: ignore[arg-type]

    def mkdir(name: str) -> Path:
        (tmp_path / "file").touch()
        (tmp_path / "file" / name).mkdir()
        return tmp_path

    assert _pytest._folder(SimpleNamespace(cache=SimpleNamespace(mkdir=mkdir))) is None  # type: ignore[arg-type]


TESTS = """
import pytest
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound

@pytest.mark.parametrize("horizon", [1, 2])
def test_response(dpcert, horizon):
    dpcert.audit(RandomizedResponse(), horizon=horizon).require_certified()

def test_two_rounds(dpcert):
    dpcert.audit(TwoRound()).require_no_gap()
"""
CONFTEST = """
from fractions import Fraction
from dpcert import _pytest, examine
from dpcert.audit.errors import ArgumentError, MechanismError
from dpcert.audit.examine import examination
from dpcert.audit.exchange import asserting, kept
kept.LEAST_KEPT, kept.PART_OF_AUDIT, kept.BYTES_A_MILLISECOND = 0, Fraction(1, 10**6), 10**9
"""


@by_turns(2, 1)
def test_runs_of_pytest_share_what_is_kept_until_it_is_cleared(tmp_path: Path) -> None:
    (tmp_path / "test_privacy.py").write_text(textwrap.dedent(TESTS), encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")

    def ran(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
        return next((line for line in done.stdout.splitlines() if "from pytest's cache" in line), "")

    taken = "3 of 3 audits were taken from pytest's cache; --cache-clear makes them anew"
    assert ran("--dpcert-report", "first") == ""
    assert ran("-n", "2", "--dpcert-report", "second") == taken
    assert ran("--cache-clear") == ""
    reports = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("first", "second")]
    assert len(reports[0]) == 5
    for report in reports:
        report["index.html"] = re.sub(rb"20\d\d-\d\d-\d\dT[0-9:+]*", b"TIME", report["index.html"])
    assert reports[0] == reports[1]


def test_what_is_asked_of_an_audit_is_never_answered_by_a_changed_mechanism(project: Path, audits: Audits) -> None:
    def required(run: Audits) -> MechanismAudit:
        module = load(project)
        found = run.audit(module.Core(), horizon=2)
        module.Core.shift = Fraction(1, 16)
        module.TABLE["low"] = Fraction(0)  # no release tells anything from here on
        return found.require_delta(exp_epsilon=1, delta=0)

    with pytest.raises(NotShown, match="Exceeded"):
        required(audits)
    again = audits.new_run()
    with pytest.raises(ArgumentError, match="it has changed since"):
        required(again)
    assert again.run.taken == 1
    for run in (again, audits.new_run()):  # where nothing is kept of it any longer, memory and folder alike
        with pytest.raises(NotShown, match="Exceeded"):
            required(run)
        assert run.run.taken == (1 if run is again else 0)


def load(project: Path) -> Any:
    return targets.find(f"{project / 'core.py'}:Core", {}) and sys.modules["dpcert_target_core"]
