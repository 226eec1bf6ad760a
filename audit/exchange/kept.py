"""Audits that need not be made anew: kept for the rest of a run of tests and, in a folder, for the next one.

What is kept is known by all that it depends on, and taken up where every law in scope is what it was
(`records/unchanged`).
"""

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpcert.audit.finding import FindingDocument
from dpcert.audit.frozen import frozen
from dpcert.audit.records.record import Record, read
from dpcert.audit.records.unchanged import PART_OF_AUDIT
from dpcert.audit.render.headline import badge

LEAST_KEPT = 300
"""Milliseconds that an audit takes at least for it to be kept: others are made anew as fast as they are taken up."""
MOST_KEPT = 500
"""Files in the folder of kept audits past which the oldest go."""
BYTES_A_MILLISECOND = 400
"""Bytes that a record may have for each millisecond of its audit: a longer one takes as long to be read and checked."""


@frozen
class KeptRecord:
    """A record as it was found, without requirements; the digest of the laws in scope; what was seen to hold of it.

    Attributes:
        laws: The digest.
        json: The record; as text, so that nobody changes it who was given it.
        held: Requirements that hold, by what they are known by.
    """

    laws: str
    json: str
    held: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def holding(self, key: str, found: FindingDocument) -> "KeptRecord":
        """The same with one more requirement."""
        return KeptRecord(self.laws, self.json, {**self.held, key: found})

    @property
    def record(self) -> Record:
        """The record, a new one each time."""
        return Record(json.loads(self.json))

    def written(self) -> str:
        """A line with the digest of the rest, then a record all of whose requirements hold."""
        document = dict(self.record.document)
        if self.held:
            document |= {"requirements": list(self.held.values()), "verdict": "HOLDS"}
            document["headline"] = {**document["headline"], "badge": badge(document)}
        rest = json.dumps({"laws": self.laws, "held": list(self.held)}) + "\n" + Record(document).to_json()
        return f"{_sha256(rest)}\n{rest}"


def parsed(text: str) -> KeptRecord:
    """What was kept. Raises: ValueError: it is damaged, or its record contradicts itself."""
    told, _, rest = text.partition("\n")
    if told != _sha256(rest):
        raise ValueError("damaged")
    head, _, body = rest.partition("\n")
    record, header = read(body), json.loads(head)
    document, keys = dict(record.document), header["held"]
    if len(keys) != len(document["requirements"]) or any(one["verdict"] != "HOLDS" for one in document["requirements"]):
        raise ValueError("other requirements than were kept")
    kept = dict(zip(keys, document["requirements"], strict=True))
    document |= {"requirements": [], "verdict": document["lifts"]["curve"]["verdict"]}
    document["headline"] = {**document["headline"], "badge": badge(document)}
    return KeptRecord(str(header["laws"]), Record(document).to_json(), kept)


@dataclass
class KeptAudits:
    """The audits kept so far.

    Attributes:
        folder: Where they are kept for the next run; None for nowhere.
        records: Those of this run, and what was read.
        taken: How many audits were taken from here.
    """

    folder: Path | None = None
    records: dict[str, KeptRecord] = field(default_factory=dict)
    taken: int = 0

    def find(self, name: str) -> KeptRecord | None:
        """What is kept under a name; what is malformed is not."""
        if name not in self.records and self.folder is not None:
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                self.records[name] = parsed((self.folder / name).read_text(encoding="utf-8"))
        return self.records.get(name)

    def keep(self, name: str, record: KeptRecord, milliseconds: int) -> None:
        """Keeps an audit that took so long; for the next run as well where it is read in half of that.

        It is read once to find out; where that takes too long, an empty file stands for it, and it is not tried again.
        """
        self.records[name] = record
        if self.folder is None or _is_empty(self.folder / name):
            return
        text = record.written()
        start = time.monotonic_ns()
        pays = len(text) <= BYTES_A_MILLISECOND * milliseconds
        if pays:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                parsed(text)
            pays = (time.monotonic_ns() - start) * PART_OF_AUDIT <= milliseconds * 10**6
        with contextlib.suppress(OSError):
            self._write(self.folder, name, text if pays else "")

    def hold(self, name: str, record: KeptRecord) -> None:
        """Keeps what was seen to hold beside an audit that is there."""
        self.records[name] = record
        if self.folder is not None and (self.folder / name).is_file() and not _is_empty(self.folder / name):
            with contextlib.suppress(OSError):
                self._write(self.folder, name, record.written())

    def forget(self, name: str) -> None:
        """Keeps an audit no longer, nor in a later run: an empty file stands for it."""
        self.records.pop(name, None)
        if self.folder is not None:
            with contextlib.suppress(OSError):
                self._write(self.folder, name, "")

    def _write(self, folder: Path, name: str, text: str) -> None:
        """At once: another process finds the whole file or none."""
        folder.mkdir(parents=True, exist_ok=True)
        number, draft = tempfile.mkstemp(prefix=".draft-", dir=folder)
        try:
            with os.fdopen(number, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            os.replace(draft, folder / name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft)
            raise
        there = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        for path in there[: max(0, len(there) - MOST_KEPT)]:
            path.unlink(missing_ok=True)


def _is_empty(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.stat().st_size == 0
    return False


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
