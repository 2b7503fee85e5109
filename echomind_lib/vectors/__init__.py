"""Vectors in Qdrant. For searches on behalf of somebody there is one way only: `echomind_lib.retrieval`."""

from echomind_lib.vectors.index import CHUNK_FIELDS, FACT_FIELDS, PayloadFields, VectorIndex
from echomind_lib.vectors.points import Filter, Found, Point, SparseVector

__all__ = [
    "CHUNK_FIELDS",
    "FACT_FIELDS",
    "Filter",
    "Found",
    "PayloadFields",
    "Point",
    "SparseVector",
    "VectorIndex",
]
