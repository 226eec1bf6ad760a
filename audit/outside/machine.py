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
_TIMERS = (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGUSR1, signal.SIGUSR2)
_NUMPYS_OWN = repr([("divide", "warn"), ("invalid", "warn"), ("over", "warn"), ("under", "ignore")])
"""What numpy does with errors where nobody said otherwise."""


def machine_words() -> tuple[str, ...]:
    """Python, the system's library and the processor, as far as last digits of floats may go by them."""
    cpu = ""
    with suppress(OSError):
        lines = _CPU.read_text(encoding="utf-8").splitlines()
        kept = sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
        cpu = hashlib.sha256("\n".join(kept).encode()).hexdigest()
    return sys.version, version("numpy"), *platform.libc_ver(), platform.machine(), cpu


def settings_words() -> tuple[str, ...]:
    """What was set of this process that code can be told by: flags, what is an error, how small a float may be."""
    numpy = sys.modules.get("numpy")
    errors = _NUMPYS_OWN if numpy is None else repr(sorted(numpy.geterr().items()))
    flags = {name: getattr(sys.flags, name) for name in _FLAGS}
    smallest = (5e-324).hex(), (5e-324 / 2).hex(), (1 + 2**-53).hex(), (1 + 3 * 2**-53).hex()
    raised = any(entry[0] == "error" for entry in warnings.filters)
    return repr(flags), str(sys.get_int_max_str_digits()), errors, *smallest, f"warnings are errors: {raised}"


def somebody_else_is_at_work() -> bool:
    """Whether there are threads, timers or handlers of signals, by which something may change at any time."""
    handled = (signal.getsignal(number) for number in _TIMERS)
    started = any(
        signal.getitimer(which)[0] for which in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    )
    return threading.active_count() > 1 or started or any(callable(handler) for handler in handled)
