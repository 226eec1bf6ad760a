"""Compiled templates: the same page with and without them, and none that was made from anything else."""

import sys
from pathlib import Path
from typing import Any

import pytest

from dpcert.audit.examine import examine
from dpcert.audit.render import compiled
from dpcert.audit.render import page as page_module
from dpcert.mechanisms.two_round import TwoRound

RECORD = examine(TwoRound())


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for bytecode."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def drawn(monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """A page as a new process draws it, and how many templates were compiled for it."""
    page_module._environment.cache_clear()
    environment = page_module._environment()
    counted: list[Any] = []
    real = environment.compile

    def counting(*args: Any, **named: Any) -> Any:
        counted.append(args[1:])
        return real(*args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(environment, "compile", counting)
        text = RECORD.to_html()
    page_module._environment.cache_clear()
    return text, len(counted)


def kept(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file() and path.parent.name == "templates")


def test_a_second_process_compiles_nothing(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    first, compiled_first = drawn(monkeypatch)
    second, compiled_second = drawn(monkeypatch)
    assert first == second
    assert compiled_first == len(kept(cache)) > 2
    assert compiled_second == 0


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("change", ["the code", "what it was made from", "cut", "empty", "a folder"])
def test_what_is_not_whole_is_compiled_anew(change: str, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    first, _ = drawn(monkeypatch)
    for file in kept(cache):
        content = file.read_bytes()
        file.unlink()
        if change == "a folder":
            file.mkdir()
            continue
        at = {"the code": 100, "what it was made from": 3}.get(change)
        flipped = content if at is None else content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        file.write_bytes({"cut": content[:-9], "empty": b""}.get(change, flipped))
    second, count = drawn(monkeypatch)
    assert second == first
    assert count > 2


def test_another_text_another_jinja_and_other_options_are_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def sums() -> list[str]:
        environment = page_module._environment.__wrapped__()
        asked = compiled.KeptBeside(environment)
        environment.trim_blocks = not environment.trim_blocks
        other = compiled.KeptBeside(environment)
        return [asked.get_source_checksum("a"), asked.get_source_checksum("b"), other.get_source_checksum("a")]

    before = sums()
    monkeypatch.setattr(compiled, "jinja_version", "0")
    assert len({*before, *sums()}) == 6


def test_nothing_is_kept_where_python_keeps_nothing(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    drawn(monkeypatch)
    assert not kept(cache)


def test_a_folder_that_cannot_be_written_is_no_error(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    (cache / "file").write_text("")
    monkeypatch.setattr(sys, "pycache_prefix", str(cache / "file"))
    first, count = drawn(monkeypatch)
    assert first.startswith(("<!DOCTYPE html>", "<!doctype html>"))
    assert count > 2
