import good


def before():
    return 1


def half(:
    pass


def after():
    import good
    return 2
