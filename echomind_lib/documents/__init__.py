"""Documents by the many: what kind of file they are, which ones a filter means, and changes of a selection."""
