"""What survives a power loss: a new name in a folder, once the folder itself is synced."""

import os
from pathlib import Path


def name_kept(path: Path) -> None:
    """Makes the name of a new file or folder durable, where the system can."""
    if os.name != "posix":
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
