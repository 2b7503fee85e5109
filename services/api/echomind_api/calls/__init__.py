"""Middlewares of every call: authentication, limits, denials, errors, measurements."""
