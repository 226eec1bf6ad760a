"""Turns weigh alike: what is long is placed where what it meets is light, and stays there."""

import random

from balance import balanced, measured
from instances.seeds import BEGINS, TURNS, Turns

Seconds = dict[str, tuple[Turns, list[float]]]


def loads(seconds: Seconds, begins: dict[str, int]) -> list[float]:
    """Seconds of each turn, counted case by case."""
    turns = [0.0] * TURNS
    for name, (shared, cases) in seconds.items():
        for number, long in enumerate(cases):
            for turn in range(TURNS):
                at = begins[name] + (0 if shared.together else number)
                if (turn - at) % shared.commits == 0:
                    turns[turn] += long
    return turns


def test_no_turn_is_much_heavier_than_another() -> None:
    rng = random.Random(3)
    seconds: Seconds = {
        f"t{n}": (Turns.of(few=n % 3 == 0), [rng.uniform(1, 4) for _ in range(rng.choice([1, 1, 3, 20]))])
        for n in range(60)
    }
    seconds |= {"cluster": (Turns.of("cluster"), [1.0] * 9), "site": (Turns.of("site"), [3.0] * 3)}
    seconds["longest"] = Turns.of(), [20.0]
    begins = balanced(seconds, {})
    turns = loads(seconds, begins)
    assert begins.keys() == seconds.keys()
    assert max(turns) < 1.1 * sum(turns) / TURNS
    assert begins["cluster"] != begins["site"]


def test_what_is_placed_stays_when_others_come() -> None:
    alone = Turns.of()
    first = balanced({"a": (alone, [5.0]), "b": (alone, [5.0]), "gone": (alone, [9.0])}, {})
    assert first["a"] != first["b"]
    kept = {name: first[name] for name in ("a", "b", "gone")}
    again = balanced({"a": (alone, [5.0]), "b": (alone, [5.0]), "c": (alone, [30.0]), "short": (alone, [0.1])}, kept)
    assert {name: again[name] for name in ("a", "b")} == {name: first[name] for name in ("a", "b")}
    assert again.keys() == {"a", "b", "c"}
    assert again["c"] not in (again["a"], again["b"])


def test_a_report_of_pytest_is_read() -> None:
    twelve, six = (f'<properties><property name="commits" value="{commits}"/>' for commits in (12, 6))
    report = (
        f'<testsuites><testsuite><testcase classname="tests.a.test_b" name="test_c[x[1]]" time="1.5">{twelve}'
        "</properties></testcase>"
        f'<testcase classname="tests.a.test_b" name="test_c[y]" time="0.5">{twelve}</properties></testcase>'
        f'<testcase classname="tests.d" name="test_e" time="2">{six}<property name="together" value="site"/>'
        "</properties></testcase></testsuite></testsuites>"
    )
    assert measured(report) == {
        "tests/a/test_b.py::test_c": (Turns.of(), [1.5, 0.5]),
        "site": (Turns.of("site"), [2.0]),
    }


def test_what_is_placed_begins_with_a_turn() -> None:
    assert set(BEGINS.values()) <= set(range(TURNS))
