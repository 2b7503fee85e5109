"""Requests to addresses that somebody else chose: which of them may be reached, and fetching from those that may."""
