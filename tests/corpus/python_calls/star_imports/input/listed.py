__all__ = ["shown", "_odd"]


def shown():
    pass


def _odd():
    pass


def left_out():
    pass
