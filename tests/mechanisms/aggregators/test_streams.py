"""Live streams of sums: what is refused, what a lease keeps, and lives that are killed."""

import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError, DpcertError, OutputError
from dpcert.mechanisms.aggregators.core import VectorCore
from dpcert.mechanisms.aggregators.stream import VectorStream
from dpcert.mechanisms.aggregators.toeplitz_sums import square_root_sums
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.grid_noise.floating import FloatingGaussian
from dpcert.mechanisms.grid_noise.sampling import SampledGaussian, Words, sampled_gaussian
from dpcert.mechanisms.grid_noise.seed_law import seed_law
from dpcert.mechanisms.live.lease import Lease
from dpcert.mechanisms.live.lease_tables import LeaseError
from dpcert.mechanisms.matrices.participations import AdjacentBins, Once

SCRIPT = Path(__file__).parents[2] / "instances" / "crashing_sums.py"
NOISE = sampled_gaussian(Fraction(7))


@pytest.fixture(autouse=True)
def _registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


class Scripted:
    """Noise that is 1, 2, 3, ..., and counts its draws."""

    sigma, shift, distance = Fraction(2), Fraction(0), Fraction(1, 1000)

    def __init__(self) -> None:
        self.drawn = 0

    def sample(self, count: int) -> Words:
        self.drawn += count
        return np.arange(self.drawn - count + 1, self.drawn + 1)


def updates(rounds: int, dimension: int = 2) -> list[Words]:
    return list(np.random.default_rng(1).integers(-9, 10, size=(rounds, dimension)))


def test_a_bin_past_the_horizon_is_refused_before_anything_is_drawn() -> None:
    noise = Scripted()
    run = VectorStream(TreeSums(3, 2, 9), noise)
    for x in updates(3):
        run.add(x)
    assert (run.room, noise.drawn) == (0, 6)
    with pytest.raises(ArgumentError, match="Expected at most 3 bins, all that the horizon has, but got bin=4"):
        run.add(updates(1)[0])
    assert noise.drawn == 6


@pytest.mark.parametrize(
    ("update", "why"),
    [
        (np.array([1, 2, 3]), "an update of 2 whole numbers"),
        (np.array([1.0, 2.0]), "an update of 2 whole numbers"),
        (np.array([1, -10]), "components of size at most 9 but got component=10"),
        (np.array([1, -(1 << 63)]), "components of size at most 9"),
    ],
)
def test_what_is_no_update_is_refused_and_the_stream_goes_on(update: Words, why: str) -> None:
    noise = Scripted()
    run = VectorStream(TreeSums(3, 2, 9), noise)
    with pytest.raises(ArgumentError, match=why):
        run.add(update)
    assert (noise.drawn, run.rounds) == (0, 0)
    assert run.add(np.array([1, -9])).row.tolist() == [2, -7]


def test_mu_and_the_distance_of_a_whole_run() -> None:
    run = VectorStream(TreeSums(8, 2, 9), Scripted())
    assert run.mu(Fraction(1), Once()) == 1
    assert run.mu(Fraction(2), AdjacentBins()) ** 2 >= 13
    assert run.distance == Fraction(16, 1000)
    assert VectorStream(TreeSums(8, 2, 9), FloatingGaussian(Fraction(2))).distance is None


def test_a_dithered_grid_publishes_rows_less_the_shift() -> None:
    shift = Fraction(1, 4)
    run = VectorStream(TreeSums(4, 1, 9), SampledGaussian(seed_law(Fraction(1, 100), shift=shift)))
    values = [run.add(np.array([3])).value.tolist() for _ in range(4)]
    assert values == [[2.75], [5.75], [8.5], [11.75]]  # one node, one, two, one


