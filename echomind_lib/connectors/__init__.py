"""The types of connectors: what each is set up with, and which program implements it.

A type is a `ConnectorDefinition` behind an entry point of the group `echomind.connectors`. The gateway reads from it
what a connector may be given, the command line and the web UI make their forms of it, and the ingestor loads the
program. A definition imports no client library.
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
