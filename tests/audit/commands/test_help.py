"""The help texts on the page of the command line are what the program prints; and shell completion answers.

The page is written by docs/generate.py; here it is compared with the program itself, in a process of its own.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "command-line.md"
BLOCK = re.compile(r"^```text\n\$ dpcert ?([^\n]*--help)\n(.*?)^```$", flags=re.S | re.M)
COLUMNS = "100"


def dpcert(*arguments: str, **environment: str) -> str:
    """What the command prints on a terminal of COLUMNS columns."""
    command = [sys.executable, "-m", "dpcert", *arguments]
    settings = {**os.environ, "COLUMNS": COLUMNS, "PYTHONUTF8": "1", **environment}
    done = subprocess.run(command, env=settings, capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.in_turns
@pytest.mark.parametrize("command", ["--help", "audit --help", "run randbin --help", "claims check --help"])
def test_the_page_shows_what_help_prints(command: str) -> None:
    shown = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    assert shown[command] == dpcert(*command.split())


def test_the_width_does_not_depend_on_the_terminal_beyond_the_limit() -> None:
    assert dpcert("audit", "--help", COLUMNS="300") == dpcert("audit", "--help", COLUMNS="400")


def completions(words: str, shell: str = "bash") -> list[tuple[str, str]]:
    """What TAB after the last word gives, as (kind, text)."""
    answer = dpcert(_DPCERT_COMPLETE=f"{shell}_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    return [(kind, text) for kind, _, text in (line.partition(",") for line in answer.splitlines()) if kind]


def test_targets_complete_to_built_in_names_and_files() -> None:
    assert completions("dpcert audit two") == [
        ("file", "two"),
        ("plain", "two-round"),
        ("plain", "two-round-repeated"),
    ]
    assert completions("dpcert audit my_f") == [("file", "my_f")]


@pytest.mark.in_turns
def test_commands_options_and_choices_complete() -> None:
    assert completions("dpcert do") == [("plain", "doctor")]
    assert ("plain", "--horizon") in completions("dpcert audit two-round --ho")
    assert completions("dpcert new tree.py --kind m") == [("plain", "markov")]
    assert completions("dpcert completion f") == [("plain", "fish")]


def test_a_bad_value_further_left_does_not_stop_completion() -> None:
    assert ("plain", "--quiet") in completions("dpcert audit two-round --horizon none --qu")


@pytest.mark.in_turns
def test_the_scripts_speak_the_protocol() -> None:
    for shell in ("bash", "zsh", "fish"):
        script = dpcert("completion", shell)
        assert f"_DPCERT_COMPLETE={shell}_complete" in script
        assert script.strip() == dpcert(_DPCERT_COMPLETE=f"{shell}_source").strip()


def test_bash_completes_after_sourcing_the_script(tmp_path: Path) -> None:
    (tmp_path / "dpcert").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dpcert "$@"\n', encoding="utf-8")
    (tmp_path / "dpcert").chmod(0o755)
    script = (
        "compopt() { :; }\n"  # a builtin that works only while bash itself completes
        "source <(dpcert completion bash) && COMP_WORDS=(dpcert audit two) COMP_CWORD=2 && _dpcert_completion dpcert"
        ' && echo "${COMPREPLY[@]}" && complete -p dpcert'
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "two-round two-round-repeated"
    assert "_dpcert_completion dpcert" in done.stdout


def test_an_unknown_shell_is_one_line() -> None:
    done = subprocess.run([sys.executable, "-m", "dpcert", "completion", "csh"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("dpcert: ")
    assert done.stderr.count("\n") == 1
    assert "csh" in done.stderr
