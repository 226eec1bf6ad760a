"""Every command over a grid of arguments, good and bad: a status of 0 to 3, one line of what is wrong, no fault."""

import io
import json
import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from instances.mine import MINE
from instances.seeds import spread

from dpcert.audit.commands.cli import cli, run
from dpcert.audit.kernels.label import parameters_of
from dpcert.audit.kernels.targets import built_in, find

LONG = "9" * 5000
NUMBERS = [
    "0", "-1", "1", "7", "nan", "inf", "1e-400", "1e400", f"1/{LONG}", f"{LONG}/{LONG[:-1]}8", LONG, "\u0663", "",
    "1e-300", "1/2", "0.999999", "1e18", "1000000000001", "3/0",
]  # fmt: skip
WORDS = [
    "", " ", "-", "--", "-x", "\n", "\x00", "\ud800", "\x1b[31m", "\U0001f642", "\u0663", "a" * 5000, ".", "..", "/",
    "nan", LONG, "1e-400", "%s", "{0}", "[b]", "two-round", "nosuch", ":", "mine.py:", "mine.py:Mine", "mine.py",
    "mine.py:Missing", "mine.py:Mine:x", "os:path", "json:dumps", "no/such/folder/x.py", "name.py", "class.py",
    "1.py", "~", "*", "a=b", "=", "scale=", "epsilon=1",
]  # fmt: skip
NOISY = """
class Noisy:
    def __init__(self, rng, sigma: float = 1.0):
        self.rng, self.sigma = rng, sigma

    def step(self, x):
        return x + self.rng.normal(0, self.sigma)
"""
PLAN = ("plan", "randbin", "--epsilon", "4", "--delta", "1e-3", "--horizon", "50")
SEARCH = (
    "search", "--inputs", "2", "--outputs", "2", "--horizon", "2", "--exp-epsilon", "2", "--seconds", "1",
    "--restarts", "1",
)  # fmt: skip
AUDIT = ("audit", "mine.py:Mine", "--quiet", "--horizon", "1")
MATRIX = ("matrix", "tree.json", "--sigma", "1", "--clip", "1")
PROBE = ("probe", "noisy.py:Noisy", "--horizon", "2")
OF_WORDS: list[tuple[str, ...]] = [
    ("{}",), ("audit", "{}", "--horizon", "1"), (*AUDIT, "--adjacency", "{}"), (*AUDIT, "--game", "{}"),
    (*AUDIT, "--json", "{}"), (*AUDIT, "--html", "{}"), (*AUDIT, "--param", "{}"), (*AUDIT, "--claim", "{}"),
    (*AUDIT, "--require-delta", "{}"), (*AUDIT, "{}"), ("list", "{}"), ("new", "{}"),
    ("new", "fresh.py", "--kind", "{}"),
    ("explain", "{}"), ("doctor", "{}"), ("report", "{}", "-o", "page.html"), ("report", "record.json", "-o", "{}"),
    ("plan", "{}"), ("plan", "randbin", "{}"), (*PLAN, "--json", "{}"), (*PLAN, "--html", "{}"), ("run", "{}"),
    ("run", "randbin", "{}", "--target", "randbin-toy"), ("run", "randbin", "events.txt", "--target", "{}"),
    ("run", "randbin", "events.txt", "--target", "randbin-toy", "-o", "{}"),
    ("run", "randbin", "events.txt", "--target", "randbin-toy", "--lease", "{}", "-o", "out.jsonl"),
    ("run", "randbin", "events.txt", "--jsonl", "--param", "{}"), ("tables", "{}"),
    ("tables", "--check", "--write", "{}"),
    ("claims", "{}"), ("claims", "check", "{}"), ("claims", "show", "{}"), ("claims", "list", "{}"),
    ("claims", "check", "no", "--json", "{}"), (*SEARCH, "--json", "{}"), (*SEARCH, "-o", "{}"), ("completion", "{}"),
    ("gaussian", "{}"), ("gaussian", "--target", "{}"), ("gaussian", "--mu", "1", "--json", "{}"),
    ("matrix", "{}"), ("matrix", "{}", "--sigma", "1", "--clip", "1"),
    *((*MATRIX, f"--{name}", "{}") for name in ("form", "rounds", "neighbours", "stream", "workload", "claim", "json")),
    ("probe", "{}"), (*PROBE, "--sigma", "1", "--strategy", "{}"),
    *((*PROBE, f"--{name}", "{}") for name in ("param", "neighbours", "claim", "html")),
]  # fmt: skip
OF_NUMBERS: list[tuple[str, ...]] = [
    *(("plan", "randbin", "--epsilon", "{}", "--delta", "1e-3", "--horizon", horizon) for horizon in ("1", "200")),
    *(("plan", "randbin", "--epsilon", "4", "--delta", "{}", "--horizon", horizon) for horizon in ("1", "200")),
    ("plan", "randbin", "--exp-epsilon", "{}", "--delta", "1e-3", "--horizon", "50", "--html", "-"),
    ("plan", "randbin", "--epsilon", "4", "--delta", "1e-3", "--horizon", "{}", "--json", "-"),
    (*PLAN, "--live", "{}"),
    *((*AUDIT, f"--{name}", "{}", "--html", "-") for name in ("epsilon", "exp-epsilon", "delta", "slack", "hops")),
    *((*SEARCH, f"--{name}", "{}") for name in ("exp-epsilon", "least-delta", "seed")),
    *(("audit", "mine.py:Mine", "--horizon", "1", "--quiet", form) for form in (
        "--claim=eps={},delta=0", "--claim=eps=1,delta={}", "--claim=rho={}", "--claim=mu={}", "--require-delta={}:1/2",
        "--require-delta=2:{}", "--param=scale={}", "--param=truth={}", "--horizon={}", "--challenge-round={}",
    )),
    *(("run", "randbin", "events.txt", "--param", f"{name}={{}}", "--param", other) for name, other in (
        ("epsilon", "delta=1e-6"), ("exp_epsilon", "delta=1e-6"), ("delta", "epsilon=1"),
    )),
    ("run", "randbin", "events.txt", "--target", "randbin-toy", "--batch", "{}"),
    *(("gaussian", f"--{name}", "{}", "--epsilon", "1") for name in ("mu", "rho", "sigma")),
    *(("gaussian", "--sigma", "2", f"--{name}", "{}") for name in ("delta", "epsilon", "sensitivity", "hops")),
    *(("gaussian", f"--target={form}") for form in ("{},1e-6", "1,{}")),
    ("gaussian", "--target", "1,1e-6", "--digits", "{}"), ("gaussian", "--target", "1,1e-6", "--sensitivity", "{}"),
    ("matrix", "tree.json", "--sigma", "{}", "--clip", "1"), ("matrix", "tree.json", "--sigma", "1", "--clip", "{}"),
    *((*MATRIX, form) for form in (
        "--delta={}", "--horizon={}", "--max-participations={}", "--workload=momentum={}", "--workload=window={}",
        "--claim=eps={},delta=1e-6", "--claim=eps=1,delta={}", "--claim=mu={}",
    )),
    (*MATRIX, "--max-participations", "2", "--min-separation", "{}"),
    (*MATRIX, "--epochs", "2", "--rounds-an-epoch", "{}"),
    *((*PROBE, form) for form in (
        "--clip={}", "--sigma={}", "--delta={}", "--dimension={}", "--restart={}", "--horizon={}", "--param=sigma={}",
    )),
]  # fmt: skip
WHOLE: list[tuple[str, ...]] = [
    (), ("-h",), ("--version",), ("--nosuch",), ("list",), ("list", "--broken"), ("doctor",), ("tables",),
    ("claims", "list"),
    *(("completion", shell) for shell in ("bash", "zsh", "fish")),
    *(("plan", "randbin", "--epsilon", epsilon, "--delta", delta, "--horizon", horizon) for epsilon, delta, horizon in (
        product(("0.01", "0.1", "0.3", "1", "4"), ("1e-300", "1e-30", "1e-6", "0.01", "0.3"), ("1", "1000"))
    )),
]  # fmt: skip
FOUND: list[tuple[str, ...]] = [
    ("plan", "randbin", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1000"),
    ("plan", "randbin", "--epsilon", "1", "--delta", "1e-300", "--horizon", "1000000000000"),
    ("plan", "randbin", "--exp-epsilon", str(2**1000), "--delta", "1/2", "--horizon", "10", "--html", "-"),
    *(("report", name, "-o", "page.html") for name in ("\0", "\ud800", "a" * 5000)),
    *(("run", "randbin", name, "--target", "randbin-toy") for name in ("\0", "\ud800", "a" * 5000)),
    *(("run", "randbin", "events.txt", "--target", "randbin-toy", "--lease", name, "-o", "out.jsonl") for name in (
        "\0", "\ud800", "a" * 5000, "", ".", "/"
    )),
    *(("tables", "--check", "--write", name) for name in ("\0", "\ud800", "a" * 5000)),
    *(("audit", target, "--horizon", "1", f"--param=horizon={horizon}") for target, horizon in product(
        ("randbin-sharp", "randbin-gaussian"), ("0", "1000000000001", LONG[:4000])
    )),
]  # fmt: skip
"""What once ended in a fault of ours, or never."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dpcert.proofs_checked.cli.check", lambda *_: ([], []))
    Path("mine.py").write_text(MINE, encoding="utf-8")
    Path("noisy.py").write_text(NOISY, encoding="utf-8")
    Path("events.txt").write_text("1\n2\n", encoding="utf-8")
    Path("tree.json").write_text('{"strategy": "binary-tree", "rounds": 4}', encoding="utf-8")
    assert run(["audit", "two-round", "--quiet", "--json", "record.json"]) == 1


def wrong(given: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What is wrong with how a command line ends; nothing where all is well."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\nb\n"), encoding="utf-8"))
    capfd.readouterr()
    status = ended(given)
    err = capfd.readouterr().err
    fine = status in {0, 1, 2, 3} and "a fault of dpcert" not in err and "Traceback" not in err
    line = re.fullmatch(r"dpcert: [^\n\x00-\x1f]{1,1000}\n", err) is not None
    return "" if fine and (status != 2 or line) else f"{[word[:60] for word in given]}: {status} {err[:600]}\n"


def ended(given: list[str]) -> object:
    """The exit status, however it is given."""
    try:
        return run(given)
    except SystemExit as error:  # of --help and the like
        return error.code or 0


def filled(form: tuple[str, ...], text: str) -> list[str]:
    """A command line with the text in its place."""
    return [part.replace("{}", text) for part in form]


def lines() -> Iterator[list[str]]:
    """All command lines of the grid."""
    yield from map(list, WHOLE)
    yield from (filled(form, text) for form, text in product(OF_WORDS, WORDS))
    yield from (filled(form, text) for form, text in product(OF_NUMBERS, NUMBERS))


def of_the_built_in() -> Iterator[list[str]]:
    """Every parameter of every mechanism that comes with dpcert, with every number."""
    for target in built_in():
        try:
            names = list(parameters_of(find(target, {}).mechanism))
        except Exception:  # noqa: BLE001 - it has to be told a promise
            names = ["epsilon", "exp_epsilon", "delta", "horizon", "error_function"]
        for name, text in product(names, NUMBERS):
            yield ["audit", target, "--quiet", "--horizon", "1", "--max-positions", "20", f"--param={name}={text}"]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in a JSON document its numbers and texts stand."""
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    else:
        yield path


INSTEAD = [
    "null",
    "-1",
    "1e400",
    "NaN",
    LONG,
    f'"{LONG}"',
    f'"1/{LONG}"',
    '"\u0663"',
    '""',
    "[]",
    "{}",
    "true",
    '"0/0"',
]


def broken_records(step: int) -> Iterator[str]:
    """The record of the two-round mechanism with one leaf changed, as text; each so manieth."""
    text = Path("record.json").read_text(encoding="utf-8")
    for number, (path, other) in enumerate(product(leaves(json.loads(text)), INSTEAD)):
        if number % step == 0:
            document = json.loads(text)
            inner = document
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = "instead"
            yield json.dumps(document).replace('"instead"', other)


def broken(text: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What is wrong with the report of such a record."""
    Path("broken.json").write_text(text, encoding="utf-8")
    return wrong(["report", "broken.json", "-o", "page.html"], capfd, monkeypatch)


def test_every_command_is_in_the_grid() -> None:
    named = {*cli.commands, *(entry.name for entry in entry_points(group="dpcert.commands"))}
    assert named == {line[0] for line in [*map(list, WHOLE), *map(list, OF_WORDS)] if line and line[0] in named}


def test_what_was_found_stays_repaired(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not "".join(wrong(list(given), capfd, monkeypatch) for given in spread(FOUND, 12))


@pytest.mark.in_turns
def test_a_part_of_the_grid(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [given for number, given in enumerate(lines()) if number % 41 == 7]
    assert not "".join(wrong(given, capfd, monkeypatch) for given in chosen)


def test_some_broken_records(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not "".join(broken(text, capfd, monkeypatch) for text in broken_records(397))


SLOPES = ["[]", "{}", "7", "null", f'"{LONG}"']


@pytest.mark.parametrize("slope", SLOPES)
def test_a_witness_may_name_any_slope(
    slope: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads(Path("record.json").read_text(encoding="utf-8"))
    document["lifts"]["curve"]["witness"]["exp_epsilon"] = "instead"
    assert not broken(json.dumps(document).replace('"instead"', slope), capfd, monkeypatch)


@pytest.mark.thorough
def test_the_whole_grid(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not "".join(wrong(given, capfd, monkeypatch) for given in lines())


@pytest.mark.thorough
def test_every_parameter_of_what_is_built_in(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not "".join(wrong(given, capfd, monkeypatch) for given in of_the_built_in())


@pytest.mark.thorough
def test_every_broken_record(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not "".join(broken(text, capfd, monkeypatch) for text in broken_records(1))
