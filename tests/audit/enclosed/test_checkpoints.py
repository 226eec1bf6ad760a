"""A killed audit goes on from its last grid, and ends with the record of one that was not killed."""

import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from instances.kills import resumed, told

from dpcert import ArgumentError, examine
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

SCOPE: dict[str, Any] = {"horizon": 65, "exp_epsilons": (1, 2), "tier": "enclosed", "gap": Fraction(1, 10**7)}
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


@pytest.mark.in_turns
def test_every_grid_is_a_place_to_go_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted after each grid in turn, an audit that goes on from there finds what one without interrupts finds."""
    from dpcert.audit.solving.checkpoint import Checkpoint

    file, save = str(tmp_path / "kept"), Checkpoint.save
    whole = told(examine(TwoRoundRepeated(Fraction(1, 10)), **SCOPE))

    def saved(self: Checkpoint, entries: dict[str, str]) -> None:
        save(self, entries)
        raise MemoryError  # ends the run as a kill would

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "save", saved)
        for _ in range(3):
            with pytest.raises(MemoryError):
                examine(TwoRoundRepeated(Fraction(1, 10)), **SCOPE, checkpoint=file)
    assert told(examine(TwoRoundRepeated(Fraction(1, 10)), **SCOPE, checkpoint=file)) == whole


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
