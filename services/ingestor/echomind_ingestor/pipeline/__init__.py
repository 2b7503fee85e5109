"""One document from its bytes to indexed chunks, and the removal of old data."""
