"""What differs between two interpreters is found in others: orders of sets, places of objects, what imports read."""

import random
from pathlib import Path
from typing import Any

import pytest
from instances.seeds import spread

from dpcert import examine
from dpcert.audit.kernels import targets
from dpcert.audit.outside import interpreters
from dpcert.audit.outside.between_processes import may_differ
from dpcert.audit.outside.reach import reach

HEAD = "from fractions import Fraction\nfrom dpcert.laws import bernoulli\n"
CLASS = """
class M:
    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(Fraction(1, 2 + {number} + prefix[-1]))
"""
DIFFERENT = {
    "order of a set": ("NAMES = list({'a', 'b', 'c', 'd', 'e'})", "NAMES.index('b')"),
    "order inside": ("", "list(frozenset('abcdef')).index('c')"),
    "a set that is filled": ("NAMES = set()\nfor n in 'abcde':\n    NAMES.add(n)", "list(NAMES).index('d')"),
    "a comprehension": ("NAMES = [*{n + 'x' for n in 'abcde'}]", "NAMES.index('ax')"),
    "a hash": ("NUMBER = hash('a name') % 1000", "NUMBER"),
    "a place": ("NUMBER = id(Fraction(1, 7)) % 100_003", "NUMBER"),
    "a place in words": ("NUMBER = int(repr(object())[-9:-1], 16) % 100_003", "NUMBER"),
    "random": ("import random\nNUMBER = random.randrange(1000)", "NUMBER"),
    "secrets": ("import secrets\nNUMBER = secrets.randbelow(1000)", "NUMBER"),
    "os.urandom": ("import os\nNUMBER = os.urandom(2)[0]", "NUMBER"),
    "a clock": ("import time\nNUMBER = time.perf_counter_ns() % 1000", "NUMBER"),
    "numpy": ("import numpy as np\nNUMBER = int(np.random.default_rng().integers(1000))", "NUMBER"),
    "a uuid": ("import uuid\nNUMBER = uuid.uuid4().int % 1000", "NUMBER"),
    "a process": ("import os\nNUMBER = os.getpid()", "NUMBER"),
}
ALIKE = {
    "a sorted set": ("NAMES = sorted({'a', 'b', 'c', 'd', 'e'})", "NAMES.index('b')"),
    "a set of numbers": ("NUMBERS = list({3, 1, 2})", "NUMBERS[0]"),
    "looked into": ("", "int('b' in {'a', 'b'})"),
    "a seed": ("import random\nNUMBER = random.Random(7).randrange(1000)", "NUMBER"),
    "a clock beside": ("import time\nSTART = time.time()", "1"),
    "a file": ("from pathlib import Path\nNUMBER = len(Path(__file__).read_text()) % 7", "NUMBER"),
}


