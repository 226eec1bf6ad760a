"""Bad code under seeds, bad values, and HALT where it does not belong: one line that names the fault, exit status 2."""

from pathlib import Path

import pytest

from dpcert.audit.commands.cli import run

# A comment `# <- Name` marks the line that the message about Name has to show.
BAD = """
from itertools import count

from dpcert import HALT, Published, Release, bernoulli, point, uniform

class Fine:
    alphabet = (0, 1)

    def seeds(self, horizon):
        return uniform((0, 1)).map(lambda w: (w,) * horizon)

    def respond(self, seeds, stream):
        return tuple(x ^ w for x, w in zip(stream, seeds))

class ShortSeeds(Fine):
    def seeds(self, horizon):  # <- ShortSeeds
        return point((0,))

class ListSeeds(Fine):
    def seeds(self, horizon):
        return point([0] * horizon)  # <- ListSeeds

class TextSeeds(Fine):
    def seeds(self, horizon):  # <- TextSeeds
        return point("0" * horizon)

class DictSeeds(Fine):
    def seeds(self, horizon):  # <- DictSeeds
        return {(0,) * horizon: 1}

class RaisingSeeds(Fine):
    def seeds(self, horizon):
        return point((1 // 0,))  # <- RaisingSeeds

class NoHorizon(Fine):
    def seeds(self):  # a TypeError
        return point((0, 0, 0))

class ListAnswer(Fine):
    def respond(self, seeds, stream):  # <- ListAnswer
        return list(stream)

class ShortAnswer(Fine):
    def respond(self, seeds, stream):  # <- ShortAnswer
        return tuple(stream[1:])

class LastAnswerOnly(Fine):
    def respond(self, seeds, stream):  # <- LastAnswerOnly
        return stream[-1]

class NoAnswer(Fine):
    def respond(self, seeds, stream):  # <- NoAnswer
        pass

class UnhashableAnswer(Fine):
    def respond(self, seeds, stream):  # <- UnhashableAnswer
        return tuple([x] for x in stream)

class UnhashableValue(Fine):
    def respond(self, seeds, stream):  # <- UnhashableValue
        return tuple(Published(x, [x]) for x in stream)

class Raises(Fine):
    def respond(self, seeds, stream):
        return (seeds[len(seeds)],)  # <- Raises

class RaisesLate(Fine):
    def respond(self, seeds, stream):
        return tuple(1 // (len(stream) < 3) for x in stream)  # <- RaisesLate

class Exits(Fine):
    def respond(self, seeds, stream):
        raise SystemExit(0)  # <- Exits

class GoesOn(Fine):
    def respond(self, seeds, stream):  # <- GoesOn
        return (HALT, *stream[1:])

class EmptyAlphabet(Fine):
    alphabet = ()

class TwiceTheSame(Fine):
    alphabet = (0, 0)

class NoSeeds:
    alphabet = (0, 1)
    respond = Fine.respond

class NoRespond:
    alphabet = (0, 1)
    seeds = Fine.seeds

class NoAlphabet:
    seeds = Fine.seeds
    respond = Fine.respond

class TwoRounds(Fine):
    horizon = 2

class NoNumber(Fine):
    horizon = "2"

class Core:
    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(0)

class HaltingCore(Core):
    def law(self, prefix):  # <- HaltingCore
        return uniform((0, HALT))

class HaltInside(Core):
    def law(self, prefix):
        return point(Published(HALT, 0))  # <- HaltInside

class PublishRaises(Core):
    def publish(self, core):
        return core[len(core)]  # <- PublishRaises

class PublishUnhashable(Core):
    def publish(self, core):  # <- PublishUnhashable
        return [core]

class PublishNoArgument(Core):
    def publish(self):  # <- PublishNoArgument
        return 0

class PublishCounts(Core):
    def __init__(self):
        self.asked = count()

    def publish(self, core):  # <- PublishCounts
        return next(self.asked)

class PublishingCode(Fine):
    def publish(self, core):
        return core["last"]  # <- PublishingCode

class PublishingSteps:
    alphabet = (0, 1)
    initial = 0

    def step(self, state, x, draw):
        return Release(x), state

    def publish(self, core):
        raise LookupError("no such value")  # <- PublishingSteps

class BadSteps(PublishingSteps):
    publish = Core.law

    def step(self, state, x, draw):  # <- BadSteps
        return x
"""


def line_of(name: str) -> str:
    """`bad.py:LINE`, the place that the message about a class has to show; no place where none is marked."""
    lines = BAD.splitlines()
    return next((f"bad.py:{i})" for i, line in enumerate(lines, 1) if line.endswith(f"# <- {name}")), "")


