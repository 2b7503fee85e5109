"""A folder on this machine, as the sources have it that read folders."""

import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.file import source as file_source
from echomind_ingestor.connectors.file.client import open_file as opened_file
from echomind_ingestor.connectors.file.source import FileSource
from tests.conformance.double import Ability, ConnectorSetup, Expected, SourceDouble


class FolderDouble(SourceDouble):
    """Files in a folder; their ids are their paths."""

    longest_name: ClassVar[int] = 255

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "files"
        self.folder.mkdir()
        self._removed: dict[str, bytes] = {}

    @override
    def expected(self) -> dict[str, Expected]:
        return {
            str(path.relative_to(self.folder)): Expected(name=path.name, content=path.read_bytes())
            for path in self.folder.rglob("*")
            if path.is_file()
        }

    @override
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        self.put_now(name, content)
        if old:
            os.utime(self.folder / name, (0, 0))
        return name

    @override
    def put_now(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)

    @override
    async def delete(self, source_id: str) -> None:
        self._removed[source_id] = (self.folder / source_id).read_bytes()
        (self.folder / source_id).unlink()

    @override
    async def rename(self, source_id: str, name: str) -> str:
        (self.folder / source_id).rename(self.folder / name)
        return name

    @override
    async def restore(self, source_id: str) -> None:
        self.put_now(source_id, self._removed.pop(source_id))


class FileDouble(FolderDouble):
    """A folder of the server."""

    abilities: ClassVar[frozenset[Ability]] = frozenset({"rename", "restore", "paging", "broken_item"})

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._patch = pytest.MonkeyPatch()
        self._broken: set[str] = set()

    @override
    async def __aenter__(self) -> Self:
        def open_file(root: str, path: str) -> int:
            if path in self._broken:
                raise PermissionError(
                    errno.EACCES, "Permission denied"
                )  # raised explicitly, because root may read everything
            return opened_file(root, path)

        self._patch.setattr(file_source, "open_file", open_file)
        return self

    @override
    async def __aexit__(self, *_: object) -> None:
        self._patch.undo()

    @override
    def break_item(self, source_id: str, *, broken: bool = True) -> None:
        (self._broken.add if broken else self._broken.discard)(source_id)

    @override
    def setup(self) -> ConnectorSetup:
        return ConnectorSetup(type="file", config={"folder": str(self.folder)})

    @override
    def page_size(self, items: int) -> None:
        self._patch.setattr(protocol, "PAGE_ITEMS", items)

    @override
    def after_page(self, action: Callable[[], object]) -> None:
        make, actions = FileSource._page, [action]

        def page(source: Any, found: Sequence[Any], cursor: dict[str, Any]) -> Any:
            made = make(source, found, cursor)
            while actions:
                actions.pop()()
            return made

        self._patch.setattr(FileSource, "_page", page)
