"""Finding passages for a reader: the lexical encoder, the language of texts, and the one way to the vector index."""
