"""Makes images/report.png anew: the top of the page of `dpcert audit two-round --html`, in Chromium.

`make docs-picture` runs it. Do so when the look of the page has changed; the figure is not compared by a test, since it
depends on the fonts of the machine.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dpcert.audit.commands.cli import run

PICTURE = Path(__file__).resolve().parent / "images" / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip
WINDOW = "1000,1790"


def main() -> int:
    """0 when the picture was made."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"Expected a browser, one of {', '.join(BROWSERS)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "two-round.html")
        run(["audit", "two-round", "--quiet", "--html", str(page)])
        PICTURE.parent.mkdir(exist_ok=True)
        given = (
            f"--window-size={WINDOW}",
            f"--user-data-dir={folder}/profile",
            f"--screenshot={PICTURE}",
            page.as_uri(),
        )
        subprocess.run([browser, *QUIET, *given], check=True, capture_output=True, timeout=120)
    print(f"wrote {PICTURE.name}, {PICTURE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
