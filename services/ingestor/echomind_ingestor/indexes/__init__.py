"""Indexes beside the active one: filled from stored passages, switched, kept for the way back, and dropped."""
