"""What a source of outside randomness is: tables of names, and how values and files are told to be one."""

import _random
import os
import stat
import sys
from contextlib import suppress
from enum import Enum
from typing import Any

CLOCKS = (
    "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time",
    "process_time_ns", "thread_time", "thread_time_ns", "localtime", "gmtime", "ctime", "asctime", "clock_gettime",
    "clock_gettime_ns", "strftime",
)  # fmt: skip
"""Functions of `time` that tell the time; NOW: those of `datetime`."""
OTHERS = (
    ("ssl", "RAND_bytes"), ("_ssl", "RAND_bytes"), ("resource", "getrusage"), ("gc", "get_count"),
    ("multiprocessing", "current_process"), ("platform", "node"),
)  # fmt: skip
"""Modules and functions that are watched where the module is loaded."""
NOW = ("now", "utcnow", "today")
_STEADY = (bool, int, type(None), type(Ellipsis), complex, range)
EVENTS = {
    "os.listdir": "os.listdir", "os.scandir": "os.scandir", "subprocess.Popen": "subprocess", "os.system": "os.system",
    "os.posix_spawn": "os.posix_spawn", "os.fork": "os.fork", "os.forkpty": "os.fork", "os.exec": "os.exec",
    "os.putenv": "os.putenv", "os.unsetenv": "os.unsetenv", "os.chdir": "os.chdir", "os.truncate": "os.truncate",
    "socket.__new__": "socket", "socket.gethostname": "socket.gethostname", "socket.getaddrinfo": "socket",
    "sys._current_frames": "sys._current_frames", "gc.get_objects": "gc.get_objects", "ctypes.dlopen": "ctypes",
    "ctypes.dlsym": "ctypes", "mmap.__new__": "mmap", "sqlite3.connect": "sqlite3", "tempfile.mkstemp": "tempfile",
    "tempfile.mkdtemp": "tempfile", "os.mkdir": "os.mkdir", "os.remove": "os.remove", "os.rename": "os.rename",
    "os.utime": "os.utime", "os.chmod": "os.chmod", "os.link": "os.link", "os.symlink": "os.symlink",
}  # fmt: skip
"""Audit events of Python that stand for something outside -> what a refusal calls it."""


def is_device(file: Any = None, mode: Any = None, flags: Any = 0) -> bool:
    """Whether a file is written, or is not an ordinary one."""
    if isinstance(file, int):  # it is open already
        return False
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    if any(c in str(mode or "") for c in "wax+") or (isinstance(flags, int) and flags & writing):
        return True
    with suppress(OSError, ValueError, TypeError):
        real = os.fsdecode(os.path.realpath(file))
        status = _STAT(real)
        return not stat.S_ISREG(status.st_mode) or real.startswith(("/dev/", "/proc/", "/sys/"))
    return False


_STAT = os.stat


def is_unsteady_hash(value: object = None, *_: object) -> bool:
    """Whether the hash of a value differs between processes: that of strings, and of objects by where they stand."""
    if isinstance(value, (str, bytes)):
        return True
    if isinstance(value, Enum):
        return is_unsteady_hash(value._name_)
    if isinstance(value, (tuple, frozenset)):
        return any(map(is_unsteady_hash, value))
    return not isinstance(value, _STEADY) and type(value).__hash__ is object.__hash__


def is_read(file: Any) -> bool:
    """Whether an open file is no ordinary one, so that it gives something new each time."""
    with suppress(Exception):  # a foreign object may raise anything
        return not stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    return False


def draws(value: Any) -> bool:
    """Whether a value is a random generator."""
    if isinstance(value, _random.Random):
        return True
    numpy = sys.modules.get("numpy.random")
    return numpy is not None and isinstance(value, (numpy.Generator, numpy.RandomState, numpy.BitGenerator))
