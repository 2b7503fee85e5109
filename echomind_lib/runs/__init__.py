"""The life of a run as the API and the agent share it: its states, the SQL that moves it, and its events."""
