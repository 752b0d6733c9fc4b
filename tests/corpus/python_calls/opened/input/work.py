from locks import Lock, locked


def unnamed():
    with Lock():
        pass


def generated():
    with locked():
        pass


def given(lock: Lock):
    with lock:
        pass


def two():
    with (Lock() as first, Lock()):
        first.check()


class Holder:
    def __init__(self):
        self.lock = Lock()

    def held(self):
        with self.lock:
            pass

    async def awaited(self):
        async with self.lock:
            pass

    async def named(self):
        async with self.lock as lock:
            lock.check()
