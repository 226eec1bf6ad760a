"""The cases of a suite are the product of its lists, section by section."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from instances.suites import FLIP, LEAK, repository

from dpcert import ArgumentError
from dpcert.audit.suites.case import Case, Status
from dpcert.audit.suites.expanding import suite


def cases(tmp_path: Path, text: str) -> dict[str, Case]:
    return {case.name: case for case in suite(str(repository(tmp_path, text))).cases}


def test_every_list_is_an_axis(tmp_path: Path) -> None:
    found = cases(
        tmp_path,
        """
        [audit.many]
        target = ["two-round", "primitives/flip.py:Flip"]
        params = { lie = ["1/4", "1/3"], fair = true }
        horizon = [2, "inf"]
        adjacency = ["hamming", "edit"]
        hops = [1, 2]
        challenge_round = 1
        """,
    )
    asked = {(c.target, c.parameters["lie"], c.horizon, c.adjacency, c.hops, c.challenge_round) for c in found.values()}
    targets = ("two-round", "primitives/flip.py:Flip")
    assert asked == set(product(targets, ("1/4", "1/3"), (2, "inf"), ("hamming", "edit"), (1, 2), (1,)))
    assert all(case.parameters["fair"] == "true" for case in found.values())
    assert "many[target=two-round,horizon=2,adjacency=hamming,hops=1,lie=1/4]" in found


def test_a_section_stands_over_the_defaults_and_a_case_over_its_section(tmp_path: Path) -> None:
    found = cases(
        tmp_path,
        """
        [defaults]
        horizon = 4
        max_positions = 7
        params = { a = 1, b = 1 }
        [audit.s]
        target = "two-round"
        horizon = 3
        params = { b = 2 }
        [[audit.s.case]]
        name = "control"
        status = "refuted"
        [[audit.s.case]]
        horizon = [1, 2]
        params = { b = 3 }
        """,
    )
    assert list(found) == ["s/control", "s/2[horizon=1]", "s/2[horizon=2]"]
    control, one, _ = found.values()
    assert (control.horizon, control.status, control.max_positions) == (3, Status.REFUTED, 7)
    assert control.parameters == {"a": "1", "b": "2"}
    assert (one.horizon, one.status, dict(one.parameters)) == (1, Status.HOLDS, {"a": "1", "b": "3"})


def test_a_pattern_finds_the_mechanisms_of_files_and_says_where_there_are_none(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "primitives" / "helpers.py").write_text("class NoMechanism:\n    pass\n", encoding="utf-8")
    (tmp_path / "primitives" / "two.py").write_text(
        "class _Base:\n    def law(self, prefix): ...\nclass B(_Base):\n    pass\nclass A(B):\n    pass\n",
        encoding="utf-8",
    )
    (tmp_path / "primitives" / "broken.py").write_text("class (", encoding="utf-8")
    file = tmp_path / "dpcert.toml"
    file.write_text("[audit.all]\ntarget = 'primitives/*.py'\n", encoding="utf-8")
    whole = suite(str(file))
    assert [case.target for case in whole.cases] == [
        "primitives/broken.py:broken",  # so that its audit says that it is no Python
        "primitives/flip.py:Flip",
        "primitives/leak.py:Leak",
        "primitives/two.py:B",
        "primitives/two.py:A",
    ]
    assert whole.idle == ("primitives/helpers.py",)
    file.write_text("[audit.all]\ntarget = '**/flip.py:Flip'\n", encoding="utf-8")
    assert [case.target for case in suite(str(file)).cases] == ["primitives/flip.py:Flip"]


def test_files_are_found_from_the_folder_of_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    repository(tmp_path / "deep")
    monkeypatch.chdir(tmp_path)
    case = suite("deep/dpcert.toml").cases[0]
    assert (case.target, case.place) == ("primitives/flip.py:Flip", "deep/primitives/flip.py:Flip")
    assert FLIP != LEAK


def test_a_case_is_enclosed_to_a_gap(tmp_path: Path) -> None:
    text = '[audit.long]\ntarget = "two-round"\ntier = "enclosed"\ngap = "1/1000"\n'
    (case,) = cases(tmp_path, text).values()
    assert (case.tier, case.gap) == ("enclosed", Fraction(1, 1000))
    for wrong in (text.replace("1/1000", "0"), text.replace("enclosed", "exact")):
        (folder := tmp_path / str(len(wrong))).mkdir()
        with pytest.raises(ArgumentError, match="a gap above 0"):
            cases(folder, wrong)
