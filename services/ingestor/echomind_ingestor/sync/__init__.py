"""Syncs: stores pages of a source as folders, documents and readers, one page at a time."""
