"""Searching and reading: results, their details, and passages that are not found."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from echomind_lib.documents.guide import GUIDE_MARK
from echomind_lib.errors import DependencyUnavailableError, DocumentNotReadyError, NotFoundError
from echomind_lib.indexes import Index
from echomind_lib.retrieval import Mode, encode_document, search
from echomind_lib.retrieval.documents import DocumentFilter, readable_document, readable_documents
from echomind_lib.retrieval.hits import Hits
from echomind_lib.retrieval.parameters import SearchParameters
from echomind_lib.vectors import Point
from tests.drivers.stack import Stack
from tests.drivers.vector_requests import sent_requests

TEXTS = {
    "leave.md": "# Leave\n\nEmployees receive twenty-eight days of paid leave each year.\n",
    "garage.md": "# Parking\n\nThe garage opens at six in the morning; a badge is needed.\n",
    "flutter.txt": "Flutter is the self-excited vibration of a wing in an air stream.",
    "bread.txt": "Bread is made of flour, water, salt, yeast and time.",
    "urlaub.txt": "Die Beschäftigten erhalten in jedem Jahr dreißig Tage bezahlten Erholungsurlaub.",
    "kantine.txt": "Die Kantine öffnet um elf Uhr und bietet täglich ein vegetarisches Gericht an.",
    "jia.txt": "员工每年享有二十八天的带薪休假。车库早上六点开门。",
}


async def fill(stack: Stack) -> dict[str, int]:
    connector = await stack.rows.connector("org")
    return {name: await stack.index(text, name, connector_id=connector) for name, text in TEXTS.items()}


async def test_each_search_mode_finds_the_answer_and_its_position(stack: Stack) -> None:
    documents = await fill(stack)
    modes: list[Mode] = ["hybrid", "dense", "lexical"]
    for mode in modes:
        hits = await stack.retriever.search(stack.reader(), "How many days of leave do I get?", mode=mode, limit=3)
        assert len(hits) == 3 if mode != "lexical" else hits
        hit = hits[0]
        assert hit.document_id == documents["leave.md"]
        assert (hit.heading, hit.page) == (("Leave",), None)
        assert TEXTS["leave.md"][hit.start : hit.end] == hit.text
        assert UUID(hit.chunk_id)
        assert (hit.cosine is None) == (mode == "lexical")
        assert hit.is_evidence
        assert all(0 <= each.score <= 1 for each in hits)
        assert mode != "dense" or hit.score == max(each.score for each in hits)


async def test_other_languages_are_found_by_their_words(stack: Stack) -> None:
    documents = await fill(stack)
    for question, name in (
        ("Wie viele Tage Urlaub erhalten die Beschäftigten?", "urlaub.txt"),
        ("Wann öffnet die Kantine?", "kantine.txt"),
        ("员工每年有几天休假?", "jia.txt"),
        ("车库几点开门?", "jia.txt"),
    ):
        best = (await stack.retriever.search(stack.reader(), question))[0]
        assert (best.document_id, best.cosine, best.is_evidence) == (documents[name], None, True), question


async def test_nothing_is_evidence_where_nothing_is_said(stack: Stack) -> None:
    await fill(stack)
    for question in ("Who won the chess championship of 1972?", "Wer gewann 1972 die Meisterschaft?"):
        assert not any(hit.is_evidence for hit in await stack.retriever.search(stack.reader(), question)), question


async def test_searches_that_begin_together_make_one_request_of_each_kind(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(stack)
    other = await stack.rows.user("together")
    of_other = await stack.rows.connector(user_id=other)
    private = await stack.index("Days of leave are secret.", "secret.txt", connector_id=of_other)
    questions = ["How many days of leave do I get?", "When does the garage open?", "What is bread made of?"]
    alone = [await stack.retriever.search(stack.reader(), question) for question in questions]
    sent = sent_requests(stack.vectors, monkeypatch)
    embedded: list[int] = []
    embed = stack.embeddings._embed

    async def noted(request: Any, *arguments: Any) -> Any:
        embedded.append(len(request.texts))
        return await embed(request, *arguments)

    monkeypatch.setattr(stack.embeddings, "_embed", noted)
    checked: list[int] = []

    async def counted(pool: Any, reader: Any, ids: Any, *arguments: Any, **options: Any) -> Any:
        checked.append(reader.user_id)
        return await readable_documents(pool, reader, ids, *arguments, **options)

    monkeypatch.setattr("echomind_lib.retrieval.search.readable_documents", counted)
    mine, theirs = stack.reader(), stack.reader(other)
    *together, secret = await asyncio.gather(
        *(stack.retriever.search(mine, question) for question in questions),
        stack.retriever.search(theirs, questions[0]),
    )
    assert together == alone
    assert private in {hit.document_id for hit in secret}
    assert sent == ["QueryBatchPoints"]
    assert embedded == [3]
    assert sorted(checked) == sorted([mine.user_id, theirs.user_id])


async def test_the_rights_of_one_reader_neither_delay_nor_fail_the_search_of_another(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(stack)
    mine, theirs = stack.reader(), stack.reader(await stack.rows.user("failing"))
    alone = await stack.retriever.search(mine, "When does the garage open?")
    is_answered = asyncio.Event()

    async def fail_for_them(pool: Any, reader: Any, *arguments: Any, **options: Any) -> Any:
        if reader == theirs:
            await is_answered.wait()
            raise DependencyUnavailableError("The rights of one reader.", dependency="postgres")
        return await readable_documents(pool, reader, *arguments, **options)

    monkeypatch.setattr("echomind_lib.retrieval.search.readable_documents", fail_for_them)
    async with asyncio.timeout(30):
        others, own = (
            asyncio.ensure_future(stack.retriever.search(reader, "When does the garage open?"))
            for reader in (theirs, mine)
        )
        assert await own == alone
        is_answered.set()
        with pytest.raises(DependencyUnavailableError, match="of one reader"):
            await others


async def test_what_was_found_is_given_when_its_neighbours_cannot_be_read(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "# Leave\n\n" + "\n\n".join(f"Rule {number} of leave is about day {number}. " * 12 for number in range(30))
    await stack.index(text, "rules.md", connector_id=await stack.rows.connector("org"))
    hits = await stack.retriever.search(stack.reader(), "What is rule 15 of leave about?", limit=3)
    longer = await stack.retriever.with_neighbours(hits)
    assert len(longer[0].text) > len(hits[0].text)

    async def fail(*_: Any) -> Any:
        raise DependencyUnavailableError("The vector index does not answer.", dependency="qdrant")

    monkeypatch.setattr(stack.vectors, "get", fail)
    assert await stack.retriever.with_neighbours(hits) == hits


async def test_narrowed_to_types_and_dates(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = await fill(stack)
    old = documents["leave.md"]
    await stack.pool.execute("UPDATE documents SET creation_date = '2025-02-03T12:00:00Z' WHERE id = $1", old)
    await stack.pool.execute("UPDATE documents SET content_type = 'text/x_y' WHERE id = $1", documents["bread.txt"])
    types = {row["id"]: row["content_type"] for row in await stack.pool.fetch("SELECT id, content_type FROM documents")}
    march = datetime(2025, 3, 1, tzinfo=UTC)

    async def found(**wanted: Any) -> set[int]:
        hits = await stack.retriever.search(
            stack.reader(), "What of leave, bread and parking?", limit=20, documents=DocumentFilter(**wanted)
        )
        assert all(hit.content_type == types[hit.document_id] and hit.creation_date for hit in hits)
        return {hit.document_id for hit in hits}

    # With and without a filter on document ids, which is used for few documents.
    for few in (2000, 0):
        monkeypatch.setattr("echomind_lib.retrieval.narrowing._FEW_DOCUMENTS", few)
        everything = await found()
        assert old in everything
        assert await found(created_before=march) == {old}
        assert await found(created_from=march) == everything - {old}
        assert await found(content_types=["text/x_y"]) == await found(content_types=["text/x*", "text/x_y"])
        assert await found(content_types=["text/x_y"]) == {documents["bread.txt"]}
        assert await found(content_types=["text/*"]) == everything
        assert await found(content_types=["text/x%"]) == set()
        assert await found(content_types=["text/x_y"], created_before=march) == set()
        assert await found(languages=["zh"]) == {documents["jia.txt"]}
        assert await found(languages=["en", "zh"]) == everything - {documents["urlaub.txt"], documents["kantine.txt"]}
        assert await found(languages=["fr"]) == set()


async def test_narrowed_to_connectors_and_documents(stack: Stack) -> None:
    documents = await fill(stack)
    other = await stack.rows.connector("org")
    elsewhere = await stack.index("Leave is granted by the manager.", "manager.txt", connector_id=other)
    reader, question = stack.reader(), "Who grants leave?"
    assert len({hit.document_id for hit in await stack.retriever.search(reader, question)}) > 1
    hits = await stack.retriever.search(reader, question, connector_ids=[other])
    assert {hit.document_id for hit in hits} == {elsewhere}
    hits = await stack.retriever.search(reader, question, document_ids=[documents["leave.md"]])
    assert {hit.document_id for hit in hits} == {documents["leave.md"]}
    assert (
        await stack.retriever.search(reader, question, connector_ids=[other], document_ids=[documents["leave.md"]])
        == []
    )


async def test_own_documents_come_before_the_guide_where_both_match(stack: Stack) -> None:
    await fill(stack)
    own, guide = await stack.rows.connector("org"), await stack.rows.connector("org")
    page = await stack.index("# Backup\n\nA backup is kept for seven days.\n", "backup.md", connector_id=guide)
    rule = await stack.index("# Backup\n\nA backup of a laptop is kept for 90 days.\n", "pc.md", connector_id=own)
    question = "How many days is a backup kept?"
    before = await stack.retriever.search(stack.reader(), question)
    assert [hit.document_id for hit in before][:2] == [page, rule]
    await stack.pool.execute("UPDATE connectors SET config = $2 WHERE id = $1", guide, GUIDE_MARK)
    after = await stack.retriever.search(stack.reader(), question)
    assert [hit.document_id for hit in after][:2] == [rule, page]
    assert [hit.is_guide for hit in after][:2] == [False, True]


async def test_odd_questions_do_no_harm(stack: Stack) -> None:
    await fill(stack)
    asked = "How many days of leave?"
    before = [hit.chunk_id for hit in await stack.retriever.search(stack.reader(), asked)]
    assert before
    theirs = await stack.rows.connector("user", user_id=await stack.rows.user("odd"))
    hidden = await stack.index("The 😀 and SELECT * FROM documents are theirs.", "theirs.txt", connector_id=theirs)
    for question in ("the", "?", "  ", "a" * 4000, "\ud83d", "😀", "SELECT * FROM documents; --", "\x00"):
        for mode in ("hybrid", "dense", "lexical"):
            hits = await stack.retriever.search(stack.reader(), question, mode=mode)
            assert hidden not in {hit.document_id for hit in hits}
            assert all(hit.text for hit in hits)
    assert [hit.chunk_id for hit in await stack.retriever.search(stack.reader(), asked)] == before


async def test_empty_installation_finds_nothing(stack: Stack) -> None:
    assert await stack.retriever.search(stack.reader(), "leave") == []
    await stack.pool.execute("UPDATE embedding_models SET is_active = false")
    assert await stack.retriever.search(stack.reader(), "leave") == []


async def test_a_switch_of_the_index_holds_at_once(stack: Stack) -> None:
    await fill(stack)
    assert await stack.retriever.search(stack.reader(), "leave")
    other = await stack.pool.fetchval(
        "INSERT INTO embedding_models (model_id, model_name, model_dimension, is_active, sparse_encoder, chunker) "
        "SELECT model_id, model_name, model_dimension, false, sparse_encoder, chunker || ' of tomorrow' "
        "FROM embedding_models RETURNING collection"
    )

    async def switch(collection: str) -> None:
        async with stack.pool.acquire() as connection, connection.transaction():
            await connection.execute("UPDATE embedding_models SET is_active = false WHERE is_active")
            await connection.execute("UPDATE embedding_models SET is_active = true WHERE collection = $1", collection)

    await switch(other)
    with pytest.raises(DependencyUnavailableError, match=other):
        await stack.retriever.search(stack.reader(), "leave")
    await stack.vectors.ensure(other, 384)
    assert await stack.retriever.search(stack.reader(), "leave") == []
    await switch(stack.collection)
    assert await stack.retriever.search(stack.reader(), "leave")


async def test_an_index_that_is_switched_twice_during_a_search_is_followed(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []

    async def search_in(index: Index, _: SearchParameters) -> tuple[Hits, Index | None]:
        searched.append(index.collection)
        following = replace(index, collection=f"{stack.collection} {len(searched)}")
        return Hits(), following if len(searched) < 5 else index

    monkeypatch.setattr(stack.retriever, "_search_in", search_in)
    await stack.retriever.search(stack.reader(), "leave")
    assert searched == [stack.collection, f"{stack.collection} 1", f"{stack.collection} 2"]


async def test_limit_is_met_behind_leftovers(stack: Stack) -> None:
    documents = await fill(stack)
    document_id = documents["leave.md"]
    vector = await stack.embeddings.embed_query(TEXTS["leave.md"])
    session = "018f0000-0000-7000-8000-000000000000"
    leftovers = [
        Point(
            f"00000000-0000-4000-8000-{number:012d}",
            vector,
            encode_document(TEXTS["leave.md"], "en"),
            {
                "scope": "org",
                "connector_id": 1,
                "document_id": document_id,
                "chunking_session": session,
                "position": number,
                "text": "leftover",
                "heading": [],
                "page": None,
                "start": 0,
                "end": 8,
                "language": "en",
            },
        )
        for number in range(15)
    ]
    await stack.vectors.upsert(stack.collection, leftovers)
    hits = await stack.retriever.search(stack.reader(), "How many days of leave?", limit=3)
    assert len(hits) == 3
    assert all(hit.text != "leftover" for hit in hits)


async def test_removed_documents_and_connectors_disappear_immediately(stack: Stack) -> None:
    documents = await fill(stack)
    reader, question = stack.reader(), "How many days of leave?"
    await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", documents["leave.md"])
    assert documents["leave.md"] not in {hit.document_id for hit in await stack.retriever.search(reader, question)}
    with pytest.raises(NotFoundError):
        await stack.retriever.read(reader, documents["leave.md"], 0, 10)
    await stack.pool.execute("UPDATE connectors SET deleted_date = now()")
    assert await stack.retriever.search(reader, question) == []
    with pytest.raises(NotFoundError):
        await stack.retriever.read(reader, documents["bread.txt"], 0, 10)


async def test_reading_a_part(stack: Stack) -> None:
    documents = await fill(stack)
    document_id, text = documents["jia.txt"], TEXTS["jia.txt"]
    part = await stack.retriever.read(stack.reader(), document_id, 2, 8)
    assert (part.text, part.start, part.end, part.score) == (text[2:8], 2, 8, 1.0)
    again = await stack.retriever.read(stack.reader(), document_id, 2, 8)
    assert part.chunk_id == again.chunk_id
    for start, end in ((-5, 3), (3, 1_000_000), (1000, 2000), (8, 2)):
        part = await stack.retriever.read(stack.reader(), document_id, start, end)
        assert part.text == text[part.start : part.end]


async def test_a_document_that_is_processed_again_meanwhile_is_read_in_its_new_version(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = await stack.rows.connector("org")
    document_id = await stack.index("The first version.", "versions.txt", connector_id=source)
    rows = [await readable_document(stack.pool, stack.reader(), document_id, None)]
    assert await stack.index("The second version.", "versions.txt", connector_id=source) == document_id
    rows.append(await readable_document(stack.pool, stack.reader(), document_id, None))
    removed, current = rows

    async def readable(*_: object) -> object:
        return rows.pop(0)

    monkeypatch.setattr(search, "readable_document", readable)
    part = await stack.retriever.read(stack.reader(), document_id, 0, 100)
    assert (part.text, rows) == ("The second version.", [])
    rows += [removed, removed, current]
    with pytest.raises(NotFoundError):
        await stack.retriever.read(stack.reader(), document_id, 0, 100)
    assert rows == [current], "tried twice"


async def test_reading_a_missing_resource(stack: Stack) -> None:
    with pytest.raises(NotFoundError):
        await stack.retriever.read(stack.reader(), 999, 0, 10)
    waiting = await stack.add("not yet")
    with pytest.raises(DocumentNotReadyError, match="pending"):
        await stack.retriever.read(stack.reader(), waiting, 0, 10)
