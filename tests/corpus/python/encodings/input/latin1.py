# -*- coding: latin-1 -*-
import good  # café


def café():
    return 1
