"""Counts of loops that are kept in libraries, under names that code has for what stands in them, are seen."""

import json
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from instances.laws_of_code import enumerated, law

from dpcert.audit.scripted.repeating import KNOWN

pytestmark = pytest.mark.skipif(not KNOWN, reason="loops are recognised on Python 3.11 alone, and refused on others")
PLACES = ("np.linalg", "np.sum", "statistics.median", "statistics.NormalDist", "json._default_encoder")
TEXT = """
def body(rng):
    {place}.odd_times = 0
    while rng.randrange(2):
        if {place}.odd_times >= 3:
            return -1
        {place}.odd_times += 1
    return {place}.odd_times
"""


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    yield
    encoder = json._default_encoder  # type: ignore[attr-defined]
    for holder in (np.linalg, np.sum, statistics.median, statistics.NormalDist, encoder):
        if "odd_times" in vars(holder):
            del holder.odd_times


@pytest.mark.parametrize("place", PLACES)
def test_a_count_in_a_library_is_seen(place: str) -> None:
    space: dict[str, Any] = {"np": np, "statistics": statistics, "json": json, "__name__": __name__}
    exec(TEXT.format(place=place), space)
    body: Callable[[Any], int] = space["body"]
    assert law(body) == enumerated(body)
