#!/usr/bin/env python
"""A docstring

over three lines."""

import os  # a comment behind code

TEXT = """a text
# that is no comment

with a blank line
"""

"""A text that nobody reads."""
'a' "b"


def f():
    """Docstring."""; x = 1
    """One more."""  # comment
    # comment
    return (
        x +

        1
    )


def g(): "docstring"


def h():
    """Only

    # a docstring."""


class C:
    """Doc."""
    x: int = 1
    """What x is."""

    # the end
