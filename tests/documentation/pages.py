"""The pages of README.md and docs/: their blocks, and what running them in order gives."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from instances.once import once

from dpcert.audit.commands.cli import run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1$", flags=re.S | re.M)
FILE = re.compile(r"# ([\w/]+\.(?:py|toml))\n")
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
Capture = pytest.CaptureFixture[str]
GENERATED = {"reference/command-line.md", "reference/limits.md"}


class Block(NamedTuple):
    """A fenced block: its language, its text, and the language of the block before it."""

    language: str
    text: str
    before: str


def name(page: Path) -> str:
    """The page as tests call it: its path below docs/, or README.md."""
    return page.relative_to(DOCS).as_posix() if DOCS in page.parents else page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = [(tag.strip(), text) for _, tag, text in FENCE.findall(page.read_text(encoding="utf-8"))]
    return [Block(tag, text, before) for (tag, text), before in zip(found, ["", *(t for t, _ in found)], strict=False)]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def inline(page: Path) -> Iterator[str]:
    """What stands in single backticks, line breaks taken out."""
    for text in INLINE.findall(prose(page)):
        yield " ".join(text.split())


def matches(shown: str, printed: str) -> bool:
    """Whether the lines shown are those printed; "..." stands for any lines, and within a line for any text.

    >>> matches("a\\n...\\nd", "a\\nb\\nc\\nd"), matches("a ...", "a b"), matches("a", "a\\nb")
    (True, True, False)
    """
    lines = [line.rstrip() for line in shown.strip("\n").splitlines()]
    parts = (re.escape(line).replace(re.escape("..."), ".*") + r"[^\S\n]*\n" for line in lines)
    pattern = "".join("(?:.*\n)*?" if line == "..." else part for line, part in zip(lines, parts, strict=True))
    return re.fullmatch(pattern, printed.strip("\n") + "\n") is not None


def dpcert(command: str, captured: Capture) -> tuple[int, str]:
    """Exit status and standard output of a `dpcert ...` line, run in this process."""
    captured.readouterr()
    status = run(shlex.split(command)[1:])
    out, err = captured.readouterr()
    return status, out if status != 2 else err


def steps(console: str) -> Iterator[tuple[str, str]]:
    """Each `$ ` line of a console block (a backslash continues it), with the lines shown after it."""
    for part in re.split(r"^\$ ", console, flags=re.M)[1:]:
        command, _, shown = part.replace("\\\n", " ").partition("\n")
        yield " ".join(command.split()) if "'" not in command else command, shown


def run_console(console: str, captured: Capture) -> None:
    """Runs every line; what is shown must be what is printed, the status 0 unless `echo $?` shows another."""
    listed = list(steps(console))
    for place, (command, shown) in enumerate(listed):
        if command == "echo $?":
            continue
        after = listed[place + 1] if place + 1 < len(listed) else ("", "")
        expected = int(after[1]) if after[0] == "echo $?" else 0
        if command.startswith("dpcert "):
            status, printed = dpcert(command, captured)
        else:
            ours = re.sub(r"^python ", f"{shlex.quote(sys.executable)} ", command)  # and none that PATH names
            done = subprocess.run(ours, shell=True, capture_output=True, text=True, check=False)
            status, printed = done.returncode, done.stdout
        assert status == expected, f"{command}: status {status}\n{printed}"
        if shown.strip():
            assert matches(shown, printed), f"{command} printed\n{printed}"


def run_python(text: str, captured: Capture) -> str:
    """What a block of Python prints."""
    captured.readouterr()
    exec(compile(text, "page.py", "exec"), {"__name__": "page"})
    return captured.readouterr().out


def run_page(page: Path, captured: Capture) -> int:
    """Runs every block of a page, in order, in the current folder; the number of blocks that were run or compared."""
    shutil.copytree(ROOT / "reports", Path("reports"))
    printed, done = "", 0
    for block in blocks(page):
        if block.language in ("python", "toml") and (named := FILE.match(block.text)):
            Path(named[1]).write_text(block.text, encoding="utf-8")
        if block.language == "python":
            printed = run_python(block.text, captured)
        elif block.language == "toml":
            assert named, f"{name(page)}: a suite without a name"
        elif block.language == "console":
            run_console(block.text, captured)
        elif block.language == "yaml":
            for command in re.findall(r"^\s*(?:- )?(?:run: )?(dpcert .*)$", block.text, flags=re.M):
                assert dpcert(command, captured)[0] == 0, command
        elif block.language == "text" and block.before == "python":
            assert block.text == printed
        else:
            assert block.language in {"sh", "text", "{toctree}", "{include} ../CHANGELOG.md"}, (
                f"{name(page)}: a block of {block.language!r} is not run"
            )
        done += 1
    return done


def built(factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built as `make docs` does: a warning is an error."""
    return once(factory, "site", _build) / "html"


def _build(folder: Path) -> None:
    given = ("-W", "--keep-going", "-q", "-b", "html", "-d", str(folder / "cache"), str(DOCS), str(folder / "html"))
    done = subprocess.run([sys.executable, "-m", "sphinx", *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
