"""A checkpoint by itself, and levels of small games that are kept in one."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from instances.seeds import chosen
from instances.small_games import random_levels
from instances.stopped import Stopping

from dpcert import ArgumentError, bernoulli
from dpcert.audit.algebra.chain import IDENTITY
from dpcert.audit.games.paired import Exploration, Level
from dpcert.audit.solving import kept_levels
from dpcert.audit.solving.adaptive import Solution, Solver, solve
from dpcert.audit.solving.checkpoint import Checkpoint, key_of
from dpcert.audit.solving.kept_levels import LIVE, KeptLevels

LAWS = [((), bernoulli(0))]


def test_what_is_saved_is_read_again_beside_what_was_there(tmp_path: Path) -> None:
    kept = Checkpoint(str(tmp_path / "kept"), "key")
    assert kept.load() == {}
    kept.save({"b": "1", "a": "two\nlines"})
    kept.save({"b": "3", "c": ""})
    assert kept.load() == {"a": "two\nlines", "b": "3", "c": ""}
    assert kept.file == str(tmp_path / "kept")


def test_in_a_folder_every_key_has_a_file(tmp_path: Path) -> None:
    one, two = (Checkpoint(str(tmp_path), key) for key in ("one", "two"))
    one.save({"a": "1"})
    assert two.load() == {}
    two.save({"a": "2"})
    assert (one.load(), two.load()) == ({"a": "1"}, {"a": "2"})
    assert one.file != two.file
    assert Path(one.file).is_file()


def test_a_file_of_another_key_is_neither_read_nor_written(tmp_path: Path) -> None:
    one, two = (Checkpoint(str(tmp_path / "kept"), key) for key in ("one", "two"))
    one.save({"a": "1"})
    for use in (two.load, lambda: two.save({"a": "2"})):
        with pytest.raises(ArgumentError, match="the same laws, scope, options and dpcert"):
            use()
    assert one.load() == {"a": "1"}


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    kept = Checkpoint(str(path), "key")
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE mine (x)")
    with pytest.raises(ArgumentError, match="a checkpoint of dpcert, or a new file"):
        kept.load()
    path.write_bytes(bytes(1_000))
    with pytest.raises(ArgumentError, match="a checkpoint of dpcert, or a new file"):
        kept.load()
    with pytest.raises(ArgumentError, match="a file that can be written"):
        kept.save({"a": "1"})
    with pytest.raises(ArgumentError, match="a checkpoint of dpcert, or a new file"):
        Checkpoint(str(tmp_path / "no folder" / "kept"), "key").load()


@pytest.mark.parametrize(
    "change", ["said = 'other'", "name = 'other'", "seal = ''", "said = x'31'", "seal = NULL", "name = 7"]
)
def test_an_entry_that_somebody_has_changed_is_refused(change: str, tmp_path: Path) -> None:
    kept = Checkpoint(str(tmp_path / "kept"), "key")
    kept.save({"a": "1", "b": "2"})
    with closing(sqlite3.connect(kept.file)) as connection, connection:
        connection.execute(f"UPDATE entries SET {change} WHERE name = 'a'")
    with pytest.raises(ArgumentError, match="nobody has changed"):
        kept.load()


def test_a_key_tells_all_its_parts_apart() -> None:
    parts = [("a", "b"), ("ab",), ("b", "a"), ("a", "b", ""), (1,), ("1", "1"), (("a",), "b"), ("\ud800",)]
    assert len({key_of(one) for one in parts}) == len(parts)
    assert key_of(("a", 2)) == key_of(["a", 2])


# --- levels


def begun(kept: KeptLevels, levels: Sequence[Level], beyond: int = 0) -> KeptLevels:
    kept.begin(LAWS, Exploration(tuple(levels), beyond, "cut short" if beyond else None))
    return kept


def same(one: Solution, other: Solution) -> bool:
    return (one.root, one.values, one.value_of) == (other.root, other.values, other.value_of)


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_a_small_game_goes_on_from_every_level(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_levels, "SAVED_EVERY", 0)
    levels, asked, value = random_levels(seed, 3), list[int](), Solver.value
    monkeypatch.setattr(Solver, "value", lambda *given: asked.append(1) or value(*given))  # type: ignore[func-returns-value]
    whole = solve(Exploration(levels))
    for done in (1, 2):
        path = str(tmp_path / f"{done}")
        with pytest.raises(MemoryError):
            solve(Exploration(levels), keeper=begun(Stopping(path, (), alive=done), levels))
        asked.clear()
        assert same(solve(Exploration(levels), keeper=begun(KeptLevels(path, ()), levels)), whole)
        assert len(asked) == sum(len(level.positions) for level in levels[: 3 - done])
        assert same(solve(Exploration(levels), keeper=begun(KeptLevels(path, ()), levels)), whole)


def test_levels_are_saved_now_and_then_and_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    levels = random_levels(0, 3)
    path = tmp_path / "kept"
    monkeypatch.setattr(kept_levels, "SAVED_EVERY", 10**9)
    with pytest.raises(MemoryError):
        solve(Exploration(levels), keeper=begun(Stopping(str(path), (), alive=2), levels))
    assert not path.exists() or not path.stat().st_size
    saves: list[set[str]] = []
    save = Checkpoint.save
    monkeypatch.setattr(Checkpoint, "save", lambda self, told: saves.append(set(told)) or save(self, told))  # type: ignore[func-returns-value]
    solve(Exploration(levels), keeper=begun(KeptLevels(str(path), ()), levels))
    assert saves == [{LIVE, "level 1", "level 2", "level 3"}]
    saves.clear()
    monkeypatch.setattr(kept_levels, "SAVED_EVERY", 0)
    solve(Exploration(levels), keeper=begun(KeptLevels(str(tmp_path / "each"), ()), levels))
    assert saves == [{LIVE, f"level {number}"} for number in (1, 2, 3)]


def test_a_game_that_was_cut_short_leaves_no_file(tmp_path: Path) -> None:
    levels = random_levels(0, 3)
    path = tmp_path / "kept"
    solve(Exploration(levels, 1, "cut short"), keeper=begun(KeptLevels(str(path), ()), levels, beyond=1))
    assert not path.exists()


def test_a_checkpoint_without_one_of_its_levels_is_refused(tmp_path: Path) -> None:
    levels = random_levels(0, 3)
    path = str(tmp_path / "kept")
    solve(Exploration(levels), keeper=begun(KeptLevels(path, ()), levels))
    for gone in (LIVE, "level 1", "level 3"):
        with closing(sqlite3.connect(path)) as connection, connection:
            rows = connection.execute("SELECT * FROM entries WHERE name = ?", (gone,)).fetchall()
            connection.execute("DELETE FROM entries WHERE name = ?", (gone,))
        with pytest.raises(ArgumentError, match="with all of its levels"):
            solve(Exploration(levels), keeper=begun(KeptLevels(path, ()), levels))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
    assert same(solve(Exploration(levels), keeper=begun(KeptLevels(path, ()), levels)), solve(Exploration(levels)))


def test_every_part_of_a_game_is_part_of_its_key(tmp_path: Path) -> None:
    levels = random_levels(5, 2)
    path = str(tmp_path / "kept")
    solve(Exploration(levels), keeper=begun(KeptLevels(path, ("asked",)), levels))
    first, last = levels
    ((move, *moves), *_), outcome = last.moves, last.moves[0][0].outcomes[0]
    others = [
        replace(move, pair=(0, 9)),
        replace(move, denominator0=move.denominator0 + 1),
        replace(move, denominator1=move.denominator1 + 1),
        replace(move, outcomes=(replace(outcome, weight0=outcome.weight0 + 1), *move.outcomes[1:])),
        replace(move, outcomes=(replace(outcome, weight1=outcome.weight1 + 1), *move.outcomes[1:])),
        replace(move, outcomes=(replace(outcome, observation="other"), *move.outcomes[1:])),
        replace(move, outcomes=move.outcomes[::-1]) if len(move.outcomes) > 1 else replace(move, pair=(9, 9)),
    ]
    changed = [(first, replace(last, moves=((other, *moves), *last.moves[1:]))) for other in others]
    for game in (*changed, (first, last, last), (last, first), (first,)):
        kept = KeptLevels(path, ("asked",))
        kept.begin(LAWS, Exploration(game))
        with pytest.raises(ArgumentError, match="the same laws, scope, options and dpcert"):
            kept.restored(Solver(game, IDENTITY))
    for asked, laws in ((("other",), LAWS), (("asked",), [((), bernoulli(1))]), (("asked",), [])):
        kept = KeptLevels(path, asked)
        kept.begin(laws, Exploration(levels))
        with pytest.raises(ArgumentError, match="the same laws, scope, options and dpcert"):
            kept.restored(Solver(levels, IDENTITY))


def test_long_numbers_are_kept_as_they_are(tmp_path: Path) -> None:
    first, last = random_levels(5, 2)
    long = 10**5_000 + 1
    ((move, *moves), *rest) = last.moves
    stretched = replace(
        move,
        outcomes=tuple(replace(o, weight0=o.weight0 * long) for o in move.outcomes),
        denominator0=move.denominator0 * long,
    )
    levels = first, replace(last, moves=((stretched, *moves), *rest))
    path = str(tmp_path / "kept")
    whole = solve(Exploration(levels))
    for _ in range(2):
        assert same(solve(Exploration(levels), keeper=begun(KeptLevels(path, ()), levels)), whole)
    with closing(sqlite3.connect(path)) as connection:
        (said,) = connection.execute("SELECT said FROM entries WHERE name = 'level 1'").fetchone()
    assert json.loads(said).keys() == {"after", "values", "mirror"}
