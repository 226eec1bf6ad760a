"""Users outside the clone: their `audit`, `mechanisms` and `reports` stay theirs, and theirs do not shadow ours."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from instances.seeds import spread

pytestmark = pytest.mark.real("users")

Run = Callable[..., CompletedProcess[str]]

MARKOV = """\
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from audit import MARKER as AUDIT
from mechanisms import TRUTH
from reports import MARKER as REPORTS

from dpcert import Pmf, bernoulli


@dataclass(frozen=True)
class Mine:
    packages: tuple[str, ...] = (AUDIT, REPORTS)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def advance(self, state: int, x: int) -> int:
        return x

    def law(self, state: int) -> Pmf[int]:
        return bernoulli(TRUTH if state else 1 - TRUTH)
"""

PREFIX = """\
import random
import sys
from dataclasses import dataclass
from fractions import Fraction

LOADED_BEFORE = "wave" in sys.modules
import wave

from dpcert import Pmf, bernoulli


@dataclass(frozen=True)
class Mine:
    alphabet: tuple[int, ...] = (0, 1)
    standard_library: tuple[bool, ...] = (hasattr(random, "SystemRandom"), hasattr(wave, "Wave_read"))
    loaded_before: bool = LOADED_BEFORE

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return bernoulli(Fraction(5, 7) if prefix[-1] else Fraction(2, 7))
"""

SHADOW = 'raise RuntimeError(f"the file {__file__} shadows a module that is not the user\'s")\n'


@pytest.fixture(params=spread(["wheel", "clone"], 2))
def dpcert(request: pytest.FixtureRequest) -> Path:
    """The command, once as the wheel installs it and once from the environment of the clone."""
    scripts: Path = request.getfixturevalue(f"{request.param}_scripts")
    return scripts / "dpcert"


@pytest.fixture
def folder(tmp_path: Path, clone: Path) -> Path:
    """A user's folder, outside the clone."""
    folder = tmp_path / "research"
    folder.mkdir()
    assert clone not in folder.resolve().parents
    return folder


@pytest.fixture
def with_packages(folder: Path) -> Path:
    """The folder with `my.py`, and with packages whose names are those of our folders."""
    contents = {
        "audit": 'MARKER = "own audit"\n',
        "mechanisms": "from fractions import Fraction\n\nTRUTH = Fraction(5, 7)\n",
        "reports": 'MARKER = "own reports"\n',
    }
    for name, content in contents.items():
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(content, encoding="utf-8")
    (folder / "my.py").write_text(MARKOV, encoding="utf-8")
    return folder


def audited(run: Run, dpcert: Path, target: str, cwd: Path) -> dict[str, Any]:
    """The record of a three-round audit that holds."""
    done = run(dpcert, "audit", target, "--horizon", "3", "--json", "-", "--html", "page.html", cwd=cwd)
    assert (cwd / "page.html").stat().st_size > 0
    record: dict[str, Any] = json.loads(done.stdout)
    # Randomised response that keeps a bit with probability 5/7: one differing round shows 5/7 - 2/7.
    assert record["fixed_stream"]["total_variation"] == record["adaptive"]["total_variation"] == "3/7"
    assert (record["verdict"], record["scope"]["horizon"], record["target"]) == ("HOLDS", 3, target)
    return record


def test_the_command_of_the_clone_runs_the_clone(clone_scripts: Path, clone: Path, run: Run, tmp_path: Path) -> None:
    code = "import dpcert.audit; print(dpcert.audit.__file__)"
    place = run(clone_scripts / "python", "-c", code, cwd=tmp_path).stdout.strip()
    assert Path(place).resolve() == clone / "audit" / "__init__.py"


@pytest.mark.in_turns
def test_own_packages_win_from_within_the_folder(dpcert: Path, with_packages: Path, run: Run) -> None:
    record = audited(run, dpcert, "my.py:Mine", with_packages)
    assert "own audit" in record["parameters"]["packages"]
    assert "own reports" in record["parameters"]["packages"]
    assert record["location"]["file"] == "my.py"


@pytest.mark.in_turns
def test_own_packages_win_by_absolute_path(dpcert: Path, with_packages: Path, run: Run, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    record = audited(run, dpcert, f"{with_packages / 'my.py'}:Mine", elsewhere)
    assert "own audit" in record["parameters"]["packages"]


@pytest.mark.in_turns
def test_own_packages_win_from_the_root_of_a_clone(dpcert: Path, with_packages: Path, run: Run, snapshot: Path) -> None:
    target = f"{with_packages / 'my.py'}:Mine"
    done = run(dpcert, "audit", target, "--horizon", "3", "--json", "-", cwd=snapshot)
    assert "own audit" in json.loads(done.stdout)["parameters"]["packages"]


@pytest.mark.in_turns
def test_files_beside_the_target_shadow_nothing(dpcert: Path, folder: Path, run: Run) -> None:
    # wave, which nothing of ours needs, and matplotlib, which draws the page, are not loaded before the target is.
    for name in ("random", "wave", "matplotlib", "numpy", "dpcert", "audit", "mechanisms"):
        (folder / f"{name}.py").write_text(SHADOW, encoding="utf-8")
    (folder / "my.py").write_text(PREFIX, encoding="utf-8")
    parameters = audited(run, dpcert, "my.py:Mine", folder)["parameters"]
    assert parameters["loaded_before"] == "False"
    assert parameters["standard_library"] == "(True, True)"


@pytest.mark.parametrize("name", spread(["random", "audit", "mechanisms", "dpcert"], 2))
@pytest.mark.in_turns
def test_the_target_itself_may_have_the_name_of_a_module(dpcert: Path, folder: Path, run: Run, name: str) -> None:
    (folder / f"{name}.py").write_text(PREFIX, encoding="utf-8")
    record = audited(run, dpcert, f"{name}.py:Mine", folder)
    assert record["parameters"]["standard_library"] == "(True, True)"
