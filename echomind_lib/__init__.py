"""Shared code of all services: contract, storage, messaging, access, retrieval, chat models. It imports no service."""
