"""`python -m shop`."""

import sys

from shop.ui.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
