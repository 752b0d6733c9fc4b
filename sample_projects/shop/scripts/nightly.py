"""Run every night: a copy of the tables, and what has to be ordered."""

from pathlib import Path

from shop.infrastructure import clock, storage
from shop.services.stock import to_reorder


def main() -> None:
    """Write both below `backup/`."""
    folder = Path("backup") / clock.now().strftime("%Y-%m-%d")
    storage.backup(folder)
    lines = [f"{sku} {pieces}" for sku, pieces in to_reorder()]
    (folder / "reorder.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
