from input.core import run
