from .core import run


def fix():
    run()
