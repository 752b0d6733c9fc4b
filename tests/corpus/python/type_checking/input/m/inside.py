from typing import TYPE_CHECKING


def f():
    if TYPE_CHECKING:
        import m.a
    import m.b


class C:
    if TYPE_CHECKING:
        import m.c
        import m.d
    import m.e

    def g(self):
        import m.e
        import m.d


if TYPE_CHECKING:
    def h():
        import m.f
