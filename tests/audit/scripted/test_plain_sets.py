"""Sets in plain code: merged where nobody asks for their order, and not where it may show."""

from typing import Any

import numpy as np
import pytest
from instances import gathering
from instances.both_ways import assert_merged, assert_unmerged, both
from instances.collecting import COLLECTING, NOT_COLLECTING, Distinct, Orders, Raises
from instances.seeds import chosen

from dpcert import scripted
from dpcert.audit.scripted.forms import Forms
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.unknown import Unknown

FORMS = Forms()


@pytest.mark.parametrize("factory", COLLECTING)
def test_states_of_sets_behave_alike(factory: Any) -> None:
    assert_merged(factory)


@pytest.mark.parametrize("factory", NOT_COLLECTING, ids=lambda one: one.__name__)
def test_code_that_may_see_the_order_of_a_set_is_not_plain(factory: Any) -> None:
    with pytest.raises(Unknown, match=r"where there are sets|where there are arrays|a set holds a type"):
        only_plain((factory, {1} if factory.__name__ != "Objects" else factory(None).keep(1)), None)


@pytest.mark.parametrize("name", ["Loop", "Pop", "Lengthened", "InError"])
def test_the_order_of_a_set_is_seen_by_code_that_looks(name: str) -> None:
    """Such code does tell two sets apart that are equal."""
    factory = next(one for one in NOT_COLLECTING if one.__name__ == name)
    told = {factory(None).told(one) for one in ({0, 8}, {8, 0})}
    assert told == {0, 8}
    assert_unmerged(factory)


def test_errors_that_are_outcomes_show_the_order_of_a_set() -> None:
    mechanism = scripted(Raises, alphabet=(0, 1), outcomes_of_errors=True)
    assert mechanism.machine(2) is None
    assert "the texts of errors" in mechanism.why_unmerged(2)
    cells = mechanism.seeds(2).token_weights()[0]
    assert {mechanism.respond(seeds, (0, 0))[1].text for seeds in cells} == {"{0, 8}", "{8, 0}"}


@pytest.mark.in_turns(few=True)
def test_sets_in_two_orders_are_one_state() -> None:
    machine = scripted(Orders, alphabet=(0, 1)).machine(4)
    assert machine is not None
    assert machine.states == 4
    assert scripted(Distinct, alphabet=(0, 1)).machine(8) is not None


def test_forms_of_sets_tell_what_is_in_them() -> None:
    apart = [
        {1}, {True}, {1.0}, {0.0}, {-0.0}, {"1"}, {b"1"}, {(1,)}, {((1,),)}, {None}, {1, 2}, set(), frozenset(),
        {"a", "b"},
    ]  # fmt: skip
    forms = [FORMS.of((one,), None) for one in [*apart, frozenset({1})]]
    assert len(set(forms)) == len(forms)
    assert FORMS.of(({0, 8},), None) == FORMS.of(({8, 0},), None)
    one = {1}
    assert FORMS.of((one, one), None) != FORMS.of((one, {1}), None)
    with pytest.raises(Unknown, match="a set holds a int64"):
        FORMS.of(({np.int64(1)},), None)


def test_sets_of_what_is_not_plain_are_not_plain() -> None:
    for members in ({float("nan")}, {object()}, {frozenset({1})}, {len}, {"%"}, {(1, Distinct)}):
        with pytest.raises(Unknown):
            only_plain((members,), None)


def by_both(seeds: range, horizon: int) -> int:
    """How many random programs with sets do by their states what they do run by run, some ways being merged."""
    merged = 0
    for seed in seeds:
        machine = both(scripted(gathering.made(gathering.program(seed)), alphabet=(0, 1)), horizon)
        merged += machine is not None and machine.merged > 0
    return merged


@pytest.mark.in_turns
@pytest.mark.parametrize("part", chosen(range(12)))
def test_random_programs_with_sets_do_by_state_what_they_do_run_by_run(part: int) -> None:
    assert by_both(range(part * 6, part * 6 + 6), 2) >= 5


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(40))
def test_many_random_programs_with_sets_do_by_state_what_they_do_run_by_run(part: int) -> None:
    assert by_both(range(1_000 + part * 20, 1_000 + part * 20 + 20), 3) >= 17
