import base
from base import Left


class Child(Left, base.Right):
    def stop(self):
        super().stop()
        self.prepare()


def main():
    child = Child()
    child.prepare()
    child.stop()
    Left.stop(child)
