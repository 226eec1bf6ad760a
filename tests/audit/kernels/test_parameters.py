"""Parameters of a mechanism: read by their annotations or refused, known or refused, recorded; and one kind of it."""

import json
import random
from collections.abc import Sequence
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, Optional, TypeVar, get_args, get_origin

import pytest

from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError
from dpcert.audit.kernels.written import converted
from dpcert.audit.records.digest import source


class Colour(Enum):
    """Values of many types."""

    RED = 1
    BLUE = "sky"
    HALF = Fraction(1, 2)


class Level(IntEnum):
    """Numbers with names."""

    LOW = 1
    HIGH = 2


Rounds = NewType("Rounds", int)
T = TypeVar("T", int, Colour)
OLD_STYLE = Optional[Fraction]  # noqa: UP045 - as many write it
GIVEN: list[tuple[Any, str, Any]] = [
    (int, "3", 3), (int, "-3", -3), (Fraction, "1/3", Fraction(1, 3)), (Fraction, "0.25", Fraction(1, 4)),
    (float, "0.25", 0.25), (float, "1", 1.0), (Decimal, "0.10", Decimal("0.10")), (str, "1/2", "1/2"), (str, "", ""),
    (bool, "true", True), (bool, "False", False), (Colour, "RED", Colour.RED), (Colour, "1", Colour.RED),
    (Colour, "sky", Colour.BLUE), (Colour, "1/2", Colour.HALF), (Level, "HIGH", Level.HIGH), (Level, "2", Level.HIGH),
    (tuple, "1,a", (1, "a")), (tuple, "", ()), (tuple[int, ...], "1,2,3", (1, 2, 3)), (tuple[int, ...], "1,", (1,)),
    (tuple[int, ...], "", ()), (tuple[int, str], "1,2", (1, "2")), (tuple[int, Fraction], "1,2", (1, Fraction(2))),
    (tuple[()], "", ()), (tuple[tuple[int, ...], ...], "1,2;3", ((1, 2), (3,))), (tuple[Colour, ...], "RED,sky",
    (Colour.RED, Colour.BLUE)), (list, "1,2", [1, 2]), (list[int], "1,2", [1, 2]), (set[int], "1,1", {1}),
    (frozenset[int], "1,2", frozenset({1, 2})), (Sequence[int], "1,2", (1, 2)), (int | None, "3", 3),
    (int | None, "None", None), (OLD_STYLE, "1/2", Fraction(1, 2)), (int | str, "3", 3), (int | str, "x", "x"),
    (str | None, "None", None), (str | None, "none", "none"), (Literal["a", 3], "3", 3), (Literal["a", 3], "a", "a"),
    (Annotated[int, "rounds"], "3", 3), (Rounds, "3", 3), (T, "RED", Colour.RED), (T, "7", 7), (Any, "3", 3),
    (Any, "3/1", Fraction(3)), (Any, "x", "x"), (object, "2024-01-01", "2024-01-01"), (None, "1.5", Fraction(3, 2)),
]  # fmt: skip
REFUSED: list[tuple[Any, str]] = [
    (int, "1.0"), (int, "1e3"), (int, "1_0"), (int, "x"), (int, ""), (int, "true"), (Fraction, "x"), (Fraction, "nan"),
    (float, "nan"), (float, "inf"), (float, "1e400"), (Decimal, "1/2"), (Decimal, "NaN"), (bool, "1"), (bool, "yes"),
    (Colour, "red"), (Colour, "Colour.RED"), (Colour, ""), (Level, "3"), (tuple[int, ...], "1,,2"),
    (tuple[int, ...], "1;2"),
    (tuple[int, ...], "1,x"), (tuple[int, int], "1"), (tuple[int, int], "1,2,3"), (tuple[()], "1"), (list[int], "x"),
    (int | None, "x"), (int | None, "none"), (int | None, ""), (Literal["a", 3], "b"), (Literal["a", 3], "4"),
    (Any, "1/0"), (Any, "1_0"), (Any, "0x10"), (Any, "\uff11"), (Any, "1e99999999"), (Any, "+-1"), (dict, "a"),
    (dict[str, int], "a"), (complex | None, "x"), (type, "int"), (bytes, "a"), (Path, "a"), (type(None), "3"),
]  # fmt: skip


