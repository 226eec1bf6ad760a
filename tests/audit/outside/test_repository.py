"""The commit of a target: what git says of it, and that nothing that a hostile repository configures is run."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dpcert.audit.outside import repository
from dpcert.audit.outside.repository import asked_for, state


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True, env=clean
    )
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def _afresh() -> None:
    state.cache_clear()


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    """A repository with one file, committed."""
    git(tmp_path, "init", "-q")
    (tmp_path / "law.py").write_text("one = 1\n", encoding="utf-8")
    git(tmp_path, "add", "law.py")
    git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


def dirty(folder: Path, file: str | None = "law.py") -> bool | None:
    state.cache_clear()
    known = state(str(folder), file)
    assert known is not None
    assert known["commit"] == git(folder, "rev-parse", "HEAD")
    return known["dirty"]


@pytest.mark.real("programs")
def test_a_commit_is_named_and_changes_are_seen(committed: Path) -> None:
    assert dirty(committed) is False
    os.utime(committed / "law.py", (1, 1))  # another time, the same content
    assert dirty(committed) is False
    (committed / "notes.txt").write_text("not tracked", encoding="utf-8")
    assert dirty(committed) is False
    assert dirty(committed, "notes.txt") is True
    (committed / "law.py").write_text("one = 2\n", encoding="utf-8")
    assert dirty(committed) is True
    git(committed, "add", "law.py")
    assert dirty(committed) is True
    git(committed, "commit", "-q", "-m", "two")
    assert dirty(committed) is False
    (committed / "law.py").unlink()
    assert dirty(committed, None) is True


@pytest.mark.real("programs")
def test_a_folder_below_and_a_name_that_looks_like_a_pattern(committed: Path) -> None:
    below = committed / "a [b] *"
    below.mkdir()
    (below / ":(top)*.py").write_text("", encoding="utf-8")
    assert dirty(below, ":(top)*.py") is True
    git(below, "add", "--", "./:(top)*.py")
    git(below, "commit", "-q", "-m", "two")
    assert dirty(below, ":(top)*.py") is False


@pytest.mark.real("programs")
def test_without_a_repository_a_commit_or_git_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert state(str(tmp_path)) is None
    git(tmp_path, "init", "-q")
    state.cache_clear()
    assert state(str(tmp_path)) is None
    assert state(str(tmp_path / "missing")) == {"commit": None, "dirty": None, "why": repository.NOT_STARTED}
    monkeypatch.setenv("PATH", str(tmp_path))
    state.cache_clear()
    assert state(str(tmp_path)) is None


@pytest.mark.in_turns(few=True)
@pytest.mark.real("programs")
def test_a_git_that_does_not_end_is_not_waited_for(
    committed: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    (folder / "git").write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(repository, "MOST_SECONDS_OF_GIT", 1)
    assert state(str(committed)) == {"commit": None, "dirty": None, "why": repository.LATE}


@pytest.mark.real("programs")
def test_a_git_that_cannot_be_started_is_said_to_be_none_that_is_late(
    committed: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    (folder / "git").write_text("#!/no/such/interpreter\n", encoding="utf-8")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    assert state(str(committed)) == {"commit": None, "dirty": None, "why": "git could not be started"}


@pytest.mark.real("programs")
def test_what_a_hook_left_in_the_environment_is_not_followed(
    committed: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert dirty(committed) is False


HOSTILE = {
    "core.fsmonitor": "{run}",
    "core.hooksPath": "{folder}/hooks",
    "core.pager": "{run}",
    "pager.status": "true",
    "core.sshCommand": "{run}",
    "core.editor": "{run}",
    "core.askPass": "{run}",
    "diff.external": "{run}",
    "status.submoduleSummary": "true",
    "filter.bad.clean": "{run}",
    "filter.bad.smudge": "{run}",
    "filter.bad.required": "true",
    "filter.worse.process": "{run}",
    "filter.a=b.c d.clean": "{run}",
    "remote.origin.url": "ext::{run}",
    "remote.origin.promisor": "true",
    "remote.origin.uploadpack": "{run}",
    "protocol.ext.allow": "always",
    "extensions.partialClone": "origin",
    "alias.status": "!{run}",
    "alias.ls-files": "!{run}",
}


def hostile(folder: Path) -> Path:
    """Configures whatever git might run; the file that each of them writes."""
    mark = folder / ".git" / "was-run"
    script = folder / ".git" / "run.sh"
    script.write_text(f"#!/bin/sh\necho $0 $* >> {shlex.quote(str(mark))}\n", encoding="utf-8")
    script.chmod(0o755)
    (folder / "hooks").mkdir()
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-commit"):
        (folder / "hooks" / name).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
        (folder / "hooks" / name).chmod(0o755)
    (folder / ".git" / "info").mkdir(exist_ok=True)
    attributes = ["law.py filter=bad diff=bad", "other.py filter=worse", 'third.py "filter=a=b.c d"']
    (folder / ".git" / "info" / "attributes").write_text("\n".join(attributes) + "\n", encoding="utf-8")
    (folder / ".gitattributes").write_text("law.py filter=bad\nother.py filter=worse\n", encoding="utf-8")
    git(folder, "config", "core.repositoryformatversion", "1")
    for key, value in HOSTILE.items():
        git(folder, "config", key, value.format(run=script, folder=folder))
    return mark


@pytest.mark.real("programs")
def test_nothing_that_a_repository_configures_is_run(committed: Path) -> None:
    (committed / "other.py").write_text("two = 2\n", encoding="utf-8")
    git(committed, "add", "other.py")
    git(committed, "commit", "-q", "-m", "two")
    commit, mark = git(committed, "rev-parse", "HEAD"), hostile(committed)
    for name in ("law.py", "other.py"):  # so that git has to read and to compare them
        os.utime(committed / name, (1, 1))
    known = state(str(committed), "law.py")
    assert known == {"commit": commit, "dirty": False}
    tree = committed / ".git" / "objects" / git(committed, "rev-parse", "HEAD^{tree}")[:2]
    for one in tree.iterdir():  # a tree that is missing would be fetched
        one.unlink()
    state.cache_clear()
    state(str(committed), "law.py")
    assert not mark.exists(), mark.read_text(encoding="utf-8")
    subprocess.run(["git", "status"], cwd=committed, capture_output=True, check=False, timeout=30)
    assert mark.exists()  # git on its own would have run some of it


@pytest.mark.real("programs")
def test_a_repository_of_somebody_else_is_not_known(committed: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only the superuser can give a folder away")
    for path in (committed, *committed.rglob("*")):
        os.chown(path, 12345, 12345)
    known = state(str(committed), "law.py")
    assert known is not None
    assert (known["commit"], known["dirty"]) == (None, None)
    assert "safe.directory" in known["why"]


def test_which_folder_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("", encoding="utf-8")
    assert asked_for("a/b.py:C", None) == (str(tmp_path / "a"), "b.py")
    assert asked_for("a.b:C", "a/b.py") == (str(tmp_path / "a"), "b.py")
    assert asked_for("two-round", "a/b.py") == (str(tmp_path), None)
    assert asked_for("a.b:C", None) == (str(tmp_path), None)


@pytest.mark.real("programs")
@pytest.mark.in_turns
@pytest.mark.parametrize("status", [0, 2])
def test_an_audit_names_the_commit_and_asks_once_a_run(committed: Path, status: int) -> None:
    """In a process of its own, with a git that counts how often it is asked."""
    (committed / "bin").mkdir()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    (committed / "bin" / "git").write_text(f'#!/bin/sh\necho "$@" >> asked.txt\nexec {real} "$@"\n', encoding="utf-8")
    (committed / "bin" / "git").chmod(0o755)
    cases = "".join(f"[audit.c{i}]\ntarget = 'two-round'\nstatus = 'any'\nhorizon = 1\n" for i in range(3))
    (committed / "dpcert.toml").write_text(cases, encoding="utf-8")
    code = "import sys; from dpcert.audit.commands.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "audit"]
    command += ["--suite", "dpcert.toml", "--json", "r.json"] if status == 0 else ["two-round", "--json", "r.json"]
    environment = os.environ | {"PATH": f"{committed}/bin:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=committed, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if status == 0 else 1), done.stderr
    written = (committed / "r.json").read_text(encoding="utf-8")
    assert written.count(git(committed, "rev-parse", "HEAD")) == (3 if status == 0 else 1)
    assert written.count('"dirty": false') + written.count('"dirty":false') == (3 if status == 0 else 1)
    assert len((committed / "asked.txt").read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.real("programs")
@pytest.mark.skipif(sys.platform == "win32", reason="names of bytes")
def test_a_filter_whose_name_is_no_text_is_not_run(committed: Path) -> None:
    mark, script = committed / ".git" / "was-run", committed / ".git" / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(mark))}\n", encoding="utf-8")
    script.chmod(0o755)
    with (committed / ".git" / "config").open("ab") as stream:
        stream.write(b'[filter "b\xff"]\n\tclean = ' + os.fsencode(script) + b"\n")
    (committed / ".git" / "info").mkdir(exist_ok=True)
    (committed / ".git" / "info" / "attributes").write_bytes(b"law.py filter=b\xff\n")
    os.utime(committed / "law.py", (1, 1))
    assert dirty(committed) is False
    assert not mark.exists()
    subprocess.run(["git", "status"], cwd=committed, capture_output=True, check=False, timeout=30)
    assert mark.exists()  # git on its own would have run it