@pytest.fixture(autouse=True)
def _bad_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(BAD, encoding="utf-8")


def refused(capfd: pytest.CaptureFixture[str], name: str, *options: str) -> str:
    """The one line on standard error of an audit that is refused."""
    status = run(["audit", f"bad.py:{name}", *options])
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
        ("ShortSeeds", ["ShortSeeds.seeds(3) to give tuples of 3 seeds", "got (0,)"]),
        ("ListSeeds", ["ListSeeds.seeds", "hashable outcome", "[0, 0, 0]"]),
        ("TextSeeds", ["TextSeeds.seeds(3) to give tuples of 3 seeds", "got '000'"]),
        ("DictSeeds", ["DictSeeds.seeds to return a Pmf", "got dict"]),
        ("RaisingSeeds", ["RaisingSeeds.seeds raised ZeroDivisionError"]),
        ("NoHorizon", ["NoHorizon.seeds raised TypeError", "positional argument"]),
        ("ListAnswer", ["ListAnswer.respond to return a tuple of 1 outputs", "got [0]"]),
        ("ShortAnswer", ["ShortAnswer.respond to return a tuple of 1 outputs", "got ()"]),
        ("LastAnswerOnly", ["LastAnswerOnly.respond to return a tuple of 1 outputs", "got 0"]),
        ("NoAnswer", ["NoAnswer.respond to return a tuple of 1 outputs", "got None"]),
        ("UnhashableAnswer", ["UnhashableAnswer.respond", "hashable output", "([0],)"]),
        ("UnhashableValue", ["UnhashableValue.respond", "hashable output", "[0]"]),
        ("Raises", ["Raises.respond raised IndexError"]),
        ("RaisesLate", ["RaisesLate.respond raised ZeroDivisionError"]),
        ("Exits", ["Exits.respond raised SystemExit"]),
        ("GoesOn", ["GoesOn.respond to go on with HALT after HALT", "got (HALT, 0)"]),
        ("EmptyAlphabet", ["at least one", "alphabet=()"]),
        ("TwiceTheSame", ["distinct inputs", "alphabet=(0, 0)"]),
        ("NoSeeds", ["`seeds` and `respond`", "NoSeeds without"]),
        ("NoRespond", ["`seeds` and `respond`", "NoRespond without"]),
        ("NoAlphabet", ["`seeds` and `respond`", "NoAlphabet without", "alphabet"]),
        ("NoNumber", ["horizon", "got horizon='2'"]),
        ("HaltingCore", ["HaltingCore.law to go on but got HALT", "Interactive"]),
        ("HaltInside", ["HaltInside.law: Expected HALT to be released by itself"]),
        ("PublishRaises", ["PublishRaises.publish raised IndexError"]),
        ("PublishUnhashable", ["PublishUnhashable.publish", "hashable published value", "[(0,)]"]),
        ("PublishNoArgument", ["PublishNoArgument.publish raised TypeError"]),
        ("PublishCounts", ["PublishCounts.publish to answer alike", "got 0 and 1 of (0,)"]),
        ("PublishingCode", ["PublishingCode.publish raised TypeError"]),
        ("PublishingSteps", ["PublishingSteps.publish raised LookupError: no such value"]),
        ("BadSteps", ["BadSteps.step to return (Release, state)", "got int"]),
    ],
)
def test_faulty_code_is_one_line_with_its_place(name: str, words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    line = refused(capfd, name)
    assert all(word in line for word in [*words, line_of(name)]), line
    assert line.count("bad.py:") <= 1


@pytest.mark.parametrize(("horizon", "words"), [("0", "at least 1"), ("3", "at most 2 rounds, all the mechanism has,")])
def test_a_horizon_out_of_range_is_one_line(horizon: str, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    line = refused(capfd, "TwoRounds", "--horizon", horizon)
    assert words in line
    assert f"horizon={horizon}" in line


def test_zero_out_says_how_code_names_its_null_input(capfd: pytest.CaptureFixture[str]) -> None:
    line = refused(capfd, "Fine", "--adjacency", "zero-out")
    assert "Fine.respond raised TypeError" in line
    assert "names it in an attribute `null`" in line


def test_the_marks_are_where_they_should_be() -> None:
    marked = [line.rpartition("# <- ")[2] for line in BAD.splitlines() if "# <- " in line]
    assert len(set(marked)) == len(marked)
    assert all(line_of(name) for name in marked)
