"""Pydantic models and service interfaces, generated from the contract."""
