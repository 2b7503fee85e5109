"""The parts of Google Drive that a connector reads."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final

from echomind_ingestor.connectors.google_drive.client import DriveClient
from echomind_ingestor.connectors.google_drive.resources import File
from echomind_ingestor.connectors.protocol import Known
from echomind_lib.connectors.types.google_drive import GoogleDriveSettings, drive_id

MY_DRIVE: Final = ""
"""The change log of the account, for files outside of shared drives."""
_DEEPEST: Final = 100
"""Maximum nesting of folders that Drive allows."""


class Scopes:
    """My Drive, shared drives and folders. Shared drives are known after `find_drives`."""

    def __init__(self, settings: GoogleDriveSettings) -> None:
        self.has_my_drive = settings.my_drive
        self.folders = tuple(dict.fromkeys(map(drive_id, settings.folders)))
        self._requested = tuple(dict.fromkeys(map(drive_id, settings.shared_drives)))
        self._has_all = settings.all_shared_drives
        self.drives: dict[str, str] = {}
        """Names of the shared drives, by id."""
        self.missing: list[str] = []
        """Configured shared drives of which the account is not a member."""

    async def find_drives(self, drive: DriveClient) -> None:
        """Finds the shared drives.

        Raises:
            SourceError: They cannot be read.
        """
        if self._has_all:
            self.drives = {each.id: each.name for each in await drive.drives()}
        for requested in self._requested:
            found = await drive.find_drive(requested)
            if found is None:
                self.missing.append(requested)
            else:
                self.drives[found.id] = found.name

    async def select(
        self, files: Sequence[File], find_known: Callable[[Iterable[str]], Awaitable[Mapping[str, Known]]]
    ) -> set[str]:
        """Returns the ids of the files that are read.

        Args:
            files: New or changed files.
            find_known: Returns the stored state.
        """
        selected = {file.id for file in files if self.has(file)}
        if not self.folders:
            return selected
        parents = {file.id: file.parent for file in files}
        for file in files:
            if await self._lies_in_folders(file.id, parents, find_known):
                selected.add(file.id)
        return selected

    def has(self, file: File) -> bool:
        """Returns whether a file is read regardless of its folder."""
        if file.drive_id:
            return file.drive_id in self.drives
        return self.has_my_drive and file.owned_by_me

    async def _lies_in_folders(
        self,
        file_id: str,
        parents: dict[str, str],
        find_known: Callable[[Iterable[str]], Awaitable[Mapping[str, Known]]],
    ) -> bool:
        """Returns whether a file is, or is below, one of the folders. Found parents are added to `parents`."""
        at = file_id
        for _ in range(_DEEPEST):
            if at in self.folders:
                return True
            if at not in parents:
                known = (await find_known([at])).get(at)
                parents[at] = known.folder_id if known is not None and known.is_folder else ""
            at = parents[at]
            if not at:
                return False
        return False
