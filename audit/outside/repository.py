"""The commit that a file stands at, asked of git; nothing that a repository configures is run, and nothing is fetched.

A repository may be anybody's: its own configuration names filters, hooks and watchers that git would run. All of them
are switched off by environment, by their exact names; so is every way to another machine.
"""

import os
import subprocess
from functools import cache
from pathlib import Path
from typing import NotRequired, TypedDict

MOST_SECONDS_OF_GIT = 2
"""Seconds after which an answer of git is not waited for any longer; what it was asked is then not known."""
KEPT = ("GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Variables of git that are the user's own; others may be those of a hook that is running."""
OFF = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.untrackedCache": "false",
    "core.pager": "cat",
    "diff.external": "",
    "diff.ignoreSubmodules": "all",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
}
"""What a repository could have run or read beside itself, and how it is set."""
FILTERS = r"^filter\..*\.(clean|process|required)$"
"""Programs that git would run to compare a file with the commit, by the names of their settings."""
STATUS = (
    "--porcelain=v2", "--branch", "-z", "--no-ahead-behind", "--untracked-files=no", "--ignore-submodules=all",
    "--no-renames",
)  # fmt: skip
OID = "# branch.oid "
LATE = "git did not answer in time"
NOT_STARTED = "git could not be started"


class RepositoryDocument(TypedDict):
    """The commit, and whether what was audited differs from it; None where git does not say."""

    commit: str | None
    dirty: bool | None
    why: NotRequired[str]


@cache
def state(folder: str, file: str | None = None) -> RepositoryDocument | None:
    """The commit of the repository that a folder lies in; once in a run.

    Args:
        folder: Where git is asked.
        file: A file in it that has to be tracked; what is not tracked differs from the commit.
    Returns: None without git, without a repository, or before its first commit.
    """
    if not _may_be_inside(folder):
        return None
    from shutil import which

    git = which("git")
    if git is None or not os.path.isabs(git):
        return None
    named = _asked(git, folder, {}, "config", "--null", "--name-only", "--get-regexp", FILTERS)
    if isinstance(named, str):
        return _unknown(named)
    off = {key: "false" if key.endswith(".required") else "" for key in named.stdout.split("\0") if key}
    status = _asked(git, folder, off, "status", *STATUS)
    if isinstance(status, str):
        return _unknown(status)
    if "dubious ownership" in status.stderr:
        return _unknown("git takes the folder for somebody else's (safe.directory)")
    parts = status.stdout.split("\0")
    commit = next((part.removeprefix(OID) for part in parts if part.startswith(OID)), "")
    if status.returncode or not commit or not set(commit) <= set("0123456789abcdef"):
        return None
    changed = any(part and not part.startswith("#") for part in parts)
    return {"commit": commit, "dirty": changed or _untracked(git, folder, file)}


def _may_be_inside(folder: str) -> bool:
    """Whether this folder or one above it has what git looks for; without it git would start twice to find nothing."""
    real = Path(folder).resolve()
    return any((above / ".git").exists() for above in (real, *real.parents))


def _unknown(why: str) -> RepositoryDocument:
    return {"commit": None, "dirty": None, "why": why}


def _untracked(git: str, folder: str, file: str | None) -> bool | None:
    """Whether the file is none of the repository's."""
    if file is None:
        return False
    listed = _asked(git, folder, {}, "ls-files", "-z", "--", f":(literal){file}")
    return None if isinstance(listed, str) or listed.returncode else not listed.stdout


def _asked(git: str, folder: str, filters: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str] | str:
    """What git says, so that each name of its goes back to it byte for byte; else why it says nothing."""
    try:
        answer = subprocess.run(
            [git, "--no-pager", "--no-optional-locks", "-c", "safe.bareRepository=explicit", *arguments],
            cwd=folder,
            env=_environment(OFF | filters),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=MOST_SECONDS_OF_GIT,
            check=False,
        )
        stdout, stderr = os.fsdecode(answer.stdout), os.fsdecode(answer.stderr)
    except subprocess.TimeoutExpired:
        return LATE
    except (OSError, ValueError):  # no such folder, no such program, a name that no file can have
        return NOT_STARTED
    return subprocess.CompletedProcess(answer.args, answer.returncode, stdout, stderr)


def _environment(settings: dict[str, str]) -> dict[str, str]:
    """The environment of git: the user's without what a hook left there, and the settings by their exact names."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in KEPT}
    own = {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for number, (key, value) in enumerate(settings.items()):
        own |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables | own


def asked_for(target: str, source: str | None) -> tuple[str, str | None]:
    """Folder and file that the commit of a target is that of.

    Args:
        target: As the user named it.
        source: The file that its mechanism was written in, where that is known.
    Returns: The folder of the target's own file, and that file; of a built-in mechanism the working directory.
    """
    place = target.rpartition(":")[0]
    own = place if place.endswith(".py") else source if place else None
    if own is None or not os.path.isfile(own):
        return os.getcwd(), None
    path = Path(own).resolve()
    return str(path.parent), path.name