@pytest.mark.parametrize(
    "core",
    [TreeSums(20, 2, 9), square_root_sums(20, 2, 9, bandwidth=3), square_root_sums(20, 2, 1 << 40, bits=2)],
    ids=["tree", "band", "square root"],
)
def test_a_resumed_stream_goes_on_as_the_unbroken_one(core: VectorCore, tmp_path: Path) -> None:
    unbroken, noise, broken = VectorStream(core, Scripted()), Scripted(), []
    for start, end in ((0, 7), (7, 8), (8, 20)):
        run = VectorStream.open(tmp_path / "lease", core, noise)
        broken += [run.add(x) for x in updates(20)[start:end]]
        run.acknowledge(run.rounds)
        run.close()
    for x, ours in zip(updates(20), broken, strict=True):
        whole = unbroken.add(x)
        assert (whole.number, whole.row.tolist(), whole.value.tobytes()) == (
            ours.number,
            ours.row.tolist(),
            ours.value.tobytes(),
        )


def test_what_nobody_acknowledged_comes_again_as_it_was(tmp_path: Path) -> None:
    core = square_root_sums(20, 2, 9, bandwidth=3)
    run = VectorStream.open(tmp_path / "lease", core, NOISE)
    made = [run.add(x) for x in updates(4)]
    run.acknowledge(1)
    run.close()
    again = VectorStream.open(tmp_path / "lease", core, NOISE)
    assert [out.number for out in again.undelivered] == [2, 3, 4]
    assert again.latest.tobytes() == made[-1].value.tobytes()
    for first, second in zip(made[1:], again.undelivered, strict=True):
        assert first.row.tobytes() == second.row.tobytes()
        assert first.value.tobytes() == second.value.tobytes()
    again.acknowledge(3)
    assert [out.number for out in again.undelivered] == [4]


def test_a_lease_is_of_one_stream_with_one_noise_and_is_resumed_once(tmp_path: Path) -> None:
    core, path = TreeSums(20, 2, 9), tmp_path / "lease"
    run = VectorStream.open(path, core, NOISE)
    with pytest.raises(LeaseError, match="in use"):
        VectorStream.open(path, core, NOISE)
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.chmod(0o600)
    run.add(updates(1)[0])
    run.close()
    with pytest.raises(LeaseError, match="resumed before"):
        VectorStream.open(copy, core, NOISE)
    for other in (TreeSums(21, 2, 9), square_root_sums(20, 2, 9)):
        with pytest.raises(LeaseError, match="was to go on"):
            VectorStream.open(path, other, NOISE)
    with pytest.raises(LeaseError, match="was to go on"):
        VectorStream.open(path, core, FloatingGaussian(Fraction(7)))
    with pytest.raises(ArgumentError, match="for a lease"):
        VectorStream.open(tmp_path / "big", square_root_sums(10_000, 1000, 9), NOISE)
    assert not (tmp_path / "big").exists()


def test_a_disk_that_refuses_ends_the_stream_and_nothing_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = TreeSums(20, 2, 9)
    run = VectorStream.open(tmp_path / "lease", core, NOISE)
    run.add(updates(1)[0])

    def full(*_: object) -> None:
        raise OutputError("Expected a disk that takes the lease but got none")

    with monkeypatch.context() as patch:
        patch.setattr(Lease, "commit", full)
        with pytest.raises(OutputError):
            run.add(updates(1)[0])
    with pytest.raises(DpcertError, match="one that is over"):
        run.add(updates(1)[0])
    assert VectorStream.open(tmp_path / "lease", core, NOISE).rounds == 1


def crashing(folder: Path, mutant: str, crashes: int) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(SCRIPT), mutant, str(folder), str(crashes), str(random.randrange(2**32))]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.in_turns(few=True)
@pytest.mark.real("kills")
@pytest.mark.skipif(os.name != "posix", reason="forks and kills")
@pytest.mark.parametrize("crashes", [8, pytest.param(100, marks=pytest.mark.thorough)])
def test_killed_at_random_moments_no_round_is_drawn_again(tmp_path: Path, crashes: int) -> None:
    done = crashing(tmp_path, "none", crashes)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > crashes


@pytest.mark.real("kills")
@pytest.mark.in_turns
@pytest.mark.skipif(os.name != "posix", reason="forks and kills")
def test_releases_handed_out_before_they_are_on_disk_are_found_out(tmp_path: Path) -> None:
    done = crashing(tmp_path, "late", 8)
    assert "drawn again" in done.stderr
