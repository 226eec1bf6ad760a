"""Code that ends its process when it is read or built is refused in one line: it left no record, and status 0."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ENDS = {
    "read": "import os\nos._exit(0)\n",
    "built": "import os\n\n\nclass Mechanism:\n    def __init__(self):\n        os._exit(0)\n",
    "aborted": "import os\nos.abort()\n",
    "in a copy": "import os\nif not os.fork():\n    os._exit(0)\nos.wait()\n",
}


@pytest.mark.in_turns(few=True)
@pytest.mark.real("kills")
@pytest.mark.parametrize("where", ENDS)
def test_a_process_is_not_ended_without_a_word(where: str, tmp_path: Path) -> None:
    file = tmp_path / "ends.py"
    file.write_text(ENDS[where], encoding="utf-8")
    command = [sys.executable, "-m", "dpcert", "audit", f"{file}:Mechanism"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 2
    assert len(made.stderr.splitlines()) == 1
    assert ("it called os." in made.stderr) is (where != "in a copy")


def test_a_function_that_ends_is_as_it_was_afterwards() -> None:
    from dpcert.audit.outside.staying import staying

    before = os._exit, os.abort
    with pytest.raises(SystemExit, match="_exit"), staying():
        os._exit(0)
    assert (os._exit, os.abort) == before
