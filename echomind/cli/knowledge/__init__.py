"""Commands about knowledge beyond documents."""
