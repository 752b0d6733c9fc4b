import functools
from typing import overload


class Shape:
    sides = 0

    class Corner:
        def angle(self):
            def rounded(x):
                return round(x)

            return rounded(90)

    @property
    def area(self):
        return 0

    @area.setter
    def area(self, value):
        pass

    @overload
    def scale(self, by: int) -> int: ...
    @overload
    def scale(self, by: str) -> str: ...
    def scale(self, by):
        return by


@functools.lru_cache(
    maxsize=None,
)
def make(kind):
    class Local(Shape):
        pass

    return Local()


if True:
    def chosen(): return 1
else:
    def chosen(): return 2


class Shape:
    def area(self): pass

f = lambda x: x
