"""Texts to vectors: the `Embedder` protocol, its models, the embedding process and its client.

The models need the `ingestor` extra; everyone else imports `EmbeddingClient` alone.
"""

from echomind_lib.embeddings.client import EmbeddingClient
from echomind_lib.embeddings.embedder import Embedder

__all__ = ["Embedder", "EmbeddingClient"]
