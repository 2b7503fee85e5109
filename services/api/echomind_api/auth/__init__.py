"""Authentication: principals, credentials, and protection against cross-site requests."""
