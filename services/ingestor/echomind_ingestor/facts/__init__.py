"""Vectors of memories and knowledge, updated after their rows."""
