"""SCIM 2.0: identity systems maintain accounts and groups.

The protocol is that of `scim2-server`, which takes memory and time to import: `endpoint` and `clients` do not import
it, and the other modules only after the first request with a valid token. It runs in threads, as it computes for long.
"""
