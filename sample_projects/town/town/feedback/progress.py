"""Tells the user how far something is."""

from town.feedback.terminal import write


class Progress:
    """A line that grows."""

    def __init__(self, title: str, steps: int) -> None:
        self.title, self.steps, self.done = title, steps, 0

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        write(f"{self.title}: {self.done} of {self.steps}")
