"""The audit log: its seals, and how entries are read, exported and verified."""
