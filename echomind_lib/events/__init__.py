"""The event log of a session: append, publish, replay."""
