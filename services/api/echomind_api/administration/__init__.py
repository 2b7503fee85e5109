"""What administrators set up and read."""
