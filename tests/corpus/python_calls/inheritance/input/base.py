class Base:
    def __init__(self):
        self.prepare()

    def prepare(self):
        pass

    def stop(self):
        pass


class Left(Base):
    def prepare(self):
        super().prepare()


class Right(Base):
    def stop(self):
        super().stop()
