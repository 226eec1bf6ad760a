"""The demo: audit two-round through the command line, and say whether it came out as the mathematics says it must."""

import json
import subprocess
import sys
from pathlib import Path

EXPECTED = ("1", "9/100", "991/10000")


def main(dpcert: str, folder: str) -> int:
    """0 exactly when the audit exits 1 with fixed-stream TV 9/100 and adaptive TV 991/10000."""
    record, page = Path(folder, "two-round.json"), Path(folder, "two-round.html")
    audit = subprocess.run([dpcert, "audit", "two-round", "--json", str(record), "--html", str(page)], check=False)
    if audit.returncode == 2 or not record.is_file():
        print(f"demo: the audit did not run (exit status {audit.returncode})", file=sys.stderr)
        return 1
    found = json.loads(record.read_text(encoding="utf-8"))
    came = (str(audit.returncode), *(found[part]["total_variation"] for part in ("fixed_stream", "adaptive")))
    if came != EXPECTED or not page.is_file():
        print(
            f"demo: expected (exit status, fixed-stream TV, adaptive TV) = {EXPECTED} but got {came}", file=sys.stderr
        )
        return 1
    print(f"\ndemo: refuted as expected, adaptive TV 991/10000 against 9/100. The report: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
