"""Awkward texts in every option of every command: one line or an answer, at once, and never a fault of ours."""

import random
import re
import time
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from flint import fmpz
from instances.mine import MINE
from instances.seeds import spread

from dpcert.audit.algebra.rational import MOST_BITS, parse, written
from dpcert.audit.commands.arguments import LARGEST_WHOLE
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError
from dpcert.audit.verdicts.requirements import claim, required_delta

NUMBERS = [
    "", " ", " 1", "1 ", "+1", "-1", "+-1", "--1", "0", "-0", "00", "1_000", "1_0", "\uff11", "\u0661", "0x10", "0b1",
    "1e5", "1E5", "1e-5", "3.0", "3.", ".5", ".", "1e", "e1", "1/2", "1/0", "0/0", "1/", "/2", "1//2", "1/-2", "1.5/2",
    "nan", "NaN", "inf", "-inf", "Infinity", "None", "true", "1j", "1,0", "1 000", "1'000", "\u00bd", "\u2212" "1",
    "\n1", "1\n", "\x001", "\ud800", "1e-99999999", "1e99999999", "1e-9999999999999", "0e99999999999", "9" * 5000,
    "1e19728", "1e-19728", "1e19000", "1e-19000", "1" * 30,
    str(2**63), str(10**18), str(10**18 + 1), "1.0000000000000000000000000001", "\x1b[31m", "<b>", "%s", "{0}",
]  # fmt: skip
"""Texts for any option that takes a number, beside those that are long."""
AUDIT = ("audit", "mine.py:Mine", "--quiet", "--max-seconds", "1")
SEARCH = (
    "search", "--inputs", "2", "--outputs", "2", "--horizon", "2", "--exp-epsilon", "2", "--seconds", "1",
    "--restarts", "1",
)  # fmt: skip
PLAN = ("plan", "randbin", "--epsilon", "4", "--delta", "1/1000", "--horizon", "10")
RUN = ("run", "randbin", "events.txt", "--target", "mine.py:Mine")
OPTIONS: list[tuple[tuple[str, ...], str, str]] = [
    *((AUDIT, f"--{name}", "{}") for name in (
        "horizon", "hops", "challenge-round", "exp-epsilon", "epsilon", "delta", "slack", "max-positions",
        "max-seconds",
    )),
    *((AUDIT, "--horizon=1", text) for text in (
        "--claim=eps={}", "--claim=eps=1,delta={}", "--claim=rho={}", "--claim=mu={}", "--require-delta={}:0",
        "--require-delta=2:{}", "--param=scale={}", "--param=truth={}", "--param=open={}", "--param=ways={}",
        "--param=maybe={}", "--param=near={}",
    )),
    *((SEARCH, f"--{name}", "{}") for name in (
        "inputs", "outputs", "horizon", "exp-epsilon", "least-delta", "seed", "restarts", "seconds",
    )),
    *((PLAN, f"--{name}", "{}") for name in ("epsilon", "exp-epsilon", "delta", "horizon", "live")),
    (RUN, "--batch", "{}"), (RUN, "--param=scale=1", "--param=truth={}"),
    (("claims", "check", "no such claim"), "--jobs", "{}"),
    *((("gaussian", "--epsilon", "1"), f"--{name}", "{}") for name in ("mu", "rho", "sigma")),
    *((("gaussian", "--mu", "1"), f"--{name}", "{}") for name in ("delta", "epsilon", "hops")),
    (("gaussian", "--mu", "1"), "--target", "{},1e-6"), (("gaussian", "--mu", "1"), "--target", "1,{}"),
    (("gaussian", "--target", "1,1e-6"), "--digits", "{}"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE, encoding="utf-8")
    Path("events.txt").write_text("a\n", encoding="utf-8")
    monkeypatch.setattr("dpcert.mechanisms.design.plan.planned", lambda *_: [])
    monkeypatch.setattr("dpcert.mechanisms.design.plan_report.saved", lambda *_: "")
    for part in ("table", "missing", "profile"):
        monkeypatch.setattr(f"dpcert.mechanisms.design.plan_document.{part}", lambda *_: {"title": "", "rows": []})


def numbers() -> list[str]:
    """All of them: the long ones are made where they are used, as every fork of the process copies what it holds."""
    return [*NUMBERS, "9" * 10**7, "1/" + "9" * 10**7, "0." + "0" * 10**6 + "1"]


def huge() -> list[str]:
    """Numbers that are too large, as they are written or by their length."""
    long = ["9" * 10**7, "1/" + "9" * 10**7, "0." + "0" * 10**7 + "1"]
    return ["1e-99999999", "1e99999999", "1e-9999999999999", *long]


def arguments(option: tuple[tuple[str, ...], str, str], text: str) -> list[str]:
    """A command line with the text in its place."""
    command, name, form = option
    return [*command, name, form.replace("{}", text)]


def awkward(given: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """What is wrong with how a command line ends; nothing where all is well."""
    began = time.process_time()
    status = run(given)
    seconds = time.process_time() - began
    err = capfd.readouterr().err
    well = status in (0, 1, 2, 3) and err.count("\n") <= 1 and "a fault of dpcert" not in err and "Traceback" not in err
    line = err == "" or re.fullmatch(r"dpcert: [^\n\x00-\x1f]{1,900}\n", err) is not None or "events," in err
    said = status != 2 or err != ""
    return (
        "" if well and line and said and seconds < 4 else f"{[t[:40] for t in given]}: {status} {seconds:.1f}s {err}\n"
    )


@pytest.mark.in_turns
def test_every_awkward_text_in_some_options(capfd: pytest.CaptureFixture[str]) -> None:
    chosen = [pair for n, pair in enumerate(product(OPTIONS, numbers())) if n % 11 == 0]
    assert not "".join(awkward(arguments(option, text), capfd) for option, text in chosen)


@pytest.mark.thorough
def test_every_awkward_text_in_every_option(capfd: pytest.CaptureFixture[str]) -> None:
    assert not "".join(awkward(arguments(option, text), capfd) for option, text in product(OPTIONS, numbers()))


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("option", spread(OPTIONS, 4), ids=lambda option: f"{option[0][0]} {option[1]} {option[2]}")
def test_a_number_that_is_too_large_is_refused_at_once(
    option: tuple[tuple[str, ...], str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    for text in huge():
        began = time.process_time()
        assert run(arguments(option, text)) == 2
        assert time.process_time() - began < 0.5
        err = capfd.readouterr().err
        assert err.count("\n") == 1
        assert re.search(r"2\^65536|whole number|Expected", err)


def test_the_size_is_named() -> None:
    for text in huge():
        with pytest.raises(ArgumentError, match=rf"at most 2\^{MOST_BITS} \(19,728 digits\)"):
            written(text, "delta")


def reference(text: str) -> Fraction | None:
    """What a text means, read character by character; None for nothing."""
    body = text.strip(" ")
    sign = -1 if body[:1] == "-" else 1
    body = body[1:] if body[:1] in ("+", "-") else body
    if "/" in body:
        parts = body.split("/")
        fine = len(parts) == 2 and all(part and set(part) <= set("0123456789") for part in parts)
        return Fraction(sign * int(parts[0]), int(parts[1])) if fine and int(parts[1]) else None
    mantissa, mark, exponent = body.replace("E", "e").partition("e")
    whole, _, part = mantissa.partition(".")
    power = exponent[1:] if exponent[:1] in ("+", "-") else exponent
    if not (whole + part) or set(whole + part) - set("0123456789"):
        return None
    if mark and (not power or set(power) - set("0123456789")):
        return None
    scale = Fraction(10) ** (int(exponent or 0) - len(part))
    return sign * int(whole + part) * scale


@pytest.mark.in_turns(few=True)
def test_numbers_are_read_as_they_are_written() -> None:
    generator = random.Random(11)
    for _ in range(20_000):
        text = "".join(generator.choice("0123456789019.//eE+- _") for _ in range(generator.randint(1, 7)))
        due = reference(text)
        try:
            found = written(text, "x")
        except ArgumentError:
            found = None
        big = due is not None and max(abs(due.numerator), due.denominator) > 1 << MOST_BITS
        assert found == (None if big else due), text
        if found is not None:
            assert parse(f"{_digits(found.numerator)}/{_digits(found.denominator)}", "x") == found


def test_the_largest_numbers_are_taken() -> None:
    assert written(f"1e-{19728}", "x") == Fraction(1, 10**19728)
    assert written("0e99999999999", "x") == 0
    edge = 1 << MOST_BITS
    for value in (Fraction(edge), Fraction(1, edge), Fraction(-edge)):
        digits = f"{_digits(value.numerator)}/{_digits(value.denominator)}"
        assert written(digits, "x") == value
    with pytest.raises(ArgumentError):
        written(_digits(edge + 1), "x")


def _digits(number: int) -> str:
    return str(fmpz(number))


BAD_CLAIMS = [
    "", "eps", "eps=", "eps=1,delta", "eps=1,eps=2", "eps=1,eps=1", "eps=1,,", "eps=1,", ",eps=1", "delta=1",
    "eps=1;delta=0", "epsilon=1", "eps=1,gamma=2", "rho=1,mu=1", "rho=1,delta=0", "eps=-1", "eps=10001",
    "eps=1,delta=2", "eps=1,delta=-1",
    "eps==1", "eps=1=2", "eps=1 delta=0", "EPS=1", "rho", "mu=", "=1", "=", "eps=1,delta=nan", "eps=inf", "eps=1_0",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD_CLAIMS)
def test_a_claim_is_read_whole_or_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"^Expected "):
        claim(text)


def test_a_claim_may_have_spaces_and_either_order() -> None:
    assert claim(" delta = 1e-3 , eps = 1/2 ") == claim("eps=1/2,delta=1e-3")


@pytest.mark.parametrize("text", ["", ":", "1", "1:", ":1", "1:2:3", "1/2:0", "2:2", "2:-1", "inf:0", "2:nan", "2;0"])
def test_a_required_delta_is_read_whole_or_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"^Expected "):
        required_delta(text)


def test_whole_numbers_have_a_largest(capfd: pytest.CaptureFixture[str]) -> None:
    assert run([*AUDIT, "--hops", str(LARGEST_WHOLE + 1)]) == 2
    assert "at most 10^18" in capfd.readouterr().err


@pytest.mark.parametrize("target", ["two-round", "mine.py:Mine"])
def test_a_working_folder_that_is_there_no_more_is_one_line(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run(["audit", target, "--horizon", "2"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("dpcert: Expected ")
    assert "fault of dpcert" not in line
