"""What a machine is to code that runs on it, as far as the digits of floats may go by it."""

import hashlib
import platform
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

_CPU = Path("/proc/cpuinfo")


def machine_words() -> tuple[str, ...]:
    """Python, the system's library and the processor, as far as last digits of floats may go by them."""
    cpu = ""
    with suppress(OSError):
        lines = _CPU.read_text(encoding="utf-8").splitlines()
        kept = sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
        cpu = hashlib.sha256("\n".join(kept).encode()).hexdigest()
    return sys.version, str(sys.flags.optimize), version("numpy"), *platform.libc_ver(), platform.machine(), cpu
