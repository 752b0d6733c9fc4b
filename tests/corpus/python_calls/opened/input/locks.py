from contextlib import contextmanager


class Lock:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass

    async def __aenter__(self):
        return self

    async def __aexit__(self, *args):
        pass

    def check(self):
        pass


@contextmanager
def locked():
    yield
