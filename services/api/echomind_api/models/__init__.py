"""Models that everybody uses: chat models, embedding models and rerankers, with their tests."""
