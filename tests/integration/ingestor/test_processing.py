"""From a file to passages that searches find, whatever happens on the way."""

import asyncio

import pytest
from prometheus_client import REGISTRY

from echomind_ingestor.extract.result import Extracted
from echomind_ingestor.pipeline import processing as processing_module
from echomind_ingestor.pipeline.processing import MAX_INTERRUPTIONS, WAITING_FOR_ROOM
from echomind_lib.documents.kinds import kind_of
from echomind_lib.errors import DependencyUnavailableError, DiskFullError, InternalError
from echomind_lib.objects import markdown_key, text_key
from echomind_lib.retrieval import language
from tests.drivers.stack import Stack
from tests.factories.files import HANDBOOK


async def test_file_becomes_passages_with_exact_offsets(stack: Stack) -> None:
    document_id = await stack.index(HANDBOOK, "handbook.md")
    session = await stack.assert_complete(document_id)
    row = await stack.document(document_id)
    assert (row["language"], row["content_type"], row["chunk_count"] > 1) == ("en", "text/markdown", True)
    text = (await stack.objects.get(text_key(document_id, session))).decode()
    # Its text is its Markdown, which is not stored twice.
    assert markdown_key(document_id, session) not in await stack.objects.keys(f"documents/{document_id}/{session}/")
    async for point in stack.vectors.scroll(stack.collection, {"document_id": document_id}):
        payload = point.payload
        assert text[payload["start"] : payload["end"]] == payload["text"]
        assert payload["heading"] in (["Leave"], ["Parking"])
        assert payload["scope"] == "org"


