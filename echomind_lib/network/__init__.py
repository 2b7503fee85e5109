"""Requests to addresses chosen by others: address checks, and fetching of web pages."""
