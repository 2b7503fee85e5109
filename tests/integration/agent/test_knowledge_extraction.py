"""Knowledge is learned from idle conversations: once, checked, only for their owner, with its sources."""

from typing import Any

import pytest

from echomind_lib.access import Principal
from echomind_lib.jobs import JobFailedError
from echomind_lib.learned.knowledge.search import KnowledgeSearch
from tests.drivers.knowledge import Learned, add, entries
from tests.drivers.memories import person_messages, proposals
from tests.drivers.model_server import ModelServer, Text
from tests.factories import rows as factories

RULE = ("Release day", "Releases are made on Tuesdays before noon.")


async def test_what_is_said_of_the_work_is_kept_for_its_person_with_where_it_was_said(
    learned: Learned, model_server: ModelServer
) -> None:
    model_server.knowledge = lambda body: proposals(
        add(body, *RULE, category="methodology", tags=["release"], confidence=1.0), add(body, "Key", "x")
    )
    session_id = await learned.conversation("We make releases on Tuesdays, before noon.")
    document = await learned.stack.add("Releases.", "releases.md")
    await factories.insert(
        learned.pool, "chat_session_sources", {"chat_session_id": session_id, "document_id": document}
    )
    assert (await learned.extract()).added == 2
    row, _ = await learned.rows()
    assert (row["title"], row["content"], row["category"], row["tags"]) == (*RULE, "methodology", ["release"])
    assert (row["level"], row["user_id"], row["source_type"]) == ("individual", learned.user_id, "conversation")
    assert (row["source_session_id"], row["review_status"]) == (session_id, "none")
    assert row["metadata"] == {"messageIds": list(person_messages(model_server.extractions[0]))}
    # A model's judgement changes the confidence only by this much.
    assert (row["prior_alpha"], row["alpha"], row["beta"]) == pytest.approx((2.6, 2.6, 1.4))
    assert await learned.sources(row["id"]) == [document]
    session: Any = await learned.pool.fetchrow("SELECT * FROM chat_sessions WHERE id = $1", session_id)
    assert session["last_knowledge_extraction_at"] is not None
    assert (session["summary_prompt_tokens"], session["summary_completion_tokens"]) != (0, 0)
    events = await learned.pool.fetch("SELECT text FROM run_events WHERE chat_session_id = $1", session_id)
    assert [event["text"] for event in events] == ["Knowledge: 2 added"]
    assert await learned.claim() is None  # nothing is read twice


async def test_a_correction_changes_what_was_learned_and_nothing_that_a_person_wrote(
    learned: Learned, model_server: ModelServer
) -> None:
    mine = await learned.know(*RULE)
    by_hand = await learned.know("Release day, by hand", RULE[1] + " Mostly.", source_type="manual")
    proposed = await learned.know(
        "Release day, proposed", RULE[1] + " Proposed.", review_status="proposed", proposed_level="organization"
    )
    new = "Releases are made on Thursdays before noon."

    def answer(body: dict[str, Any]) -> Text:
        texts = entries(body)
        return proposals(
            *(
                add(body, "Release day", new, op="UPDATE", targets=[texts.index(text) + 1])
                for text in (RULE[1] + " Mostly.", RULE[1] + " Proposed.", RULE[1])
            )
        )

    model_server.knowledge = answer
    session_id = await learned.conversation("Releases are made on Thursdays now, still before noon.")
    assert (await learned.extract()).replaced == 1
    rows = {row["id"]: row for row in await learned.rows()}
    assert (rows[mine]["content"], rows[mine]["revision"]) == (new, 2)
    assert rows[mine]["metadata"]["messageIds"]
    assert rows[mine]["source_session_id"] is None  # it still comes from where it was learned
    assert {rows[by_hand]["revision"], rows[proposed]["revision"]} == {1}
    revisions = await learned.pool.fetch("SELECT * FROM knowledge_revisions")
    assert [(row["knowledge_id"], row["revision"], row["content"]) for row in revisions] == [(mine, 2, new)]
    assert [(row["user_id"], row["chat_session_id"]) for row in revisions] == [(learned.user_id, session_id)]


async def test_entities_that_say_the_same_become_one_with_the_sources_of_both(
    learned: Learned, model_server: ModelServer
) -> None:
    first = await learned.know(*RULE)
    other = "Releases are made on Tuesdays, and announced in the channel."
    second = await learned.know("Day of releases", other)
    document = await learned.stack.add("Releases.", "releases.md")
    await learned.pool.execute("INSERT INTO knowledge_sources VALUES ($1, $2)", second, document)
    merged = "Releases are made on Tuesdays before noon, and announced in the channel."

    def answer(body: dict[str, Any]) -> Text:
        numbers = [entries(body).index(text) + 1 for text in (RULE[1], other)]
        return proposals(add(body, "Release day", merged, op="MERGE", targets=numbers))

    model_server.knowledge = answer
    await learned.conversation("Releases are on Tuesdays before noon, and announced in the channel.")
    assert (await learned.extract()).replaced == 2
    (row,) = await learned.rows()
    assert (row["id"], row["content"]) == (first, merged)
    assert await learned.sources(first) == [document]


