"""A record with thinned curves agrees with itself, and its numbers stay on the right side of what is left of them."""

import copy
import json
from typing import Any

import pytest

from dpcert import ArgumentError, examine
from dpcert.audit.records import documents
from dpcert.audit.records.record import read
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


@pytest.fixture
def thinned(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(documents, "MOST_VERTICES", 6)
    made = json.loads(examine(TwoRoundRepeated(), horizon=8).to_json())
    assert not made["adaptive"]["complete"]
    return dict(made)


@pytest.mark.in_turns
def test_it_is_read(thinned: dict[str, Any]) -> None:
    assert read(json.dumps(thinned)).document == thinned


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("side", "value"), [("adaptive", "1/1000"), ("adaptive", "999/1000"), ("fixed_stream", "999/1000")]
)
def test_a_total_variation_on_the_wrong_side_is_seen(thinned: dict[str, Any], side: str, value: str) -> None:
    changed = copy.deepcopy(thinned)
    changed[side]["total_variation"] = value
    with pytest.raises(ArgumentError, match="Expected a record that agrees with itself"):
        read(json.dumps(changed))
