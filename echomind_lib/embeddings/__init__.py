"""Embeddings: the `Embedder` protocol, its models, the embedding process and its client.

The models need the `ingestor` extra; other services import `EmbeddingClient` alone.
"""

from echomind_lib.embeddings.client import EmbeddingClient
from echomind_lib.embeddings.embedder import Embedder

__all__ = ["Embedder", "EmbeddingClient"]
