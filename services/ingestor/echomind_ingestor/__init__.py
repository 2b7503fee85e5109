"""Documents in: extract, chunk, embed, index; and the embedding service as its own process."""
