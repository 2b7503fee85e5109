"""Shared state of one attempt at a run: model context, budget, open calls and text."""
