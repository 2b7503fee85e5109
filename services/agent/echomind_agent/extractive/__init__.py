"""The built-in model, which quotes instead of generating."""
