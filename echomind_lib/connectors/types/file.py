"""Files that people upload, or that lie in a folder of the server."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from echomind_lib.connectors.definition import ConnectorDefinition
from echomind_lib.connectors.types.patterns import Patterns


class FileSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Without a folder, people upload the files. With one, what lies below it is read, and again when it changes."""

    folder: Annotated[
        str,
        Meta(
            title="Folder",
            description="Absolute path of a folder on the server. Empty for uploads. Only superadmins may name one, "
            "and only below the folders that `ECHOMIND_CONNECTORS__FOLDERS` allows.",
            max_length=1000,
            examples=["/srv/handbooks"],
        ),
    ] = ""
    include: Annotated[
        Patterns,
        Meta(
            title="Include",
            description="Only files that match one of these patterns. `*` stands for a part of a name, `**` for any "
            "folders. Empty means all files.",
            examples=[["*.pdf", "policies/**"]],
        ),
    ] = ()
    exclude: Annotated[
        Patterns,
        Meta(
            title="Exclude",
            description="No files that match one of these patterns. It wins over Include.",
            examples=[["drafts/**", "*.bak"]],
        ),
    ] = ()

    def __post_init__(self) -> None:
        """Refuses what would be ignored."""
        if self.folder and not self.folder.startswith("/"):
            raise ValueError("The folder must be an absolute path, such as /srv/handbooks")
        if not self.folder and (self.include or self.exclude):
            raise ValueError("Include and Exclude need a folder: what is uploaded is chosen by who uploads it")


FILE: Final = ConnectorDefinition(
    name="file",
    title="Files",
    description="Files that people upload, or the files of a folder of the server.",
    settings=FileSettings,
    role="superadmin",
    synced_by="folder",
    implementation="echomind_ingestor.connectors.file.source:FileSource",
)
"""A collection of uploaded files, or a watched folder."""
