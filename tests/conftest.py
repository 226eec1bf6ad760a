"""Records that the tests of pages and texts share."""

import atexit
import gc
import os
import sys
from collections.abc import Generator
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from instances.compiled import compile_share
from instances.rendered import document
from instances.seeds import FIRST, Turns, out_of_turn

from dpcert.audit.solving.fixed import fixed_stream
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

for finder in sys.meta_path:  # pytest would rewrite all of a package that brings a plugin, which takes seconds
    getattr(finder, "_must_rewrite", set()).difference_update({"dpcert", "hypothesis", "platformdirs"})


@pytest.fixture(scope="session")
def two_round() -> dict[str, Any]:
    return document(TwoRound(), epsilons=[Fraction(1, 10)], deltas=[Fraction(1, 20)])


@pytest.fixture(scope="session")
def repeated() -> dict[str, Any]:
    return document(TwoRoundRepeated(), horizon=8)


@pytest.fixture
def enclosed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A record whose fixed-stream curve is known as a bracket only, as the exact tier leaves it."""
    monkeypatch.setattr(
        import_module("dpcert.audit.solving.analysis"), "fixed_stream", partial(fixed_stream, most_products=1)
    )
    scope: dict[str, Any] = {"horizon": 4, "epsilons": [Fraction(1, 2)], "deltas": [Fraction(1, 20)]}
    made = document(TwoRoundRepeated(), tier="exact", **scope)
    assert made["fixed_stream"]["tier"] == "enclosed"
    return made


def _end() -> None:
    """The end of a worker, which has told all it found: taking all its objects apart would take seconds."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if "PYTEST_XDIST_WORKER" in os.environ:
    atexit.register(_end)  # what was registered later has its turn before


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Nothing of what is collected is garbage: the collector need not look for any."""
    gc.disable()
    compile_share(session.config)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Files of tests have no examples in docstrings, nor has what has no prompt: a module without is not even read."""
    collectors = yield
    return [one for one in collectors if not isinstance(one, DoctestModule) or _has_examples(file_path)]


def _has_examples(file: Path) -> bool:
    return not file.name.startswith("test_") and b">>> " in file.read_bytes()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test marked `in_turns` some cases run, by the commit; all of one that is asked for by its name."""
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))
    if any("::" in asked for asked in config.args):
        return
    marks = {item.nodeid: item.get_closest_marker("in_turns") for item in items}
    shared = {case: Turns.of(**mark.kwargs) for case, mark in marks.items() if mark is not None}
    for item in items:
        if turns := shared.get(item.nodeid):
            item.user_properties += [
                (name, value) for name, value in asdict(turns).items() if value
            ]  # for `balance.py`
    names = out_of_turn(shared)
    if names:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in names])
        items[:] = [item for item in items if item.nodeid not in names]


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 10, 100)
