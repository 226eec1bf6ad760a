"""Bounds on the work and interrupts: valid bounds, nothing computed is lost, and no verdict that was not earned."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest

from dpcert import Budget, examine
from dpcert.audit import analysis
from dpcert.audit.adjacency import HAMMING, ChallengeAt
from dpcert.audit.analysis import Analysis, analyse
from dpcert.audit.budget import OutOfBudget
from dpcert.audit.cli import Interrupts, run
from dpcert.audit.examine import game_of
from dpcert.audit.game import Explored, explore
from dpcert.audit.record import read
from dpcert.audit.solve import Solution, Unsolved, solve
from dpcert.audit.strategy import Search, Strategy
from dpcert.audit.view import view_of
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

MINE = '''
from fractions import Fraction
from dpcert import bernoulli
from dpcert.mechanisms.two_round import TwoRound

class Growing:
    """Every prefix has a law of its own, so that positions double every round."""

    alphabet = (0, 1)

    def law(self, prefix):
        number = int("1" + "".join(map(str, prefix)), 2)
        return bernoulli(Fraction(number, 2 ** (len(prefix) + 1)))

class Quiet:
    """The two-round mechanism, then rounds that say nothing."""

    alphabet = (0, 1)

    def law(self, prefix):
        return TwoRound().law(prefix) if len(prefix) < 3 else bernoulli(Fraction(1, 2))
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, with `mine.py` in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    return tmp_path


@dataclass(frozen=True)
class Audited:
    """What one audit left behind: exit status, report, standard error, record and page."""

    status: int
    out: str
    err: str
    record: dict[str, Any]

    def ends(self, side: str) -> list[tuple[Fraction, Fraction]]:
        """The bounds on delta of one side."""
        return [(Fraction(d["lower"]), Fraction(d["upper"])) for d in self.record[side]["delta"]]


def written(status: int, out: str, err: str, json_path: Path, html_path: Path) -> Audited:
    """The outputs of an audit that was cut short, each whole and in the right place."""
    assert "Traceback" not in out + err
    assert len(re.findall(r"^(UNDECIDED|REFUTED|HOLDS): ", out, flags=re.M)) == 1
    text = json_path.read_text(encoding="utf-8")
    record = read(text)
    assert html_path.read_text(encoding="utf-8") == record.to_html()
    assert out.startswith(record["verdict"])
    return Audited(status, out, err, json.loads(text))


def audited(capfd: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> Audited:
    """An audit in this process that writes both outputs."""
    status = run(["audit", *arguments, "--json", str(folder / "r.json"), "--html", str(folder / "p.html")])
    out, err = capfd.readouterr()
    return written(status, out, err, folder / "r.json", folder / "p.html")


EXACT = Fraction(991, 10000)
"""What adaptive adversaries reach against two-round at e^epsilon = 1."""


# --- valid bounds


def analysed(mechanism: Any, horizon: int, budget: Budget, relation: Any = HAMMING) -> Analysis:
    """The analysis of a built-in mechanism."""
    return analyse(game_of(view_of(mechanism), relation, horizon), budget)


@dataclass
class Ticking(Budget):
    """Time that passes at checks only, so many a second: what fits into a budget does not depend on the machine."""

    rate: int = 20
    _now: ClassVar[int] = 0
    _then: int = field(default_factory=lambda: Ticking._now)

    @property
    def checks(self) -> int:
        """Checks since this budget was made, of any budget."""
        return Ticking._now - self._then

    def nanoseconds(self) -> int:
        return self.checks * 10**9 // self.rate

    def check(self) -> None:
        Ticking._now += 1
        super().check()


# Every case is small enough for its exact answer, and large enough to be stopped in each phase.
SWEEPS = [
    pytest.param(TwoRoundRepeated(), 12, ChallengeAt(HAMMING, 1), id="two-round-repeated"),
    pytest.param(TwoRoundRepeated(), 6, HAMMING, id="two-round-repeated, any round"),
    pytest.param(RandomizedResponse(), 12, HAMMING, id="randomized-response"),
    pytest.param(ClippedSum(), 4, HAMMING, id="clipped-sum"),
    pytest.param(SharedCoin(), 8, HAMMING, id="shared-coin"),
]


def assert_valid(found: Analysis, exact: Analysis) -> None:
    """Both brackets hold the exact curves, and what is called exact is."""
    for bracket, truth in ((found.adaptive, exact.adaptive.lower), (found.fixed, exact.fixed.lower)):
        assert bracket.lower <= truth <= bracket.upper
        assert not bracket.exact or bracket.lower == truth
    assert found.solution.power <= found.adaptive.lower
    assert found.streams is None or found.streams.power <= exact.fixed.lower


@pytest.mark.parametrize(("mechanism", "horizon", "relation"), SWEEPS)
def test_a_bound_on_positions_gives_valid_bounds_that_only_improve(mechanism: Any, horizon: int, relation: Any) -> None:
    exact = analysed(mechanism, horizon, Budget(), relation)
    assert exact.stopped is None
    before = None
    positions = exact.solution.positions
    for most in [*range(1, positions, max(1, positions // 12)), positions - 1]:
        found = analysed(mechanism, horizon, Budget(max_positions=most), relation)
        assert found.stopped == f"--max-positions {most} was reached"
        assert found.solution.positions <= most
        assert len(found.solution.levels) < horizon
        assert_valid(found, exact)
        if before is not None:
            assert before.adaptive.lower <= found.adaptive.lower
            assert before.fixed.lower <= found.fixed.lower
            assert found.adaptive.upper <= before.adaptive.upper
        before = found
    assert analysed(mechanism, horizon, Budget(max_positions=positions), relation).stopped is None


@pytest.mark.parametrize(("mechanism", "horizon", "relation"), SWEEPS)
def test_a_bound_on_time_gives_valid_bounds_that_only_improve(
    mechanism: Any, horizon: int, relation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = analysed(mechanism, horizon, Budget(), relation)
    whole = Ticking()
    analysed(mechanism, horizon, whole, relation)
    rate = max(1, whole.checks // 24)  # so that all takes 24 seconds, and a grace a twenty-fourth of it
    monkeypatch.setattr(analysis, "Budget", partial(Ticking, rate=rate))
    before = None
    reasons = set()
    for seconds in range(1, whole.checks // rate + 3):
        found = analysed(mechanism, horizon, Ticking(max_seconds=seconds, rate=rate), relation)
        assert found.stopped in (None, f"--max-seconds {seconds} was reached")
        reasons.add(found.stopped is None)
        assert_valid(found, exact)
        if before is not None:
            assert before.adaptive.lower <= found.adaptive.lower
            assert before.fixed.lower <= found.fixed.lower
        before = found
    assert reasons == {True, False}


@pytest.mark.parametrize(("mechanism", "horizon", "relation"), SWEEPS)
def test_an_interrupt_at_any_check_gives_valid_bounds(
    mechanism: Any, horizon: int, relation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass
    class Interrupted(Ticking):
        at: int = 0

        def check(self) -> None:
            super().check()
            if self.checks == self.at:
                raise KeyboardInterrupt

    exact = analysed(mechanism, horizon, Budget(), relation)
    whole = Ticking()
    analysed(mechanism, horizon, whole, relation)
    rate = max(1, whole.checks // 24)
    monkeypatch.setattr(analysis, "Budget", partial(Ticking, rate=rate))
    steps = [*range(1, whole.checks, max(1, whole.checks // 24)), whole.checks]
    for at in steps:
        found = analysed(mechanism, horizon, Interrupted(at=at, rate=rate), relation)
        assert found.stopped is not None
        assert_valid(found, exact)


def test_more_rounds_explored_never_means_fewer_tried() -> None:
    levels = explore(game_of(view_of(RandomizedResponse()), HAMMING, 40)).levels
    tried = [list(analysis._depths(Explored(levels[:rounds], 1, "interrupted"))) for rounds in range(41)]
    assert all(set(less) <= set(more) for less, more in pairwise(tried))
    assert tried[40][:8] == [1, 2, 3, 4, 5, 6, 7, 8]
    for rounds in range(1, 41):
        assert list(analysis._depths(Explored(levels[:rounds])))[-1] == rounds


def test_ten_million_positions_are_not_explored(mine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    found = audited(capfd, mine, "mine.py:Growing", "--horizon", "40", "--max-positions", "1000")
    assert time.monotonic() - started < 20
    assert found.status == 3
    assert found.out.startswith("UNDECIDED: ")
    assert "--max-positions 1000 was reached" in found.out
    assert "stopped early, 7 of 40 rounds explored" in found.record["scope"]["text"]
    assert found.record["scope"]["positions"] <= 1000
    seven = audited(capfd, mine, "mine.py:Growing", "--horizon", "7")
    assert seven.record["scope"]["positions"] == found.record["scope"]["positions"]
    # Seven rounds are all that is known of forty, and an adversary may stop after them.
    for side in ("adaptive", "fixed_stream"):
        assert [low for low, _ in found.ends(side)] == [low for low, _ in seven.ends(side)]
        assert all(high == 1 for _, high in found.ends(side))


def test_a_bounded_run_brackets_the_exact_one(mine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["mine.py:Growing", "--horizon", "5"]
    exact = audited(capfd, mine, *arguments)
    assert exact.status == 1
    for most in ("1", "4", "20", "60", "120"):
        found = audited(capfd, mine, *arguments, "--max-positions", most)
        assert found.status == 3
        for side in ("adaptive", "fixed_stream"):
            assert found.record[side]["tier"] == "enclosed"
            for (low, high), (truth, _) in zip(found.ends(side), exact.ends(side), strict=True):
                assert low <= truth <= high


# --- verdicts


def test_bounds_may_refute(mine: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def hopeless(explored: Explored, budget: Budget | None = None, **options: Any) -> Solution:
        if len(explored.levels) > 2:
            raise Unsolved("--max-seconds 1 was reached")
        return solve(explored, budget, **options)

    monkeypatch.setattr(analysis, "solve", hopeless)
    found = audited(capfd, mine, "mine.py:Quiet", "--horizon", "6")
    assert found.status == 1
    assert found.out.startswith("REFUTED: ")
    assert "stopped early, 2 of 6 rounds explored" in found.record["scope"]["text"]
    assert [side["tier"] for side in (found.record["adaptive"], found.record["fixed_stream"])] == ["enclosed", "exact"]
    assert found.ends("adaptive")[0] == (EXACT, Fraction(1))
    assert found.ends("fixed_stream")[0] == (Fraction(9, 100), Fraction(9, 100))
    witness = found.record["lifts"]["curve"]["witness"]
    assert (witness["adaptive"], witness["fixed_stream"]) == ("991/10000", "9/100")
    attained = found.record["adaptive"]["strategies"][0]
    assert attained["delta"] == attained["replayed"] == "991/10000"


def test_bounds_that_do_not_meet_never_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "Budget", Ticking)
    verdicts = set()
    for mechanism in (RandomizedResponse(), SharedCoin(), TwoRoundRepeated(Fraction(1, 2))):
        held = examine(mechanism, horizon=8, exp_epsilons=[1])["verdict"] == "HOLDS"
        for budget in [*(Budget(max_positions=n) for n in (1, 2, 5, 9)), *(Ticking(max_seconds=n) for n in (1, 2, 4))]:
            record = examine(mechanism, horizon=8, exp_epsilons=[1], budget=budget)
            verdicts.add(record["verdict"])
            curves = record["adaptive"], record["fixed_stream"]
            met = [curve["tier"] for curve in curves] == ["exact", "exact"]
            assert record["verdict"] != "HOLDS" or (held and met and "stopped early" not in record["scope"]["text"])
            assert record.exit_status == {"HOLDS": 0, "REFUTED": 1, "UNDECIDED": 3}[record["verdict"]]
    assert "UNDECIDED" in verdicts


# --- one interrupt, in every phase


@dataclass
class StoppedIn(Budget):
    """Raises `error` once, at the first check after the progress line that starts with `phase`."""

    phase: str = ""
    error: BaseException | None = None
    said: str = ""

    def __post_init__(self) -> None:
        self.progress = self._note

    def _note(self, text: str) -> None:
        self.said = text

    def check(self) -> None:
        if self.error is not None and self.said.startswith(self.phase):
            error, self.error = self.error, None
            raise error


STOPS = [KeyboardInterrupt(), OutOfBudget("--max-seconds 1 was reached")]


def stopped_in(
    phase: str, error: BaseException, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], folder: Path
) -> Audited:
    """The audit of two-round with a stop in one phase."""
    budgets: list[StoppedIn] = []

    def made(*_: object) -> StoppedIn:
        budgets.append(StoppedIn(phase=phase, error=error))
        return budgets[0]

    monkeypatch.setattr("dpcert.audit.cli.Budget", made)
    found = audited(capfd, folder, "two-round")
    assert budgets[0].error is None, "the phase was never reached"
    assert found.err == ""
    low, high = found.ends("adaptive")[0]
    assert low <= EXACT <= high
    return found


@pytest.mark.parametrize("error", STOPS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    ("phase", "known"),
    [
        pytest.param(
            "exploring round 1",
            Fraction(0),
        ),
        ("exploring round 2", Fraction(3, 100)),
        ("solved 1 of 2", EXACT),
        ("enumerating", EXACT),
    ],
)
def test_a_stop_in_any_phase_keeps_what_is_known(
    phase: str,
    known: Fraction,
    error: BaseException,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = stopped_in(phase, error, monkeypatch, capfd, tmp_path)
    assert found.ends("adaptive")[0][0] == known
    if known == EXACT:  # a game as small as this one is solved again within a grace, and its streams are all tried
        assert found.status == 1
        assert found.ends("fixed_stream")[0] == (Fraction(9, 100), Fraction(9, 100))
    else:
        reason = "interrupted" if isinstance(error, KeyboardInterrupt) else "--max-seconds 1 was reached"
        assert found.status == 3
        assert f"is not decided: {reason}." in found.out


@pytest.mark.parametrize("error", STOPS, ids=lambda error: type(error).__name__)
def test_a_stop_on_the_ladder_keeps_the_curves(error: BaseException) -> None:
    budget = StoppedIn(phase="deciding the ladder", error=error)
    try:
        record = examine(RandomizedResponse(), budget=budget)
    except KeyboardInterrupt:  # would stop pytest itself
        pytest.fail("interrupted")
    assert budget.error is None
    assert record["verdict"] == "HOLDS"


def test_the_end_of_the_budget_leaves_the_adversaries_out() -> None:
    whole = examine(RandomizedResponse())
    budget = StoppedIn(phase="reading off", error=OutOfBudget("--max-seconds 1 was reached"))
    cut = examine(RandomizedResponse(), budget=budget)
    assert budget.error is None
    for got, expected in zip(cut["adaptive"]["strategies"], whole["adaptive"]["strategies"], strict=True):
        assert got["delta"] == expected["delta"]
        assert got["nodes"] == []
        assert not (got["complete"] and expected["nodes"])
    assert (cut["verdict"], cut["adaptive"]["power"]) == (whole["verdict"], whole["adaptive"]["power"])


def test_an_interrupt_of_the_fixed_streams_keeps_the_adaptive_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(analysis, "fixed_stream", interrupted)
    found = audited(capfd, tmp_path, "two-round")
    assert found.status == 3
    assert found.record["adaptive"]["tier"] == "exact"
    assert found.ends("fixed_stream")[0] == (Fraction(0), EXACT)
    assert found.record["fixed_stream"]["witnesses"] == []


@pytest.mark.parametrize("patched", ["strategy", "replay"])
def test_an_interrupt_while_adversaries_are_read_off_keeps_those_that_are(
    patched: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = audited(capfd, tmp_path, "two-round")
    calls = []

    def third_time_interrupted(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            calls.append(arguments)
            if len(calls) == 3:
                raise KeyboardInterrupt
            return function(*arguments)

        return wrapped

    if patched == "strategy":
        original: Callable[..., Strategy | None] = Search.strategy
        monkeypatch.setattr(Search, "strategy", third_time_interrupted(original))
    else:
        from dpcert.audit.replay import replay

        monkeypatch.setattr("dpcert.audit.examine.replay", third_time_interrupted(replay))
    found = audited(capfd, tmp_path, "two-round")
    assert found.status == 1
    expected, got = whole.record["adaptive"]["strategies"], found.record["adaptive"]["strategies"]
    assert got[:2] == expected[:2]
    assert [s["delta"] for s in got] == [s["delta"] for s in expected]
    assert (got[2]["complete"], got[2]["replayed"], got[2]["nodes"]) == (False, None, [])
    assert all(s["replayed"] is None or not s["nodes"] for s in got[2:])
    assert {k: v for k, v in found.record.items() if k not in ("adaptive", "provenance")} == {
        k: v for k, v in whole.record.items() if k not in ("adaptive", "provenance")
    }


# --- real signals

signals = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")

LONG = ["two-round-repeated", "--horizon", "64", "--challenge-round", "1"]
SAYS_PROGRESS = "output.silent = lambda text: print(text, file=sys.stderr, flush=True)"
LINGERS = """
def lingers(*_, **__):
    print("cut short", file=sys.stderr, flush=True)
    time.sleep(60)
