"""Commands about notebooks."""
