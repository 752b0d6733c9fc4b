"""A repository with two versions, for the tests of this room and of the window."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mining.conftest import Repository

BODY = "".join(f"def part_{number}():\n    return {number}\n\n\n" for number in range(8))
FIRST = {
    "shop/__init__.py": "",
    "shop/cart.py": f"from shop import price\n\n\n{BODY}",
    "shop/price.py": "def total():\n    return 1\n",
    "shop/old.py": "import os\n",
    "ignored.py": "x = 1\n",
    ".gitignore": "ignored.py\n",
}


def two_versions(folder: Path) -> Repository:
    """Two versions: `cart.py` moves into a package of its own, `old.py` goes, `new.py` comes, `price.py` grows."""
    made = Repository(folder)
    made.write(FIRST)
    made.git("add", "-f", "ignored.py")
    made.commit()
    made.git("tag", "v1")
    made.write({"shop/cart.py": None, "shop/old.py": None})
    moved = {"shop/sale/__init__.py": "", "shop/sale/cart.py": FIRST["shop/cart.py"]}
    made.commit(
        {**moved, "shop/new.py": "from shop import price\n", "shop/price.py": "def total():\n    a = 1\n    return a\n"}
    )
    made.git("-c", "user.name=a", "-c", "user.email=a@b", "tag", "-a", "-m", "second", "v2")
    return made


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return two_versions(tmp_path / "subject")