analysis._enumerated = lingers  # where a first interrupt would be made use of
"""


@dataclass
class Running:
    """A `dpcert audit` of its own, with the lines of `patch` run first; its standard error is a file."""

    folder: Path
    process: "subprocess.Popen[str]"

    def wait_for(self, said: str) -> None:
        """Returns once standard error holds the text."""
        give_up = time.monotonic() + 60
        while said not in self.err():
            assert self.process.poll() is None, self.err()
            assert time.monotonic() < give_up, self.err()
            time.sleep(0.01)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def err(self) -> str:
        return (self.folder / "err").read_text(encoding="utf-8")

    def ended(self) -> tuple[int, str, str]:
        """Exit status, standard output, and standard error without its progress lines."""
        out, _ = self.process.communicate(timeout=60)
        lines = self.err().splitlines(keepends=True)
        progress = ("exploring ", "solved ", "enumerating ", "deciding ", "reading ", "cut short")
        return self.process.returncode, out, "".join(line for line in lines if not line.startswith(progress))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts audits, and ends those that a failed test leaves behind."""
    started: list[Running] = []

    def run_it(*arguments: str, patch: str = SAYS_PROGRESS) -> Running:
        script = (
            "import os, signal, sys, time\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may have it ignored
            f"from dpcert.audit import analysis, cli, output\n{patch}\ncli.main(sys.argv[1:])\n"
        )
        outputs = ["--json", str(tmp_path / "r.json"), "--html", str(tmp_path / "p.html")]
        with (tmp_path / "err").open("w", encoding="utf-8") as err:
            process = subprocess.Popen(
                [sys.executable, "-c", script, "audit", *arguments, *outputs],
                stdout=subprocess.PIPE,
                stderr=err,
                encoding="utf-8",
                env={**os.environ, "PYTHONUTF8": "1"},
            )
        started.append(Running(tmp_path, process))
        return started[-1]

    yield run_it
    for running in started:
        if running.process.poll() is None:
            running.process.kill()
        running.process.communicate()


