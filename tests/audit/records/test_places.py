"""Where a definition stands, which is remembered as long as its file stays as it is, against what Python finds anew."""

import importlib.util
import inspect
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dpcert.audit.records import digest

TEXT = """
class Alike(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return 7


class First(metaclass=Alike):
    '''The first.'''
    alphabet = (0, 1)


class Second(metaclass=Alike):
    '''The second.'''
    alphabet = (0, 1, 2)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    file = tmp_path / "written_here.py"
    file.write_text(TEXT, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("written_here", file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "written_here", made)
    spec.loader.exec_module(made)
    return made


def said(definition: Any) -> tuple[int | None, str]:
    mechanism = definition()
    return digest.location(mechanism)["line"], digest.subject(mechanism)["code"]


def test_definitions_that_say_they_are_equal_have_places_of_their_own(module: ModuleType) -> None:
    for definition in (module.First, module.Second) * 2:
        assert said(definition) == (inspect.findsource(definition)[1] + 1, inspect.getsource(definition))
    assert said(module.First) != said(module.Second)


@pytest.mark.parametrize("where", [0, 5, 60])
def test_a_file_that_changed_is_read_again(module: ModuleType, where: int) -> None:
    before = said(module.Second)
    file = Path(str(module.__file__))
    lines = TEXT.replace("The second", "Another one").splitlines()
    file.write_text("\n".join([*lines[:where], *["# more"] * 3, *lines[where:]]) + "\n", encoding="utf-8")
    os.utime(file, ns=(10**18, 10**18))
    assert said(module.Second) == (inspect.findsource(module.Second)[1] + 1, inspect.getsource(module.Second)) != before


def test_of_a_file_that_is_gone_nothing_is_said(module: ModuleType) -> None:
    assert said(module.First)[0] is not None
    Path(str(module.__file__)).unlink()
    assert said(module.First) == (None, "")
