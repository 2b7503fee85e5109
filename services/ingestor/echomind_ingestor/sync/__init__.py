"""Syncs: pages of a source become folders, documents and readers that are stored, one page at a time."""
