"""Sentences for people."""


def thanks(customer: str, amount: str) -> str:
    """After an order."""
    return f"Thank you, {customer.split('@')[0]}: {amount} will be collected."


def failed(reason: str) -> str:
    """After something that did not work."""
    return f"This did not work: {reason}."
