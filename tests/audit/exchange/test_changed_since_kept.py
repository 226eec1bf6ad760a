"""A kept audit is taken up only where nothing that it depends on has changed: code, options, dpcert, laws."""

import json
import sys
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from instances.kept_audits import CORE, HELPING, Audits, anew, lasting

from dpcert.audit.errors import ArgumentError
from dpcert.audit.exchange.asserting import MechanismAudit, NotShown
from dpcert.audit.kernels import targets
from dpcert.audit.outside.engine import engine
from dpcert.audit.outside.marks import changed
from dpcert.audit.outside.reach import reach
from dpcert.audit.records import unchanged
from dpcert.audit.records.reached import reached
from dpcert.mechanisms.two_round import TwoRound

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
    monkeypatch.setattr(unchanged, "engine", lambda: "another")
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
    seen = {engine.__wrapped__()}
    for name in ("room/a.py", "linked/b.py", "room/schema.json", "__init__.py", "room/page.j2"):
        (package / name).write_text("changed = 1", encoding="utf-8")
        seen.add(engine.__wrapped__())
    assert len(seen) == 6
    monkeypatch.setattr(sys, "version", "4")
    assert engine.__wrapped__() not in seen


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
