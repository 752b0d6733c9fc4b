"""What things are told apart by."""


class Id:
    """A number that is given once."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Id) and other.number == self.number

    def __str__(self) -> str:
        return f"#{self.number}"
