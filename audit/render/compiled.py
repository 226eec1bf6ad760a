"""Templates of pages, compiled once: kept where Python keeps the bytecode of their folder, as it keeps its own.

Compiling them takes most of what a page takes. Who can write there can write the bytecode of dpcert itself.
"""

import os
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.util import cache_from_source
from marshal import dumps, loads
from pathlib import Path
from types import CodeType

from jinja2 import BytecodeCache, Environment
from jinja2 import __version__ as jinja_version
from jinja2.bccache import Bucket

DIGEST = 32
"""Bytes of a digest: of what a template was made from and of its code, before the code."""


class KeptBeside(BytecodeCache):
    """Compiled templates in `__pycache__` beside them, or where PYTHONPYCACHEPREFIX says; none where nothing is kept.

    What cannot be read, or was made from other text, by another jinja2 or another Python, is compiled anew.

    Args:
        environment: How templates are read.
    """

    def __init__(self, environment: Environment) -> None:
        self._reading = environment.autoescape, environment.trim_blocks, environment.lstrip_blocks

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Where the template stands."""
        return filename or name

    def get_source_checksum(self, source: str) -> str:
        """The digest of all that it is made from."""
        made_from = (jinja_version, sys.version, self._reading, source)
        return sha256(repr(made_from).encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Takes what is kept, where it is whole and the template's."""
        place = _place(bucket.key)
        with suppress(OSError, EOFError, ValueError, TypeError):
            kept = b"" if place is None else place.read_bytes()
            code = kept[2 * DIGEST :]
            if kept[: 2 * DIGEST] == bytes.fromhex(bucket.checksum) + sha256(code).digest():
                made = loads(code)
                bucket.code = made if isinstance(made, CodeType) else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps it where that can be done: all at once, so that others read all of it or nothing."""
        place = _place(bucket.key)
        if place is None or sys.dont_write_bytecode:
            return
        code = dumps(bucket.code)
        part = place.with_name(f"{place.name}.{os.getpid()}")
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(bytes.fromhex(bucket.checksum) + sha256(code).digest() + code)
                part.replace(place)
            finally:
                part.unlink(missing_ok=True)


def _place(template: str) -> Path | None:
    """Where the compiled template is kept; None where Python keeps nothing."""
    with suppress(NotImplementedError):
        return Path(cache_from_source(template))
    return None
