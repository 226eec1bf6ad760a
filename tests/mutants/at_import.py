"""A trial of a fault that takes effect while a module is read: in an interpreter of its own, which reads all anew.

python at_import.py MODULE SECONDS TEST ... < SOURCE
"""

import importlib.abc
import importlib.machinery
import os
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

TESTS = Path(__file__).parents[1]
PLAIN = ["-q", "-n", "0", "-s", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--assert=plain"]
PLAIN += ["-m", "not thorough"]
"""How the tests are asked, wherever."""
SLACK = 30
"""Seconds of processor time beyond four times that of the tests."""


class _Loader(importlib.machinery.SourceFileLoader):
    """Reads one module with its fault."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - as loaders are asked
        """That of the source with the fault."""
        return compile(self.source, self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module with its fault."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """That module's; nothing for any other."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path) if fullname == self.name else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self.source)
        return spec


def main(module: str, seconds: str, *tests: str) -> int:
    """Pytest's exit status."""
    most = int(4 * float(seconds)) + SLACK
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
    finder = _Finder(module, sys.stdin.read())
    sys.meta_path.insert(0, finder)
    import pytest
    from _pytest.assertion import rewrite

    theirs = rewrite.AssertionRewritingHook.find_spec

    def find_spec(hook: Any, name: str, *rest: Any) -> Any:
        """Leaves that module alone: pytest, which reads the modules of its plugins itself, would come first."""
        return None if name == module else theirs(hook, name, *rest)

    rewrite.AssertionRewritingHook.find_spec = find_spec  # type: ignore[method-assign]
    return int(pytest.main([*PLAIN, "-x", *tests]))


if __name__ == "__main__":
    os.environ.setdefault("DPCERT_SEEDS", "0")
    sys.exit(main(*sys.argv[1:]))
