"""An audit that is killed again and again, and in the end goes on from its checkpoint."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def told(record: Any) -> str:
    """A record without what differs from run to run."""
    document = dict(record.document if hasattr(record, "document") else record)
    document.pop("provenance")
    return json.dumps(document)


def resumed(folder: Path, command: list[str], kills: int, longest: float) -> tuple[str, str]:
    """What a run says that nobody kills, and what one says that goes on after `kills` runs, each killed within
    `longest` seconds."""
    rng, run = random.Random(kills), [sys.executable, "-m", "dpcert", *command, "--quiet"]
    kept = [*run, "--checkpoint", str(folder / "kept.sqlite")]
    for _ in range(kills):
        with subprocess.Popen(kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(rng.uniform(0, longest))
            process.send_signal(signal.SIGKILL)
            process.wait()
    return _record(run, folder / "whole.json"), _record(kept, folder / "resumed.json")


def _record(run: list[str], out: Path) -> str:
    subprocess.run([*run, "--json", str(out)], check=False, timeout=300, capture_output=True)
    return told(json.loads(out.read_text()))
