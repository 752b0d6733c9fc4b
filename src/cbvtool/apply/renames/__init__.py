"""Functions and classes of Python under other names, where every use is sure."""

from __future__ import annotations
