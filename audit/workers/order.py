"""What a worker is asked: a function by its name, what it is called with, and where it is to believe that it stands."""

import os
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from dpcert.audit.errors import one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.outside.engine import own_files


@frozen
class Order:
    """One call.

    Attributes:
        function: `package.module:name` of a function that a worker's own dpcert has.
        argument: What it is called with, pickled.
        folder: The working folder.
        path: Where modules are looked for as well, after the worker's own places.
        command: The words of the command line that asks, which records name.
        version: Of the dpcert that asks.
        python: The version of its Python.
        files: The digest of its own files.
    """

    function: str
    argument: bytes
    folder: str
    path: tuple[str, ...]
    command: tuple[str, ...]
    version: str
    python: str
    files: str

    def carried_out(self) -> Any:
        """What the function answers, called here. Raises: Refused: this is not a place for it; what it raises."""
        for name, need, here in (
            ("dpcert", self.version, version("dpcert")),
            ("Python", self.python, python_version()),
        ):
            if need != here:
                raise Refused(f"Expected {name} {need} on every worker but got {here}")
        if self.files != files_of_ours():
            raise Refused(f"Expected the same files of dpcert {self.version} on every worker but got others")
        try:
            os.chdir(self.folder)
        except OSError as error:
            said = f"{one_line(self.folder)} ({error.strerror})"
            raise Refused(f"Expected the working folder on every worker but got {said}") from None
        sys.path[:] = [*_OWN, *(at for at in self.path if at not in _OWN)]
        sys.argv[:] = self.command
        module, _, name = self.function.partition(":")
        return getattr(import_module(module), name)(pickle.loads(self.argument))


class Refused(Exception):
    """A worker that is not set up for what it is asked: another version, other files, or no such folder."""


@frozen
class FailedOrder:
    """What an order raised, in place of its answer."""

    error: Exception


_OWN = tuple(sys.path)


def order(function: Callable[[Any], Any], argument: Any) -> Order:
    """The order to call a function of a module with an argument, as it would be called here and now."""
    return Order(
        f"{function.__module__}:{function.__qualname__}",
        pickle.dumps(argument),
        os.getcwd(),
        tuple(at for at in sys.path if not at.startswith((sys.prefix, sys.base_prefix))),
        tuple(sys.argv),
        version("dpcert"),
        python_version(),
        files_of_ours(),
    )


@cache
def files_of_ours() -> str:
    """The digest of dpcert's own files as they were when it was first asked for: those that a process has read."""
    return own_files()


def python_version() -> str:
    """The version of Python, to its last number."""
    return ".".join(map(str, sys.version_info[:3]))
