"""One word, one thing: no two classes of the package share a name, the private ones included."""

import ast
from collections import defaultdict
from pathlib import Path

from instances.sources import nodes

import dpcert

PACKAGE = Path(dpcert.__file__).parent
FOLDERS = ("audit", "mechanisms", "proofs_checked")


def test_no_two_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in (path for folder in FOLDERS for path in (PACKAGE / folder).rglob("*.py")):
        for node in nodes(path.resolve()):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert places, "the package is where it was looked for"
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
