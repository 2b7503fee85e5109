"""Findings of `echomind doctor --deep`: every inconsistency, and none in a consistent storage."""

import pytest

from echomind_api.administration.storage_check import StorageCheck
from echomind_ingestor.connectors.protocol import ANONYMOUS, Readers
from echomind_ingestor.sync.permissions import apply_readers, encode_readers
from echomind_lib.db.database import Database
from echomind_lib.objects import original_key, text_key
from tests.drivers.stack import Stack


async def found(stack: Stack, database: Database) -> list[tuple[str, int]]:
    """Returns the kinds of what does not agree, with their documents."""
    check = StorageCheck(database, stack.objects, stack.vectors)
    page = await check.check("")
    findings = page.findings
    while page.next_page_token:
        page = await check.check(page.next_page_token)
        findings = [*findings, *page.findings]
    return sorted((finding.kind.word, finding.document_id) for finding in findings)


@pytest.fixture
def text() -> str:
    return "The garage closes at ten.\n\n" * 40


async def test_a_consistent_storage_has_no_findings(stack: Stack, database: Database, text: str) -> None:
    for number in range(3):
        await stack.index(text, f"{number}.txt")
    await stack.index(f"# Garage\n\n{text}", "with-markdown.md")
    await stack.add(text, "waits.txt")
    assert await found(stack, database) == []


async def test_each_kind_of_disagreement_is_found(stack: Stack, database: Database, text: str) -> None:
    ids = [await stack.index(text, f"{number}.txt") for number in range(7)]
    bytes_, words, chunks, other, readers, row, _ = ids
    documents = {each: await stack.document(each) for each in ids}
    sessions = {each: documents[each]["chunking_session"] for each in ids}
    await stack.objects.delete(original_key(bytes_, documents[bytes_]["signature"]))
    await stack.objects.delete(text_key(words, sessions[words]))
    await stack.vectors.delete(stack.collection, {"document_id": chunks, "position": 0})
    await stack.pool.execute("UPDATE documents SET chunking_session = uuidv7() WHERE id = $1", other)
    await stack.vectors.set_payload(stack.collection, {"scope": "user_1"}, {"document_id": readers})
    await stack.pool.execute("DELETE FROM documents WHERE id = $1", row)
    assert await found(stack, database) == [
        ("chunks_missing", chunks),
        ("chunks_missing", other),
        ("chunks_other", other),
        ("chunks_readers", readers),
        ("chunks_stray", row),
        ("file_missing", bytes_),
        ("file_stray", other),
        ("file_stray", row),
        ("file_stray", row),
        ("text_missing", words),
        ("text_missing", other),
    ]


async def test_readers_that_do_not_follow_are_found(stack: Stack, database: Database, text: str) -> None:
    connector_id = await stack.rows.connector("org")
    await stack.pool.execute("UPDATE connectors SET permission_mode = 'source' WHERE id = $1", connector_id)
    document_id = await stack.add(text, connector_id=connector_id)
    await stack.pool.execute(
        "UPDATE documents SET source_readers = $2 WHERE id = $1",
        document_id,
        encode_readers(Readers(principals=frozenset({ANONYMOUS}))),
    )
    assert await found(stack, database) == []  # no readers are stored yet, so none are missing
    await apply_readers(stack.pool, connector_id, folders=[], documents=[document_id])
    await stack.process(document_id)
    assert await found(stack, database) == []
    await stack.pool.execute("DELETE FROM document_acl")
    assert ("readers", document_id) in await found(stack, database)
