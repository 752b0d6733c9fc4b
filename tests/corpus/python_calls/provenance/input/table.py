def stop():
    pass


ACTIONS = {"stop": stop}


def halt():
    ACTIONS["stop"]()