async def test_broken_files_fail_with_a_message_while_others_continue(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    broken = await stack.add(b"%PDF-1.7 cut off", "broken.pdf", connector_id=connector)
    program = await stack.add(b"\x7fELF\x02\x01\x01", "report.pdf", connector_id=connector)
    fine = await stack.add("The garage opens at six.", "fine.txt", connector_id=connector)
    await asyncio.gather(*(stack.process(each) for each in (broken, program, fine)))
    for document_id, said in ((broken, "damaged"), (program, "This is a program")):
        row = await stack.document(document_id)
        assert row["status"] == "failed"
        assert said in row["status_message"]
        assert await stack.sessions(document_id) == {}
    await stack.assert_complete(fine)


async def test_new_version_replaces_the_old_one_without_a_gap(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    old = "The garage opens at six in the morning.\n\n" * 40
    new = "The garage opens at seven in the morning.\n\n" * 40
    document_id = await stack.index(old, "garage.txt", connector_id=connector)
    first = await stack.assert_complete(document_id)
    await stack.add(new, "garage.txt", connector_id=connector)

    async def is_old_found() -> bool:
        hits = await stack.retriever.search(stack.reader(), "When does the garage open?", limit=3)
        assert hits
        assert len({hit.chunking_session for hit in hits}) == 1, "old and new never mix"
        return "six" in hits[0].text

    seen = [await is_old_found()]
    processing = asyncio.ensure_future(stack.process(document_id))
    while not processing.done():
        seen.append(await is_old_found())
    await processing
    assert seen[0]
    assert seen == sorted(seen, reverse=True), "once new, never old again"
    (hit, *_) = await stack.retriever.search(stack.reader(), "When does the garage open?")
    assert "seven" in hit.text
    assert await stack.assert_complete(document_id) != first


async def test_failed_new_version_leaves_the_old_one_found(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    document_id = await stack.index("The garage opens at six.", "garage.txt", connector_id=connector)
    await stack.add(b"\x7fELF", "garage.txt", connector_id=connector)
    await stack.process(document_id)
    row = await stack.document(document_id)
    assert (row["status"], row["chunk_count"]) == ("failed", 1)
    assert await stack.retriever.search(stack.reader(), "garage")


async def test_two_workers_on_one_document_publish_it_once(stack: Stack) -> None:
    document_id = await stack.add(HANDBOOK, "handbook.md")
    await asyncio.gather(*(stack.process(document_id) for _ in range(4)))
    await stack.assert_complete(document_id)


async def test_worker_that_was_taken_over_publishes_nothing(stack: Stack) -> None:
    document_id = await stack.add(HANDBOOK, "handbook.md")
    slow = asyncio.ensure_future(stack.process(document_id))
    await stack.claimed(document_id)
    # Another worker considers it abandoned.
    await stack.pool.execute("UPDATE documents SET status = 'pending' WHERE id = $1", document_id)
    await asyncio.gather(slow, stack.process(document_id))
    await stack.assert_complete(document_id)


async def test_nothing_to_do_for_documents_that_do_not_wait(stack: Stack) -> None:
    document_id = await stack.index("The garage opens at six.")
    session = await stack.assert_complete(document_id)
    await stack.process(document_id)
    assert await stack.assert_complete(document_id) == session
    await stack.process(999_999)


async def test_page_with_a_title_of_half_a_megabyte_is_indexed_like_others(stack: Stack) -> None:
    body = "".join(f"<p>Paragraph {number} says that the garage opens at six.</p>" for number in range(3_000))
    page = f"<html><head><title>{'garage ' * 75_000}</title></head><body>{body}</body></html>"
    document_id = await stack.index(page, "page.html")
    await stack.assert_complete(document_id)
    row = await stack.document(document_id)
    assert len(row["title"]) <= 300
    longest = 0
    async for point in stack.vectors.scroll(stack.collection, {"document_id": document_id}):
        longest = max(longest, sum(map(len, point.payload["heading"])))
    assert longest <= 1_200


async def test_the_title_of_a_workbook_is_not_the_name_of_its_first_sheet(stack: Stack, workbook: bytes) -> None:
    document_id = await stack.add(workbook, "prices.xlsx")
    await stack.process(document_id)
    row = await stack.document(document_id)
    assert (row["title"], kind_of(row["content_type"])) == ("prices.xlsx", "spreadsheet")


async def test_mail_with_a_nul_in_the_name_of_an_attachment_is_found(stack: Stack) -> None:
    mail = (
        "From: a@example.org\r\nTo: b@example.org\r\nSubject: Parking\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/mixed; boundary="x"\r\n\r\n'
        "--x\r\nContent-Type: text/plain\r\n\r\nThe garage plan is attached.\r\n"
        "--x\r\nContent-Type: text/plain\r\n"
        "Content-Disposition: attachment; filename*=UTF-8''a%00b.txt\r\n\r\n"
        "The garage opens at six in the morning.\r\n--x--\r\n"
    )
    document_id = await stack.index(mail, "mail.eml")
    await stack.assert_complete(document_id)
    for hit in await stack.retriever.search(stack.reader(), "When does the garage open?"):
        assert "\x00" not in "".join((hit.title, hit.text, *hit.heading))
    await stack.processor.process(stack.woken.pop(), stack.worker_id)
    assert "ab.txt" in {hit.title for hit in await stack.retriever.search(stack.reader(), "garage")}


async def test_empty_and_unreadable_text_is_reported(stack: Stack) -> None:
    document_id = await stack.index(" \n ", "empty.txt")
    row = await stack.document(document_id)
    assert (row["status"], row["status_message"]) == ("failed", "The file is empty.")


async def test_missing_bytes_are_reported(stack: Stack) -> None:
    document_id = await stack.add("text")
    await stack.objects.delete_prefix(f"documents/{document_id}/")
    await stack.process(document_id)
    row = await stack.document(document_id)
    assert (row["status"], "upload it again" in row["status_message"]) == ("failed", True)


async def retry(stack: Stack, document_id: int) -> None:
    """What RetryDocument does."""
    await stack.pool.execute("UPDATE documents SET status = 'pending', attempts = 0 WHERE id = $1", document_id)


async def test_failure_of_any_kind_ends_after_three_attempts_and_leaves_nothing(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = await stack.add(HANDBOOK, "handbook.md")

    async def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    with monkeypatch.context() as patch:
        patch.setattr(stack.vectors, "upsert", fail)
        for attempt in (1, 2):
            with pytest.raises(RuntimeError):
                await stack.process(document_id)
            row = await stack.document(document_id)
            assert (row["status"], row["attempts"], row["processing_session"]) == ("pending", attempt, None)
            assert f"attempt {attempt} of 3" in row["status_message"]
            assert await stack.left_over(document_id) == ({}, [])
        with pytest.raises(InternalError):
            await stack.process(document_id)
    row = await stack.document(document_id)
    assert (row["status"], row["attempts"]) == ("failed", 3)
    assert row["status_message"].startswith("Something went wrong in EchoMind")
    assert await stack.left_over(document_id) == ({}, [])
    await stack.process(document_id)
    assert (await stack.document(document_id))["status"] == "failed"
    await retry(stack, document_id)
    await stack.process(document_id)
    await stack.assert_complete(document_id)
    assert (await stack.document(document_id))["attempts"] == 1


async def test_server_that_does_not_answer_is_waited_for_longer_and_not_for_ever(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = await stack.add("The garage opens at six.")

    async def away(*_: object) -> None:
        raise DependencyUnavailableError("The embedding process does not answer.", dependency="embedding")

    with monkeypatch.context() as patch:
        patch.setattr(stack.embeddings, "embed_passages", away)
        for attempt in range(1, MAX_INTERRUPTIONS):
            with pytest.raises(DependencyUnavailableError):
                await stack.process(document_id)
            row = await stack.document(document_id)
            assert (row["status"], row["attempts"], row["processing_session"]) == ("pending", attempt, None)
        with pytest.raises(InternalError):
            await stack.process(document_id)
    row = await stack.document(document_id)
    assert (row["status"], row["status_message"]) == ("failed", "The embedding process does not answer.")
    assert await stack.left_over(document_id) == ({}, [])
    await retry(stack, document_id)
    await stack.process(document_id)
    await stack.assert_complete(document_id)


async def test_document_whose_workers_die_again_and_again_is_failed(stack: Stack) -> None:
    document_id = await stack.add("The garage opens at six.")
    await stack.pool.execute(
        "UPDATE documents SET status = 'processing', attempts = $2, worker_id = uuidv7() WHERE id = $1",
        document_id,
        MAX_INTERRUPTIONS,
    )
    await stack.process(document_id)
    row = await stack.document(document_id)
    assert (row["status"], "interrupted 8 times" in row["status_message"]) == ("failed", True)


@pytest.mark.parametrize(
    ("title", "cause"), [("a\x00b", "a character that is not allowed"), ("a\ud800", "a value of the wrong kind")]
)
async def test_data_rejected_by_the_database_fails_immediately_with_a_reason(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, title: str, cause: str
) -> None:
    document_id = await stack.add("The garage opens at six.")

    async def extract(*_: object, **__: object) -> Extracted:
        return Extracted("The garage opens at six.", title, "text/plain", "en")

    monkeypatch.setattr(stack.extractor, "extract", extract)
    monkeypatch.setattr("echomind_ingestor.pipeline.processing.title_of", lambda *_: title)
    monkeypatch.setattr("echomind_ingestor.pipeline.processing.passage_text", lambda _title, _headings, text: text)
    with pytest.raises(InternalError):
        await stack.process(document_id)
    row = await stack.document(document_id)
    assert (row["status"], row["attempts"]) == ("failed", 1)
    assert row["status_message"] == f"Something in it cannot be stored: {cause}."
    assert await stack.left_over(document_id) == ({}, [])


async def test_document_waits_for_room_on_the_disk_however_often_it_fails(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = await stack.add("The garage opens at six.")

    before = REGISTRY.get_sample_value("echomind_disk_full_total")

    async def full(*_: object) -> None:
        raise DiskFullError("The disk of /data is full.")

    with monkeypatch.context() as patch:
        patch.setattr(stack.vectors, "upsert", full)
        for _ in range(5):
            await stack.process(document_id)
            row = await stack.document(document_id)
            assert (row["status"], row["status_message"]) == ("pending", WAITING_FOR_ROOM)
            assert row["attempts"] == 0
    assert REGISTRY.get_sample_value("echomind_disk_full_total") == (before or 0) + 5
    await stack.process(document_id)
    await stack.assert_complete(document_id)


async def test_a_stopping_worker_releases_its_document_and_the_attempt_does_not_count(stack: Stack) -> None:
    document_id = await stack.add(HANDBOOK, "handbook.md")
    processing = asyncio.ensure_future(stack.process(document_id))
    session = await stack.claimed(document_id)
    while session not in stack.processor._working:  # noqa: ASYNC110 - a claim whose answer is under way is the sweep's
        await asyncio.sleep(0)
    processing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await processing
    row = await stack.document(document_id)
    assert (row["status"], row["processing_session"], row["attempts"]) == ("pending", None, 0)
    await stack.process(document_id)
    await stack.assert_complete(document_id)


async def test_the_model_of_languages_is_unloaded_after_the_last_document(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processing_module, "_WATCH_SECONDS", 0.01)
    monkeypatch.setattr(processing_module, "_QUIET_SECONDS", 0.05)
    unloaded, unload = asyncio.Event(), language.unload
    loop = asyncio.get_running_loop()

    def observed() -> None:
        unload()
        loop.call_soon_threadsafe(unloaded.set)

    monkeypatch.setattr(language, "unload", observed)
    document_id = await stack.add(HANDBOOK, "handbook.md")
    watching = asyncio.ensure_future(stack.processor.watch())
    await stack.process(document_id)
    async with asyncio.timeout(60):
        await unloaded.wait()
    watching.cancel()
    await stack.process(await stack.add(HANDBOOK, "again.md"))
    await stack.assert_complete(document_id)
