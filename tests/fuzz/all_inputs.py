"""The inputs of all readers: each is made from (reader, seed, number) alone, so that any can be made again."""

from __future__ import annotations

import random

from tests.fuzz.inputs import MOST, USUAL_INPUTS
from tests.fuzz.trace_inputs import COVERAGE_INPUTS, TRACE_INPUTS

INPUTS = USUAL_INPUTS | TRACE_INPUTS | COVERAGE_INPUTS


def made(reader: str, seed: int, number: int) -> bytes:
    """The input of this number."""
    return INPUTS[reader][0](random.Random(f"{reader}:{seed}:{number}"))[:MOST]
