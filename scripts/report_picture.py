"""The first screen of a report as a picture of the documentation, taken by Chromium (Debian: chromium).

cbvtool report ~/src/git -o git.html --since 1y
python scripts/report_picture.py git.html docs/images/report.png
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image

SIZE = "1280,800"
COLORS = 64  # of the palette: a page of text needs few


def main() -> int:
    """Take the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    chosen = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("chromium is not installed", file=sys.stderr)
        return 2
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}"]
    taken = f"--screenshot={chosen.picture.resolve()}"
    subprocess.run([program, *options, taken, chosen.page.resolve().as_uri()], check=True, capture_output=True)
    Image.open(chosen.picture).convert("RGB").quantize(COLORS).save(chosen.picture, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
