"""The code of punched cards."""


def decode(card: bytes) -> str:
    """Text of a card."""
    return card.decode("cp037").rstrip()
