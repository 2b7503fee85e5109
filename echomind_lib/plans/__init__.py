"""Plans: todos, their rules and their rows."""
