"""A test that starts a process says why with `real("reason")`; all others run in this one.

Which tests do is read off the sources: those that name what starts one, themselves or by a function, a fixture or an
imported piece that does.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
STARTERS = {
    *(("subprocess", name) for name in ("run", "Popen", "call", "check_call", "check_output")),
    *(("os", name) for name in ("fork", "forkpty", "posix_spawn", "system", "popen")),
    ("multiprocessing", "Process"),
    ("pty", "fork"),
    ("pty", "spawn"),
}
APART = {"benchmarks", "mutants"}
"""Folders without tests of `make test`."""
COMMIT = TESTS / "instances" / "seeds.py"
"""Asks git once a run which commit this is, which is nobody's test."""
Piece = tuple[str, frozenset[str], bool]
"""A function or a constant: its name, what it names, and whether it starts a process itself."""


@dataclass(frozen=True)
class Source:
    """A file of tests or of pieces for them.

    Attributes:
        pieces: What it defines.
        imports: Names that it has from other files, by file; the name of the file's module stands for all.
        reasons: By test, what its marks say.
    """

    pieces: tuple[Piece, ...]
    imports: Mapping[Path, frozenset[str]]
    reasons: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, text: str) -> "Source":
        """A file by its text."""
        body = ast.parse(text).body
        whole = tuple(said for node in body if _assigned(node) == "pytestmark" for said in _reasons(node))
        functions = [node for top in body for node in ast.walk(top) if isinstance(node, ast.FunctionDef)]
        imported = [node for node in body if isinstance(node, ast.ImportFrom)]
        direct = {one.name for node in imported for one in node.names if (node.module, one.name) in STARTERS}
        pieces = [_piece(node.name, node, direct) for node in functions]
        pieces += [_piece(name, node, direct) for node in body if (name := _assigned(node)) is not None]
        tests = {node.name: node for node in functions if node.name.startswith("test_")}
        reasons = {
            name: whole + tuple(r for d in node.decorator_list for r in _reasons(d)) for name, node in tests.items()
        }
        return cls(tuple(pieces), dict(_imports(body)), reasons)


def _assigned(node: ast.stmt) -> str | None:
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return target.id if isinstance(target, ast.Name) else None


def _reasons(node: ast.AST) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "real":
            yield from (word.value for word in call.args if isinstance(word, ast.Constant))


def _piece(name: str, node: ast.AST, direct: set[str]) -> Piece:
    named, starts = set[str](), False
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            named.add(part.id)
        elif isinstance(part, ast.arg):
            named.add(part.arg)
        elif isinstance(part, ast.Attribute):
            named.add(part.attr)
            starts |= isinstance(part.value, ast.Name) and (part.value.id, part.attr) in STARTERS
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "usefixtures":
            named.update(word.value for word in part.args if isinstance(word, ast.Constant))
    return name, frozenset(one for one in named if not one.startswith("test_")), starts or bool(direct & named)


def _imports(body: list[ast.stmt]) -> Iterator[tuple[Path, frozenset[str]]]:
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.module:
            place = TESTS / node.module.replace(".", "/")
            if node.module == "instances":
                yield from ((place / f"{alias.name}.py", frozenset({"*"})) for alias in node.names)
            else:
                yield place.with_suffix(".py"), frozenset(alias.name for alias in node.names)


def starting(sources: Mapping[Path, Source]) -> dict[Path, set[str]]:
    """The pieces of each file that start a process, themselves or by others."""
    found: dict[Path, set[str]] = {file: set() for file in sources}
    more = True
    while more:
        more = False
        for file, source in sources.items():
            shared = [found[place / "conftest.py"] for place in file.parents if place / "conftest.py" in found]
            for other, names in source.imports.items():
                shared.append(found.get(other, set()) if "*" in names else found.get(other, set()) & names)
            known = found[file].union(*shared)
            new = {name for name, named, starts in source.pieces if starts or known & (named - {name})} - found[file]
            found[file] |= new
            more |= bool(new)
    return found


