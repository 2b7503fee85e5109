"""Vectors of memories and knowledge, which follow their rows."""
