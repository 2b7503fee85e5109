"""Vectors in Qdrant. Searches on behalf of users go through `echomind_lib.retrieval` only."""

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
