import good


def f():
    # no code
    return 1
