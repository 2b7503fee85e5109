"""Memories of users."""
