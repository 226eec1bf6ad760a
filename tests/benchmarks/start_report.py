"""`make bench`: CPU seconds of commands that should answer at once, best of 5, and modules read. Prints Markdown."""

import os
import subprocess
import sys

RUNS = 5
COMMANDS = (
    "--help",
    "--version",
    "list",
    "completion bash",
    "audit --help",
    "plan --help",
    "claims --help",
    "claims list",
    "claims show 73",
    "audit two-round",
)
COUNT = (
    "import atexit, sys; atexit.register(lambda: print(len(sys.modules), file=sys.stderr))\n"
    "from dpcert.audit.commands.cli import main; main(sys.argv[1:])"
)


def seconds(arguments: list[str]) -> float:
    """User and system time of one process, its children's that it waited for included."""
    command = [sys.executable, "-m", "dpcert", *arguments]
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    process = os.posix_spawn(sys.executable, command, os.environ, file_actions=quiet)
    _, _, used = os.wait4(process, 0)
    return used.ru_utime + used.ru_stime


def modules(arguments: list[str]) -> int:
    """Modules in memory when the command ends."""
    done = subprocess.run([sys.executable, "-c", COUNT, *arguments], capture_output=True, text=True, check=False)
    return int(done.stderr.split()[-1])


def main() -> None:
    """Prints the table."""
    print("| command | CPU, s | modules |\n|---|---|---|")
    for command in COMMANDS:
        arguments = command.split()
        best = min(seconds(arguments) for _ in range(RUNS))
        print(f"| `dpcert {command}` | {best:.2f} | {modules(arguments)} |", flush=True)


if __name__ == "__main__":
    main()
