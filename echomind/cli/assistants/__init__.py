"""Commands about assistants and their models."""
