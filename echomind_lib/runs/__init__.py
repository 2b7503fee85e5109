"""Runs, as the API and the agent share them: their states, the SQL for transitions, and their events."""
