"""Bad mechanisms with hidden state, and bad options for them: one line that names the fault, and exit status 2."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dpcert.audit.commands.cli import run
from dpcert.audit.kernels import draws

# A comment `# <- Name` marks the line that the message about Name has to show.
BAD = '''
import random
from fractions import Fraction
from itertools import count

from dpcert import Release, bernoulli, point

HALF = Fraction(1, 2)

class Fine:
    alphabet = (0, 1)
    initial = 0

    def step(self, state, x, draw):
        return Release(draw(bernoulli(HALF))), state

class UnhashableState(Fine):
    def step(self, state, x, draw):  # <- UnhashableState
        return Release(0), [x]

class UnhashableVisible(Fine):
    def step(self, state, x, draw):  # <- UnhashableVisible
        return Release({x}), state

class UnhashableInitial(Fine):
    initial = {}

class NoPmf(Fine):
    def step(self, state, x, draw):
        return Release(draw({0: HALF, 1: HALF})), state  # <- NoPmf

class NotEvenALaw(Fine):
    def step(self, state, x, draw):
        return Release(draw(bernoulli(2))), state  # <- NotEvenALaw

class FewerDraws(Fine):
    def __init__(self):
        self.calls = count(1)

    def step(self, state, x, draw):  # <- FewerDraws
        first = draw(bernoulli(HALF))
        if next(self.calls) == 1:
            draw(bernoulli(HALF))
        return Release(first), state

class OtherLaws(Fine):
    def __init__(self):
        self.calls = count(2)

    def step(self, state, x, draw):
        return Release(draw(bernoulli(Fraction(1, next(self.calls))))), state  # <- OtherLaws

class Counts(Fine):
    def __init__(self):
        self.calls = count(1)

    def step(self, state, x, draw):
        return Release(next(self.calls)), state

class ChangesLater(Fine):
    def __init__(self):
        self.calls = count(1)

    def step(self, state, x, draw):
        return Release(x if next(self.calls) <= 8 else 1 - x), state

class Imports(Fine):
    def step(self, state, x, draw):  # <- Imports
        return Release(random.randint(0, 9)), state

class DrawsForEver(Fine):
    def step(self, state, x, draw):
        while True:
            draw(bernoulli(HALF))  # <- DrawsForEver

class DrawsTheSureThing(Fine):
    def step(self, state, x, draw):
        while draw(point(1)):  # <- DrawsTheSureThing
            pass

class Geometric(Fine):
    """Unbounded noise, the natural way to write an endless loop: each sequence of draws ends, but there is no last."""

    def step(self, state, x, draw):
        noise = 0
        while draw(bernoulli(HALF)):  # <- Geometric
            noise += 1
        return Release(x + noise), state

class Raises(Fine):
    def step(self, state, x, draw):
        return {}["nothing here"]  # <- Raises

class RaisesLate(Fine):
    def step(self, state, x, draw):
        return Release(draw(bernoulli(HALF)) // (1 - state)), state + x  # <- RaisesLate

class Exits(Fine):
    def step(self, state, x, draw):
        raise SystemExit(0)  # <- Exits

class Recurses(Fine):
    def step(self, state, x, draw):
        return self.step(state, x, draw)  # <- Recurses

class NoRelease(Fine):
    def step(self, state, x, draw):  # <- NoRelease
        return x, state

class NoState(Fine):
    def step(self, state, x, draw):  # <- NoState
        return Release(x)

class Nothing(Fine):
    def step(self, state, x, draw):  # <- Nothing
        draw(bernoulli(HALF))

class NoDraw(Fine):
    def step(self, state, x):  # <- NoDraw
        return Release(x), state

class NoAlphabet:
    initial = 0

    def step(self, state, x, draw):
        return Release(x), state

class NoInitial:
    alphabet = (0, 1)

    def step(self, state, x, draw):
        return Release(x), state

class EmptyAlphabet(Fine):
    alphabet = ()

class Letters(Fine):
    alphabet = ("a", "b")

class Sums(Fine):
    def step(self, state, x, draw):
        return Release(state + x), state + x  # <- Sums

class SumsFromZero(Sums):
    null = 0
'''


def line_of(name: str) -> str:
    """`bad.py:LINE`, the place that the message about a class has to show."""
    lines = BAD.splitlines()
    return f"bad.py:{next(i for i, line in enumerate(lines, 1) if line.endswith(f'# <- {name}'))}"


@pytest.fixture(autouse=True)
def _bad_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(BAD, encoding="utf-8")


def refused(capfd: pytest.CaptureFixture[str], name: str, *options: str) -> str:
    """The one line on standard error of an audit that is refused."""
    status = run(["audit", f"bad.py:{name}" if name[0].isupper() else name, *options])
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("dpcert: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert "fault of dpcert, not of yours" not in err
    assert status == 2
    return err


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("UnhashableState", ["UnhashableState.step", "hashable state", "state=[0]"]),
        ("UnhashableVisible", ["UnhashableVisible.step", "hashable visible output", "{0}"]),
        ("UnhashableInitial", ["UnhashableInitial.initial", "hashable initial", "initial={}"]),
        ("NoPmf", ["NoPmf.step", "draw from a Pmf", "got dict", line_of("NoPmf")]),
        ("NotEvenALaw", ["NotEvenALaw.step", "probability in [0, 1]", "p=2", line_of("NotEvenALaw")]),
        ("FewerDraws", ["FewerDraws.step", "1 draws on replay where there were 2", "hidden randomness"]),
        ("OtherLaws", ["OtherLaws.step", "another law on replay", "hidden randomness", line_of("OtherLaws")]),
        ("Counts", ["Counts.step", "hidden randomness", "another result"]),
        ("Imports", ["Imports.step", "random.randint", "hidden randomness", "bad.py:"]),
        ("DrawsForEver", ["DrawsForEver.step", "endless loop of draws", line_of("DrawsForEver")]),
        ("DrawsTheSureThing", ["DrawsTheSureThing.step", "endless loop of draws", line_of("DrawsTheSureThing")]),
        ("Raises", ["Raises.step raised KeyError: 'nothing here'", line_of("Raises")]),
        ("RaisesLate", ["RaisesLate.step raised ZeroDivisionError", line_of("RaisesLate")]),
        ("Exits", ["Exits.step raised SystemExit", line_of("Exits")]),
        ("Recurses", ["Recurses.step raised RecursionError", line_of("Recurses")]),
        ("NoRelease", ["NoRelease.step to return (Release, state)", "got tuple"]),
        ("NoState", ["NoState.step to return (Release, state)", "got Release"]),
        ("Nothing", ["Nothing.step to return (Release, state)", "got NoneType"]),
        ("NoDraw", ["NoDraw.step raised TypeError", "positional arguments"]),
        ("NoAlphabet", ["`alphabet`, `initial` and `step`", "NoAlphabet without alphabet"]),
        ("NoInitial", ["`alphabet`, `initial` and `step`", "NoInitial without initial"]),
        ("EmptyAlphabet", ["at least one", "alphabet=()"]),
    ],
)
def test_a_faulty_mechanism_is_one_line(name: str, words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    line = refused(capfd, name)
    assert all(word in line for word in words), line


@pytest.mark.in_turns
def test_what_changes_after_a_few_calls_has_no_curve(capfd: pytest.CaptureFixture[str]) -> None:
    status = run(["audit", "bad.py:ChangesLater"])
    out, _ = capfd.readouterr()
    assert status == 3
    assert "goes otherwise in a fresh process" in out


@pytest.mark.in_turns
@pytest.mark.parametrize(
    "name", ["UnhashableState", "UnhashableVisible", "FewerDraws", "NoRelease", "NoState", "Nothing", "NoDraw"]
)
def test_a_faulty_answer_shows_where_the_step_stands(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert line_of(name) in refused(capfd, name)


def test_unbounded_noise_is_an_endless_loop_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(draws, "MOST_DRAWS", 200)
    line = refused(capfd, "Geometric")
    assert all(word in line for word in ("Geometric.step", "200 draws", "endless loop", line_of("Geometric"))), line


NAMES = "zero-out submits the null input None: a mechanism with another one names it in an attribute `null`"


@pytest.mark.in_turns
def test_an_error_that_the_null_input_has_no_part_in_has_no_hint(capfd: pytest.CaptureFixture[str]) -> None:
    assert NAMES not in refused(capfd, "Geometric", "--adjacency", "zero-out")
    assert NAMES not in refused(capfd, "Sums", "--adjacency", "nonsense")


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("Fine", ["--hops", "0"], ["at least 1", "hops=0"]),
        ("Fine", ["--hops", "99"], ["from 1 to 8", "hops=99"]),
        ("Fine", ["--max-positions", "0"], ["at least 1", "max_positions=0"]),
        ("Fine", ["--max-seconds", "x"], ["whole number", "max_seconds=x"]),
        ("Fine", ["--max-seconds", "0.5"], ["whole number", "max_seconds=0.5"]),
        ("Fine", ["--horizon", "2", "--challenge-round", "3"], ["from 1 to the horizon 2", "challenge_round=3"]),
        ("Fine", ["--challenge-round", "9", "--hops", "2"], ["from 1 to the horizon 3", "challenge_round=9"]),
        ("Letters", ["--adjacency", "unit-hamming"], ["whole numbers", "unit-hamming", "alphabet=('a', 'b')"]),
        ("Sums", ["--adjacency", "zero-out"], ["Sums.step raised TypeError", "NoneType", line_of("Sums"), NAMES]),
        ("clipped-sum", ["--adjacency", "zero-out"], ["ClippedSum.step raised TypeError", "clipped_sum.py:", NAMES]),
        ("two-round", ["--adjacency", "zero-out", "--hops", "2"], ["TwoRound.law raised TypeError", NAMES]),
    ],
)
def test_a_bad_option_is_one_line(
    name: str, options: list[str], words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    line = refused(capfd, name, *options)
    assert all(word in line for word in words), line


def total_variation(capfd: pytest.CaptureFixture[str], name: str, *options: str) -> Fraction:
    """The adaptive total variation that an audit gives."""
    assert run(["audit", f"bad.py:{name}", *options, "--json", "-"]) in (0, 1)
    record = json.loads(capfd.readouterr().out)
    assert record["adaptive"]["tier"] == "exact"
    return Fraction(record["adaptive"]["total_variation"])


@pytest.mark.in_turns
def test_zero_out_takes_the_null_input_of_the_mechanism(capfd: pytest.CaptureFixture[str]) -> None:
    assert total_variation(capfd, "SumsFromZero", "--adjacency", "zero-out") == 1
    assert total_variation(capfd, "Fine", "--adjacency", "zero-out") == 0


def test_a_challenge_round_goes_with_hops(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["audit", "clipped-sum", "--horizon", "2", "--challenge-round", "2", "--json", "-"]
    deltas = []
    for hops in ("1", "2"):
        run([*arguments, "--hops", hops])
        record = json.loads(capfd.readouterr().out)
        assert record["scope"]["hops"] == int(hops)
        assert record["scope"]["challenge_round"] == 2
        deltas.append([Fraction(delta["lower"]) for delta in record["adaptive"]["delta"]])
    one, two = deltas
    # With two inputs only, two hops through one round lead no further than one, and they do lead as far.
    assert one == two != [0] * len(one)


def test_the_marks_are_where_they_should_be() -> None:
    marked = {line.rpartition("# <- ")[2] for line in BAD.splitlines() if "# <- " in line}
    numbers = [int(line_of(name).removeprefix("bad.py:")) for name in marked]
    assert len(set(numbers)) == len(marked)
