from functools import partial


def one():
    pass


def two():
    pass


uno = one
HANDLERS = {"one": one, "two": two}


class Box:
    def __init__(self):
        self.first = two
        self.parts = [Part(), Part()]

    def open(self):
        self.first()
        for part in self.parts:
            part.close()


class Part:
    def close(self):
        pass


def main(name):
    uno()
    HANDLERS["one"]()
    HANDLERS[name]()
    HANDLERS.get(name)()
    later = partial(one, 1)
    later()
    a, b = one, two
    b()
