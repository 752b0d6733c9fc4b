from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Optional


class Item:
    def check(self) -> bool:
        return True


class Store:
    items: list[Item]
    last: "Optional[Item]" = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *args):
        pass

    def find(self, name) -> Item | None:
        pass

    def all(self) -> Iterator[Item]:
        yield Item()


@contextmanager
def opened() -> Iterator[Store]:
    yield Store()


def work(store: Store, by_name: dict[str, Item], *rest: Item):
    for item in store.items:
        item.check()
    store.last.check()
    store.find("a").check()
    by_name["a"].check()
    for item in by_name.values():
        item.check()
    for item in store.all():
        item.check()
    with opened() as other, Store() as third:
        other.find("b")
        third.find("c")
