"""The chat models of runs and of background jobs."""
