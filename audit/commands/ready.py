"""`dpcert new --ci`: a job that runs the suite on each push, and a suite to start from where there is none."""

import os
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from dpcert.audit.commands.fresh import filled, there_already, unwritable, write_new
from dpcert.audit.frozen import frozen

SERVICES: Mapping[str, tuple[Path, str]] = {
    "github": (Path(".github", "workflows", "dpcert.yml"), "ci_github.yml.j2"),
    "gitlab": (Path(".gitlab-ci.yml"), "ci_gitlab.yml.j2"),
}
"""Service -> the file that it reads, and the template of it, which is given `suite` and `version`."""
SUITE = "dpcert.toml"


@frozen
class Ready:
    """What was made ready.

    Attributes:
        files: The files that were written.
        suite: The suite that the job runs, written now or there before.
    """

    files: tuple[Path, ...]
    suite: str


def make_ready(service: str, folder: Path) -> Ready:
    """The job of a service, written below `folder`, and a suite where there is none; nothing is overwritten.

    Raises: ArgumentError: there is a job already, and nothing is written. OutputError: a file cannot be written.
    """
    job, template = SERVICES[service]
    suite = suite_in(folder)
    if os.path.lexists(folder / job):
        raise there_already(job)
    texts = {job: filled(template, suite=suite or SUITE, version=version("dpcert"))}
    if suite is None:
        texts[Path(SUITE)] = filled(f"{SUITE}.j2")
    for file, text in texts.items():
        try:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(file, error) from None
        write_new(folder / file, text)
    return Ready(tuple(texts), suite or SUITE)


def suite_in(folder: Path) -> str | None:
    """The name of the suite that a folder has: dpcert.toml, or a pyproject.toml with a table [tool.dpcert]."""
    if os.path.lexists(folder / SUITE):
        return SUITE
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # there is none, or none that a suite could be read from
        return None
    tool = project.get("tool")
    return "pyproject.toml" if isinstance(tool, dict) and "dpcert" in tool else None
