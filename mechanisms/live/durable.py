"""Files of which a run is sure: a new name that survives a power loss, a lock that lasts as long as its process."""

import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def name_kept(path: Path) -> None:
    """Makes the name of a new file or folder durable, where the system can."""
    if os.name != "posix":
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def locked(path: Path) -> int:
    """A descriptor of a file that nobody else has locked; closing it gives the lock up.

    SQLite's own locks go where its process closes any descriptor of the file, as a backup does; this one stays.

    Raises: BlockingIOError: somebody has.
    """
    descriptor = os.open(path, os.O_RDWR)
    if sys.platform != "win32":  # where SQLite's locks stay
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(descriptor)
            raise
    return descriptor
