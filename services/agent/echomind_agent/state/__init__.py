"""State that one attempt at a run shares: its model context, budget, open calls and text."""
