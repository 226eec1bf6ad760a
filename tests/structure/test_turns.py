"""Over the commits every seed and every case has its turn, whatever is combined; `make thorough` takes all."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from instances import seeds

COMMITS = range(seeds.PARTS * seeds.TURNS)
"""Commits, by their numbers, in which each case of a test marked `in_turns` runs with each block of seeds."""
ROOT = Path(__file__).parents[2]
CASES = {f"tests/test_some.py::test_{name}[{at}]": seeds.Turns.of() for name in "abc" for at in range(7)}


@pytest.fixture
def at_commit(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    monkeypatch.delenv("DPCERT_TURNS", raising=False)
    return lambda number: monkeypatch.setattr(seeds, "commit", lambda: number)


@pytest.mark.parametrize("take", [seeds.chosen, seeds.spread])
@pytest.mark.parametrize(("size", "parts"), [(0, 4), (3, 4), (16, 4), (19, 4), (7, 2), (100, 6), (40, 25)])
def test_each_seed_is_taken_by_one_commit_of_as_many_as_there_are_parts(
    take: Callable[[Sequence[int], int], list[int]], size: int, parts: int, at_commit: Callable[[int | None], None]
) -> None:
    taken: Counter[int] = Counter()
    for number in range(1000, 1000 + parts):
        at_commit(number)
        taken.update(take(range(size), parts))
    assert taken == Counter(range(size))


def test_each_case_runs_on_one_commit_of_twelve_with_each_block_of_seeds(
    at_commit: Callable[[int | None], None],
) -> None:
    ran: Counter[tuple[str, int]] = Counter()
    for number in COMMITS:
        at_commit(number)
        (block,) = seeds.chosen(range(seeds.PARTS))
        ran.update((case, block) for case in CASES.keys() - seeds.out_of_turn(CASES))
    assert ran == Counter((case, block) for case in CASES for block in range(seeds.PARTS))


def test_each_case_of_a_test_of_few_commits_runs_on_one_of_four_with_each_block_of_seeds(
    at_commit: Callable[[int | None], None],
) -> None:
    ran: Counter[tuple[str, int]] = Counter()
    few = dict.fromkeys(CASES, seeds.Turns.of(few=True))
    for number in COMMITS:
        at_commit(number)
        (block,) = seeds.chosen(range(seeds.PARTS))
        runs = few.keys() - seeds.out_of_turn(few)
        assert {case.split("[")[0] for case in runs} == {case.split("[")[0] for case in few}
        ran.update((case, block) for case in runs)
    assert ran == Counter({(case, block): seeds.TURNS // seeds.FEW for case in few for block in range(seeds.PARTS)})


def test_tests_of_one_case_are_shared_out_among_the_commits(at_commit: Callable[[int | None], None]) -> None:
    alone = {f"tests/test_{name}.py::test_one": seeds.Turns.of() for name in range(100)}
    for number in COMMITS:
        at_commit(number)
        assert 3 <= len(alone.keys() - seeds.out_of_turn(alone)) <= 16


def test_what_is_shared_is_made_on_one_commit_of_six_for_all_who_ask(at_commit: Callable[[int | None], None]) -> None:
    together = dict.fromkeys(CASES, seeds.Turns.of("cluster"))
    ran: Counter[int] = Counter()
    for number in COMMITS:
        at_commit(number)
        rest = seeds.out_of_turn(together)
        assert rest in (set(), together.keys())
        ran[number % seeds.PARTS] += not rest
    assert ran == dict.fromkeys(range(seeds.PARTS), seeds.TURNS // seeds.TOGETHER)


def test_what_runs_on_every_commit_or_begins_with_a_turn_is_there_and_marked(
    at_commit: Callable[[int | None], None],
) -> None:
    assert seeds.EVERY_COMMIT
    for number in COMMITS:
        at_commit(number)
        assert not seeds.EVERY_COMMIT & seeds.out_of_turn(dict.fromkeys(sorted(seeds.EVERY_COMMIT), seeds.Turns.of()))
    for case in (*seeds.EVERY_COMMIT, *(name for name in seeds.BEGINS if "::" in name)):
        file, test = case.split("[")[0].split("::")
        before, found, _ = (ROOT / file).read_text().partition(f"\ndef {test}(")
        assert found, case
        marks = before.rpartition("\n\n\n")[2]
        assert "in_turns" in marks or "pytestmark" in before, case


def test_what_is_begun_first_is_there() -> None:
    assert any(name.startswith(seeds.FIRST) for name in seeds.BEGINS)


def test_all_run_where_all_are_asked_for(at_commit: Callable[[int | None], None]) -> None:
    at_commit(None)
    assert seeds.chosen(range(9)) == seeds.spread(range(9), 3) == [*range(9)]
    assert seeds.out_of_turn(CASES) == set()


def test_all_run_where_all_turns_are_asked_for(
    at_commit: Callable[[int | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_commit(1)
    assert seeds.out_of_turn(CASES)
    monkeypatch.setenv("DPCERT_TURNS", "all")
    assert seeds.out_of_turn(CASES) == set()
