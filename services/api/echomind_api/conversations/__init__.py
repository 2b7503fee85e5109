"""Conversations: sessions, messages, runs, checkpoints and todos."""
