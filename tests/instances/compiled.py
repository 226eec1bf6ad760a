"""Sources compiled before they are imported, each by one worker of a run: in a fresh clone every one would do all."""

import os
import sys
from compileall import compile_file
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

try:  # what pytest itself does at an import, under names that it does not promise to keep
    from _pytest.assertion.rewrite import PYC_TAIL, _rewrite_test, _write_pyc, assertstate_key, get_cache_dir
except ImportError:
    PYC_TAIL = ""

ROOT = Path(__file__).parents[2]


def compile_share(config: pytest.Config) -> None:
    """What this worker compiles of the package and of the tests, of which it leaves the rest to the others."""
    number, of = os.environ.get("PYTEST_XDIST_WORKER"), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if number is None or sys.dont_write_bytecode:
        return
    at = int(number.removeprefix("gw"))
    for path in _sources("src/dpcert")[at::of]:
        compile_file(path, quiet=2)
        _constants(path)
    if PYC_TAIL:
        for path in [path for path in _sources("tests") if path.name.startswith("test_")][at::of]:
            _rewritten(path, config)


def _constants(path: Path) -> None:
    """What Hypothesis draws now and then of a source; it reads it from where this leaves it."""
    with suppress(ImportError):  # a name that it does not promise to keep
        from hypothesis.internal.constants_ast import constants_from_module

        source = ModuleType(path.stem)
        source.__file__ = str(path)
        constants_from_module(source)


def _sources(folder: str) -> list[Path]:
    top = ROOT / folder
    linked = [path for link in sorted(top.iterdir()) if link.is_symlink() for path in sorted(link.rglob("*.py"))]
    return sorted(top.rglob("*.py")) + linked


def _rewritten(path: Path, config: pytest.Config) -> None:
    """A file of tests, with its assertions as pytest rewrites and keeps them; whatever is amiss the import tells."""
    kept = get_cache_dir(path) / f"{path.stem}{PYC_TAIL}"
    try:
        if kept.exists() and kept.stat().st_mtime > path.stat().st_mtime:
            return
        kept.parent.mkdir(exist_ok=True)
        found, code = _rewrite_test(path, config)
        _write_pyc(config.stash[assertstate_key], code, found, kept)
    except (OSError, SyntaxError, ValueError):
        return
