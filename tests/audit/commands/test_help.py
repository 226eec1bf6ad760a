"""The help texts on the page of the command line are what the program prints; and shell completion answers.

The page is written by docs/generate.py; here it is compared with what the program prints.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dpcert.audit.commands.cli import run

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "command-line.md"
BLOCK = re.compile(r"^```text\n\$ dpcert ?([^\n]*--help)\n(.*?)^```$", flags=re.S | re.M)
COLUMNS = "100"


Printed = Callable[..., str]


@pytest.fixture
def dpcert(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Printed:
    """What the command prints on a terminal of COLUMNS columns."""

    def printed(*arguments: str, **environment: str) -> str:
        with monkeypatch.context() as settings:
            for name, value in {"COLUMNS": COLUMNS, **environment}.items():
                settings.setenv(name, value)
            try:
                status: object = run([*arguments])
            except SystemExit as end:  # how click ends once it has answered a shell
                status = end.code
            assert status == 0
        out, err = capfd.readouterr()
        assert err == ""
        return out

    return printed


@pytest.mark.in_turns
@pytest.mark.parametrize("command", ["--help", "audit --help", "run randbin --help", "claims check --help"])
def test_the_page_shows_what_help_prints(dpcert: Printed, command: str) -> None:
    shown = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    assert shown[command] == dpcert(*command.split())


def test_the_width_does_not_depend_on_the_terminal_beyond_the_limit(dpcert: Printed) -> None:
    assert dpcert("audit", "--help", COLUMNS="300") == dpcert("audit", "--help", COLUMNS="400")


def completions(dpcert: Printed, words: str, shell: str = "bash") -> list[tuple[str, str]]:
    """What TAB after the last word gives, as (kind, text)."""
    answer = dpcert(_DPCERT_COMPLETE=f"{shell}_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    return [(kind, text) for kind, _, text in (line.partition(",") for line in answer.splitlines()) if kind]


def test_targets_complete_to_built_in_names_and_files(dpcert: Printed) -> None:
    assert completions(dpcert, "dpcert audit two") == [
        ("file", "two"),
        ("plain", "two-round"),
        ("plain", "two-round-repeated"),
    ]
    assert completions(dpcert, "dpcert audit my_f") == [("file", "my_f")]


@pytest.mark.in_turns
def test_commands_options_and_choices_complete(dpcert: Printed) -> None:
    assert completions(dpcert, "dpcert do") == [("plain", "doctor")]
    assert ("plain", "--horizon") in completions(dpcert, "dpcert audit two-round --ho")
    assert completions(dpcert, "dpcert new tree.py --kind m") == [("plain", "markov")]
    assert completions(dpcert, "dpcert completion f") == [("plain", "fish")]


def test_a_bad_value_further_left_does_not_stop_completion(dpcert: Printed) -> None:
    assert ("plain", "--quiet") in completions(dpcert, "dpcert audit two-round --horizon none --qu")


@pytest.mark.in_turns
def test_the_scripts_speak_the_protocol(dpcert: Printed) -> None:
    for shell in ("bash", "zsh", "fish"):
        script = dpcert("completion", shell)
        assert f"_DPCERT_COMPLETE={shell}_complete" in script
        assert script.strip() == dpcert(_DPCERT_COMPLETE=f"{shell}_source").strip()


@pytest.mark.in_turns(few=True)
@pytest.mark.real("programs")
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


def test_an_unknown_shell_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "csh"]) == 2
    said = capfd.readouterr().err
    assert said.startswith("dpcert: ")
    assert said.count("\n") == 1
    assert "csh" in said
