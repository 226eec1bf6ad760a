"""Code by its states against the same code by all of its runs."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dpcert import MechanismError, Scripted, scripted
from dpcert.audit.identity import held
from dpcert.audit.kernels.machine import Machine
from dpcert.audit.scripted.cells import explored


def both(mechanism: Scripted, horizon: int) -> Machine | None:
    """The machine, where all that it says is what runs of the code say on every seed and stream; None without one."""
    machine = mechanism.machine(horizon)
    cells = explored(mechanism._name, mechanism.alphabet, horizon, mechanism._run)
    known = mechanism.known_cells[horizon]
    assert (known.ends, known.rejected) == (cells.ends, cells.rejected)
    if machine is None:
        return None
    for seeds in cells.law().token_weights()[0]:
        for stream in itertools.product(mechanism.alphabet, repeat=horizon):
            outputs = tuple(held(y) for y in mechanism.respond(seeds, stream))
            assert machine.respond(seeds, stream) == outputs, (seeds, stream)
    return machine


def assert_merged(factory: Callable[..., Any]) -> None:
    """Some states of code are one, and all behaves as run by run."""
    machine = both(scripted(factory, alphabet=(0, 1)), 2)
    assert machine is not None
    assert machine.merged > 0


def assert_unmerged(factory: Callable[..., Any]) -> None:
    """No states of code are one, and it is said why."""
    mechanism = scripted(factory, alphabet=(0, 1))
    with suppress(MechanismError):  # what all runs say of some of it
        assert mechanism.machine(2) is None
    assert mechanism.why_unmerged(2)
