"""Files that people upload."""

from typing import Final

import msgspec

from echomind_lib.connectors.definition import ConnectorDefinition


class FileSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Uploads have no settings."""


FILE: Final = ConnectorDefinition(
    name="file",
    title="Files",
    description="Files that people upload.",
    settings=FileSettings,
    is_synced=False,
)
"""A collection of uploaded files."""