@signals
def test_one_interrupt_of_a_long_solve_ends_with_bounds(start: Callable[..., Running], tmp_path: Path) -> None:
    running = start(*LONG)
    running.wait_for("solved 12 of 64")
    running.interrupt()
    interrupted = time.monotonic()
    found = written(*running.ended(), tmp_path / "r.json", tmp_path / "p.html")
    assert time.monotonic() - interrupted < 20
    assert found.status == 3
    assert found.err == ""
    assert "is not decided: interrupted." in found.out
    for side in ("adaptive", "fixed_stream"):
        assert all(0 < low <= high for low, high in found.ends(side))


@signals
def test_two_interrupts_end_at_once(start: Callable[..., Running], tmp_path: Path) -> None:
    running = start(*LONG, patch=f"{SAYS_PROGRESS}\n{LINGERS}")
    running.wait_for("solved 12 of 64")
    running.interrupt()
    running.wait_for("cut short")
    running.interrupt()
    interrupted = time.monotonic()
    status, out, err = running.ended()
    assert time.monotonic() - interrupted < 5
    assert (status, out, err) == (3, "", "dpcert: interrupted; nothing was decided\n")
    assert not (tmp_path / "r.json").exists()


@signals
def test_many_interrupts_print_no_traceback(start: Callable[..., Running]) -> None:
    running = start(*LONG, patch=f"{SAYS_PROGRESS}\n{LINGERS}")
    running.wait_for("solved 12 of 64")
    while running.process.poll() is None:
        running.interrupt()
        time.sleep(0.002)
    status, out, err = running.ended()
    assert (status, out) == (3, "")
    assert err in ("", "dpcert: interrupted; nothing was decided\n")


