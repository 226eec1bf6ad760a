"""Calls in warm processes of this machine: the same answers at any number of them, and none that is lost for good."""

import os
from pathlib import Path

import pytest
from instances import calls

from dpcert.audit.workers.local import replies


@pytest.mark.parametrize("jobs", [1, 3])
def test_answers_do_not_tell_how_many_processes_there_were(jobs: int) -> None:
    found = {reply.number: reply.answer for reply in replies(calls.square, range(7), jobs)}
    assert found == {number: number**2 for number in range(7)}


def test_a_call_whose_process_is_killed_is_tried_again(tmp_path: Path) -> None:
    found = replies(calls.killed_once, [(str(tmp_path), number) for number in range(5)], 2)
    assert {reply.number: reply.answer for reply in found} == {number: number**2 for number in range(5)}
    assert (tmp_path / "killed").exists()


def test_a_call_that_kills_every_process_is_lost_and_no_other_is() -> None:
    found = {reply.number: reply for reply in replies(calls.always_killed, range(5), 2)}
    assert {number: reply.answer for number, reply in found.items()} == {0: 0, 1: 1, 2: 2, 3: None, 4: 4}
    assert [number for number, reply in found.items() if reply.lost] == [3]


def test_what_a_call_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="no 3"):
        list(replies(calls.refused, range(5), 1))


def test_a_process_is_warm_and_ends_with_the_work() -> None:
    found = [reply.answer for reply in replies(calls.process, range(6), 1)]
    assert len(set(found)) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(found[0], 0)


def test_no_process_is_left_when_nobody_waits_for_the_rest() -> None:
    found = replies(calls.process, range(50), 2)
    first = next(found).answer
    found.close()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
