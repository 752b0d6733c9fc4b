"""What can be set from outside."""

import os
from pathlib import Path


def data_folder() -> Path:
    """Where the tables lie."""
    return Path(os.environ.get("SHOP_DATA", "data"))


def sender() -> str:
    """The address that mails come from."""
    return os.environ.get("SHOP_SENDER", "shop@example.org")
