"""What is exported says what it is: the quantity, then arguments, result, errors, source and a doctest."""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from enum import Enum
from importlib.resources import files
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

import dpcert
from dpcert import laws

EXPORTED = {f"dpcert.{name}": getattr(dpcert, name) for name in dpcert.__all__} | {
    f"laws.{name}": getattr(laws, name) for name in laws.__all__
}
STATEMENTS = json.loads((files("dpcert.proofs_checked") / "statements.json").read_text(encoding="utf-8"))
LABELS = {*STATEMENTS, "def:interaction"}
"""Those of the paper that claims are about, and one of a definition that says nothing to be checked."""
SECTIONS = ("Args", "Returns", "Raises", "Source")
THINGS = {name: thing for name, thing in EXPORTED.items() if not isinstance(thing, ModuleType)}


def described(thing: Any) -> Any:
    """What has the docstring: a class or function itself, of a constant its class."""
    return thing if inspect.isclass(thing) or inspect.isfunction(thing) else type(thing)


def sections(doc: str) -> list[str]:
    """The sections of a docstring, in its order."""
    return re.findall(rf"^({'|'.join(SECTIONS)}):", inspect.cleandoc(doc), flags=re.MULTILINE)


def arguments(doc: str) -> set[str]:
    """The names under Args."""
    part = re.search(r"^Args:\n((?:    .*\n?|\n)+)", inspect.cleandoc(doc), flags=re.MULTILINE)
    entries = re.findall(r"^    (\w[\w, ]*):", part[1] if part else "", flags=re.MULTILINE)
    return {name.strip() for entry in entries for name in entry.split(",")}


def parameters(thing: Any) -> set[str]:
    """What a caller hands over: all but self, and what is private."""
    if inspect.isclass(thing):
        if not made_by_hand(thing):
            return set()
        thing = thing.__init__
    return {name for name in inspect.signature(thing).parameters if not name.startswith("_") and name != "self"}


def made_by_hand(thing: type) -> bool:
    """Whether a caller makes objects of the class by arguments of its own."""
    return "__init__" in vars(thing) and not getattr(thing, "_is_protocol", False)


def raises(thing: Any) -> bool:
    """Whether its own lines raise; of a class, those that make one."""
    if inspect.isclass(thing):
        makers = [vars(thing).get(name) for name in ("__init__", "__post_init__")] if made_by_hand(thing) else []
        return any(inspect.isfunction(f) and f.__code__.co_filename != "<string>" and raises(f) for f in makers)
    tree = ast.parse(dedent(inspect.getsource(thing)))
    return any(isinstance(node, ast.Raise) for node in ast.walk(tree))


def returns(thing: Any) -> bool:
    return inspect.isfunction(thing) and thing.__annotations__.get("return") not in (None, "None", bool)


def methods() -> Iterator[tuple[str, Any]]:
    """The public methods of what is exported, plain functions and class methods."""
    for name, thing in THINGS.items():
        for key, value in vars(described(thing)).copy().items() if not inspect.isfunction(described(thing)) else ():
            function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            is_default = key in vars(described(thing)).get("__annotations__", {})
            if not key.startswith("_") and inspect.isfunction(function) and not is_default:
                yield f"{name}.{key}", function


METHODS = dict(methods())


@pytest.mark.parametrize("name", THINGS)
def test_an_exported_name_has_all_its_sections(name: str) -> None:
    thing = described(THINGS[name])
    doc = thing.__doc__
    assert parameters(thing) <= arguments(doc)
    assert ("Returns" in sections(doc)) >= returns(thing)
    assert ("Raises" in sections(doc)) >= raises(thing)
    assert "Source" in sections(doc)
    assert re.search(r"^>>> ", inspect.cleandoc(doc), flags=re.MULTILINE)
    assert sections(doc) == sorted(sections(doc), key=SECTIONS.index)


@pytest.mark.parametrize("name", METHODS)
def test_a_public_method_says_what_it_takes_gives_and_raises(name: str) -> None:
    """As in `Adjacency`: a method of a protocol of ours may refer to where that is said."""
    function = METHODS[name]
    doc = function.__doc__
    refers = doc.partition("\n")[0].endswith("As in `Adjacency`.")
    assert refers or parameters(function) - {"cls"} <= arguments(doc)
    assert ("Raises" in sections(doc)) >= raises(function) or "Raises: " in doc
    assert sections(doc) == sorted(sections(doc), key=SECTIONS.index)


@pytest.mark.parametrize("name", [*THINGS, *METHODS])
def test_the_first_line_is_a_sentence(name: str) -> None:
    first = (METHODS.get(name) or described(THINGS[name])).__doc__.partition("\n\n")[0].strip()
    assert first
    assert first.endswith(".")


@pytest.mark.parametrize("name", THINGS)
def test_every_member_of_an_enumeration_is_explained(name: str) -> None:
    thing = THINGS[name]
    if inspect.isclass(thing) and issubclass(thing, Enum):
        assert all(re.search(rf"\b{member.name}\b", thing.__doc__.partition("Source:")[0]) for member in thing)


@pytest.mark.parametrize("name", THINGS)
def test_a_source_is_a_label_of_the_paper_or_said_to_be_none(name: str) -> None:
    (source,) = re.findall(r"^Source: (.*)$", inspect.cleandoc(described(THINGS[name]).__doc__), flags=re.MULTILINE)
    cited = set(re.findall(r"\b[a-z]+:[\w-]+", source))
    assert bool(cited) != source.startswith("none")
    assert cited <= LABELS