KILLS_ITSELF = """
show = cli.show
def interrupted(*arguments):
    for _ in range({times}):
        os.kill(os.getpid(), signal.SIGINT)
    show(*arguments)
cli.show = interrupted
"""


@signals
def test_an_interrupt_of_the_report_loses_nothing(start: Callable[..., Running], tmp_path: Path) -> None:
    running = start("two-round", patch=KILLS_ITSELF.format(times=1))
    found = written(*running.ended(), tmp_path / "r.json", tmp_path / "p.html")
    assert (found.status, found.err) == (1, "")
    running = start("two-round", patch=KILLS_ITSELF.format(times=2))
    assert running.ended() == (3, "", "dpcert: interrupted; nothing was decided\n")


def test_an_interrupt_that_nothing_makes_use_of_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpcert.audit.targets.find", interrupted)
    assert run(["audit", "two-round"]) == 3
    assert capfd.readouterr() == ("", "dpcert: interrupted; nothing was decided\n")


@signals
def test_an_ignored_interrupt_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        Interrupts().install()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.default_int_handler)
        interrupts = Interrupts()
        interrupts.install()
        assert signal.getsignal(signal.SIGINT) == interrupts.handle
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_second_is_a_second(start: Callable[..., Running], tmp_path: Path) -> None:
    started = time.monotonic()
    running = start(*LONG, "--max-seconds", "1", patch="")
    found = written(*running.ended(), tmp_path / "r.json", tmp_path / "p.html")
    assert time.monotonic() - started < 20  # three on an idle machine
    assert found.status == 3
    assert "--max-seconds 1 was reached" in found.out
    assert found.err == ""
    exact = examine(TwoRoundRepeated(), horizon=10, challenge_round=1)
    for (low, high), delta in zip(found.ends("adaptive"), exact["adaptive"]["delta"], strict=True):
        assert Fraction(delta["lower"]) <= low <= high  # ten rounds are the least that a second is good for


