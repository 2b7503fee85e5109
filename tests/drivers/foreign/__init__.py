"""Calls of everything with what belongs to others: who has what, what may be seen of it, and which calls there are."""
