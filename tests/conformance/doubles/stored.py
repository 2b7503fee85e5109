"""What is stored of a source, in memory: for tests of a source without the sync engine."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from echomind_ingestor.connectors import protocol


@dataclass
class Stored:
    """Folders and items as pages left them."""

    folders: dict[str, protocol.Folder] = field(default_factory=dict)
    items: dict[str, protocol.Item] = field(default_factory=dict)
    failures: list[protocol.Failure] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    """Ids of items whose version was new, in order."""
    cursor: protocol.Cursor | None = None
    pages: list[protocol.Page] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """Names of all items."""
        return {item.name for item in self.items.values()}

    def item(self, name: str) -> protocol.Item:
        """Returns the item of a name."""
        return next(item for item in self.items.values() if item.name == name)

    async def find_known(self, ids: Iterable[str]) -> Mapping[str, protocol.Known]:
        """As `SourceContext.find_known`."""
        found = {}
        for source_id in ids:
            if folder := self.folders.get(source_id):
                known = protocol.Known(
                    name=folder.name, version="", folder_id=folder.parent_id, readers=folder.readers, is_folder=True
                )
            elif item := self.items.get(source_id):
                known = protocol.Known(
                    name=item.name,
                    version=item.version,
                    folder_id=item.folder_id,
                    readers=item.readers,
                    is_folder=False,
                )
            else:
                continue
            found[source_id] = known
        return found

    async def find_children(self, folder_id: str) -> AsyncIterator[Sequence[str]]:
        """As `SourceContext.find_children`."""
        yield [folder.source_id for folder in self.folders.values() if folder.parent_id == folder_id]
        yield [item.source_id for item in self.items.values() if item.folder_id == folder_id]

    def apply(self, page: protocol.Page) -> None:
        """Stores a page."""
        self.pages.append(page)
        for folder in page.folders:
            self.folders[folder.source_id] = folder
        for item in page.items:
            before = self.items.get(item.source_id)
            if before is None or before.version != item.version:
                self.written.append(item.source_id)
            self.items[item.source_id] = item
        for source_id in page.removed:
            self.folders.pop(source_id, None)
            self.items.pop(source_id, None)
        self.failures += page.failures
        self.cursor = page.cursor

    async def read(self, source: protocol.SourceConnector[Any], *, most_pages: int | None = None) -> None:
        """Reads the changes of a source and stores them; with `most_pages` it is killed after as many."""
        self.written.clear()
        self.failures.clear()
        async with source:
            async for page in source.changes(self.cursor):
                self.apply(page)
                if most_pages is not None:
                    most_pages -= 1
                    if not most_pages:
                        return
