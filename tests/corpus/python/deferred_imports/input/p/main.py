def f():
    import p.a

    class Inner:
        import p.b

    def g(): import p.c


class C:
    import p.d

    @staticmethod
    async def m():
        if True:
            from p import e


@register
def decorated(x=lambda: None):
    from p import f, g


if __name__ == "__main__":
    from p import g
