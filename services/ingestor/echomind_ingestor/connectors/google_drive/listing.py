"""Everything that a connector reads, page by page: the account's files, shared drives, and folders with what is below.

Folders are walked level by level. The folders that are still to be read are a part of the cursor while they are few; a
walk that is interrupted with more begins with its first folder again.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, TypeAlias

from echomind_ingestor.connectors.google_drive.client import DriveClient
from echomind_ingestor.connectors.google_drive.pages import PageBuilder
from echomind_ingestor.connectors.google_drive.resources import File, FilePage
from echomind_ingestor.connectors.google_drive.scopes import MY_DRIVE, Scopes
from echomind_ingestor.connectors.paging import read_pages
from echomind_ingestor.connectors.protocol import Cursor, Failure, Folder, Page
from echomind_ingestor.connectors.vendor_client import RequestRefusedError

_OWN: Final = "'me' in owners and trashed = false"
_LIVE: Final = "trashed = false"
_MOST_PENDING: Final = 500
_FOLDERS_AT_ONCE: Final = 20
_BEGIN: Final[dict[str, Any]] = {"page": "", "current": [], "pending": []}
"""The page, the folders that it is of, and those that are still to be read."""
_Place: TypeAlias = dict[str, Any]
_REFUSED = frozenset({403, 404})


class Listing:
    """Lists. One for a sync."""

    def __init__(self, drive: DriveClient, builder: PageBuilder, scopes: Scopes) -> None:
        self._drive = drive
        self._builder = builder
        self._scopes = scopes

    async def begin(self) -> Cursor:
        """Returns where a full listing begins: with the places in the change logs, so that no change is lost.

        Raises:
            SourceError: They cannot be read.
        """
        scopes = self._scopes
        logs = {drive_id: await self._drive.start_token(drive_id) for drive_id in scopes.drives}
        for folder in scopes.folders:
            found = await self._find_folder(folder)
            if found is not None and found.drive_id and found.drive_id not in logs:
                logs[found.drive_id] = await self._drive.start_token(found.drive_id)
        logs[MY_DRIVE] = await self._drive.start_token()
        parts = [["my", ""]] if scopes.has_my_drive else []
        parts += [["drive", drive_id] for drive_id in scopes.drives]
        parts += [["folder", folder] for folder in scopes.folders]
        return {"listing": {**_BEGIN, "parts": parts, "incomplete": False}, "logs": logs}

    async def pages(self, cursor: Cursor) -> AsyncIterator[Page]:
        """Yields the rest of a full listing; after its last page the cursor is one of changes.

        Raises:
            SourceError: Nothing can be read.
        """
        state: dict[str, Any] = cursor["listing"]
        for drive_id in self._scopes.missing:
            state = {**state, "incomplete": True}
            yield await self._page([], cursor, state, failures=[_missing(drive_id, "shared drive")])
        if not state["parts"]:
            yield await self._page([], cursor, state)
        while state["parts"]:
            kind, source_id = state["parts"][0]
            try:
                async for files, place in self._part(kind, source_id, state):
                    state = {**state, **_BEGIN, **(place if len(place.get("pending", ())) <= _MOST_PENDING else {})}
                    state["incomplete"] = state["incomplete"] or files.incomplete_search
                    if place:
                        yield await self._page(files.files, cursor, state)
                    else:
                        state = {**state, "parts": state["parts"][1:]}
                        roots = await self.roots(kind, source_id)
                        yield await self._page(files.files, cursor, state, roots=roots)
            except RequestRefusedError as error:
                if error.status == 400 and state["page"]:
                    state = {
                        **state,
                        "page": "",
                    }  # the token of the page is too old: this part is listed from its begin
                    continue
                if error.status not in _REFUSED:
                    raise
                state = {**state, **_BEGIN, "parts": state["parts"][1:], "incomplete": True}
                name = self._scopes.drives.get(source_id, "My Drive" if kind == "my" else source_id)
                failure = Failure(source_id=source_id, name=name, message=error.message)
                yield await self._page([], cursor, state, failures=[failure])

    async def part(self, kind: str, source_id: str) -> AsyncIterator[Sequence[File]]:
        """Yields all files of a shared drive, or below a folder.

        Raises:
            SourceError: They cannot be read.
        """
        async for page, _ in self._part(kind, source_id, _BEGIN):
            yield page.files

    async def roots(self, kind: str, source_id: str) -> list[Folder]:
        """Returns the folder that everything of a part lies in.

        Raises:
            SourceError: It cannot be read.
        """
        if kind == "drive":
            readers = await self._builder.permissions.read_drive(source_id)
            name = self._scopes.drives[source_id]
            return [
                Folder(
                    source_id=source_id,
                    name=name,
                    readers=readers,
                    url=f"https://drive.google.com/drive/folders/{source_id}",
                )
            ]
        found = await self._find_folder("root" if kind == "my" else source_id)
        if found is None:
            return []
        (readers,) = await self._builder.permissions.read([found], roots=True)
        return [Folder(source_id=found.id, name=found.name, readers=readers, url=found.web_view_link)]

    async def _part(self, kind: str, source_id: str, state: dict[str, Any]) -> AsyncIterator[tuple[FilePage, _Place]]:
        """Yields pages of files, with where to continue; after the last one with nothing."""
        if kind == "folder":
            async for walked in self._walk(source_id, state):
                yield walked
            return
        query, drive_id = (_OWN, "") if kind == "my" else (_LIVE, source_id)

        async def read(token: str) -> FilePage:
            return await self._drive.list_files(query, drive_id=drive_id, page_token=token)

        async for page in read_pages(read, lambda page: page.next_page_token, start=state["page"], what="files"):
            yield page, {"page": page.next_page_token} if page.next_page_token else {}

    async def _walk(self, folder: str, state: dict[str, Any]) -> AsyncIterator[tuple[FilePage, _Place]]:
        """Yields what is below a folder, some folders at once."""
        root = await self._find_folder(folder)
        if root is None:
            raise RequestRefusedError(
                _missing(folder, "folder").message, status=404, reason="notFound", detail="There is no such folder."
            )
        start, current, waiting = state["page"], list(state["current"]) or [folder], list(state["pending"])
        seen = {*current, *waiting}
        while current:
            query = f"({' or '.join(f'{_quoted(each)} in parents' for each in current)}) and {_LIVE}"

            async def read(token: str, query: str = query) -> FilePage:
                return await self._drive.list_files(query, drive_id=root.drive_id, page_token=token)

            async for page in read_pages(read, lambda page: page.next_page_token, start=start, what="files of folders"):
                below = [file.id for file in page.files if file.is_folder and file.id not in seen]
                seen.update(below)
                waiting += below
                if page.next_page_token:
                    yield page, {"page": page.next_page_token, "current": current, "pending": list(waiting)}
                else:
                    start, current, waiting = "", waiting[:_FOLDERS_AT_ONCE], waiting[_FOLDERS_AT_ONCE:]
                    yield page, {"current": current, "pending": list(waiting)} if current else {}

    async def _find_folder(self, folder: str) -> File | None:
        try:
            found = await self._drive.find_file(folder)
        except RequestRefusedError as error:
            if error.status not in _REFUSED:
                raise
            return None
        return None if found is None or found.trashed or not found.is_folder else found

    async def _page(
        self,
        files: Sequence[File],
        cursor: Cursor,
        state: dict[str, Any],
        *,
        roots: Sequence[Folder] = (),
        failures: Sequence[Failure] = (),
    ) -> Page:
        following: Cursor = {"logs": cursor["logs"]}
        if state["parts"]:
            following["listing"] = state
        return await self._builder.build(
            files,
            following,
            roots=roots,
            failures=failures,
            is_listing=True,
            is_complete=not state["incomplete"],
        )


def _quoted(text: str) -> str:
    """Returns a text as a query takes it: https://developers.google.com/drive/api/guides/search-files."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _missing(source_id: str, kind: str) -> Failure:
    message = (
        f"The connected account does not see this {kind}. Share it with the account, or take it from the settings."
    )
    return Failure(source_id=source_id, name=source_id, message=message)
