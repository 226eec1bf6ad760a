"""Theorems that Coq has checked: what they say, what they assume, and whether their files are still those it read."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

PROVED: Final = "PROVED"
"""The method of a claim that a theorem states."""
STALE: Final = "STALE"
"""The same, where a file of its proof has changed since Coq read it."""
REQUIRED = re.compile(r"^From Dpcert Require Import ([^.]*)\.", re.MULTILINE)


@dataclass(frozen=True)
class Theorem:
    """A theorem of `coq/`, as `make proofs` found it.

    Attributes:
        name: File and name, as in Lift.pure_lift.
        label: The LaTeX label of what it proves.
        says: It in words.
        scope: What it is about; wider or narrower than the statement of the paper.
        assumptions: What Coq's Print Assumptions answered.
    """

    name: str
    label: str
    says: str
    scope: str
    assumptions: str

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.name.partition(".")[0] + ".v"


@cache
def theorems() -> dict[str, Theorem]:
    """Name -> theorem, in the order of proofs.json."""
    return {entry["name"]: Theorem(**entry) for entry in _document()["theorems"]}


@cache
def sources() -> dict[str, str]:
    """Name of a file in `coq/` -> its text."""
    folder = resources.files("dpcert.proofs_checked").joinpath("coq")
    files = [path for path in folder.iterdir() if path.name.endswith(".v")]
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(files, key=lambda path: path.name)}


@cache
def pinned() -> dict[str, str]:
    """Name of a file -> its digest when Coq last read it."""
    return dict(_document()["files"])


def digest(text: str) -> str:
    """The SHA-256 of a file's text."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def required(name: str, texts: Mapping[str, str]) -> list[str]:
    """A file and all it requires, each after what it requires itself; files that are not there are left out."""
    files: list[str] = []

    def visit(file: str) -> None:
        for listed in REQUIRED.findall(texts.get(file, "")):
            for other in listed.split():
                visit(f"{other}.v")
        if file in texts and file not in files:
            files.append(file)

    visit(name)
    return files


def changed(theorem: Theorem) -> list[str]:
    """Files of a theorem's proof that are not those that Coq read."""
    texts, read = sources(), pinned()
    files = required(theorem.file, texts) or [theorem.file]
    return [file for file in files if file not in texts or digest(texts[file]) != read.get(file)]


def proof_words(names: Iterable[str]) -> str:
    """PROVED or STALE with the theorems' names, or nothing where there are none."""
    all_names = list(names)
    if not all_names:
        return ""
    stale = [name for name in all_names if name not in theorems() or changed(theorems()[name])]
    return f"{STALE if stale else PROVED} ({', '.join(all_names)})"


def is_stale(names: Iterable[str]) -> bool:
    """Whether a claim names theorems of which a file has changed, or that are not there."""
    return proof_words(names).startswith(STALE)


def _document() -> dict[str, Any]:
    text = resources.files("dpcert.proofs_checked").joinpath("proofs.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document
