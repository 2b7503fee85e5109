"""Indexes: each is an embedder, a sparse encoder and a chunker, with the Qdrant collection of their chunks."""

from echomind_lib.indexes.indexes import Indexes
from echomind_lib.indexes.rows import Index, active_index

__all__ = ["Index", "Indexes", "active_index"]