# --- progress

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
BUSY = ["two-round-repeated", "--horizon", "32", "--challenge-round", "1"]


def on_a_terminal(*arguments: str) -> tuple[str, str]:
    """Standard output, a pipe, and what a terminal got as standard error."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    seen = b""
    with subprocess.Popen(
        [sys.executable, "-m", "dpcert", "audit", *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "PYTHONUTF8": "1"},
    ) as process:
        os.close(theirs)
        while select.select([ours], [], [], 60)[0]:
            try:
                read_now = os.read(ours, 4096)
            except OSError:  # what Linux says once nobody holds the other end any more
                break
            if not read_now:
                break
            seen += read_now
        out, _ = process.communicate(timeout=60)
    os.close(ours)
    return out.decode(), ANSI.sub("", seen.decode())


@signals
def test_a_terminal_gets_progress() -> None:
    out, seen = on_a_terminal(*BUSY)
    assert re.search(r"solved \d+ of 32 rounds", seen), seen
    assert "solved" not in out.partition("positions solved")[0]
    assert out.startswith("REFUTED: ")


@signals
def test_a_quiet_audit_says_nothing_on_a_terminal() -> None:
    assert on_a_terminal(*BUSY, "--quiet") == ("", "")


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}, {"TTY_COMPATIBLE": "1"}])
def test_a_pipe_gets_no_progress(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dpcert", "audit", *BUSY],
        capture_output=True,
        env={**os.environ, **environment, "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == b""


def test_two_round_is_what_the_phases_assume() -> None:
    record = examine(TwoRound(), horizon=1, exp_epsilons=[1])
    assert record["adaptive"]["total_variation"] == "3/100"
