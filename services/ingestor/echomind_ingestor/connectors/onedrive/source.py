"""The source `onedrive`: the change lists of drives, one after another.

A change list (`delta`) without a token is the only documented way to list a drive completely while it changes; its last
page contains the start of the next one. Items are identified by drive and item id; names and folders are attributes.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import msgspec
from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.downloads import Download
from echomind_ingestor.connectors.graph import GraphSource, parse_time, segment
from echomind_ingestor.connectors.onedrive.drives import Drive, list_drives
from echomind_ingestor.connectors.onedrive.paths import Paths
from echomind_ingestor.connectors.onedrive.permissions import read_readers
from echomind_ingestor.connectors.probes import probe
from echomind_ingestor.connectors.vendor_client import Json, RequestRefusedError
from echomind_lib.connectors.types.onedrive import OneDriveSettings
from echomind_lib.connectors.types.patterns import selects

_SELECT: Final = (
    "id,name,size,webUrl,eTag,cTag,file,folder,root,package,remoteItem,malware,deleted,parentReference,"
    "lastModifiedDateTime"
)
_SHARING: Final = "deltashowremovedasdeleted,deltatraversepermissiongaps,deltashowsharingchanges,hierarchicalsharing"
"""Makes change lists include items with only changed permissions (OneDrive's scan guidance)."""


class Position(msgspec.Struct, kw_only=True):
    """The cursor: the position in the change list of each drive."""

    is_listing: bool = True
    """Whether this round lists everything."""
    links: dict[str, str] = msgspec.field(default_factory=dict)
    """By drive: the link, relative to the API's base address."""
    done: list[str] = msgspec.field(default_factory=list)
    """Drives completed in this round."""
    skipped: bool = False
    """Whether a place could not be read in this round."""


@dataclass(slots=True)
class _Changes:
    """A page under construction."""

    folders: list[protocol.Folder] = field(default_factory=list)
    items: list[protocol.Item] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    failures: list[protocol.Failure] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    """Folders whose permissions have changed."""


class OneDriveSource(GraphSource[OneDriveSettings]):
    """OneDrive for work or school, and SharePoint."""

    definition_name: ClassVar[str] = "onedrive"

    def __init__(self, context: protocol.SourceContext[OneDriveSettings]) -> None:
        super().__init__(context)
        self._has_patterns = bool(self.settings.include or self.settings.exclude)
        self._roots: dict[str, str] = {}  # ids of the drives' roots, by drive

    @override
    async def check(self) -> Sequence[protocol.Check]:
        await self._graph.client.get("organization", {"$select": "id"})
        checks = [protocol.Check(name="Sign in", status="passed")]
        drives, failures = await list_drives(self._graph, self.settings)
        checks += [
            protocol.Check(name=f"Find {failure.name}", status="failed", message=failure.message)
            for failure in failures
        ]
        if not drives:
            return checks
        drive = next(iter(drives.values()))
        item = f"drives/{segment(drive.id)}/root"
        files = "Grant the application permission Files.Read.All or Sites.Read.All and have an administrator consent."
        checks.append(await probe("List files", self._graph.get(f"{item}/delta", {"$top": "1"}), files))
        if self.context.syncs_permissions:
            root = await self._graph.get(item, {"$select": "id"})
            path = f"drives/{segment(drive.id)}/items/{segment(root['id'])}/permissions"
            full = "Grant the application permission Sites.FullControl.All: only with it all permissions are listed."
            directory = "Grant the application permissions User.Read.All and GroupMember.Read.All."
            checks.append(await probe("Read permissions of files", self._graph.get(path), full))
            checks.append(await probe("Read people", self._graph.get("users", {"$top": "1"}), directory))
        return checks

    @override
    async def changes(self, cursor: protocol.Cursor | None) -> AsyncIterator[protocol.Page]:
        position = Position() if cursor is None else msgspec.convert(cursor, Position)
        drives, failures = await list_drives(self._graph, self.settings)
        paths = Paths(self.context)
        if failures:
            position.skipped = True
            yield protocol.Page(
                cursor=msgspec.to_builtins(position),
                failures=failures,
                is_listing=position.is_listing,
                is_complete=False,
            )
        elif left := [drive_id for drive_id in position.links if drive_id not in drives]:
            for drive_id in left:
                del position.links[drive_id]
                async for page in self._leave(position, drive_id):
                    yield page
        for drive in drives.values():
            if drive.id not in position.done:
                async for page in self._changes_of(drive, position, paths):
                    yield page
        yield protocol.Page(
            cursor=msgspec.to_builtins(Position(is_listing=False, links=position.links)),
            is_listing=position.is_listing,
            is_complete=not position.skipped,
        )

    async def _changes_of(self, drive: Drive, position: Position, paths: Paths) -> AsyncIterator[protocol.Page]:
        """Yields the pages of one drive."""
        headers = {"Prefer": _SHARING} if self.context.syncs_permissions else None
        path = f"drives/{segment(drive.id)}/root/delta"
        start = position.links.get(drive.id, "")
        async for answer in self._graph.pages(path, {"$select": _SELECT}, start=start, headers=headers):
            changes = _Changes()
            # A page may contain an item several times; the last occurrence counts.
            last = {value["id"]: value for value in answer.get("value", ())}
            for value in last.values():
                await self._add(changes, drive, value, paths, is_listing=position.is_listing)
            # Before the folders themselves are stored: after a crash, the comparison still detects their change.
            for folder in changes.shared:
                async for page in self._below(position, drive, folder):
                    yield page
            if following := answer.get("@odata.nextLink") or answer.get("@odata.deltaLink"):
                position.links[drive.id] = self._rest(following)
            if "@odata.deltaLink" in answer:
                position.done.append(drive.id)
            yield self._page(position, changes)

    def _page(self, position: Position, changes: _Changes) -> protocol.Page:
        return protocol.Page(
            cursor=msgspec.to_builtins(position),
            folders=changes.folders,
            items=changes.items,
            removed=changes.removed,
            failures=changes.failures,
            is_listing=position.is_listing,
            is_complete=not position.skipped,
        )

    async def _leave(self, position: Position, drive_id: str) -> AsyncIterator[protocol.Page]:
        """Yields the removal of a drive that is no longer selected, or no longer exists."""
        waiting = [f"{drive_id}/root"]
        while waiting:
            folder = waiting.pop()
            async for ids in self.context.find_children(folder):
                known = await self.context.find_known(ids)
                waiting += [id_ for id_ in ids if id_ in known and known[id_].is_folder]
                yield self._page(position, _Changes(removed=list(ids)))
        yield self._page(position, _Changes(removed=[f"{drive_id}/root"]))

    async def _add(self, changes: _Changes, drive: Drive, value: Json, paths: Paths, *, is_listing: bool) -> None:
        """Adds an item of a change list to a page."""
        source_id = f"{drive.id}/root" if "root" in value else f"{drive.id}/{value['id']}"
        if "deleted" in value:
            changes.removed.append(source_id)
            return
        folder_id = await self._folder_of(drive, value)
        readers = await self._readers(changes, drive, value)
        if "root" in value or "folder" in value:
            folder = protocol.Folder(
                source_id=source_id,
                name=drive.name if "root" in value else value["name"],
                parent_id="" if "root" in value else folder_id,
                readers=readers,
                url=value.get("webUrl") or drive.url,
            )
            if self._has_patterns:
                await paths.record(source_id, folder.name, folder.parent_id, is_listing=is_listing)
            changes.folders.append(folder)
            if readers is not None and not is_listing:
                known = (await self.context.find_known([source_id])).get(source_id)
                if known is not None and known.readers != readers:
                    changes.shared.append(source_id)
        elif "remoteItem" not in value:  # not a shortcut, whose target is read in its own place
            item = _item(source_id, value, folder_id, readers)
            if self._has_patterns:
                path = await paths.path(item.name, folder_id)
                if not selects(self.settings.include, self.settings.exclude, path):
                    changes.removed.append(source_id)
                    return
            changes.items.append(item)

    async def _folder_of(self, drive: Drive, value: Json) -> str:
        parent = value.get("parentReference") or {}
        # At the top level, the parent is the drive's root, whose id is only in the list's first page.
        if "root" in value:
            self._roots[drive.id] = value["id"]
            return ""
        if drive.id not in self._roots:
            root = await self._graph.get(f"drives/{segment(drive.id)}/root", {"$select": "id"})
            self._roots[drive.id] = root["id"]
        parent_id = parent.get("id") or ""
        return f"{drive.id}/{'root' if parent_id in ('', self._roots[drive.id]) else parent_id}"

    async def _readers(self, changes: _Changes, drive: Drive, value: Json) -> protocol.Readers | None:
        if not self.context.syncs_permissions:
            return None
        readers = await read_readers(self._graph, drive, value["id"])
        if readers is protocol.UNKNOWN:
            message = "Its permissions cannot be read, so nobody may read it here. Grant Sites.FullControl.All."
            changes.failures.append(
                protocol.Failure(source_id=f"{drive.id}/{value['id']}", name=value.get("name") or "", message=message)
            )
        return readers

    async def _below(self, position: Position, drive: Drive, folder_id: str) -> AsyncIterator[protocol.Page]:
        """Yields the contents below a folder with changed permissions, as the change list contains only the folder."""
        waiting = [folder_id]
        while waiting:
            folder = waiting.pop()
            async for ids in self.context.find_children(folder):
                stored = await self.context.find_known(ids)
                changes = _Changes()
                for source_id in ids:
                    value = await self._read(drive, source_id)
                    if value is None or source_id not in stored:
                        continue
                    readers = await self._readers(changes, drive, value)
                    if stored[source_id].is_folder:
                        url = value.get("webUrl") or ""
                        changes.folders.append(
                            protocol.Folder(
                                source_id=source_id, name=value["name"], parent_id=folder, readers=readers, url=url
                            )
                        )
                        waiting.append(source_id)
                    else:
                        changes.items.append(_item(source_id, value, folder, readers))
                yield self._page(position, changes)

    async def _read(self, drive: Drive, source_id: str) -> Json | None:
        path = f"drives/{segment(drive.id)}/items/{segment(source_id.partition('/')[2])}"
        try:
            return await self._graph.get(path, {"$select": _SELECT})
        except RequestRefusedError as error:
            if error.status in (403, 404):
                return None
            raise

    def _rest(self, link: str) -> str:
        """Returns a link relative to the API's base address; links to other addresses are rejected."""
        base = f"{self.context.server.microsoft_graph_url.rstrip('/')}/v1.0/"
        if not link.startswith(base):
            raise protocol.SourceError(
                "Microsoft Graph names an address of another server as its next page; it is not read."
            )
        return link.removeprefix(base)

    @override
    async def find(self, source_id: str) -> protocol.Item | None:
        drives, _ = await list_drives(self._graph, self.settings)
        drive = drives.get(source_id.partition("/")[0])
        if drive is None or (value := await self._read(drive, source_id)) is None:
            return None
        changes = _Changes()
        readers = await self._readers(changes, drive, value)
        return _item(source_id, value, await self._folder_of(drive, value), readers)

    @override
    @asynccontextmanager
    async def open(self, item: protocol.Item) -> AsyncIterator[protocol.Content]:
        drive_id, _, item_id = item.source_id.partition("/")
        # Redirects to a URL that needs no token; the client sends no token to another origin.
        url = self._graph.client.url(f"drives/{segment(drive_id)}/items/{segment(item_id)}/content")
        try:
            async with Download(self._graph.client, url, limit=self.context.max_bytes) as download:
                yield protocol.Content(pieces=download.pieces(), content_type=item.content_type)
        except RequestRefusedError as error:
            if error.status == 404:
                raise protocol.ItemError("It was removed while it was read.") from None
            if error.status == 423:
                raise protocol.ItemError(
                    "It is locked by somebody who edits it. The next sync tries it again."
                ) from None
            raise protocol.ItemError(f"It cannot be downloaded: {error.message}") from None

    @override
    async def groups(self, named: Sequence[str]) -> AsyncIterator[protocol.GroupPage]:
        async for page in self._graph.groups(named):
            yield page


def _item(source_id: str, value: Json, folder_id: str, readers: protocol.Readers | None) -> protocol.Item:
    file: Mapping[str, Any] = value.get("file") or {}
    modified = value.get("lastModifiedDateTime")
    return protocol.Item(
        source_id=source_id,
        name=value.get("name") or "",
        version=_version(value, file),
        folder_id=folder_id,
        readers=readers,
        url=value.get("webUrl") or "",
        content_type=file.get("mimeType") or "",
        size=value.get("size"),
        modified_at=parse_time(modified) if modified else None,
        error=_obstacle(value),
    )


def _version(value: Json, file: Mapping[str, Any]) -> str:
    """Returns a value that changes with the content, unlike the ETag, which also changes with the name."""
    hashes: Mapping[str, str] = file.get("hashes") or {}
    for name in ("quickXorHash", "sha256Hash", "sha1Hash"):
        if found := hashes.get(name):
            return f"{name}:{found}:{value.get('size')}"
    return value.get("cTag") or value.get("eTag") or ""


def _obstacle(value: Json) -> str:
    if "malware" in value:
        return "OneDrive has found malware in it: it is not read."
    if "package" in value:
        return "A OneNote notebook is not one file and is not read: export it as PDF beside it."
    return ""
