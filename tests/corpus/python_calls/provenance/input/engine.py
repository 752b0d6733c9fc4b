HANDLERS = {}


class Engine:
    def __init__(self, on_start, clock: "Clock", default=None):
        self.on_start = on_start
        self.clock = clock
        self.gear = Gear()
        self.default = default

    def run(self):
        self.on_start()
        self.clock.tick()
        self.gear.turn()

    def dispatch(self, name):
        HANDLERS[name]()


class Clock:
    def tick(self):
        pass


class Gear:
    def turn(self):
        pass


def twice(action):
    action()
    return action


def made(kind):
    return kind()
