"""Connector types: their settings and credentials, and the class that implements each.

A type is a `ConnectorDefinition` registered as an entry point of the group `echomind.connectors`. The gateway validates
settings with it, the command line and the web UI build their forms from it, and the ingestor loads the implementation.
A definition imports no client library.
"""

from echomind_lib.connectors.definition import (
    ENTRY_POINTS,
    ConnectorDefinition,
    PermissionMode,
    Role,
    SettingsError,
    SignIn,
)
from echomind_lib.connectors.registry import definitions, find_definition

__all__ = [
    "ENTRY_POINTS",
    "ConnectorDefinition",
    "PermissionMode",
    "Role",
    "SettingsError",
    "SignIn",
    "definitions",
    "find_definition",
]
