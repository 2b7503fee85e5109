"""Knowledge entities beyond documents: confidence, search, and learning."""
