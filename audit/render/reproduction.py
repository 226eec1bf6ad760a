"""How to come to a record again, and what to hold a copy of it against."""

import hashlib
import json
import shlex
from collections.abc import Mapping
from typing import Any

from dpcert.audit.render.cells import plain


def command(document: Mapping[str, Any]) -> str:
    """The command that made the record; where it was called from Python, one that asks the same."""
    made = document["provenance"].get("command") or []
    if made:
        return " ".join(["dpcert", *(plain(shlex.quote(str(part))) for part in made)])
    scope = document["scope"]
    parts = ["dpcert", "audit", plain(document["target"]), "--horizon", str(scope["horizon"])]
    parts += ["--adjacency", plain(scope["adjacency"])] if scope["adjacency"] != "hamming" else []
    return " ".join(parts + (["--hops", str(scope["hops"])] if scope["hops"] > 1 else []))


def steps(document: Mapping[str, Any]) -> list[str]:
    """What to install, and which digests have to be the same."""
    versions = document["provenance"].get("versions", {})
    python = plain(document["provenance"].get("python", "unknown"))
    called = "" if document["provenance"].get("command") else " The record was made by a call from Python."
    return [
        f"With Python {python} and dpcert {plain(versions.get('dpcert', 'unknown'))}, in the folder from which "
        f"{plain(document['location']['file'] or 'the mechanism')} is found, run:{called}",
        f"Source digest and kernel digest have to be {plain(document['source_digest'])} and "
        f"{plain(document['kernel_digest'])}: the first is of the file and the parameters, the second of the laws.",
    ]


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 over the record as it is written, provenance included: what a signature is about."""
    written = json.dumps(document, indent=1, ensure_ascii=True) + "\n"
    return "sha256:" + hashlib.sha256(written.encode()).hexdigest()
