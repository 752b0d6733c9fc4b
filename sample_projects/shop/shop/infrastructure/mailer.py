"""Mails to customers. They are put into a folder from which the mail server takes them."""

from __future__ import annotations

from email.message import EmailMessage

from shop.domain.order import Order
from shop.infrastructure import settings


def confirmation(order: Order) -> EmailMessage:
    """The mail that says what was bought."""
    mail = EmailMessage()
    mail["From"] = settings.sender()
    mail["To"] = order.customer
    mail["Subject"] = f"Your order {order.number}"
    lines = [f"{line.quantity} x {line.product.name}: {line.amount()}" for line in order.lines]
    mail.set_content("\n".join([*lines, f"Shipping: {order.shipping}", f"Total: {order.total()}"]))
    return mail


def send(mail: EmailMessage) -> None:
    """Hand the mail to the server."""
    folder = settings.data_folder() / "outbox"
    folder.mkdir(parents=True, exist_ok=True)
    number = len(list(folder.glob("*.eml"))) + 1
    (folder / f"{number:05d}.eml").write_bytes(bytes(mail))
