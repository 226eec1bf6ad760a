"""Errors in plain code: merged where nobody looks at what was caught, and not where they say more."""

from typing import Any

import pytest
from instances.both_ways import assert_merged, both
from instances.raising import NOT_RAISING, RAISING, Account, HoldsError

from dpcert import scripted
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.unknown import Unknown


@pytest.mark.parametrize("factory", RAISING)
def test_states_of_code_that_catches_errors_behave_alike(factory: Any) -> None:
    assert_merged(factory)
    machine = both(scripted(factory, alphabet=(0, 1), outcomes_of_errors=True), 2)
    assert machine is not None or factory.__name__ == "Checks"  # whose text would be an outcome


@pytest.mark.parametrize("factory", NOT_RAISING)
def test_errors_that_say_more_are_not_plain(factory: Any) -> None:
    with pytest.raises(Unknown, match=r"it catches errors|another meaning|FORMAT_VALUE|leads to Asked"):
        only_plain((factory,), None)


def test_an_error_that_is_kept_holds_what_no_attribute_does() -> None:
    mechanism = scripted(HoldsError, alphabet=(0, 1))
    assert mechanism.machine(2) is None
    assert mechanism.why_unmerged(2) == "it holds a Overdrawn"


def test_an_account_over_many_rounds_has_few_states() -> None:
    machine = scripted(Account, alphabet=(0, 1)).machine(8)
    assert machine is not None
    assert machine.states <= 3 * 8
