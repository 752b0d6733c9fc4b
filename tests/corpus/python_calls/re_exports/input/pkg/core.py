class Engine:
    def go(self):
        pass


def run():
    pass
