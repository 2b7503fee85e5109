"""Conversations as stored: questions, messages, branches, checkpoints and summaries."""
