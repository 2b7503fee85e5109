"""Commands that evaluate assistants."""
