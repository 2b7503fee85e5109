"""Steps: their tool calls, from the model's request to recorded results."""
