"""Compiles the Coq development and prints the table theorem, label, assumptions: `make proofs`.

`--write` pins what Coq said of the files as they are (statements.txt; digests and assumptions in proofs.json). Without
it, anything that differs from what is pinned ends with exit status 1.
"""

import resource
import sys
import tempfile
from pathlib import Path

from instances.coq import STATEMENTS, assumptions, coqc, pin, statements

from dpcert.proofs_checked.proofs import changed, theorems


def main(arguments: list[str]) -> int:
    """0 if Coq accepts all files and says of them what is pinned; also where there is no Coq, with the reason."""
    if coqc() is None:
        print("proofs: skipped, there is no coqc (Debian's package coq; `make coq` installs it where it may)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        said = statements(Path(folder))
    if "--write" in arguments:
        pin(said)
        theorems.cache_clear()
    found, entries = assumptions(said), theorems()
    for name, entry in entries.items():
        print(f"{name:40}{entry.label:36}{found[name]}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(found)} theorems, {used.ru_utime + used.ru_stime:.0f} s of CPU")
    return 0 if "--write" in arguments else _differences(said, found)


def _differences(said: str, found: dict[str, str]) -> int:
    """1 if what Coq said, or a file, is not as it is pinned."""
    entries = theorems()
    wrong = [name for name, entry in entries.items() if found.get(name) != entry.assumptions or changed(entry)]
    for name in wrong:
        print(f"{name}: not as pinned in proofs_checked/proofs.json; look at it, then run tests/proofs.py --write")
    same = STATEMENTS.read_text(encoding="utf-8") == said
    if not same:
        print("statements differ from proofs_checked/coq/statements.txt")
    return 1 if wrong or not same else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