@pytest.mark.parametrize(("hint", "text", "value"), GIVEN)
def test_a_text_is_read_by_the_annotation(hint: Any, text: str, value: Any) -> None:
    found = converted(text, hint, "x")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("hint", "text"), REFUSED)
def test_a_text_that_is_no_such_value_is_refused(hint: Any, text: str) -> None:
    with pytest.raises(ArgumentError, match=r"^Expected .* but got x="):
        converted(text, hint, "x")


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, told without the code that reads texts."""
    if get_origin(hint) is tuple:
        inner = get_args(hint)
        if inner[-1:] == (Ellipsis,):
            return type(value) is tuple and all(fits(v, inner[0]) for v in value)
        return type(value) is tuple and len(value) == len(inner) and all(map(fits, value, inner))
    if get_origin(hint) is list:
        return type(value) is list and all(fits(v, get_args(hint)[0]) for v in value)
    if get_origin(hint) is Literal:
        return any(type(value) is type(one) and value == one for one in get_args(hint))
    if get_args(hint):
        return any(fits(value, one) for one in get_args(hint))
    return value is None if hint is type(None) else type(value) is hint


def test_what_is_read_is_always_of_the_annotated_type() -> None:
    generator = random.Random(10)
    plain = [int, Fraction, float, str, bool, Colour, Level, type(None), Literal["a", 1]]
    texts = [
        "",
        "1",
        "-2",
        "1/2",
        "0.5",
        "a",
        "RED",
        "true",
        "None",
        "1,2",
        "1,a",
        ",",
        "1,,2",
        "sky",
        "1e3",
        "x;y",
        "2,",
    ]
    for _ in range(3_000):
        hint: Any = generator.choice(plain)
        for _ in range(generator.randint(0, 2)):
            other = generator.choice(plain)
            hint = generator.choice([hint | None, hint | other, tuple[hint, ...], tuple[hint, other], list[hint]])  # type: ignore[valid-type]
        text = generator.choice(texts)
        try:
            value = converted(text, hint, "x")
        except ArgumentError:
            continue
        assert fits(value, hint), (hint, text, value)


FILE = """
from dataclasses import InitVar, dataclass
from fractions import Fraction
from functools import partial
from dpcert import bernoulli
class Plain:
    alphabet = (0, 1)
    def __init__(self, truth: "Fraction" = Fraction(3, 4), depth: "Nowhere" = 2, noisy=True):
        self.kept = truth
        assert noisy is True or noisy is False
    def law(self, prefix):
        return bernoulli(self.kept if prefix[-1] else 1 - self.kept)
class Passing(Plain):
    def __init__(self, extra=1, **rest):
        super().__init__(**rest)
def factory(truth: Fraction = Fraction(3, 4), *, depth: int = 2):
    return Plain(truth)
def swallowing(truth: Fraction = Fraction(3, 4), **options):
    "Takes truth and depth."
    return Plain(truth)
@dataclass(frozen=True)
class Data:
    truth: Fraction = Fraction(3, 4)
    double: InitVar[int] = 1
    alphabet = (0, 1)
    def __post_init__(self, double):
        object.__setattr__(self, "truth", self.truth / double)
    law = Plain.law
    @property
    def kept(self):
        return self.truth
halved = partial(factory, Fraction(1, 2))
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(FILE, encoding="utf-8")
    return path


def recorded(name: str, *params: str) -> dict[str, Any]:
    """The record of an audit with these parameters."""
    given = [word for param in params for word in ("--param", param)]
    assert run(["audit", f"mine.py:{name}", "--horizon", "1", "--quiet", "--json", "record.json", *given]) in (0, 1)
    record: dict[str, Any] = json.loads(Path("record.json").read_text(encoding="utf-8"))
    return record


