"""Three carts and one gate: a convoy forms, and stays."""

import threading

from mill.work import work

ROUNDS = 14


class Gate:
    """Lets one cart through at a time."""

    def __init__(self) -> None:
        self.narrow = threading.Lock()

    def drive_through(self) -> None:
        """Slowly."""
        with self.narrow:
            work(0.007)

    def carry(self) -> None:
        """A cart: through the gate, turn, and again."""
        for _ in range(ROUNDS):
            self.drive_through()
            work(0.001)
