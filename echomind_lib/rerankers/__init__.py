"""Rerankers: models of servers that compare the best passages of a search with the question once more."""
