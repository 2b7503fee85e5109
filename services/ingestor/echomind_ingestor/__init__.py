"""Ingestion of documents: extract, chunk, embed, index; and the embedding service, a separate process."""
