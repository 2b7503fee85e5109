"""Vectors in Qdrant. For searches on behalf of somebody there is one way only: `echomind_lib.retrieval`."""

from echomind_lib.vectors.index import VectorIndex
from echomind_lib.vectors.points import Filter, Found, Point, SparseVector

__all__ = ["Filter", "Found", "Point", "SparseVector", "VectorIndex"]
