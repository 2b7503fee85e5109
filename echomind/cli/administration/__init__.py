"""Commands that run and watch an installation."""
