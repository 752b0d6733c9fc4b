"""The graphs that plans are tried on."""

from tests.plan.conftest import shop

__all__ = ["shop"]
