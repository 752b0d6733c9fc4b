from shop.model import Item, make

RATE = 2


def run(items: list[Item]) -> float:
    def inner(item: Item) -> float:
        return item.total(RATE)

    return sum(inner(item) for item in items)


if __name__ == "__main__":
    print(run([make()]))
