"""A baseline is kept as lines, gets better by itself and worse only by name, whatever changed."""

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances.seeds import chosen
from instances.suites import FLIP, repository

from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError
from dpcert.audit.suites.baseline import RUNGS, VERDICTS, changes, read, together, updated, worse, written
from dpcert.audit.suites.findings import Key

WORDS = st.text(min_size=1, max_size=12).filter(lambda text: text.strip() and max(text) < "\ud800")
KINDS = ("kernel", "rounds", "verdict", "certified", "checklist STABLE_COST", "requirement x", "delta at e^eps=3/2")


def value(finding: str, chance: random.Random) -> str:
    if finding == "kernel":
        return f"sha256:{chance.randrange(4)}"
    if finding == "rounds":
        return chance.choice(["1", "2", "10", "inf"])
    if finding == "certified":
        return chance.choice(RUNGS)
    if finding.startswith("delta"):
        return str(Fraction(chance.randrange(5), 4))
    return chance.choice(VERDICTS)


def rank(finding: str, text: str) -> Fraction:
    """How good a value is, said another way than the module does."""
    if finding == "rounds":
        return Fraction(10**9 if text == "inf" else int(text))
    if finding == "certified":
        strongest_first = ("SCALAR", "VECTOR", "CONTEXT_STABLE", "FUTURE_STABLE", "CONTEXT_DOMINATED", "no")
        return Fraction(-strongest_first.index(text))
    if finding.startswith("delta"):
        return -Fraction(text)
    return Fraction({"HOLDS": 2, "UNDECIDED": 1, "REFUTED": 0}[text])


def lines(chance: random.Random) -> dict[Key, str]:
    keys = [Key(f"t{t}", "-", "s", finding) for t in range(3) for finding in KINDS]
    return {key: value(key.finding, chance) for key in keys if chance.random() < 0.8}


@pytest.mark.in_turns
@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=5))
def test_what_is_written_is_read(keys: list[tuple[str, str, str]]) -> None:
    kept = {Key(*key, "verdict"): "HOLDS" for key in keys if not key[0].startswith("#")}
    assert read(written(kept), "f") == kept
    assert all(line.count("\t") == 4 for line in written(kept).splitlines()[1:])


@pytest.mark.parametrize("seed", range(50))
def test_lines_are_sorted_and_those_of_two_branches_merge(seed: int) -> None:
    chance = random.Random(seed)
    ours, theirs = lines(chance), lines(chance)
    theirs = {replace(key, target=f"other {key.target}"): v for key, v in theirs.items()}
    rows = written(ours).splitlines()[1:] + written(theirs).splitlines()[1:]
    chance.shuffle(rows)
    assert read("\n".join(rows), "merged") == {**ours, **theirs}
    body = written(ours).splitlines()[1:]
    assert body == sorted(body)


@pytest.mark.parametrize("seed", chosen(range(400)))
def test_it_gets_better_by_itself_and_worse_only_by_name(seed: int) -> None:
    chance = random.Random(seed)
    before, now = lines(chance), lines(chance)
    there = {Key(f"t{t}", "-", "s", "") for t in chance.sample(range(3), 2)}
    now = {key: v for key, v in now.items() if replace(key, finding="") in there}
    decided = {replace(key, finding="") for key in now}
    accepted = {key for key in (Key(f"t{t}", "-", "s", "") for t in range(3)) if chance.random() < 0.3}
    changed = changes(before, now, decided, there)
    kept = updated(before, changed, accepted)
    bad = {one.key for one in worse(changed, accepted)}
    for key in {*before, *now}:
        case = replace(key, finding="")
        old, new = before.get(key), now.get(key)
        gone = old is not None and new is None and (case in decided or case not in there)
        if key.finding == "kernel":
            lost = gone or (old is not None and new is not None and old != new)
        else:
            fell = None not in (old, new) and rank(key.finding, str(new)) < rank(key.finding, str(old))
            lost = gone or fell
        assert (key in bad) == (lost and case not in accepted)
        if lost and case not in accepted:
            assert kept[key] == old
        elif gone:
            assert key not in kept
        else:
            assert kept.get(key) == (new if new is not None else old)


@pytest.mark.parametrize("seed", range(30))
def test_of_two_cases_about_the_same_the_worse_counts(seed: int) -> None:
    chance = random.Random(seed)
    first, second = lines(chance), lines(chance)
    both = together([first, second])
    assert set(both) == {*first, *second}
    for key, text in both.items():
        if key.finding != "kernel":
            assert rank(key.finding, text) == min(rank(key.finding, one[key]) for one in (first, second) if key in one)


