"""Commands that evaluate assistants and retrieval: `echomind eval`."""
