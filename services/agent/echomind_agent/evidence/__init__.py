"""Sources of a run, and citations that are checked against them."""
