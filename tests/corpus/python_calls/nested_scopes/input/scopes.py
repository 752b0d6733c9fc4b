def helper():
    pass


class Outer:
    def helper(self):
        pass

    class Inner:
        def run(self):
            helper()

    alias = helper

    def make(self):
        def helper():
            pass

        helper()
        return self.Inner()

    def go(self):
        self.make().run()
        self.alias()
        Outer.Inner().run()


def shadow(helper):
    helper()


def local():
    helper = object()
    helper()


def clean():
    helper()
