"""Random programs that draw in loops: their laws lie between the bounds that running them gives, or are refused."""

from contextlib import suppress
from fractions import Fraction

import pytest
from instances.drawing import law
from instances.looping_programs import Writer, bounds
from instances.seeds import chosen

from dpcert import MechanismError
from dpcert.audit.scripted import tape


@pytest.mark.parametrize("seed", chosen(range(60)))
def test_the_law_of_a_program_lies_within_the_bounds_of_its_runs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape, "MOST_DRAWS_A_ROUND", 40)  # what is refused is refused sooner
    program = Writer(seed).program()
    found = None
    with suppress(MechanismError):
        found = law(program)
    if found is None:
        return
    known, left = bounds(program)
    told = dict(found.items())
    for output in {*known, *told}:
        least = known.get(output, Fraction(0))
        assert least <= Fraction(told.get(output, 0)) <= least + left
