"""Accounts: users, API keys and sign-in."""
