"""Ctrl-C while the command is still reading its modules: one line, exit status 3."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys
signal.signal(signal.SIGINT, {before})
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = [{name!r}, *{arguments!r}]
{command}
"""
COMMAND = "from dpcert.audit.commands.cli import main; main()"
MODULE = "import runpy; sys.orig_argv = ['python', '-m', 'dpcert']; sys.argv = ['-m']; runpy.run_module('dpcert')"
"""The earliest that a handler of ours can be in place, and then the interrupt of the first slow import."""


def started(
    module: str,
    *arguments: str,
    name: str = "/somewhere/dpcert",
    before: str = "signal.default_int_handler",
    command: str = COMMAND,
) -> tuple[int, str]:
    """Exit status and standard error of a command that is interrupted when it comes to read `module`."""
    script = SCRIPT.format(module=module, name=name, arguments=arguments, before=before, command=command)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stderr


pytestmark = [pytest.mark.real("signals"), pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")]


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("click", "list"),
        ("dpcert.audit.commands.cli", "list"),
        ("dpcert.audit.relations.adjacency", "audit two-round"),
        ("flint", "audit two-round"),
        ("numpy", "search --help"),
        ("numpy", "plan randbin --delta 1/10 --exp-epsilon 2"),
        ("flint", "run randbin --target randbin-toy"),
        ("jsonschema", "doctor"),
        ("sympy", "claims list"),
        ("click", MODULE),
    ],
)
def test_an_interrupt_of_the_imports_is_one_line(module: str, command: str) -> None:
    ended = started(module, command=command) if command == MODULE else started(module, *command.split())
    assert ended == (3, "dpcert: interrupted; nothing was decided\n")


def test_other_programs_keep_their_handlers() -> None:
    status, err = started("click", "list", name="program.py")
    assert status not in {0, 3}
    assert "KeyboardInterrupt" in err
    assert started("click", "list", before="signal.SIG_IGN") == (0, "")
