"""Vectors in Qdrant. Searches on behalf of users go through `echomind_lib.retrieval` only."""

from echomind_lib.vectors.collections import CHUNK_FIELDS, FACT_FIELDS, PayloadFields
from echomind_lib.vectors.index import VectorIndex
from echomind_lib.vectors.points import Filter, Found, Point, SparseVector
from echomind_lib.vectors.server_versions import require_server

__all__ = [
    "CHUNK_FIELDS",
    "FACT_FIELDS",
    "Filter",
    "Found",
    "PayloadFields",
    "Point",
    "SparseVector",
    "VectorIndex",
    "require_server",
]
