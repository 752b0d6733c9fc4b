from typing import overload


class Shape:
    @overload
    def scale(self, by: int) -> "Shape": ...

    @overload
    def scale(self, by: float) -> "Shape": ...

    def scale(self, by):
        return self

    @property
    def area(self) -> "Area":
        return Area()

    @area.setter
    def area(self, value):
        pass

    @staticmethod
    def unit():
        return Shape()

    @classmethod
    def of(cls):
        return cls()


class Area:
    def text(self):
        pass


def use(shape: Shape):
    shape.scale(2).area.text()
    size = shape.area
    size.text()
    Shape.unit().scale(1)
    Shape.of().scale(1)
