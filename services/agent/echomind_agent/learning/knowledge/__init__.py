"""Knowledge extracted from runs and conversations: entities proposed by models."""
