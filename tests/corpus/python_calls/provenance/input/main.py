from engine import Clock, Engine, made, twice

import table


def begin():
    pass


class Tool:
    def use(self):
        pass


def main(tool=None):
    engine = Engine(begin, Clock())
    engine.run()
    twice(begin)()
    made(Tool).use()
    later = begin
    later()
    table.ACTIONS["stop"]()
    help_with(Tool())


def help_with(tool):
    tool.use()
