"""A killed audit goes on from its last grid, and ends with the record of one that was not killed."""

import sqlite3
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.kills import resumed, told
from instances.modes import TWO_MODES, modes_game

from dpcert import ArgumentError, Pmf, examine
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.enclosed.checkpoint import told_of
from dpcert.audit.relations.adjacency import ZERO_OUT
from dpcert.audit.solving.checkpoint import Checkpoint
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

SCOPE: dict[str, Any] = {"horizon": 65, "exp_epsilons": (1, 2), "tier": "enclosed", "gap": Fraction(1, 10**7)}
HIDDEN: dict[str, Any] = {"horizon": 6, "exp_epsilons": (1,), "tier": "enclosed", "gap": Fraction(1, 10**6)}
COMMAND = ["audit", "two-round-repeated", "--param", "leak=1/10", "--exp-epsilon", "1"]
COMMAND += ["--exp-epsilon", "2", "--tier", "enclosed"]


@pytest.mark.real("kills")
@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("scope", "killed", "seconds"),
    [
        ("--horizon 60 --gap 1e-7", 2, 1.5),
        pytest.param("--horizon 400 --gap 1e-8", 100, 3, marks=pytest.mark.thorough),
    ],
)
def test_killed_runs_end_with_the_same_record(tmp_path: Path, scope: str, killed: int, seconds: float) -> None:
    whole, found = resumed(tmp_path, [*COMMAND, *scope.split()], killed, seconds)
    assert found == whole


def grids_of(scope: dict[str, Any], mechanism: object, file: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Grids until an audit ends that is killed after each of them and goes on from there; the last run ends."""
    save = Checkpoint.save

    def saved(self: Checkpoint, entries: dict[str, str]) -> None:
        save(self, entries)
        raise MemoryError  # ends the run as a kill would

    grids = 0
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "save", saved)
        while True:
            try:
                examine(mechanism, **scope, checkpoint=file)
            except MemoryError:
                grids += 1
            else:
                return grids


@pytest.mark.parametrize(
    ("mechanism", "scope", "least"),
    [
        pytest.param(TwoRoundRepeated(Fraction(1, 10)), SCOPE, 3, marks=pytest.mark.in_turns),
        pytest.param(TWO_MODES, {**HIDDEN, "horizon": 4}, 2, id="differences"),
        pytest.param(
            TWO_MODES,
            {**HIDDEN, "horizon": 5, "hops": 2, "gap": Fraction(1, 10**6)},
            4,
            id="beliefs",
            marks=pytest.mark.in_turns,
        ),
    ],
)
def test_every_grid_is_a_place_to_go_on_from(
    mechanism: object, scope: dict[str, Any], least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted after each grid in turn, an audit that goes on from there finds what one without interrupts finds."""
    file = str(tmp_path / "kept")
    whole = told(examine(mechanism, **scope))
    assert grids_of(scope, mechanism, file, monkeypatch) >= least
    assert told(examine(mechanism, **scope, checkpoint=file)) == whole


@pytest.mark.parametrize("asked", [{"horizon": 4}, {"adjacency": type(ZERO_OUT)(null=0)}, {"hops": 2}])
def test_hidden_states_of_another_game_are_refused(asked: dict[str, Any], tmp_path: Path) -> None:
    file, scope = str(tmp_path / "kept"), {**HIDDEN, "horizon": 3, "gap": Fraction(1, 2)}
    examine(TWO_MODES, **scope, checkpoint=file)
    with pytest.raises(ArgumentError, match="the same laws"):
        examine(TWO_MODES, **{**scope, **asked}, checkpoint=file)


def test_what_hidden_states_are_bound_to_names_every_law() -> None:
    """One weight more, one state more, another pair that may be handed in: another key."""
    known = {"\n".join(told_of(hidden)) for seed in range(24) if (hidden := HiddenGame.of(modes_game(seed)))}
    again = {"\n".join(told_of(hidden)) for seed in range(24) if (hidden := HiddenGame.of(modes_game(seed)))}
    kernels = {laws(hidden) for seed in range(24) if (hidden := HiddenGame.of(modes_game(seed)))}
    assert known == again
    assert len(known) >= len(kernels) > 10


def laws(hidden: HiddenGame) -> str:
    """All laws of a game, and how long it is."""
    met = [hidden.game.met(s, x) for s in (hidden.game.view.initial, *hidden.states) for x in hidden.game.inputs]
    return repr((hidden.game.horizon, [(one.denominator, one.entries) for one in met]))


def test_another_kernel_is_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "kept")
    examine(TwoRoundRepeated(Fraction(1, 10)), **{**SCOPE, "gap": Fraction(1, 10)}, checkpoint=file)
    with pytest.raises(ArgumentError, match="the same laws"):
        examine(TwoRoundRepeated(Fraction(1, 11)), **{**SCOPE, "gap": Fraction(1, 10)}, checkpoint=file)


@pytest.mark.in_turns
def test_a_changed_checkpoint_is_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "kept")
    examine(TwoRoundRepeated(Fraction(1, 10)), **{**SCOPE, "gap": Fraction(1, 10)}, checkpoint=file)
    connection = sqlite3.connect(file)
    with connection:
        connection.execute("UPDATE entries SET said = replace(said, '1', '2')")
    connection.close()
    with pytest.raises(ArgumentError, match="nobody has changed"):
        examine(TwoRoundRepeated(Fraction(1, 10)), **{**SCOPE, "gap": Fraction(1, 10)}, checkpoint=file)


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0 and nothing more"])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)
    with pytest.raises(ArgumentError, match="checkpoint"):
        examine(TwoRoundRepeated(Fraction(1, 10)), **SCOPE, checkpoint=str(file))
    assert file.read_bytes() == content


@dataclass(frozen=True)
class LeaksAtFirst:
    """Tells more of its inputs in its first rounds, and less in all others: the tables of its rounds are the same."""

    rounds: int
    alphabet = (0, 1)
    initial = (0, 0)

    def advance(self, state: tuple[int, int], x: int) -> tuple[int, int]:
        return state[0] + 1, x

    def law(self, state: tuple[int, int]) -> Pmf[int]:
        more = Fraction(1, 10) if state[0] <= self.rounds else Fraction(1, 100)
        return Pmf({state[1]: Fraction(1, 2) + more, 1 - state[1]: Fraction(1, 2) - more})


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("of_folder", [False, True])
def test_bounds_are_of_as_many_rounds_of_either_kind(of_folder: bool, tmp_path: Path) -> None:
    """The same tables, each in another number of rounds, are another game."""
    scope = {"horizon": 12, "adjacency": "any", "exp_epsilons": (2,), "tier": "enclosed"}
    file = tmp_path if of_folder else tmp_path / "kept"
    examine(LeaksAtFirst(2), **scope, checkpoint=str(file))  # type: ignore[arg-type]
    whole = examine(LeaksAtFirst(8), **scope)  # type: ignore[arg-type]
    if of_folder:
        assert told(examine(LeaksAtFirst(8), **scope, checkpoint=str(file))) == told(whole)  # type: ignore[arg-type]
        return
    with pytest.raises(ArgumentError, match="a checkpoint of the same laws"):
        examine(LeaksAtFirst(8), **scope, checkpoint=str(file))  # type: ignore[arg-type]
