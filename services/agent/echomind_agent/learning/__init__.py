"""Shared code of all kinds of learning: material, proposals of models, checks, and what is already known."""
