"""Sources of a run, and verification of citations."""
