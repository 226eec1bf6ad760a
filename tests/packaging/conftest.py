"""One snapshot, one build, one environment of each kind, for the whole folder: real tools, nothing downloaded."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from instances.once import once

Run = Callable[..., subprocess.CompletedProcess[str]]

CLONE = Path(__file__).resolve().parents[2]
SECONDS = 600


@pytest.fixture(scope="session")
def clone() -> Path:
    """The root of the work tree that these tests belong to."""
    return CLONE


@pytest.fixture(scope="session")
def run() -> Run:
    """run(*command, cwd=folder, status=0): a process whose exit status was the expected one."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GIT_"))}
    environment["PYTEST_ADDOPTS"] = "-p no:hypothesispytest"  # needed by no test here, and slow to read

    def run(*command: str | Path, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in command]
        done = subprocess.run(
            words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == status, f"{words} gave status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture(scope="session")
def snapshot(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of every file that git tracks or would track, links kept as links, so that the work tree stays clean."""
    _need(shutil.which("git") is not None, "git")
    return once(tmp_path_factory, "snapshot", partial(_copy, run)) / "dpcert"


def _copy(run: Run, folder: Path) -> None:
    listed = run("git", "ls-files", "-coz", "--exclude-standard", cwd=CLONE).stdout.split("\0")
    for name in filter(None, listed):
        if os.path.lexists(CLONE / name):  # a tracked file may be deleted in the work tree
            (folder / "dpcert" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CLONE / name, folder / "dpcert" / name, follow_symlinks=False)


@pytest.fixture(scope="session")
def distributions(snapshot: Path, run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the sdist, and with the wheel that was built from the unpacked sdist."""
    _need(importlib.util.find_spec("build") is not None, "build")

    def build(folder: Path) -> None:
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, snapshot, cwd=folder)

    return once(tmp_path_factory, "distributions", build)


@pytest.fixture(scope="session")
def sdist(distributions: Path) -> Path:
    """The one sdist."""
    (path,) = distributions.glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def wheel(distributions: Path) -> Path:
    """The one wheel."""
    (path,) = distributions.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def wheel_scripts(wheel: Path, run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of a fresh environment in which the wheel is installed."""
    return _scripts(once(tmp_path_factory, "wheel", partial(_environment, run, wheel)))


@pytest.fixture(scope="session")
def editable_scripts(snapshot: Path, run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of a fresh environment in which the snapshot is installed editably."""
    return _scripts(once(tmp_path_factory, "editable", partial(_environment, run, "--editable", snapshot)))


@pytest.fixture(scope="session")
def clone_scripts() -> Path:
    """The scripts folder of the environment that runs these tests."""
    return Path(sysconfig.get_path("scripts"))


def _need(there: bool, tool: str) -> None:
    if not there:
        pytest.skip(f"needs {tool}, which is not installed here")


def _environment(run: Run, *given: str | Path) -> None:
    """A fresh environment in the last of what is given, with the rest in it.

    pip, setuptools and the dependencies are those of this interpreter. They come through a .pth file, behind the
    environment's own packages. Python reads no .pth file of a folder that came through one, so an editable dpcert among
    them stays out of sight.
    """
    _need(importlib.util.find_spec("pip") is not None, "pip")
    *what, folder = given
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=Path(folder))
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    shared = [entry for entry in sys.path if Path(entry).name in {"site-packages", "dist-packages"}]
    (site / "dependencies.pth").write_text("\n".join(shared) + "\n", encoding="utf-8")
    # --ignore-installed: pip sees this interpreter's dpcert too, and would find the requirement satisfied.
    # --no-compile: few modules are read of the many that there are.
    options = ("--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed", "--no-compile")
    run(_scripts(Path(folder)) / "python", "-m", "pip", "install", *options, *what, cwd=Path(folder))


def _scripts(folder: Path) -> Path:
    return Path(sysconfig.get_path("scripts", "venv", {"base": str(folder)}))