@pytest.mark.usefixtures("file")
def test_given_parameters_and_defaults_are_recorded() -> None:
    assert recorded("Plain", "truth=2/3")["parameters"] == {"truth": "2/3", "depth": "2", "noisy": "True"}
    assert recorded("Plain", "noisy=false")["parameters"]["noisy"] == "False"
    assert recorded("factory", "depth=3")["parameters"] == {"truth": "3/4", "depth": "3"}
    assert recorded("Passing", "depth=3")["parameters"] == {"extra": "1", "depth": "3"}
    assert recorded("swallowing", "depth=3")["parameters"] == {"truth": "3/4", "depth": "3"}
    assert recorded("Data")["parameters"] == {"truth": "3/4", "double": "1"}
    shown = recorded("Data", "truth=2/3", "double=2")["parameters"]
    assert shown == {"truth": "1/3", "double": "2", "--param truth": "2/3"}


@pytest.mark.usefixtures("file")
def test_every_given_parameter_counts_in_the_digest() -> None:
    for name, params in (
        ("Plain", ["depth=1", "depth=3"]),
        ("factory", ["depth=1", "depth=3"]),
        ("Data", ["double=2"]),
    ):
        digests = [recorded(name)["source_digest"], *(recorded(name, param)["source_digest"] for param in params)]
        assert len(set(digests)) == len(digests), name


def test_what_a_plain_object_keeps_under_its_parameters_names_counts() -> None:
    class Kept:
        def __init__(self, scale: int) -> None:
            self.scale = scale

    assert source(Kept(1)) != source(Kept(2))


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("Plain", ["trth=1"], "did you mean truth?"), ("factory", ["deth=1"], "did you mean depth?"),
        ("swallowing", ["dept=1"], "but got dept"), ("Passing", ["trth=1"], "did you mean truth?"),
        ("Data", ["trut=1"], "did you mean truth?"),
        ("Plain", ["truth=1/2", "truth=1/3"], "one value of --param truth"),
        ("Plain", ["noisy=0"], "true or false"), ("Data", ["double=1/2"], "whole number"),
        ("Plain", ["truth"], "NAME=VALUE"), ("Plain", ["=1"], "NAME=VALUE"), ("Plain", ["tru th=1"], "NAME=VALUE"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("file")
def test_a_parameter_that_is_none_is_refused(
    name: str, params: list[str], words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    given = [word for param in params for word in ("--param", param)]
    assert run(["audit", f"mine.py:{name}", *given]) == 2
    assert words in capfd.readouterr().err


@pytest.mark.usefixtures("file")
def test_the_same_value_twice_is_one() -> None:
    assert recorded("Plain", "truth=2/3", "truth=2/3")["parameters"]["truth"] == "2/3"


KINDS = {
    "law": "    def law(self, prefix): return bernoulli(Fraction(1, 2))\n",
    "step": "    initial = 0\n    def step(self, state, x, draw): return Release(draw(bernoulli(Fraction(1, 2)))), 0\n",
    "respond": "    def seeds(self, horizon): return Pmf({(0,) * horizon: 1})\n"
    "    def respond(self, seeds, stream): return seeds[:len(stream)]\n",
    "weights": "    def weights(self, t): return (1,) * t\n    def noise_law(self, t): return Pmf({0: 1})\n",
}
IMPORTS = "from fractions import Fraction\nfrom dpcert import Pmf, Release, bernoulli\n"


@pytest.mark.parametrize(("kinds", "inherited"), [*product(combinations(KINDS, 2), (False, True))])
def test_two_kinds_at_once_are_refused(
    kinds: tuple[str, str], inherited: bool, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    one, two = (KINDS[kind] for kind in kinds)
    if inherited:
        text = f"class Base:\n    alphabet = (0, 1)\n{one}class Two(Base):\n{two}"
    else:
        text = f"class Two:\n    alphabet = (0, 1)\n{one}{two}"
    file.write_text(IMPORTS + text, encoding="utf-8")
    assert run(["audit", "mine.py:Two"]) == 2
    err = capfd.readouterr().err
    assert all(f"`{kind}`" in err for kind in kinds), err
    assert "mine.py:" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("kind", ["step", "respond", "weights"])
def test_a_law_that_is_a_plain_value_makes_no_second_kind(kind: str, file: Path) -> None:
    text = f"class One:\n    alphabet = (0, 1)\n    law = bernoulli(Fraction(1, 2))\n{KINDS[kind]}"
    file.write_text(IMPORTS + text, encoding="utf-8")
    assert run(["audit", "mine.py:One", "--quiet"]) in (0, 1, 3)
