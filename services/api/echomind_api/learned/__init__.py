"""Services of what is learned: memories and knowledge."""
