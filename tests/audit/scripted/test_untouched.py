"""What a run touches that the next one can read is seen, whatever stands in its place."""

import random
from collections import deque
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpcert.audit.scripted.forms import Forms
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.unknown import Unknown

TEXT = """
CALLS = 0
LISTED = [1000, [2000]]
TABLE = {1: 1000, "a": [0]}
EMPTY = {}
MEMBERS = {1, 2}
WINDOW = deque((1000, 2000), 2)
HALF = Fraction(1, 2)
FLOATS = np.zeros(2)
WHOLES = np.array([0, 1])

class Slotted:
    __slots__ = ("one", "two")
    def __init__(self):
        self.one = [1000]

class Point:
    shared = 1000
    def __init__(self):
        self.x, self.inside = 1000, Slotted()

POINT = Point()
SLOTTED = Slotted()

def closed():
    n = [1000]
    m = 1000
    def add():
        nonlocal m
        m += 1
        n.append(m)
        return m
    return add

ADD = closed()

def later(x, kept=[]):
    return kept

def use(x):
    if x > 9:
        global MADE
        MADE = 1
    return (CALLS, LISTED, TABLE, EMPTY, WINDOW, HALF, POINT, SLOTTED, ADD, later, Point, Slotted, MADE)

def members(x):
    return x in MEMBERS

def arrays(x):
    return FLOATS[x] + WHOLES[x]
"""
TOUCHES = [
    "CALLS += 1", "CALLS = 1.0", "CALLS = False", "LISTED.append(1)", "LISTED[0] = 1001", "LISTED[1][0] = 2001",
    "LISTED.reverse()", "LISTED = [1000, [2000]]", "TABLE['b'] = 1", "TABLE[1] = 1001", "del TABLE[1]",
    "TABLE['a'].append(1)", "EMPTY[0] = 0", "EMPTY[0] = 0; del EMPTY[0]", "WINDOW.append(3000)", "WINDOW.rotate(1)",
    "HALF = Fraction(1, 2) + 0", "HALF._numerator = 2", "POINT.x += 1", "POINT.new = 0", "del POINT.x",
    "Point.shared = 0", "Point.other = 0", "del Point.shared", "POINT.inside.one.append(0)", "POINT.inside.two = 0",
    "SLOTTED.two = None",
    "SLOTTED.one = [1000]", "del SLOTTED.one", "ADD()", "later(0).append(0)", "later.told = 0", "MADE = 1",
    "POINT.inside = Slotted()", "Point.use = use", "LISTED[1] = LISTED[1][:]",
]  # fmt: skip
LOOKS = [
    "use(0)",
    "later(0)",
    "[x for x in LISTED]",
    "sorted(WINDOW)",
    "LISTED == LISTED[:]",
    "TABLE.get(1)",
    "Point()",
]


def space_of() -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "plain_text", "deque": deque, "Fraction": Fraction, "np": np}
    exec(compile(TEXT, "plain_text.py", "exec"), space)
    return space


def met(space: dict[str, Any], name: str = "use") -> Any:
    """What is met on the way from a function, which is plain but that it names what is not there yet."""
    return Forms().whole([space[name]], object()).untouched()


@pytest.mark.parametrize("statement", TOUCHES)
def test_whatever_is_touched_is_seen(statement: str) -> None:
    space = space_of()
    untouched = met(space)
    for look in LOOKS:
        if "use" not in look:
            eval(look, space)
        assert untouched.holds()
    exec(statement, space)
    assert not untouched.holds()


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("members", "MEMBERS.add(3)"),
        ("members", "MEMBERS.discard(1)"),
        ("members", "MEMBERS.discard(1); MEMBERS.add(True)"),
        ("members", "MEMBERS = {1, 2}"),
        ("members", "MEMBERS.add(Fraction(1, 2))"),
        ("members", "made = ()\nfor _ in range(3000): made = (made,)\nMEMBERS.add(made)"),
        ("arrays", "FLOATS[0] = -0.0"),
        ("arrays", "WHOLES += 1"),
        ("arrays", "FLOATS = np.zeros(2)"),
        ("arrays", "WHOLES.sort(); WHOLES[0] = 7"),
    ],
)
def test_so_it_is_in_sets_and_arrays(name: str, statement: str) -> None:
    space = space_of()
    only_plain([space[name]], object())
    untouched = met(space, name)
    assert untouched.holds()
    exec(statement, space)
    assert not untouched.holds()


def test_what_is_new_is_told_from_what_stood_in_its_place() -> None:
    """An object that was given up leaves its place to the next one of its size."""
    for number in range(200):
        space = space_of()
        untouched = met(space)
        rng = random.Random(number)
        target = rng.choice(["LISTED[0]", "TABLE[1]", "POINT.x", "Point.shared", "CALLS"])
        exec(f"{target} = {2**40 + number}", space)
        exec(f"{target} = {2**40 + number + 1}", space)
        assert not untouched.holds()


def test_whatever_a_form_tells_apart_is_seen() -> None:
    """Statements at random, some of which change nothing for good: where the form is another one, so is this."""
    for number in range(120):
        rng, space, forms = random.Random(number), space_of(), Forms()
        before = forms.whole([space["use"]], object())
        untouched = before.untouched()
        for statement in rng.choices(TOUCHES + LOOKS[1:] * 6, k=3):
            try:
                exec(statement, space)
            except (AttributeError, KeyError):
                continue
        try:
            after = forms.whole([space["use"]], object()).form
        except Unknown:
            after = ()
        assert after == before.form or not untouched.holds()
