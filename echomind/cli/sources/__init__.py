"""Commands about documents and where they come from."""
