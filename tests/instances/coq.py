"""The Coq development compiled, and what Coq says of its theorems."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import dpcert.proofs_checked
from dpcert.proofs_checked.proofs import digest, required, sources, theorems

PROOFS = Path(dpcert.proofs_checked.__file__).resolve().parent
STATEMENTS = PROOFS / "coq" / "statements.txt"
SECONDS = 300
"""What one file may take."""
LISTING = "Listing"


class CoqError(RuntimeError):
    """A file that Coq does not accept."""


def coqc() -> str | None:
    """The compiler, where there is one."""
    return shutil.which("coqc")


def compiled(folder: Path, names: Iterable[str], texts: Mapping[str, str] | None = None) -> None:
    """Compiles files and what they require in a folder, one after the other. Raises: CoqError."""
    known = sources() if texts is None else texts
    for file in dict.fromkeys(other for name in names for other in required(name, known)):
        if not (folder / file).with_suffix(".vo").exists():
            answered(folder, file, known[file])


def answered(folder: Path, file: str, text: str) -> str:
    """What Coq prints on a file. Raises: CoqError: it refuses the file."""
    (folder / file).write_text(text, encoding="utf-8")
    command = ["nice", str(coqc()), "-q", "-R", ".", "Dpcert", file]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise CoqError(f"{file}: {done.stdout}{done.stderr}")
    return done.stdout


def listing(names: Iterable[str]) -> str:
    """A Coq file that shows each theorem's statement, then its assumptions."""
    listed = list(names)
    modules = " ".join(dict.fromkeys(name.partition(".")[0] for name in listed))
    shown = (f'Check "{name}"%string.\nCheck @{name}.\nPrint Assumptions {name}.\n' for name in listed)
    return f"From Coq Require Import String QArith.\nFrom Dpcert Require Import {modules}.\n" + "".join(shown)


def statements(folder: Path) -> str:
    """What Coq says of all theorems, all files being compiled in the folder. Raises: CoqError."""
    compiled(folder, sources())
    return answered(folder, f"{LISTING}.v", listing(theorems()))


def assumptions(said: str) -> dict[str, str]:
    """Theorem -> what it assumes, of what `statements` returned."""
    parts = re.split(r'^"([^"]*)"%string\n +: string\n', said, flags=re.MULTILINE)[1:]
    found = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        closed = text.rstrip().endswith("\nClosed under the global context")
        found[name] = "none" if closed else text[text.rfind("\nAxioms:") + 1 :].strip()
    return found


def pin(said: str) -> None:
    """Writes what Coq said of the files as they are: statements.txt, and assumptions and digests in proofs.json."""
    STATEMENTS.write_text(said, encoding="utf-8")
    path, found = PROOFS / "proofs.json", assumptions(said)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["files"] = {file: digest(text) for file, text in sources().items()}
    document["theorems"] = [entry | {"assumptions": found[entry["name"]]} for entry in document["theorems"]]
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