def steadiness(path: Path, source: str, name: str = "M", **spelled: str) -> dict[str, Any]:
    """DETERMINISTIC_MAP of a class in a file, as the command line audits it."""
    path.write_text(source)
    target = f"{path}:{name}"
    found = targets.find(target, spelled)
    record = examine(found.mechanism, horizon=2, target=target, spelled=spelled, exp_epsilons=(1,))
    return next(entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP")


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("kind", spread(list(DIFFERENT), 8))
def test_what_another_interpreter_does_otherwise_is_found(tmp_path: Path, kind: str) -> None:
    before, number = DIFFERENT[kind]
    entry = steadiness(tmp_path / "mine.py", HEAD + before + CLASS.format(number=number))
    assert entry["verdict"] == "REFUTED"
    assert entry["witness"]["here"] != entry["witness"]["fresh"]
    assert "another interpreter" in entry["detail"]


@pytest.mark.parametrize("kind", spread(list(ALIKE), 8))
def test_what_every_interpreter_does_alike_holds(tmp_path: Path, kind: str) -> None:
    before, number = ALIKE[kind]
    entry = steadiness(tmp_path / "mine.py", HEAD + before + CLASS.format(number=number))
    assert entry["verdict"] == "HOLDS", entry["detail"]


@pytest.mark.in_turns
def test_an_alphabet_may_come_in_any_order_but_not_be_another(tmp_path: Path) -> None:
    lines = "class M:\n    alphabet = {}\n\n    def law(self, prefix):\n        return bernoulli(Fraction(1, 3))\n"
    same = steadiness(tmp_path / "same.py", HEAD + lines.format("tuple({'a', 'b', 'c'})"))
    other = steadiness(tmp_path / "other.py", HEAD + lines.format("(0, hash('x'))"))
    assert (same["verdict"], other["verdict"]) == ("HOLDS", "REFUTED")
    assert other["detail"].startswith("The alphabet goes otherwise in another interpreter")


@pytest.mark.in_turns
def test_parameters_are_read_as_they_were_spelled(tmp_path: Path) -> None:
    source = HEAD + (
        "class M:\n    alphabet = (0, 1)\n\n    def __init__(self, n: int = 1):\n        self.n = n\n\n"
        "    def law(self, prefix):\n        names = list({'a', 'b'})\n"
        "        return bernoulli(Fraction(1, 2 + self.n + len(names)))\n"
    )
    entry = steadiness(tmp_path / "mine.py", source, n="5")
    assert entry["verdict"] == "HOLDS"
    assert f"went alike in {interpreters.OTHERS} other interpreters" in entry["detail"]


@pytest.mark.in_turns
def test_drawn_by_code_of_a_script(tmp_path: Path) -> None:
    """Cells of draws are the same everywhere: another interpreter is told those that were found here."""
    source = (
        "from dpcert import scripted\n\n\nclass Code:\n    def __init__(self, rng):\n        self.rng = rng\n\n"
        "    def __call__(self, x):\n        names = {'a', 'b'}\n"
        "        return sorted(names).index('b') + x * int(self.rng.random() < 0.25) + {more}\n\n\n"
        "mechanism = scripted(Code, alphabet=(0, 1), horizon=2)\n"
    )
    for more, verdict in [("0", "HOLDS"), ("list({'c', 'd', 'e', 'f', *names}).index('d')", "REFUTED")]:
        entry = steadiness(tmp_path / "mine.py", source.replace("{more}", more), "mechanism")
        assert entry["verdict"] == verdict, entry["detail"]


def test_code_without_anything_of_the_kind_needs_no_other_interpreter(tmp_path: Path) -> None:
    rng = random.Random(5)
    for n in range(40):
        before, number = rng.choice([*DIFFERENT.values()]) if n % 2 else ("NUMBER = [1, 2][0]", "NUMBER")
        path = tmp_path / f"plain{n}.py"
        path.write_text(HEAD + before + CLASS.format(number=number))
        assert may_differ(reach(targets.find(f"{path}:M", {}).mechanism).modules) == bool(n % 2)


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("object.__setattr__(self, 'n', 1)", False), ("setattr(self, 'n', object())", True),
        ("object.__setattr__(self, 'n', object())", True), ("object.__new__(object)", True),
        ("make = object; make.__setattr__(self, 'n', make())", True), ("import builtins; builtins.object", True),
        ("object.__repr__(self)", True), ("object.__setattr__(self, 'n', id(self))", True),
    ],
)  # fmt: skip
def test_object_that_only_sets_an_attribute_makes_no_difference(tmp_path: Path, line: str, asked: bool) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"{HEAD}{CLASS.format(number=0)}\n    def __init__(self):\n        {line}\n")
    assert may_differ(reach(targets.find(f"{path}:M", {}).mechanism).modules) == asked


def test_an_interpreter_that_gives_no_answer_leaves_it_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreters, "_PLAYER", "dpcert.no_such_module")
    before, number = ALIKE["a sorted set"]
    entry = steadiness(tmp_path / "mine.py", HEAD + before + CLASS.format(number=number))
    assert entry["verdict"] == "UNDECIDED"
    assert "another interpreter gave no answer" in entry["detail"]


@pytest.mark.in_turns
def test_a_target_that_another_interpreter_cannot_read_leaves_it_open(tmp_path: Path) -> None:
    (tmp_path / "here_only").write_text("")
    before = f"import os\nfrom pathlib import Path\nPath({str(tmp_path / 'here_only')!r}).unlink()\nNAMES = {{'a'}}"
    entry = steadiness(tmp_path / "mine.py", HEAD + before + CLASS.format(number="1"))
    assert entry["verdict"] == "UNDECIDED"
    assert "another interpreter could not read the target" in entry["detail"]
