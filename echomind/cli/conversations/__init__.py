"""Commands that ask, and those about conversations and their runs."""