@pytest.mark.parametrize(
    "line",
    [
        "a\tb", "a\tb\tc\tverdict\tMAYBE", "a\tb\tc\tdelta at e^eps=1\t3/2", "a\tb\tc\tdelta at e^eps=1\tx",
        "a\tb\tc\trounds\t0", "a\tb\tc\tkernel\tmd5:1", "a\tb\tc\tcertified\tSURELY", "a\\x\tb\tc\tverdict\tHOLDS",
        "<<<<<<< ours", "a\tb\tc\tverdict\tHOLDS\na\tb\tc\tverdict\tREFUTED", f"a\tb\tc\trounds\t{'9' * 5000}",
    ],
)  # fmt: skip
def test_a_line_that_is_none_is_refused(line: str) -> None:
    with pytest.raises(ArgumentError) as error:
        read(line, "dpcert.lock")
    assert str(error.value).startswith("Expected ")
    assert "dpcert.lock, line " in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.in_turns
def test_one_constant_that_changes_fails_the_right_case_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file = repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    command = ["audit", "--suite", str(file), "--baseline", "dpcert.lock"]
    assert run([*command, "--quiet"]) == 2
    assert "--update-baseline makes one" in capfd.readouterr().err
    assert run([*command, "--update-baseline", "--quiet"]) == 1  # of the leak alone
    lock = Path("dpcert.lock").read_text(encoding="utf-8")
    assert run([*command, "--only", "flip", "--quiet"]) == 0
    text = FLIP.replace(
        "prefix[-1] else self.lie", "prefix[-1] else self.lie + Fraction(1, 100) * (self.lie < Fraction(3, 10))"
    )
    (tmp_path / "primitives" / "flip.py").write_text(text, encoding="utf-8")
    assert run([*command, "--only", "flip"]) == 1
    out = capfd.readouterr().out
    assert "failed  flip[lie=1/4]" in out
    assert "passed  flip[lie=1/3]" in out
    assert "flip[lie=1/4]: baseline: kernel: from sha256:" in out
    assert run([*command, "--update-baseline", "--quiet"]) == 1
    assert Path("dpcert.lock").read_text(encoding="utf-8").count("sha256:") == lock.count("sha256:")
    kept = read(Path("dpcert.lock").read_text(encoding="utf-8"), "f")
    old = read(lock, "f")
    assert {key for key in old if kept[key] != old[key] and key.finding == "kernel"} == set()
    assert run([*command, "--update-baseline", "--accept", "flip*", "--quiet", "--only", "flip"]) == 0
    assert run([*command, "--only", "flip", "--quiet"]) == 0


@pytest.mark.in_turns(few=True)
def test_a_case_that_is_gone_fails_and_is_let_go_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    both = "[audit.a]\ntarget = 'two-round'\nstatus = 'any'\n"
    more = "[audit.b]\ntarget = 'randomized-response'\nhorizon = 2\n"
    file = repository(tmp_path, both + more)
    monkeypatch.chdir(tmp_path)
    command = ["audit", "--suite", str(file), "--baseline", "dpcert.lock"]
    assert run([*command, "--update-baseline", "--quiet"]) == 0
    file.write_text(both, encoding="utf-8")
    assert run(command) == 1
    assert "randomized-response with - (game=paired horizon=2" in capfd.readouterr().out
    assert run([*command, "--update-baseline", "--quiet"]) == 1
    assert run([*command, "--update-baseline", "--accept", "randomized-response", "--quiet"]) == 0
    assert run([*command, "--quiet"]) == 0
    assert "randomized-response" not in Path("dpcert.lock").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["\0", "a" * 5_000, ".", "latin.lock"])
def test_a_file_that_is_no_baseline_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin.lock").write_bytes(b"gr\xfc\xdfe")
    for more in ([], ["--update-baseline"]):
        assert run(["audit", "two-round", "--quiet", "--baseline", name, *more]) == 2
        err = capfd.readouterr().err
        assert err.startswith("dpcert: Expected a readable baseline but got baseline=")
        assert err.count("\n") == 1


@pytest.mark.parametrize("seed", range(300))
def test_a_malformed_baseline_is_read_or_refused_in_one_line(seed: int) -> None:
    chance = random.Random(seed)
    text = list(written(lines(chance)))
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(text))
        text[at : at + chance.choice([0, 1, 1, 5])] = chance.choice(
            ["\t", "\n", "\\", '"', "\x00", "\x1b[31m", "<b>", "\\u00", "1/0", "inf", "-", "\ud800", "9" * 50, ""]
        )
    _check_read("".join(text))


def _check_read(text: str) -> None:
    """Either lines whose values can be compared, or one line that says which is none."""
    try:
        found = read(text, "dpcert.lock")
    except ArgumentError as error:
        said = str(error)
    else:
        assert not list(worse(changes(found, found, set(), set())))
        return
    assert said.startswith("Expected ")
    assert said.isprintable()
    assert len(said) < 400
