"""Files, documents that are exported, and shortcuts of Google Drive."""

import pytest

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.google_drive.source import GoogleDriveSource
from tests.conformance.doubles.google.organization import Organization
from tests.conformance.doubles.google.tenant import DOCUMENT, Grant


async def read(source: GoogleDriveSource, item: protocol.Item) -> tuple[bytes, str]:
    async with source, source.open(item) as content:
        return b"".join([piece async for piece in content.pieces]), content.name


async def test_files_and_google_documents_are_read(org: Organization) -> None:
    org.add("report.txt", org.ann, content=b"x" * 300_000)
    org.add("Plan", org.ann, mime_type=DOCUMENT, content=b"exported")
    stored = await org.sync()
    org.faults.broken_downloads = 2
    org.faults.expired_tokens = 1
    assert (await read(org.source(), stored.item("report.txt")))[0] == b"x" * 300_000
    plan = stored.item("Plan")
    assert plan.content_type.endswith("wordprocessingml.document")
    assert await read(org.source(), plan) == (b"exported", "Plan.docx")


async def test_unreadable_files_have_a_reason(org: Organization) -> None:
    big = org.add("Big", org.ann, mime_type=DOCUMENT, content=b"x" * (10 * 1024 * 1024 + 1))
    org.add("Form", org.ann, mime_type="application/vnd.google-apps.form")
    org.add("locked.pdf", org.ann, can_download=False)
    org.add("huge.bin", org.ann, content=b"x" * 2000)
    org.add("fine.txt", org.ann)
    stored = await org.sync(max_bytes=1000)
    with pytest.raises(protocol.ItemError, match="at most 10 MB") as caught:
        await read(org.source(), stored.items[big.id])
    assert not caught.value.retryable
    assert "form" in stored.item("Form").error
    assert "Share, Settings" in stored.item("locked.pdf").error
    assert "1,000 bytes" in stored.item("huge.bin").error
    assert stored.item("fine.txt").error == ""


async def test_shortcuts_stand_for_their_targets_with_their_readers(org: Organization) -> None:
    org.page_size = 2
    target = org.add("target.txt", org.bob, content=b"first", grants=[Grant("user", org.ann, "writer")])
    keyed = org.add("keyed.txt", org.bob, content=b"keyed", grants=[Grant("anyone")])
    mine = org.add("mine.txt", org.ann)
    link = org.shortcut("link", org.ann, target)
    org.shortcut("keyed link", org.ann, keyed, key="resource-key")
    org.shortcut("to mine", org.ann, mine)
    loop = org.folder("Loop", org.ann)
    org.shortcut("circle", org.ann, loop, loop.id)
    gone = org.add("gone.txt", org.bob, grants=[Grant("user", org.ann)])
    org.shortcut("dangling", org.ann, gone)
    org.delete(gone)
    stored = await org.sync()
    assert stored.names == {"link", "keyed link", "mine.txt", "dangling"}
    assert org.readers_of("link") == {org.ann, org.bob}
    assert "deleted" in stored.item("dangling").error
    assert (await read(org.source(), stored.item("link")))[0] == b"first"
    assert (await read(org.source(), stored.item("keyed link")))[0] == b"keyed"
    org.change(target, content=b"second")
    org.share(target, Grant("user", org.ann, "writer"), Grant("user", org.eve))
    stored = await org.sync()
    assert stored.written == [link.id]
    assert org.readers_of("link") == {org.ann, org.bob, org.eve}


async def test_an_item_is_found_by_its_id(org: Organization) -> None:
    node, foreign = org.add("a.txt", org.ann), org.add("b.txt", org.bob, grants=[Grant("user", org.ann)])
    async with org.source() as source:
        found = await source.find(node.id)
        assert found is not None
        assert found.name == "a.txt"
        assert await source.find(foreign.id) is None
        assert await source.find("1FMissing") is None
