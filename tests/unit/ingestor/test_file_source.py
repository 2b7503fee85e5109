"""A folder of the server as a source: listed files, ignored files, and problems."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.file.client import walk
from echomind_ingestor.connectors.file.source import FileSource
from echomind_ingestor.connectors.protocol import Content, Cursor, Item, ItemError, Page, SourceError
from echomind_lib.connectors.types.file import FileSettings
from tests.factories.sources import source_context


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "allowed" / "handbooks"
    folder.mkdir(parents=True)
    return folder


def source(folder: Path, allowed: Path | None = None, **settings: Any) -> FileSource:
    context = source_context(FileSettings(folder=str(folder), **settings), folders=(str(allowed or folder.parent),))
    return FileSource(context)


async def pages(source: FileSource, cursor: Cursor | None = None) -> list[Page]:
    return [page async for page in source.changes(cursor)]


async def paths(source: FileSource, cursor: Cursor | None = None) -> list[str]:
    return [item.source_id for page in await pages(source, cursor) for item in page.items]


async def read(source: FileSource, path: str) -> bytes:
    async with source.open(Item(source_id=path, name="", version="")) as content:
        return await joined(content)


async def joined(content: Content) -> bytes:
    return b"".join([piece async for piece in content.pieces])


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


async def test_files_are_listed_and_read(folder: Path) -> None:
    write(folder, {"a.txt": "A", "b/c.txt": "C", "b.txt": "B", "b-c/d.txt": "D"})
    (page,) = await pages(source(folder))
    assert page.is_listing
    assert page.is_complete
    assert page.cursor == {}
    assert {item.source_id for item in page.items} == {"a.txt", "b/c.txt", "b.txt", "b-c/d.txt"}
    assert await read(source(folder), "b/c.txt") == b"C"
    found = await source(folder).find("b/c.txt")
    assert found in page.items
    assert await source(folder).find("b/none.txt") is None


@pytest.mark.parametrize("size", [1, 2, 3])
async def test_pages_can_be_continued_after_each(folder: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a.txt", "b/c.txt", "b.txt", "b-c/d.txt", "b/x/y/z.txt", "b!/a", "z", "ä/ö"]
    write(folder, dict.fromkeys(names, "text"))
    monkeypatch.setattr(protocol, "PAGE_ITEMS", size)
    whole = await pages(source(folder))
    listed = [item.source_id for page in whole for item in page.items]
    assert sorted(listed) == sorted(names)
    done = 0
    for page in whole[:-1]:
        done += len(page.items)
        assert await paths(source(folder), page.cursor) == listed[done:]


async def test_the_version_lists_its_changes(folder: Path) -> None:
    write(folder, {"a.txt": "one", "b.txt": "one"})
    before = {item.source_id: item.version for page in await pages(source(folder)) for item in page.items}
    status = (folder / "a.txt").stat()
    write(folder, {"a.txt": "two"})
    os.utime(folder / "a.txt", ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    write(folder, {"new": "one"})
    os.utime(folder / "new", ns=(0, 0))
    (folder / "new").rename(folder / "b.txt")
    after = {item.source_id: item.version for page in await pages(source(folder)) for item in page.items}
    assert before.keys() == after.keys()
    assert all(before[path] != after[path] for path in before)


async def test_unfinished_and_hidden_files_are_left_out(folder: Path) -> None:
    names = ["a.txt", "b.pdf.part", "c.tmp", "~$d.docx", ".git/config", ".hidden", "e.txt~", "f.crdownload"]
    write(folder, dict.fromkeys(names, "text"))
    assert await paths(source(folder)) == ["a.txt"]


async def test_patterns_select(folder: Path) -> None:
    write(folder, dict.fromkeys(["a.txt", "a.md", "drafts/b.md", "deep/c.md"], "text"))
    assert await paths(source(folder, include=("*.md",), exclude=("drafts/**",))) == ["a.md", "deep/c.md"]
    assert await source(folder, exclude=("*.md",)).find("a.md") is None


async def test_links_never_lead_anywhere(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, {"secret.txt": "secret", "secrets/a.txt": "secret"})
    write(folder, {"a.txt": "A"})
    (folder / "out").symlink_to(tmp_path / "secrets")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "loop").symlink_to(folder)
    (folder / "none").symlink_to(folder / "nowhere")
    assert await paths(source(folder)) == ["a.txt"]
    for path in ("out/a.txt", "out.txt", "loop/a.txt", "../../secret.txt", str(tmp_path / "secret.txt"), "none"):
        with pytest.raises(ItemError):
            await read(source(folder), path)


async def test_a_link_that_takes_the_place_of_a_folder_while_it_is_listed_is_not_followed(
    folder: Path, tmp_path: Path
) -> None:
    write(tmp_path, {"secrets/a.txt": "secret"})
    write(folder, {"a.txt": "A", "b/b.txt": "B"})

    def replace(path: str) -> bool:
        if path == "a.txt":  # when all names of the folder above were read
            (folder / "b").rename(tmp_path / "was-b")
            (folder / "b").symlink_to(tmp_path / "secrets")
        return True

    found = list(walk(str(folder), "", replace))
    assert [(each.path, each.status is None) for each in found] == [("a.txt", False), ("b", True)]


async def test_only_allowed_folders_are_read(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "allowed-not"
    elsewhere.mkdir()
    (folder / "out").symlink_to(elsewhere)
    for forbidden in (elsewhere, folder / "out", folder / ".." / ".." / "allowed-not", tmp_path):
        with pytest.raises(SourceError, match="ECHOMIND_CONNECTORS__FOLDERS"):
            await pages(source(forbidden, folder.parent))
        (check,) = await source(forbidden, folder.parent).check()
        assert check.status == "failed"
    with pytest.raises(SourceError, match="is not a folder"):
        await pages(source(folder / "none", folder.parent))
    with pytest.raises(SourceError, match="No folder is allowed"):
        await pages(FileSource(source_context(FileSettings(folder=str(folder)))))


@pytest.mark.parametrize(
    "name", [b"a\xffb.txt", b"50% off #1?.txt", b"trailing .txt ", "Grüße.txt".encode(), b"n" * 250]
)
async def test_odd_names(folder: Path, name: bytes) -> None:
    write(folder, {os.fsdecode(name): "content"})
    (path,) = await paths(source(folder))
    path.encode()  # can be stored
    assert await read(source(folder), path) == b"content"
    assert await source(folder).find(path) is not None


async def test_composed_and_decomposed_names_are_two_files(folder: Path) -> None:
    write(folder, {"é": "composed", "e\u0301": "decomposed"})
    assert await read(source(folder), "é") == b"composed"
    assert await read(source(folder), "e\u0301") == b"decomposed"
    assert len(await paths(source(folder))) == 2


async def test_a_path_that_is_too_long_is_reported(folder: Path) -> None:
    write(folder, {"a.txt": "A"})
    at = os.open(folder, os.O_RDONLY)
    for _ in range(10):
        os.mkdir("n" * 250, dir_fd=at)
        at = os.open("n" * 250, os.O_RDONLY, dir_fd=at)
    os.close(os.open("deep.txt", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    (page,) = await pages(source(folder))
    assert [item.source_id for item in page.items] == ["a.txt"]
    assert ["2,000 bytes" in failure.message for failure in page.failures] == [True]


async def test_a_folder_that_cannot_be_read_removes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {"a.txt": "A", "closed/b.txt": "B"})
    opened = os.open

    def refuse(path: str, *given: Any, **named: Any) -> int:
        if path == "closed":
            raise PermissionError(13, "Permission denied")
        return opened(path, *given, **named)

    monkeypatch.setattr(os, "open", refuse)  # root may read everything
    (page,) = await pages(source(folder))
    assert [item.source_id for item in page.items] == ["a.txt"]
    assert [failure.source_id for failure in page.failures] == ["closed"]
    assert not page.is_complete


async def test_a_file_that_is_being_written_waits(folder: Path) -> None:
    write(folder, {"a.txt": "A"})
    files = source(folder)
    async with files.open(Item(source_id="a.txt", name="", version="")) as content:
        assert await anext(content.pieces) == b"A"
        write(folder, {"a.txt": "A and more"})
        with pytest.raises(ItemError, match="being written"):
            await joined(content)


async def test_special_files_are_never_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert await paths(source(folder)) == []
    with pytest.raises(ItemError):
        await read(source(folder), "pipe")


async def test_the_check_reports_the_problem(folder: Path) -> None:
    def statuses(checks: Sequence[protocol.Check]) -> list[tuple[str, str]]:
        return [(check.name, check.status) for check in checks]

    assert statuses(await source(folder).check()) == [("Find the folder", "passed"), ("List files", "warning")]
    write(folder, {"a.txt": "A"})
    assert {status for _, status in statuses(await source(folder).check())} == {"passed"}
