import os


class Robot:
    def recalibrate(self):
        pass

    def append(self, part):
        pass

    def turn(self):
        pass


class Wheel:
    def turn(self):
        pass


class Foreign(os.PathLike):
    def work(self):
        self.recalibrate()


def main(thing, parts):
    thing.recalibrate()
    parts.append(1)
    thing.turn()
    os.recalibrate()
    Wheel().recalibrate()
    open("a").recalibrate()
