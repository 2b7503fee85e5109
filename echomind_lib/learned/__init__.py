"""What is learned: memories and knowledge, the vectors that find them, and the sessions that are read for it."""
