"""Records that the tests of pages and texts share."""

import gc
from collections import Counter
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from instances.rendered import document
from instances.seeds import in_this_turn

from dpcert.audit.solving.fixed import fixed_stream
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


@pytest.fixture(scope="session")
def two_round() -> dict[str, Any]:
    return document(TwoRound(), epsilons=[Fraction(1, 10)], deltas=[Fraction(1, 20)])


@pytest.fixture(scope="session")
def repeated() -> dict[str, Any]:
    return document(TwoRoundRepeated(), horizon=8)


@pytest.fixture
def enclosed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A record whose fixed-stream curve is known as a bracket only."""
    monkeypatch.setattr(
        import_module("dpcert.audit.solving.analysis"), "fixed_stream", partial(fixed_stream, most_products=1)
    )
    made = document(TwoRoundRepeated(), horizon=4, epsilons=[Fraction(1, 2)], deltas=[Fraction(1, 20)])
    assert made["fixed_stream"]["tier"] == "enclosed"
    return made


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test that is marked `in_turns`, every second case runs, by the commit; a case asked for by name always."""
    if any("[" in asked for asked in config.args):
        return
    seen: Counter[str] = Counter()
    others = []
    for item in items:
        if item.get_closest_marker("in_turns") is not None:
            test = item.nodeid.split("[")[0]
            if not in_this_turn(seen[test]):
                others.append(item)
            seen[test] += 1
    if others:
        config.hook.pytest_deselected(items=others)
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 100)
