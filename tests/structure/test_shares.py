"""Shares of the tests: a file that fails is told, whoever ran it, and the others are run."""

from pathlib import Path

import pytest
import shares

PASSES = "def test_it_holds() -> None:\n    assert 1 + 1 == 2\n"
FAILS = "def test_it_does_not_hold() -> None:\n    assert 1 + 1 == 3, 'one and one'\n"


@pytest.mark.in_turns
def test_a_file_that_fails_is_told_and_the_others_are_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_first.py").write_text(FAILS)
    (tmp_path / "test_second.py").write_text(PASSES)
    assert shares.main(["--jobs", "2", str(tmp_path)]) == 1
    out = capfd.readouterr().out
    assert "one and one" in out
    assert out.endswith("1 files passed, 1 failed\n")


def test_the_largest_files_come_first_and_timings_are_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "benchmarks").mkdir()
    for name, text in (("test_a.py", PASSES), ("test_b.py", FAILS), ("benchmarks/test_c.py", FAILS)):
        (tmp_path / name).write_text(text)
    assert [Path(one).name for one in shares.files([tmp_path])] == ["test_b.py", "test_a.py"]


def test_a_path_without_tests_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert shares.main([str(tmp_path)]) == 2
    assert capfd.readouterr().err.startswith("Expected a file of tests, or a folder with some but got path=")
