"""Knowledge: what is known beyond documents, how sure that is, and how it is found and kept."""
