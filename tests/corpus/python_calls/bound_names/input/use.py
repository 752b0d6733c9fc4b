from names import Header, check


def in_lambda():
    return run(lambda check: check())


def in_its_default():
    return run(lambda Header, x=check(): Header.get("a"), check())


def caught():
    try:
        run()
    except OSError as check:
        check()


def opened():
    with open("a") as check:
        check()


def named():
    if check := run():
        check()


def matched(value):
    match value:
        case [check]:
            check()
        case {"a": 1, **Header}:
            Header.get("a")


def right():
    Header.get("a")
    check()


def run(*values):
    return values
