"""The first screen of a report as a picture of the documentation, taken by Chromium (Debian: chromium chromium-driver).

cbvtool report ~/src/git -o git.html --since 1y
python scripts/report_picture.py git.html docs/images/report.png
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.judges.browsers import Chromium  # noqa: E402 - the path is set above

WIDTH, HEIGHT = 1280, 800
COLORS = 64  # of the palette: a page of text needs few


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    chosen = parser.parse_args()
    if missing := Chromium.missing():
        print(f"{missing} not installed", file=sys.stderr)
        return 2
    browser = Chromium(WIDTH, HEIGHT)
    try:
        browser.open(chosen.page.resolve().as_uri())
        browser.shot().quantize(COLORS).save(chosen.picture, optimize=True)
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
