"""Turns weigh alike: what is long is placed where what it meets is light, and stays there."""

import random

from balance import balanced, measured
from instances.seeds import BEGINS, TOGETHER, TURNS


def loads(seconds: dict[str, list[float]], shared: set[str], begins: dict[str, int]) -> list[float]:
    """Seconds of each turn, counted case by case."""
    turns = [0.0] * TURNS
    for name, cases in seconds.items():
        for number, long in enumerate(cases):
            for turn in range(TURNS):
                if (turn - begins[name]) % TOGETHER == 0 if name in shared else (begins[name] + number) % TURNS == turn:
                    turns[turn] += long
    return turns


def test_no_turn_is_much_heavier_than_another() -> None:
    rng = random.Random(3)
    seconds = {f"t{n}": [rng.uniform(1, 4) for _ in range(rng.choice([1, 1, 3, 20]))] for n in range(60)}
    seconds |= {"cluster": [1.0] * 9, "site": [3.0] * 3, "longest": [20.0]}
    begins = balanced(seconds, {"cluster", "site"}, {})
    turns = loads(seconds, {"cluster", "site"}, begins)
    assert begins.keys() == seconds.keys()
    assert max(turns) < 1.1 * sum(turns) / TURNS
    assert begins["cluster"] != begins["site"]


def test_what_is_placed_stays_when_others_come() -> None:
    first = balanced({"a": [5.0], "b": [5.0], "gone": [9.0]}, set(), {})
    assert first["a"] != first["b"]
    kept = {name: first[name] for name in ("a", "b", "gone")}
    again = balanced({"a": [5.0], "b": [5.0], "c": [30.0], "short": [0.1]}, set(), kept)
    assert {name: again[name] for name in ("a", "b")} == {name: first[name] for name in ("a", "b")}
    assert again.keys() == {"a", "b", "c"}
    assert again["c"] not in (again["a"], again["b"])


def test_a_report_of_pytest_is_read() -> None:
    report = (
        '<testsuites><testsuite><testcase classname="tests.a.test_b" name="test_c[x[1]]" time="1.5"/>'
        '<testcase classname="tests.a.test_b" name="test_c[y]" time="0.5"/>'
        '<testcase classname="tests.d" name="test_e" time="2"><properties><property name="together" value="site"/>'
        "</properties></testcase></testsuite></testsuites>"
    )
    assert measured(report) == ({"tests/a/test_b.py::test_c": [1.5, 0.5], "site": [2.0]}, {"site"})


def test_what_is_placed_begins_with_a_turn() -> None:
    assert set(BEGINS.values()) <= set(range(TURNS))
