"""Model."""
import json


class Item:
    """One thing."""
    price: float = 0.0

    def total(self, count: int) -> float:
        return self.price * count

    def text(self) -> str:
        return json.dumps({"price": self.price})


class Book(Item):
    def total(self, count: int) -> float:
        return super().total(count) * 0.9


def make() -> Item:
    return Book()
