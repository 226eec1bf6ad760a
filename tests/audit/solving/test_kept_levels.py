"""Levels in a checkpoint: whichever was the last to be kept, what is solved from there is the same in every integer."""

import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from instances.hidden_state import random_interactive
from instances.kills import resumed, told
from instances.random_core import random_core
from instances.random_markov import RandomMarkov, random_markov
from instances.seeds import chosen
from instances.stopped import At, Stopping

from dpcert import HAMMING, ArgumentError, Budget, Draw, Pmf, Release, examine
from dpcert.audit.algebra import hulls
from dpcert.audit.commands.cli import cli
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import Exploration, Game, explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.outside import engine
from dpcert.audit.solving import checkpoint, kept_levels
from dpcert.audit.solving.adaptive import Solution, Solver, solve
from dpcert.audit.solving.analysis import analyse
from dpcert.audit.solving.kept_levels import KeptLevels
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

COMMAND = ["audit", "two-round-repeated", "--param", "leak=1/100", "--exp-epsilon", "1", "--exp-epsilon", "2"]


def games(seed: int) -> list[Game[Any]]:
    """A random game of states, one of all prefixes, and one of hidden states."""
    hidden, _ = random_interactive(seed, 2, 2, 2, allow_halt=seed % 2 == 0)
    views = [view_of(random_markov(seed)), view_of(random_core(seed, 2, 2, 3)), view_of(hidden)]
    return [game_of(view, HAMMING, rounds) for view, rounds in zip(views, (6, 3, 3), strict=True)]


def of(kept: KeptLevels, game: Game[Any], explored: Exploration) -> KeptLevels:
    kept.begin(game.laws(), explored)
    return kept


def same(one: Solution, other: Solution) -> bool:
    """Whether two solutions are one: the root, all values, and who attains them."""
    return (one.root, one.values, one.value_of) == (other.root, other.values, other.value_of)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_levels, "SAVED_EVERY", 0)


@pytest.mark.in_turns
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("long", [hulls.LONG, 1])
@pytest.mark.parametrize("seed", chosen(range(24)))
def test_every_level_is_a_place_to_go_on_from(
    seed: int, long: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hulls, "LONG", long)
    for number, game in enumerate(games(seed)):
        explored = explore(game)
        whole, path = solve(explored), str(tmp_path / f"{number}")
        rng, kills, found = random.Random(seed), 0, None
        while found is None:
            with suppress(MemoryError):
                kills += 1
                found = solve(explored, keeper=of(Stopping(path, (), alive=rng.randint(1, 2)), game, explored))
        assert kills > len(explored.levels) // 2
        assert same(found, whole)
        assert same(solve(explored, keeper=of(KeptLevels(path, ()), game, explored)), whole)


@pytest.mark.usefixtures("at_once")
def test_no_level_is_solved_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    value = Solver.value
    monkeypatch.setattr(Solver, "value", lambda *given: asked.append(1) or value(*given))  # type: ignore[func-returns-value]
    game = game_of(view_of(TwoRoundRepeated()), HAMMING, 6)
    counts = []
    for _ in range(2):
        asked.clear()
        analyse(game, Budget(), KeptLevels(str(tmp_path / "kept"), ()))
        counts.append(len(asked))
    assert counts[0] > 0
    assert counts[1] == 0


@pytest.mark.usefixtures("at_once")
def test_a_folder_has_a_file_for_every_game_and_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    value = Solver.value
    monkeypatch.setattr(Solver, "value", lambda *given: asked.append(1) or value(*given))  # type: ignore[func-returns-value]
    played = [game_of(view_of(TwoRoundRepeated()), HAMMING, rounds) for rounds in (3, 4)]
    questions: list[tuple[object, ...]] = [(), ("another",)]
    found = [analyse(game, Budget(), KeptLevels(str(tmp_path), asks)) for game in played for asks in questions]
    assert len(list(tmp_path.iterdir())) == 4
    asked.clear()
    again = [analyse(game, Budget(), KeptLevels(str(tmp_path), asks)) for game in played for asks in questions]
    assert not asked
    assert [one.solution.power for one in again] == [one.solution.power for one in found]


