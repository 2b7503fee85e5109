"""Memory across conversations: recalled for a run's prompt, and extracted from idle sessions."""
