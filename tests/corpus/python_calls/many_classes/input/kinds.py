class Base:
    def common(self):
        pass


class Kind0(Base):
    def own(self):
        pass


class Kind1(Base):
    def own(self):
        pass


class Kind2(Base):
    def own(self):
        pass


class Kind3(Base):
    def own(self):
        pass


class Kind4(Base):
    def own(self):
        pass


class Kind5(Base):
    def own(self):
        pass


class Kind6(Base):
    def own(self):
        pass


class Kind7(Base):
    def own(self):
        pass


class Kind8(Base):
    def own(self):
        pass


class Kind9(Base):
    def own(self):
        pass


class Kind10(Base):
    def own(self):
        pass


class Kind11(Base):
    def own(self):
        pass


class Kind12(Base):
    def own(self):
        pass


def of(kind):
    kinds = [Kind0(), Kind1(), Kind2(), Kind3(), Kind4(), Kind5(), Kind6()]
    kinds = kinds or [Kind7(), Kind8(), Kind9(), Kind10(), Kind11(), Kind12()]
    chosen = kinds[kind]
    chosen.common()
    chosen.own()
