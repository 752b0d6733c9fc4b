from listed import *


def public():
    pass


def _private():
    pass
