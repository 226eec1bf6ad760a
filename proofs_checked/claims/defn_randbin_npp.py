"""defn:randbin_npp: RandBin's simulation, round by round: bins of the other stream beside the real ones."""

from dataclasses import dataclass
from typing import Any

from dpcert.audit.errors import DpcertError, MechanismError
from dpcert.audit.finding import Finding, Method
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.release import Release
from dpcert.audit.relations.edits import after_edit
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.simulation import State as Simulation
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.pair_runs import PAIRED, PAIRED_RUNS, Emission, Paired, every_emission
from dpcert.proofs_checked.cases.relations import Stream, bins
from dpcert.proofs_checked.cases.sketch import AtEmission
from dpcert.proofs_checked.ledger import claim, found

LABEL = "defn:randbin_npp"
STEPS = ("outputs_stay_bin_neighbours", "the_real_output_is_the_algorithms", "the_next_item_has_arrived")
Outputs = tuple[Release[bool, tuple[Any, Any]], Simulation]


class Unpaid(RandBin):
    """A simulation that gives the other stream bins of the real sizes, K's included."""

    def simulate(self, branch: int, state: Simulation, pair: tuple[Any, Any], draw: Draw) -> Outputs:
        """The real bin twice."""
        release, after = super().simulate(branch, state, pair, draw)
        hidden: Any = release.hidden
        return Release(release.visible, (hidden[branch],) * 2), after


class Crossed(RandBin):
    """A simulation that hands out both bins the wrong way round."""

    def simulate(self, branch: int, state: Simulation, pair: tuple[Any, Any], draw: Draw) -> Outputs:
        """Stream 1's bin for stream 0."""
        release, after = super().simulate(branch, state, pair, draw)
        hidden: Any = release.hidden
        return Release(release.visible, (hidden[1], hidden[0])), after


def _with(kind: type[RandBin], horizon: int = 13) -> Paired:
    return ((kind(ALPHAS[0], 2, ToyScheduler()), horizon),)


UNPAID, CROSSED = _with(Unpaid), _with(Crossed)


@claim(LABEL, row=50, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=PAIRED, mutant=UNPAID,
       uses=("def:npp", "defn:neighbor_bin/concatenations_are_edit_neighbours"))  # fmt: skip
def outputs_stay_bin_neighbours(subject: Paired) -> Finding:
    """After every step the two bin sequences are ~B, as the definition puts it."""

    def related(mechanism: RandBin, step: Emission) -> bool:
        del mechanism
        first, second = zip(*step.past.differing, step.held, strict=True)
        return bins(first, second)

    return every("bins", every_emission(subject), related)


@claim(LABEL, row=50, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=PAIRED, mutant=CROSSED,
       uses=("def:npp", "alg:randbin/bins_leave_at_their_threshold"))  # fmt: skip
def the_real_output_is_the_algorithms(subject: Paired) -> Finding:
    """In branch b the schedule and bin b are what the algorithm releases on stream b with the same draws."""

    def same(mechanism: RandBin, step: Emission) -> bool:
        del mechanism
        real = step.bins[step.branch]
        return step.same and real[0] == step.t - step.past.taken[step.branch]

    return every("bins", every_emission(subject), same)


@claim(LABEL, row=50, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=PAIRED, mutant=_with(AtEmission, 9),
       uses=("thm:randbin_utility/the_queue_never_runs_dry",))  # fmt: skip
def the_next_item_has_arrived(subject: Paired) -> Finding:
    """The simulation is online: no bin of either stream needs an item to come, and when bin J leaves u is there."""

    def there(mechanism: RandBin, step: Emission) -> bool:
        del mechanism
        left = [step.t - taken for taken in step.after.taken]
        return min(left) >= (1 if step.after.affected == step.t else 0)

    return every("bins", every_emission(subject), there)


@dataclass(frozen=True)
class MergedEdits:
    """RandBin's game to a horizon, every edit at once."""

    mechanism: RandBin
    horizon: int


def _games(kind: type[RandBin], *levels: tuple[int, ...], noise: str = "uniform") -> tuple[MergedEdits, ...]:
    return tuple(
        MergedEdits(kind(alpha, level, ToyScheduler(level, noise=noise)), horizon)
        for level, *horizons in levels
        for alpha, horizon in zip(ALPHAS, horizons, strict=False)
    )


USES = (*(f"{LABEL}/{step}" for step in STEPS), "defn:neighbor_bin/the_automaton_reads_bin_neighbours",
        "defn:neighbor_edit")  # fmt: skip
