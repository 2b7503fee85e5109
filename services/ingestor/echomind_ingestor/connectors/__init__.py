"""The sources of syncs: the protocol, shared modules, and one package per source."""
