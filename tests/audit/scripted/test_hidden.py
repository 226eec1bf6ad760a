"""What is told apart by something hidden is told apart by its form, or not merged."""

from contextlib import suppress
from typing import Any

import pytest
from instances.both_ways import both
from instances.hiding import HIDDEN, HIDING

from dpcert import MechanismError, scripted


@pytest.mark.parametrize("factory", HIDING)
def test_states_with_something_hidden_behave_alike(factory: Any) -> None:
    machine = both(scripted(factory, alphabet=(0, 1)), 2)
    assert machine is not None
    assert machine.merged > 0


@pytest.mark.parametrize("factory", HIDDEN)
def test_what_tells_more_than_is_looked_at_is_not_merged(factory: Any) -> None:
    mechanism = scripted(factory, alphabet=(0, 1))
    with suppress(MechanismError):  # what all runs say of some of it
        assert mechanism.machine(2) is None
    assert mechanism.why_unmerged(2)
