"""What a machine and a process are to code that runs there: digits of floats, and what is an error."""

import hashlib
import platform
import signal
import sys
import threading
import warnings
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

_CPU = Path("/proc/cpuinfo")
_FLAGS = ("optimize", "bytes_warning", "dev_mode", "utf8_mode", "warn_default_encoding", "debug")
_HANDLED = ("SIGALRM", "SIGVTALRM", "SIGPROF", "SIGUSR1", "SIGUSR2")
"""Signals by which something may be done at any time."""
_NUMPYS_OWN = ("divide", "warn"), ("invalid", "warn"), ("over", "warn"), ("under", "ignore"), 8192, None
"""What numpy does with errors, and how much it does at a time, where nobody said otherwise."""


def machine_words() -> tuple[str, ...]:
    """Python, the system's library and the processor, as far as last digits of floats may go by them."""
    cpu = ""
    with suppress(OSError):
        lines = _CPU.read_text(encoding="utf-8").splitlines()
        kept = sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
        cpu = hashlib.sha256("\n".join(kept).encode()).hexdigest()
    return sys.version, version("numpy"), *platform.libc_ver(), platform.machine(), cpu


def settings_words() -> tuple[str, ...]:
    """What was set of this process that code can be told by: flags, what is an error, how floats are rounded."""
    numpy = sys.modules.get("numpy")
    numpys = _NUMPYS_OWN if numpy is None else (*sorted(numpy.geterr().items()), numpy.getbufsize(), numpy.geterrcall())
    flags = {name: getattr(sys.flags, name) for name in _FLAGS}
    one, half, least = float("1"), float(2) ** -53, float("5e-324")
    rounded = (one + half).hex(), (one + 3 * half).hex(), (-one - half).hex(), (least / 2).hex(), (least * 3 / 2).hex()
    raised = any(entry[0] == "error" for entry in warnings.filters)
    return (
        repr(flags),
        str(sys.get_int_max_str_digits()),
        repr(numpys),
        *rounded,
        repr(warnings.filters if raised else ()),
    )


def somebody_else_is_at_work() -> bool:
    """Whether there are threads, timers or handlers of signals, by which something may change at any time."""
    handled = (signal.getsignal(getattr(signal, name)) for name in _HANDLED if hasattr(signal, name))
    started = any(
        signal.getitimer(which)[0] for which in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    )
    return threading.active_count() > 1 or started or any(callable(handler) for handler in handled)
