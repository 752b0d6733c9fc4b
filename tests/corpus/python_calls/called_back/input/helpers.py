"""What the framework itself uses."""


def described(text):
    return text + "."
