"""Known ways to draw noise wrongly, as they show in A and B: none, one draw for two releases, a new one for each."""

from collections.abc import Iterator, Sequence
from typing import Any

from dpcert.audit.algebra.rational import text
from dpcert.audit.render.cells import listing
from dpcert.mechanisms.matrices.correlated import Matrix, Residuals, Row
from dpcert.mechanisms.probe.faults import FaultName, NamedFault
from dpcert.mechanisms.probe.recovered import ProbeResult

MOST_TOLD_ANEW = 5
"""Quantities told twice, and reads with noise of their own, that are listed."""


def looks_ahead(matrices: ProbeResult, dimension: int) -> NamedFault | None:
    """The first entry of A for a round after that of its release."""
    for t, row in enumerate(matrices.response):
        for i, entry in enumerate(row):
            if entry and i // dimension + 1 > matrices.rounds[t]:
                at = i // dimension + 1
                detail = f"Release {t + 1}, of round {matrices.rounds[t]}, looks at the input of round {at}."
                witness = {"release": t + 1, "round": matrices.rounds[t], "column": at, "entry": text(entry)}
                return NamedFault(FaultName.AHEAD, detail, witness)
    return None


def without_noise(matrices: ProbeResult, remainder: Residuals) -> Iterator[NamedFault]:
    """The first combination of releases without noise, by how it came about."""
    for one in remainder.noiseless[:1]:
        places = [t for t, share in enumerate(one.combination) if share]
        numbers = [t + 1 for t in places]
        inputs = {str(i + 1): text(a) for i, a in enumerate(one.inputs) if a}
        witness: dict[str, Any] = {
            "combination": {str(t + 1): text(one.combination[t]) for t in places},
            "inputs": inputs,
        }
        if len(places) == 1:
            at = matrices.rounds[places[0]]
            detail = f"Release {places[0] + 1}, of round {at}, has no noise, and tells inputs as they are."
            yield NamedFault(FaultName.BARE, detail, witness)
            continue
        shared = _shared(matrices.noise, places)
        detail = (
            f"Releases {listing(numbers)} have {_draws(shared)} in common, and a combination of them has no noise: "
            "it tells inputs as they are."
        )
        yield NamedFault(FaultName.REUSED, detail, {**witness, "draws": [j + 1 for j in shared]})


def _shared(noise: Matrix, used: Sequence[int]) -> list[int]:
    """Draws that enter more than one of these releases."""
    return [j for j in range(len(noise[0])) if sum(noise[t][j] != 0 for t in used) > 1]


def _draws(shared: Sequence[int]) -> str:
    return f"draw{'' if len(shared) == 1 else 's'} {listing([j + 1 for j in shared])}"


def drawn_anew(matrices: ProbeResult, remainder: Residuals) -> Iterator[NamedFault]:
    """Remarks: one quantity told twice with other noise; several draws that enter one release alone."""
    repeats, reads = list(_told_twice(matrices, set(remainder.places))), list(_reads(matrices.noise))
    if repeats:
        first, again = repeats[0]
        detail = (
            f"Release {again + 1}, of round {matrices.rounds[again]}, tells what release {first + 1}, of round "
            f"{matrices.rounds[first]}, told, with other noise; the loss counts both."
        )
        pairs = [[a + 1, b + 1] for a, b in repeats[:MOST_TOLD_ANEW]]
        yield NamedFault(FaultName.ANEW, detail, {"releases": pairs}, refutes=False)
    if reads:
        row, draws = reads[0]
        detail = (
            f"Release {row + 1}, of round {matrices.rounds[row]}, sums {len(draws)} draws that no other release "
            "uses: if they are the noise of parts that other releases hold as well, it is drawn anew at each read."
        )
        listed = [{"release": t + 1, "draws": [j + 1 for j in js]} for t, js in reads[:MOST_TOLD_ANEW]]
        yield NamedFault(FaultName.ANEW, detail, {"reads": listed}, refutes=False)


def drawn_again(matrices: ProbeResult) -> Iterator[NamedFault]:
    """A remark: draws that a generator made again after it was copied, pickled or set back."""
    again = [j + 1 for j, draw in enumerate(matrices.draws) if draw.place in matrices.repeated]
    if again:
        detail = f"A generator that was copied or set back made draws again: {listing(again[:MOST_TOLD_ANEW])}."
        yield NamedFault(FaultName.REUSED, detail, {"draws": again}, refutes=False)


def _told_twice(matrices: ProbeResult, noisy: set[int]) -> Iterator[tuple[int, int]]:
    """Releases with rows of A that are multiples of each other, of which the later has noise of its own."""
    first: dict[Row, int] = {}
    for t, row in enumerate(matrices.response):
        lead = next((a for a in row if a), None)
        if lead is None:
            continue
        before = first.setdefault(tuple(a / lead for a in row), t)
        if before != t and t in noisy:
            yield before, t


def _reads(noise: Matrix) -> Iterator[tuple[int, list[int]]]:
    """Releases all of whose draws are theirs alone, where those are several."""
    users = [[t for t, row in enumerate(noise) if row[j]] for j in range(len(noise[0]))]
    for t, row in enumerate(noise):
        draws = [j for j, b in enumerate(row) if b]
        if len(draws) > 1 and all(users[j] == [t] for j in draws):
            yield t, draws