async def test_a_repetition_adds_no_row_and_raises_the_confidence_up_to_that_of_people(
    learned: Learned, model_server: ModelServer
) -> None:
    await learned.know(*RULE, prior_alpha=7.75, alpha=7.75)
    model_server.knowledge = lambda body: proposals(add(body, *RULE))
    for _ in range(2):
        await learned.conversation("Releases are made on Tuesdays before noon.")
    assert (await learned.extract()).confirmed == 1
    (row,) = await learned.rows()
    assert (row["prior_alpha"], row["alpha"], row["beta"]) == (8.0, 8.0, 2.0)
    assert len(row["metadata"]["messageIds"]) == 2


async def test_what_everybody_knows_is_not_learned_again(learned: Learned, model_server: ModelServer) -> None:
    known = await learned.know(*RULE, level="organization", source_type="manual", user_id=None)
    model_server.knowledge = lambda body: proposals(add(body, *RULE))
    await learned.conversation("Releases are made on Tuesdays before noon.")
    assert not await learned.extract()
    assert [(row["id"], row["revision"], row["alpha"]) for row in await learned.rows()] == [(known, 1, 2.0)]
    assert 'fixed="yes"' in model_server.extractions[0]["messages"][1]["content"]


async def test_no_model_is_asked_while_memory_is_off_nor_in_notebooks_nor_for_the_built_in_one(
    learned: Learned, model_server: ModelServer
) -> None:
    model_server.knowledge = lambda body: proposals(add(body, *RULE))
    pool = learned.pool
    for off, on in (
        ("UPDATE users SET preferences = '{\"memoryOff\": true}'", "UPDATE users SET preferences = '{}'"),
        (
            "UPDATE installation_settings SET memory_enabled = false",
            "UPDATE installation_settings SET memory_enabled = true",
        ),
        ("UPDATE llms SET provider = 'extractive'", "UPDATE llms SET provider = 'openai'"),
    ):
        await pool.execute(off)
        await learned.conversation("Releases are made on Tuesdays.")
        await learned.extract()
        await pool.execute(on)
    session_id = await learned.conversation("Releases are made on Tuesdays.")
    await pool.execute("UPDATE chat_sessions SET without_memory = true WHERE id = $1", session_id)
    session_id = await learned.conversation("Releases are made on Tuesdays.")
    notebook = (await factories.notebook(pool, user_id=learned.user_id))["id"]
    await pool.execute("UPDATE chat_sessions SET notebook_id = $2 WHERE id = $1", session_id, notebook)
    await learned.extract()
    assert (model_server.extractions, await learned.rows()) == ([], [])
    assert await learned.claim() is None  # they are marked as read, so nothing is learned from them later


async def test_secrets_reach_neither_the_model_nor_an_entity(learned: Learned, model_server: ModelServer) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    model_server.knowledge = lambda body: proposals(add(body, "Key", f"The export uses the key {secret}."))
    await learned.conversation(f"The export uses the key {secret}.")
    await learned.extract()
    (request,) = model_server.extractions
    assert secret not in str(request)
    assert await learned.rows() == []


async def test_what_was_learned_beside_a_document_is_hidden_without_the_right_to_it(
    learned: Learned, model_server: ModelServer
) -> None:
    other = await learned.stack.rows.user("other")
    connector = await learned.stack.rows.connector("group", "staff", other)
    document = await learned.stack.rows.document(connector)
    await learned.pool.execute("UPDATE users SET groups = '{staff}' WHERE id = $1", learned.user_id)
    session_id = await learned.conversation("So releases are made on Tuesdays before noon.")
    await factories.insert(
        learned.pool, "chat_session_sources", {"chat_session_id": session_id, "document_id": document}
    )
    model_server.knowledge = lambda body: proposals(add(body, *RULE))
    await learned.extract()
    (row,) = await learned.rows()
    search = KnowledgeSearch(learned.pool, learned.facts)
    for groups, found in ((("staff",), [row["id"]]), ((), [])):
        reader = Principal(learned.user_id, groups=frozenset(groups))
        assert [match.found.id for match in await search.search(reader, "When are releases made?", 5)] == found
    # Nor is it shown to the model that learns from another conversation.
    await learned.pool.execute("UPDATE users SET groups = '{}' WHERE id = $1", learned.user_id)
    model_server.knowledge = lambda _: proposals()
    await learned.conversation("When are releases made?")
    await learned.extract()
    assert entries(model_server.extractions[-1]) == []


async def test_an_answer_that_is_no_list_fails_the_attempt_and_keeps_the_watermark(
    learned: Learned, model_server: ModelServer
) -> None:
    model_server.knowledge = lambda _: Text("Sure, I will note that!")
    await learned.conversation("Releases are made on Tuesdays.")
    job = await learned.claim()
    assert job is not None
    with pytest.raises(JobFailedError):
        await learned.extraction.work(job)
    assert await learned.pool.fetchval("SELECT count(*) FROM session_learnings") == 0


async def test_two_attempts_store_once(learned: Learned, model_server: ModelServer) -> None:
    model_server.knowledge = lambda body: proposals(add(body, *RULE))
    await learned.conversation("Releases are made on Tuesdays before noon.")
    job = await learned.claim()
    assert job is not None
    await learned.extraction.work(job)
    await learned.extraction.work(job)
    (row,) = await learned.rows()
    assert (row["alpha"], row["revision"]) == (2.0, 1)
