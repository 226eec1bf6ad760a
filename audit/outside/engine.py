"""What computes: the digest of dpcert's own files, of Python and of the libraries beneath."""

import hashlib
import os
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")
"""What dpcert computes by, and what a mechanism may compute by."""


@cache
def engine() -> str:
    """The digest of dpcert's own files, of Python and of the libraries it computes by."""
    told = hashlib.sha256(own_files().encode())
    told.update("\n".join([sys.version, *map(_version, LIBRARIES)]).encode())
    return told.hexdigest()


def own_files() -> str:
    """The digest of dpcert's own files: its code, schemas and templates."""
    top = Path(sys.modules[__name__.partition(".")[0]].__file__ or "").parent
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(top, followlinks=True):
        folders.sort()
        for name in sorted(names):
            if not name.endswith((".py", ".json", ".j2")):
                continue
            path = Path(folder) / name
            digest.update(f"{path.relative_to(top).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} none"
