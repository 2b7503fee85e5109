"""What tests of the embedded servers share."""

from tests.drivers.qdrant_pair import pair

__all__ = ["pair"]
