"""Knowledge based on a document is visible to the document's readers."""

import asyncpg
import pytest

from echomind_lib.errors import KnowledgeStateError, NotFoundError
from tests.drivers.fact_vectors import Follow
from tests.drivers.gateway import NewUser
from tests.drivers.knowledge_calls import (
    add_document,
    add_knowledge,
    drawn_from,
    found_titles,
    get_knowledge,
    listed_titles,
)
from tests.factories import rows


async def test_knowledge_is_hidden_with_its_document(new_user: NewUser, pool: asyncpg.Pool, follow: Follow) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    drawn = await add_document(pool, root, "org")
    given = {"level": "KNOWLEDGE_LEVEL_ORGANIZATION"} | drawn_from(drawn)
    made = await add_knowledge(root, "Notice periods", "The notice period of the contract is three months.", **given)
    await follow()
    assert made["sources"] == [{"documentId": str(drawn), "title": "A document for org"}]
    query = "How long is the notice period?"
    assert await found_titles(anna, query) == ["Notice periods"]
    move = "UPDATE connectors SET scope = $1 WHERE id = (SELECT connector_id FROM documents WHERE id = $2)"
    await pool.execute(move, "user", drawn)
    assert await found_titles(anna, query) == []
    assert await listed_titles(anna, query="Notice periods") == []
    with pytest.raises(NotFoundError):
        await get_knowledge(anna, made)
    await pool.execute(move, "org", drawn)
    assert await found_titles(anna, query) == ["Notice periods"]
    await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})


async def test_removed_documents_grant_no_rights(new_user: NewUser, pool: asyncpg.Pool) -> None:
    anna = await new_user()
    own = await add_document(pool, anna, "user")
    made = await add_knowledge(anna, "Mine", "From my own document.", **drawn_from(own))
    await pool.execute("DELETE FROM documents WHERE id = $1", own)
    assert (await get_knowledge(anna, made))["title"] == "Mine"  # one's own connector is still there
    await pool.execute("UPDATE knowledge_entities SET level = 'organization' WHERE id = $1", int(made["id"]))
    ben = await new_user()
    with pytest.raises(NotFoundError):
        await get_knowledge(ben, made)


async def test_anothers_document_is_no_source(new_user: NewUser, pool: asyncpg.Pool) -> None:
    anna, ben = await new_user(), await new_user()
    theirs = await add_document(pool, ben, "user")
    with pytest.raises(NotFoundError):
        await add_knowledge(anna, "Theirs", "From a document of another.", **drawn_from(theirs))


async def test_a_kept_answer_has_the_sources_of_its_conversation(new_user: NewUser, pool: asyncpg.Pool) -> None:
    anna = await new_user()
    drawn = await add_document(pool, anna, "user")
    session = await rows.chat_session(pool, user_id=anna.user_id)
    answer = await rows.chat_message(pool, chat_session_id=session["id"], role="assistant", content="So it is.")
    insert = "INSERT INTO chat_session_sources (chat_session_id, document_id) VALUES ($1, $2)"
    await pool.execute(insert, session["id"], drawn)
    request = {"knowledge": {"title": "So", "content": "So it is."}, "messageId": answer["id"]}
    made = await anna.call("KnowledgeService/CreateKnowledge", request)
    assert made["sourceType"] == "KNOWLEDGE_SOURCE_TYPE_ANSWER"
    assert made["sourceSessionId"] == session["id"]
    assert [source["documentId"] for source in made["sources"]] == [str(drawn)]
    with pytest.raises(KnowledgeStateError, match="Not everybody may read"):
        await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
