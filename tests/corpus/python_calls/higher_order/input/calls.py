import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@logged
def work():
    pass


def apply(action, by=None):
    action()
    if by:
        by.step()


class Walker:
    def step(self):
        pass

    def __call__(self):
        pass


def same(value):
    return value


def main():
    work()
    apply(work)
    apply(action=main, by=Walker())
    walker = Walker()
    apply(walker)
    same(walker).step()
    same(work)()