@dataclass(frozen=True)
class Hides:
    """Says a coin's face; what it keeps to itself decides whether it ever does so again."""

    ends: int
    weight: int = 1

    @property
    def alphabet(self) -> tuple[int, int]:
        """A bit a round."""
        return 0, 1

    @property
    def initial(self) -> int:
        """Nothing kept yet."""
        return 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        """A face, and what is kept."""
        face = draw(Pmf({0: Fraction(self.weight + x, 8), 1: 1 - Fraction(self.weight + x, 8)}))
        return Release(face if state != self.ends else 0), min(2, state + face)


MARKOV = RandomMarkov((0, 1), ((1, 2), (2, 0), (1, 1)), ((1, 2), (3, 4), (5, 1)))
OTHERS: list[tuple[str, Any, Any, dict[str, Any]]] = [
    ("a law", MARKOV, replace(MARKOV, weights=((1, 2), (3, 4), (5, 2))), {}),
    ("a transition", MARKOV, replace(MARKOV, after=((1, 2), (2, 1), (1, 1))), {}),
    ("what is hidden", Hides(1), Hides(2), {}),
    ("the law of what is hidden", Hides(1), Hides(1, weight=2), {}),
    ("a slope", MARKOV, MARKOV, {"exp_epsilons": (3,)}),
    ("a decimal", MARKOV, MARKOV, {"epsilons": (1,)}),
    ("a delta", MARKOV, MARKOV, {"deltas": (Fraction(1, 10),)}),
    ("the rounds", MARKOV, MARKOV, {"horizon": 4}),
    ("the relation", MARKOV, MARKOV, {"adjacency": "any"}),
    ("hops", MARKOV, MARKOV, {"hops": 2}),
    ("the round", MARKOV, MARKOV, {"challenge_round": 1}),
    ("the tier", MARKOV, MARKOV, {"tier": "enclosed"}),
]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("one", "other", "asked"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_a_checkpoint_of_another_kernel_or_question_is_refused(
    one: Any, other: Any, asked: dict[str, Any], tmp_path: Path
) -> None:
    file, usual = str(tmp_path / "kept"), {"horizon": 3, "exp_epsilons": (1, 2)}
    examine(one, **usual, checkpoint=file)
    before = Path(file).read_bytes()
    with pytest.raises(ArgumentError, match="the same laws, scope, options and dpcert"):
        examine(other, **(usual | asked), checkpoint=file)
    assert Path(file).read_bytes() == before
    assert told(examine(one, **usual, checkpoint=file)) == told(examine(one, **usual))


@pytest.mark.in_turns
def test_a_checkpoint_of_another_dpcert_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(tmp_path / "kept")
    for tier, name in (("exact", "one"), ("enclosed", "two")):
        examine(TwoRoundRepeated(), horizon=4, tier=tier, checkpoint=file + name)
    monkeypatch.setattr(checkpoint, "engine", lambda: "another")
    for tier, name in (("exact", "one"), ("enclosed", "two")):
        with pytest.raises(ArgumentError, match="the same laws, scope, options and dpcert"):
            examine(TwoRoundRepeated(), horizon=4, tier=tier, checkpoint=file + name)
    assert len(engine.own_files()) == 64


def _sql(*lines: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        connection = sqlite3.connect(path)
        with connection:
            for line in lines:
                connection.execute(line)
        connection.close()

    return change


DAMAGE: dict[str, Callable[[Path], None]] = {
    "a number": _sql("UPDATE entries SET said = replace(said, '1', '2')"),
    "a name": _sql("UPDATE entries SET name = 'level 9' WHERE name = 'level 1'"),
    "a level is gone": _sql("DELETE FROM entries WHERE name = 'level 2'"),
    "no chains": _sql("DELETE FROM entries WHERE name = 'live'"),
    "no text": _sql("UPDATE entries SET said = x'00ff'"),
    "nothing": _sql("UPDATE entries SET said = NULL, seal = NULL"),
    "a table is gone": _sql("DROP TABLE of"),
    "a second key": _sql("INSERT INTO of VALUES ('another')"),
    "the first half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]) and None,
    "zeros": lambda path: path.write_bytes(bytes(5_000)) and None,
    "a page": lambda path: path.write_bytes(path.read_bytes()[:4096] + bytes(path.stat().st_size - 4096)) and None,
}


@pytest.mark.in_turns(few=True)
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_checkpoint_is_one_line(damage: str, tmp_path: Path) -> None:
    file = tmp_path / "kept"
    examine(TwoRoundRepeated(), horizon=4, checkpoint=str(file))
    DAMAGE[damage](file)
    with pytest.raises(ArgumentError, match="checkpoint") as raised:
        examine(TwoRoundRepeated(), horizon=4, checkpoint=str(file))
    assert "\n" not in str(raised.value)


def test_what_was_not_explored_to_its_end_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    examine(TwoRoundRepeated(), horizon=5, budget=Budget(max_positions=4), checkpoint=str(file))
    assert not file.exists()


@pytest.mark.real("kills")
@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("horizon", "killed", "seconds"), [("8", 2, 1.5), pytest.param("40", 100, 3, marks=pytest.mark.thorough)]
)
def test_killed_runs_end_with_the_same_record(tmp_path: Path, horizon: str, killed: int, seconds: float) -> None:
    whole, found = resumed(tmp_path, [*COMMAND, "--horizon", horizon], killed, seconds)
    assert found == whole


def test_another_kernel_ends_the_command_with_one_line(tmp_path: Path) -> None:
    file = str(tmp_path / "kept")
    examine(MARKOV, horizon=3, checkpoint=file)
    done = CliRunner().invoke(cli, [*COMMAND, "--horizon", "3", "--checkpoint", file])
    assert isinstance(done.exception, ArgumentError)  # which ends the command with its one line, and status 2
    wanted = f"Expected a checkpoint of the same laws, scope, options and dpcert but got checkpoint='{file}'"
    assert str(done.exception) == wanted


@dataclass
class LateStopping(Stopping):
    """The same; its time is over from a level on."""

    late_from: int = 0

    def keep(self, solver: Solver, value_of: Sequence[tuple[int, ...]], *, last: bool) -> None:
        if len(value_of) > self.late_from:
            self._begun = At(now=10**12)
        super().keep(solver, value_of, last=last)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("seed", chosen(range(12)))
def test_levels_that_are_kept_only_after_some_time_are_all_there_and_looked_for(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    for number, game in enumerate(games(seed)):
        explored, folder = explore(game), tmp_path / f"{number}"
        folder.mkdir()
        whole, path, rounds = solve(explored), str(folder), len(explored.levels)
        assert same(solve(explored, keeper=of(KeptLevels(path, (), 100), game, explored)), whole)
        assert not list(folder.iterdir())
        late = rng.randint(1, rounds - 1)
        alive = rng.randint(late, rounds - 1)
        with pytest.raises(MemoryError):
            solve(explored, keeper=of(LateStopping(path, (), 100, alive=alive, late_from=late), game, explored))
        assert sorted(one.suffix for one in folder.iterdir()) == [".long", ".sqlite"]
        again = of(KeptLevels(path, (), 100), game, explored)
        assert same(solve(explored, keeper=again), whole)
        assert again._saved > 0
        other = of(KeptLevels(path, ("another question",), 100), game, explored)
        assert same(solve(explored, keeper=other), whole)
        assert len(list(folder.iterdir())) == 2


def test_what_is_like_another_game_takes_up_none_of_its_levels(tmp_path: Path) -> None:
    """The sign that a game of its size was kept only has it looked for, by the digest of all its laws and moves."""
    one, other = (game_of(view_of(TwoRoundRepeated(leak=Fraction(1, n))), HAMMING, 5) for n in (90, 91))
    explored, another = explore(one), explore(other)
    solve(explored, keeper=of(LateStopping(str(tmp_path), (), 100, alive=99), one, explored))
    assert len(list(tmp_path.iterdir())) == 2
    found = of(KeptLevels(str(tmp_path), (), 100), other, another)
    assert same(solve(another, keeper=found), solve(another))
    assert len(list(tmp_path.iterdir())) == 3
