"""What runs and conversations teach: entities of knowledge that models propose."""
