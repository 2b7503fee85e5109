"""The types of connectors that come with EchoMind."""
