"""What went wrong with something the user gave us, as one sentence for them."""

from __future__ import annotations


class InputError(Exception):
    """One sentence: what happened, to what, and what to do. The command line exits with status 2."""


class Cancelled(Exception):  # not an error: the user asked for it
    """Raised by a progress callback to stop the work it reports on."""
