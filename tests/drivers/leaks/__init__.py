"""The ways in which people read, and what each of them may be shown there."""
