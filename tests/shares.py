"""All tests with all seeds, a file at a time, by processes of this machine or by the workers of a Dask scheduler.

    python tests/shares.py [--jobs N | --scheduler ADDRESS] [FILE|FOLDER]...

Files are given out in the order of their sizes, large ones first. Exit status: 0 every file passed, 1 some did not, 2
no such path, no scheduler, or a worker that is not set up for this. The clone has to be on the workers under the same
path.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from instances.shares import Share, share

from dpcert.audit.commands.worker_options import workers_asked
from dpcert.audit.errors import ArgumentError, expected

TESTS = Path(__file__).parent
LEFT_OUT = "benchmarks"
"""Timings are no part of it."""


def files(paths: Sequence[Path]) -> list[str]:
    """The files of tests at some paths, the largest first. Raises: ArgumentError: a path without any."""
    found: dict[Path, None] = {}
    for path in paths:
        inside = [path] if path.is_file() else [*path.rglob("test_*.py")]
        kept = [one for one in inside if LEFT_OUT not in one.parts]
        if not kept:
            raise expected("a file of tests, or a folder with some", path=str(path))
        found |= dict.fromkeys(kept)
    return [str(one) for one in sorted(found, key=lambda one: (-one.stat().st_size, one))]


def main(arguments: Sequence[str]) -> int:
    """Runs the shares and prints a line for each as it comes in; what did not pass, at the end."""
    parser = ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--scheduler", metavar="ADDRESS")
    parser.add_argument("paths", nargs="*", type=Path, default=[TESTS])
    asked = parser.parse_args(arguments)
    failed: list[tuple[str, Share]] = []
    try:
        listed = files(asked.paths)
        workers = workers_asked(asked.jobs, asked.scheduler)
        for count, reply in enumerate(workers.calls(share, ahead=1).replies(listed), 1):
            path, made = listed[reply.number], reply.answer or Share(passed=False, words=reply.lost)
            print(f"{count} of {len(listed)}: {path}: {made.words.splitlines()[-1]}", flush=True)
            failed += [] if made.passed else [(path, made)]
    except ArgumentError as error:
        print(error, file=sys.stderr)
        return 2
    for path, made in failed:
        print(f"\n{path}\n{made.words}")
    print(f"\n{len(listed) - len(failed)} files passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