SMALL = _games(RandBin, (2, 13)) + _games(RandBin, (4, 22), noise="none")
LARGE = _games(RandBin, (6, 37), noise="none")


def _goes_through(games: tuple[MergedEdits, ...]) -> Finding:
    positions = 0
    for game in games:
        try:
            positions += explore(npp_game(simulated(game.mechanism), game.horizon)).positions
        except MechanismError as error:
            return found(False, f"In {label(game.mechanism)}: {error}", mechanism=label(game.mechanism))
    return found(positions > 0, f"All {positions} positions of {len(games)} games.")


@claim(LABEL, row=50, method=Method.EXHAUSTIVE, subject=SMALL, mutant=_games(Unpaid, (2, 13)), uses=USES,
       scope="every edit, direction and branch, e^epsilon 2: U 2, 13 steps; U 4, no noise, 22 steps")  # fmt: skip
def it_is_a_neighbour_preserving_simulation(subject: tuple[MergedEdits, ...]) -> Finding:
    """The game goes through: in each branch the algorithm's own output, and ~B of both outputs after every step."""
    return _goes_through(subject)


@claim(LABEL, row=50, method=Method.EXHAUSTIVE, subject=LARGE, mutant=_games(Crossed, (2, 13)), uses=USES,
       scope="every edit, direction and branch: U 6, e^epsilon 2, silent scheduler, 37 steps: two bins")  # fmt: skip
def so_it_is_with_larger_bins(subject: tuple[MergedEdits, ...]) -> Finding:
    """The same for a larger U."""
    return _goes_through(subject)


def distinct(length: int) -> list[tuple[Stream, Stream]]:
    """Two edit neighbours on items that occur once, for every place and direction."""
    items = tuple(range(1, length + 2))
    ordered = [(items[:length], (*items[:place], *items[place + 1 :])) for place in range(length)]
    return [*ordered, *((y, x) for x, y in ordered)]


ALTERNATING = [(("a", "b") * 12, ("b", "a") * 12)]


@claim(LABEL, row=51, method=Method.EXHAUSTIVE,
       scope="streams of 24 items: every place and direction; abab... and baba...",
       subject=distinct(24), condition="no item occurs twice", without=ALTERNATING,
       uses=("defn:neighbor_edit",))  # fmt: skip
def the_longer_stream_is_known_a_step_later(subject: list[tuple[Stream, Stream]]) -> Finding:
    """Once both items of the step after the first difference are there, they tell which stream is the longer one."""
    for x, y in subject:
        state: Any = frozenset()
        first = 0
        for t, pair in enumerate(zip(x, y, strict=True), 1):
            after = after_edit(state, pair)
            if after is None:
                return found(
                    False, "These are not edit neighbours.", streams=["".join(map(str, x)), "".join(map(str, y))]
                )
            state, first = after, first or (t if pair[0] != pair[1] else 0)
            if first and t > first and len(state) > 1:
                ways = ["".join(map(str, stream[:4])) + "..." for stream in (x, y)]
                detail = (
                    f"{ways[0]} and {ways[1]}: after {len(x)} steps either may be the longer one, so theta is open."
                )
                return found(False, detail, streams=ways, step=t, ways=len(state))
    return found(
        True, f"Two ways in the step of the first difference, one from the next on, in all {len(subject)} pairs."
    )


@claim(LABEL, row=51, method=Method.EXHAUSTIVE, scope="24 items, abab... and baba... against items that occur once",
       subject=distinct(24)[0], condition="no item occurs twice", without=ALTERNATING[0],
       uses=(f"{LABEL}/the_longer_stream_is_known_a_step_later",))  # fmt: skip
def bin_k_has_one_size_in_the_other_stream(subject: tuple[Stream, Stream]) -> Finding:
    """When bin K leaves, what has arrived tells the size of the synthetic bin; else it may be C[K] + 1 or C[K] - 1."""
    mechanism = RandBin(ALPHAS[0], 2, ToyScheduler())
    state: Any = mechanism.simulation
    sizes: list[str] = []
    for pair in zip(*subject, strict=True):
        try:
            release, state = mechanism.simulate(0, state, pair, lambda law: law.support[0])
        except DpcertError as error:
            shown = ["".join(map(str, stream[:4])) + "..." for stream in subject]
            return found(False, f"At bin {len(sizes) + 1}: {error}", streams=shown, bin=len(sizes) + 1)
        if release.visible:
            hidden: Any = release.hidden
            sizes.append(f"{hidden[0][1]}/{hidden[1][1]}")
    return found(len(sizes) > 1, f"Bins of sizes {', '.join(sizes)}.")
