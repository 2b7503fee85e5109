"""Backup and restore of everything that EchoMind stores, as one file."""
