"""What `dpcert doctor` looks up around dpcert: versions, optional parts, and modules of the same name."""

import importlib.metadata
import importlib.util
import platform
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from packaging.requirements import Requirement

from dpcert.audit.errors import one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.border import shown_path

BACKENDS = ("gmpy2",)
PEERS = ("dp_accounting", "prv_accountant", "stormpy", "opendp", "jax_privacy")
BROWSER = ("chromium", "chromedriver")
LIKE_OURS = ("audit", "mechanisms", "proofs_checked", "tests")
"""Names of our folders that other packages use for themselves."""


class Severity(StrEnum):
    """How a line of the report is meant."""

    OK = "ok"
    NOTE = "note"
    FAULT = "fault"


@frozen
class DoctorLine:
    """One line of the report."""

    level: Severity
    text: str

    def __str__(self) -> str:
        return f"{self.level.value:6}{one_line(self.text)}"


def versions() -> Iterator[DoctorLine]:
    """dpcert and Python, and each dependency against the least version that dpcert declares."""
    yield DoctorLine(Severity.OK, f"dpcert {importlib.metadata.version('dpcert')}, Python {platform.python_version()}")
    for declared in map(Requirement, importlib.metadata.requires("dpcert") or ()):
        if declared.marker is None or declared.marker.evaluate({"extra": ""}):
            yield _dependency(declared)


def _dependency(requirement: Requirement) -> DoctorLine:
    name, versions = requirement.name, str(requirement.specifier).replace(">=", "at least ")
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return DoctorLine(Severity.FAULT, f"Expected {name} of {versions} but it is not installed")
    if not requirement.specifier.contains(version, prereleases=True):
        return DoctorLine(Severity.FAULT, f"Expected {name} of {versions} but got version={version}")
    return DoctorLine(Severity.OK, f"{name} {version}")


def optional_parts() -> Iterator[DoctorLine]:
    """Backends and peers in this interpreter, looked for and not imported, and the browser on PATH."""
    yield from _optional("backend", BACKENDS, _importable, "optional, only faster")
    yield from _optional("peer", PEERS, _importable, "only benchmarks and differential tests compare with peers")
    yield from _optional("browser", BROWSER, shutil.which, "only browser tests need it")


def _optional(kind: str, names: Iterable[str], found: Callable[[str], object], use: str) -> Iterator[DoctorLine]:
    for name in names:
        if found(name):
            yield DoctorLine(Severity.OK, f"{kind} {name} found")
        else:
            yield DoctorLine(Severity.NOTE, f"{kind} {name} not found ({use})")


def modules_like_ours() -> Iterator[DoctorLine]:
    """Modules that have the name of one of our folders; none of them does harm."""
    for name in LIKE_OURS:
        if spec := _importable(name):
            yield DoctorLine(
                Severity.NOTE,
                f"import {name} finds {_place(spec)}; dpcert is not affected, it imports dpcert.* alone",
            )


def other_dpcert() -> Iterator[DoctorLine]:
    """The dpcert that runs, and others: one in this folder hides it from `python -m dpcert`."""
    own = _importable("dpcert")
    yield DoctorLine(Severity.OK, f"import dpcert finds {_place(own) if own else 'nothing'}")
    here = str(Path.cwd())
    for entry in dict.fromkeys([here, *(entry or here for entry in sys.path)]):
        spec = PathFinder.find_spec("dpcert", [entry])
        # A folder without __init__.py has no origin, and hides nothing.
        if spec is None or spec.origin is None or (own is not None and _same_file(spec, own)):
            continue
        if entry == here:
            where = "which `python -m dpcert` runs in this folder; rename it"
            yield DoctorLine(Severity.FAULT, f"Expected one dpcert but got another in {_place(spec)}, {where}")
        else:
            yield DoctorLine(Severity.NOTE, f"another dpcert is installed in {_place(spec)}; this one comes first")


def _same_file(one: ModuleSpec, other: ModuleSpec) -> bool:
    return Path(one.origin or "").resolve() == Path(other.origin or "").resolve()


def _importable(name: str) -> ModuleSpec | None:
    """Where `import name` would look, without importing it."""
    try:
        return importlib.util.find_spec(name)
    except ValueError:  # a module made by hand, which has no place
        return None


def _place(spec: ModuleSpec) -> str:
    folders = spec.submodule_search_locations or ()
    return shown_path(spec.origin or next(iter(folders), spec.name))
