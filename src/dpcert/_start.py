"""Read before anything that takes time: from here on an interrupt of the command is one line and no traceback."""

import os
import sys

from dpcert.audit.commands.interrupts import quiet_start


def _is_command() -> bool:
    """Whether this process is `dpcert` or `python -m dpcert`, and no program that imports us."""
    started = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""
    return started in {"dpcert", "dpcert.exe"} or (started == "-m" and "dpcert" in sys.orig_argv)


if _is_command():
    quiet_start()
