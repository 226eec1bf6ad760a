"""Each room's `__init__` is a map of it: the modules that it names are there, and it imports no others than it says."""

import ast
import re
from pathlib import Path

import pytest
from instances.sources import nodes

import dpcert.audit
import dpcert.mechanisms

LAYERS = {"audit": Path(dpcert.audit.__file__).parent, "mechanisms": Path(dpcert.mechanisms.__file__).parent}
ROOMS = sorted(f"{layer}/{init.parent.name}" for layer, top in LAYERS.items() for init in top.glob("*/__init__.py"))
NO_ROOMS = {"mechanisms/broken"}
"""Folders of single files, each of which stands for itself."""
MAPPED = [room for room in ROOMS if room not in NO_ROOMS]
MOST_LINES = 9
EVERYWHERE = ("audit", "frozen")
"""How values are made, in place of a library's decorator: no map names it."""


def folder(room: str) -> Path:
    layer, name = room.split("/")
    return LAYERS[layer] / name


def map_of(text: str) -> dict[str, set[str]]:
    """What stands after `Modules:`, `Imports:` and `Start with:`, word by word."""
    doc = ast.get_docstring(ast.parse(text)) or ""
    parts = re.findall(r"^(Modules|Imports|Start with): (.*?)\.$", doc, flags=re.MULTILINE | re.DOTALL)
    return {head: {word.strip() for word in tail.split(",")} for head, tail in parts}


def imported(room: str) -> set[str]:
    """Rooms and modules of ours that a room's modules import, as its map names them."""
    layer, name = room.split("/")
    found = set()
    for path in folder(room).glob("*.py"):
        for node in nodes(path.resolve()):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpcert."):
                whole = [node.module] if node.module.count(".") > 1 else [f"{node.module}.{a.name}" for a in node.names]
                found |= {tuple(one.split(".")[1:3]) for one in whole}
    return {part if of == layer else f"{of}.{part}" for of, part in found - {EVERYWHERE, (layer, name)}}


@pytest.mark.parametrize("room", MAPPED)
def test_the_map_names_the_modules_of_its_room(room: str) -> None:
    modules = {path.stem for path in folder(room).glob("*.py")} - {"__init__"}
    assert map_of((folder(room) / "__init__.py").read_text(encoding="utf-8"))["Modules"] == modules


@pytest.mark.parametrize("room", MAPPED)
def test_the_map_names_what_its_room_imports(room: str) -> None:
    said = map_of((folder(room) / "__init__.py").read_text(encoding="utf-8"))["Imports"]
    assert said - {"nothing of ours"} == imported(room)


@pytest.mark.parametrize("room", MAPPED)
def test_the_map_is_short_and_says_where_to_start(room: str) -> None:
    text = (folder(room) / "__init__.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    (start,) = [line for line in text.splitlines() if line.startswith("Start with: ")]
    words = set(start.replace(",", "").replace(".", "").split()[2:]) - {"then", "and"}
    assert words <= map_of(text)["Modules"] | {"dpcert"}
    assert not [node for node in ast.parse(text).body if not isinstance(node, ast.Expr)], "a map makes nothing"


def test_every_folder_is_a_room_or_named_as_none() -> None:
    folders = {f"{layer}/{p.name}" for layer, top in LAYERS.items() for p in top.iterdir() if any(p.glob("*.py"))}
    assert folders == set(ROOMS)
