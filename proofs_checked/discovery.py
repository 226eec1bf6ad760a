"""Every claim of the ledger: whatever the modules of `claims/` define, found without a list kept by hand."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache

from dpcert.proofs_checked import claims
from dpcert.proofs_checked.ledger import Claim, LedgerError


@cache
def ledger() -> dict[str, Claim]:
    """Id -> claim, in the order of rows, then of files. Raises: LedgerError: two claims with one id."""
    return by_id(entry for _, entry in _by_module())


@cache
def files() -> dict[str, str]:
    """Id -> the file of the claim, from the top of the project."""
    file_of: dict[str, str] = {}
    for module, entry in _by_module():
        where = entry.check.__module__.rpartition(".")[2] if entry.check is not None else module
        file_of.setdefault(entry.id, f"proofs_checked/claims/{where}.py")
    return file_of


def _by_module() -> Iterator[tuple[str, Claim]]:
    for module in sorted(pkgutil.iter_modules(claims.__path__), key=lambda module: module.name):
        loaded = importlib.import_module(f"{claims.__name__}.{module.name}")
        yield from ((module.name, value) for value in vars(loaded).values() if isinstance(value, Claim))


def by_id(found: Iterable[Claim]) -> dict[str, Claim]:
    """The claims by id, sorted by row, those without one last. Raises: LedgerError: a duplicate id."""
    entries: dict[str, Claim] = {}
    for entry in sorted(found, key=lambda entry: (entry.row is None, entry.row or 0)):
        if entries.setdefault(entry.id, entry) is not entry:
            raise LedgerError(f"Expected one claim an id but got two with id={entry.id}")
    return entries
