"""Files that people upload, or that lie in a folder of the server."""

from collections.abc import Sequence
from os.path import normpath
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from echomind_lib.config import ConnectorSettings
from echomind_lib.connectors.definition import ConnectorDefinition, SettingsError
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
        """Raises an error for settings that would be ignored."""
        if self.folder and not self.folder.startswith("/"):
            raise SettingsError("folder", "must be an absolute path, such as /srv/handbooks")
        if not self.folder and (self.include or self.exclude):
            field = "include" if self.include else "exclude"
            raise SettingsError(field, "needs a folder: what is uploaded is chosen by who uploads it")


def check_folder(settings: FileSettings, server: ConnectorSettings) -> None:
    """Raises `SettingsError` for a folder that the server's settings do not allow.

    The gateway may run on another machine, where links have other targets. So it only checks the path as written, and
    the ingestor resolves links.
    """
    allowed = server.allowed_folders
    written = PurePosixPath(normpath(settings.folder))
    is_written_so = any(written.is_relative_to(normpath(parent)) for parent in allowed)
    if settings.folder and not is_written_so and not is_below(Path(settings.folder), allowed):
        raise SettingsError("folder", not_allowed(settings.folder, allowed))


def is_below(folder: Path, allowed: Sequence[str]) -> bool:
    """Returns whether a folder of this machine is below an allowed one after resolving links."""
    return any(folder.resolve().is_relative_to(Path(parent).resolve()) for parent in allowed)


def not_allowed(folder: str, allowed: Sequence[str]) -> str:
    """Returns the message that a folder may not be read, and what to do."""
    where = f"Allowed are {', '.join(allowed)} and what lies below" if allowed else "No folder is allowed"
    return f"{folder} must not be read. {where}: `ECHOMIND_CONNECTORS__FOLDERS` of the ingestors and the API says so"


FILE: Final = ConnectorDefinition(
    name="file",
    title="Files",
    description="Files that people upload, or the files of a folder of the server.",
    settings=FileSettings,
    role="superadmin",
    synced_by="folder",
    check_server=check_folder,
    implementation="echomind_ingestor.connectors.file.source:FileSource",
)
"""A collection of uploaded files, or a watched folder."""
