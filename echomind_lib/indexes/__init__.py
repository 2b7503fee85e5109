"""Indexes: an embedder, a sparse encoder and a chunker together, with the Qdrant collection that holds their chunks."""

from echomind_lib.indexes.indexes import Indexes
from echomind_lib.indexes.rows import Index, active_index

__all__ = ["Index", "Indexes", "active_index"]
