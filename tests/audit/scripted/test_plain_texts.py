"""Texts in plain code: merged where they say numbers and words alone, and not where they may say an address."""

from typing import Any

import numpy as np
import pytest
from instances.both_ways import assert_merged, assert_unmerged, both
from instances.saying import NOT_SAYING, NOT_SAYING_BY_NUMPY, SAYING, SAYING_BY_NUMPY, Says, SaysByNumpy

from dpcert import scripted
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.plain_texts import _FORMAT
from dpcert.audit.scripted.unknown import Unknown


@pytest.mark.parametrize("factory", SAYING)
def test_states_of_texts_behave_alike(factory: Any) -> None:
    assert_merged(factory)


@pytest.mark.parametrize("factory", SAYING_BY_NUMPY)
def test_states_of_texts_beside_numpy_behave_alike(factory: Any) -> None:
    machine = both(scripted(factory, alphabet=(0, 1), generator="numpy"), 2)
    assert machine is not None
    assert machine.merged


@pytest.mark.parametrize("factory", NOT_SAYING)
def test_texts_that_may_say_an_address_are_not_plain(factory: Any) -> None:
    assert_unmerged(factory)


@pytest.mark.parametrize("factory", NOT_SAYING_BY_NUMPY)
def test_texts_that_may_get_into_arrays_are_not_plain(factory: Any) -> None:
    with pytest.raises(Unknown, match=r"where there are arrays and texts|where numpy is named"):
        only_plain((factory,), np.random.default_rng(0))


@pytest.mark.in_turns(few=True)
def test_long_streams_of_texts_are_audited() -> None:
    for factory, generator in ((Says, "random"), (SaysByNumpy, "numpy")):
        machine = scripted(factory, alphabet=(0, 1), generator=generator).machine(6)
        assert machine is not None
        assert machine.states == 21


class Address:
    """Something whose text says where it stands."""


def test_formats_that_are_known_are_those_of_numbers_and_texts() -> None:
    """Whatever else is told one of them has no text."""
    known = ["d", "5", ".2f", "+03d", ">8", "x", ",", "e", "_b", "#x", "s", "*^9"]
    assert all(_FORMAT.fullmatch(one) for one in known)
    assert not any(_FORMAT.fullmatch(one) for one in ("c", "n", "%", ".1%", "%>3", "{x}", "!r"))
    for value in (Address(), Address, [1], (1,), {1: 2}, None, len, test_long_streams_of_texts_are_audited, Ellipsis):
        for one in known:
            with pytest.raises(TypeError):
                format(value, one)
