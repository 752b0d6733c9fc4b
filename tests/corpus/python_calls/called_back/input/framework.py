"""Calls what it is given, and imports nothing of it."""

from helpers import described


class App:
    """Keeps handlers by path."""

    def __init__(self):
        self.handlers = {}

    def route(self, path):
        def decorator(handler):
            self.add(path, handler)
            return handler

        return decorator

    def add(self, path, handler):
        self.handlers[path] = handler

    def dispatch(self, path):
        handler = self.handlers[path]
        return described(handler())


def run(job):
    return job()


def make(kind):
    return kind()


def labels(thing):
    return thing.shop_label()
