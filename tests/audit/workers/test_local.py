"""Calls in warm processes of this machine: the same answers at any number of them, and none that is lost for good."""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from instances import calls

from dpcert.audit.errors import ArgumentError
from dpcert.audit.workers.calls import in_order
from dpcert.audit.workers.reply import Reply
from dpcert.audit.workers.workers import Workers


def replies(function: Callable[[Any], Any], arguments: Sequence[Any], jobs: int) -> Iterator[Reply]:
    """Those of processes of this machine, even where it is but one."""
    return Workers(jobs).calls(function).replies(arguments)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("jobs", [1, 3])
def test_answers_do_not_tell_how_many_processes_there_were(jobs: int) -> None:
    found = {reply.number: reply.answer for reply in replies(calls.square, range(7), jobs)}
    assert found == {number: number**2 for number in range(7)}


@pytest.mark.in_turns
def test_a_call_whose_process_is_killed_is_tried_again(tmp_path: Path) -> None:
    found = replies(calls.killed_once, [(str(tmp_path), number) for number in range(5)], 2)
    assert {reply.number: reply.answer for reply in found} == {number: number**2 for number in range(5)}
    assert (tmp_path / "killed").exists()


@pytest.mark.in_turns
def test_a_call_that_kills_every_process_is_lost_and_no_other_is() -> None:
    found = {reply.number: reply for reply in replies(calls.always_killed, range(5), 2)}
    assert {number: reply.answer for number, reply in found.items()} == {0: 0, 1: 1, 2: 2, 3: None, 4: 4}
    assert [number for number, reply in found.items() if reply.lost] == [3]


def test_arguments_are_taken_when_there_is_somebody_for_them() -> None:
    found = Workers(2).calls(calls.square).replies(count())
    assert {next(found).answer for _ in range(3)} <= {number**2 for number in range(8)}
    found.close()


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


def test_replies_in_order_do_not_wait_for_what_comes_after_an_interrupt() -> None:
    def coming() -> Iterator[Reply]:
        yield from (Reply(1), Reply(0), Reply(3))
        raise KeyboardInterrupt

    found = in_order(coming())
    assert [next(found).number for _ in range(3)] == [0, 1, 3]
    with pytest.raises(KeyboardInterrupt):
        next(found)


@pytest.mark.in_turns
def test_an_answer_that_is_lost_is_one_line_where_all_are_needed() -> None:
    with pytest.raises(ArgumentError, match=r"workers that stay but got number 3: its process was lost 4 times"):
        list(Workers(2).answers(calls.always_killed, range(5), lambda number: f"number {number}"))