@cache
def texts() -> dict[Path, str]:
    """The files whose tests can start a process: those that name what does, and what imports them or stands below."""
    every = {
        file: file.read_text(encoding="utf-8")
        for file in sorted(TESTS.rglob("*.py"))
        if file != COMMIT and APART.isdisjoint(file.parts)
    }
    near = {
        file
        for file, text in every.items()
        if re.search(r"\b(?:subprocess|multiprocessing|pty|os\.(?:fork|posix|system|popen))", text)
        and file != Path(__file__)
    }
    while True:
        words = "|".join(sorted({file.stem for file in near if not file.name.startswith(("test_", "conftest"))}))
        uses = re.compile(rf"^from (?:[\w.]*\b(?:{words})\b|instances import .*\b(?:{words})\b)", re.M)
        below = {file.parent for file in near if file.name == "conftest.py"}
        wider = near | {file for file, text in every.items() if uses.search(text) or below & {*file.parents}}
        if wider == near:
            return {file: every[file] for file in sorted(near)}
        near = wider


@cache
def sources() -> dict[Path, Source]:
    return {file: Source.of(text) for file, text in texts().items()}


def name(file: Path) -> str:
    return file.relative_to(TESTS).with_suffix("").as_posix()


def test_a_test_says_why_it_starts_a_process_and_no_other_starts_one() -> None:
    found = starting(sources())
    tests = [(file, test, said) for file, source in sources().items() for test, said in source.reasons.items()]
    starts = {(name(file), test) for file, test, _ in tests if test in found[file]}
    marked = {(name(file), test) for file, test, said in tests if said}
    assert starts - marked == set(), 'each needs @pytest.mark.real("reason"), or no process'
    assert marked - starts == set(), "these start none"


def test_the_reasons_and_where_they_stand_are_those_of_the_readme() -> None:
    places: dict[str, set[str]] = {}
    for file, source in sources().items():
        for said in {word for words in source.reasons.values() for word in words}:
            places.setdefault(said, set()).add(name(file))
    readme = (TESTS / "README.md").read_text(encoding="utf-8").partition("## Processes")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|$", readme, re.M)
    assert {said: set(re.findall(r"`([^`]+)`", where)) for said, where in rows} == places
    ours = {said for said, _ in rows[:7]}
    count = sum(bool(ours & {*words}) for source in sources().values() for words in source.reasons.values())
    assert f"{count} tests carry one of those seven" in readme


HELPER = 'import subprocess\ndef begun(): return subprocess.run(["true"])\ndef calm(): return 1\n'
USES = {
    "by itself": "import os\ndef test_one(): os.fork()\n",
    "by a function": "from instances.helper import begun\ndef other(): begun()\ndef test_one(): other()\n",
    "by a module": "from instances import helper\ndef test_one(): helper.begun()\n",
    "by a fixture": "def test_one(process): pass\n",
    "by a name": "import pytest\n@pytest.mark.usefixtures('process')\ndef test_one(): pass\n",
    "by a constant": "from instances.helper import begun\nALL = {'a': begun}\ndef test_one(): ALL['a']()\n",
    "by an imported name": "from subprocess import run\ndef test_one(): run('x')\n",
    "by a method": "import subprocess\nclass C:\n    def go(self): subprocess.Popen('x')\ndef test_one(): C().go()\n",
}


@pytest.mark.parametrize("text", USES.values(), ids=USES)
def test_a_process_is_found_however_it_is_started(text: str) -> None:
    files = {
        TESTS / "instances" / "helper.py": HELPER,
        TESTS / "room" / "conftest.py": "from instances.helper import begun\ndef process(): return begun()\n",
        TESTS / "room" / "test_it.py": text + "def test_two(): from instances.helper import calm\n",
    }
    found = starting({file: Source.of(said) for file, said in files.items()})
    assert "test_one" in found[TESTS / "room" / "test_it.py"]
    assert "test_two" not in found[TESTS / "room" / "test_it.py"]
