"""Knowledge of a person: kept by hand, listed, found, removed."""

import asyncpg
import pytest

from echomind_api.main import Gateway
from echomind_lib.errors import NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client
from tests.drivers.fact_vectors import Follow
from tests.drivers.gateway import NewUser
from tests.drivers.knowledge_calls import add_knowledge, found_titles, get_knowledge, listed_titles, rate
from tests.factories import rows


async def test_what_a_person_writes_is_theirs(new_user: NewUser) -> None:
    anna, ben = await new_user(), await new_user()
    made = await add_knowledge(anna, "Releases", "We release on Tuesdays.", category="methodology", tags=["release"])
    assert made["level"] == "KNOWLEDGE_LEVEL_INDIVIDUAL"
    assert made["sourceType"] == "KNOWLEDGE_SOURCE_TYPE_MANUAL"
    assert made["confidence"] == pytest.approx(0.8)
    assert made["canManage"] is True
    await add_knowledge(anna, "Coffee", "The machine is on the second floor.")
    assert await listed_titles(anna, own=True) == ["Coffee", "Releases"]
    assert await listed_titles(anna, category="methodology", own=True) == ["Releases"]
    assert await listed_titles(anna, tag="release", own=True) == ["Releases"]
    assert await listed_titles(anna, query="second FLOOR") == ["Coffee"]
    assert "Coffee" not in await listed_titles(ben)
    with pytest.raises(NotFoundError):
        await get_knowledge(ben, made)
    changed = await anna.call(
        "KnowledgeService/UpdateKnowledge",
        {"id": made["id"], "knowledge": {"content": "We release on Mondays."}, "updateMask": "content"},
    )
    assert (changed["content"], changed["revision"]) == ("We release on Mondays.", 2)
    await anna.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
    assert await listed_titles(anna, own=True) == ["Coffee"]


async def test_pages_go_through_all_orders(new_user: NewUser, pool: asyncpg.Pool) -> None:
    anna = await new_user()
    for number in range(5):
        given = {"usage_count": number % 3, "alpha": 8.0 + number % 2}
        await rows.knowledge(pool, user_id=anna.user_id, title=f"{number}", **given)
    for order, expected in (("NEWEST", "43210"), ("MOST_USED", "24130"), ("CONFIDENCE", "31420")):
        seen: list[str] = []
        token = ""
        while True:
            request = {"pageSize": 2, "pageToken": token, "order": f"KNOWLEDGE_ORDER_{order}", "own": True}
            page = await anna.call("KnowledgeService/ListKnowledge", request)
            seen += [entity["title"] for entity in page["knowledge"]]
            token = page.get("nextPageToken", "")
            if not token:
                break
        assert "".join(seen) == expected


async def test_only_superadmins_write_for_everybody(new_user: NewUser) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    with pytest.raises(PermissionDeniedError):
        await add_knowledge(anna, "Ours", "It is ours.", level="KNOWLEDGE_LEVEL_ORGANIZATION")
    made = await add_knowledge(root, "Everybody's", "It is everybody's.", level="KNOWLEDGE_LEVEL_ORGANIZATION")
    assert made["isVerified"] is True
    assert not (await get_knowledge(anna, made)).get("canManage")
    with pytest.raises(PermissionDeniedError):
        await anna.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
    await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})


@pytest.mark.parametrize(
    "secret", ["The key is sk-proj-abcdefghijklmnop1234.", "Card 4111 1111 1111 1111", "The password is hunter2!"]
)
async def test_no_secret_is_kept(new_user: NewUser, pool: asyncpg.Pool, secret: str) -> None:
    anna = await new_user()
    with pytest.raises(ValidationFailedError, match="secrets are not kept"):
        await add_knowledge(anna, "Access", secret)
    made = await add_knowledge(anna, "Access", "Ask the help desk.")
    change = {"id": made["id"], "knowledge": {"content": secret}, "updateMask": "content"}
    with pytest.raises(ValidationFailedError, match="secrets are not kept"):
        await anna.call("KnowledgeService/UpdateKnowledge", change)
    assert await pool.fetchval("SELECT count(*) FROM knowledge_entities WHERE content = $1", secret) == 0


async def test_removal_deletes_data_from_every_store(
    new_user: NewUser, pool: asyncpg.Pool, gateway: Gateway, follow: Follow
) -> None:
    anna, ben = await new_user(), await new_user()
    made = await add_knowledge(anna, "Bicycles", "The bicycles stand in the cellar.")
    kept = await add_knowledge(ben, "Boats", "The boats lie in the harbour.")
    await rate(anna, made, helpful=True)
    await follow()
    assert await found_titles(anna, "Where are the bicycles?") == ["Bicycles"]
    assert await found_titles(ben, "Where are the bicycles?") == []
    await anna.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
    assert await found_titles(anna, "Where are the bicycles?") == []
    await follow()
    collection = f"{await pool.fetchval('SELECT collection FROM embedding_models WHERE is_active')}_facts"
    vectors = gateway.parts.dependencies.vectors
    assert await vectors.count(collection, {"kind": "knowledge", "fact_id": int(made["id"])}) == 0
    assert await vectors.count(collection, {"kind": "knowledge", "fact_id": int(kept["id"])}) == 1
    for table in ("knowledge_feedback", "knowledge_revisions", "knowledge_sources", "knowledge_uses"):
        query = f"SELECT count(*) FROM {table} WHERE knowledge_id = $1"
        assert await pool.fetchval(query, int(made["id"])) == 0


async def test_purging_an_account_keeps_shared_knowledge(new_user: NewUser, pool: asyncpg.Pool, owner: Client) -> None:
    anna = await new_user()
    mine = await rows.knowledge(pool, user_id=anna.user_id)
    ours = await rows.knowledge(pool, user_id=anna.user_id, level="organization")
    voted = await rows.knowledge(pool, user_id=owner.user_id, level="organization")
    await rate(anna, {"id": voted["id"]}, helpful=False)
    await owner.call("UserService/PurgeUser", {"id": anna.user_id})
    left = await pool.fetch("SELECT id FROM knowledge_entities WHERE id = ANY ($1)", [mine["id"], ours["id"]])
    assert [row["id"] for row in left] == [ours["id"]]
    assert await pool.fetchval("SELECT beta FROM knowledge_entities WHERE id = $1", voted["id"]) == 2.0
    assert (await owner.call("KnowledgeService/GetKnowledge", {"id": ours["id"]})).get("userName", "") == ""
    for row in (ours, voted):
        await owner.call("KnowledgeService/DeleteKnowledge", {"id": row["id"]})


async def test_lessons_of_a_run_and_what_a_conversation_has_found_are_listed(
    new_user: NewUser, pool: asyncpg.Pool
) -> None:
    anna, ben = await new_user(), await new_user()
    session = await rows.chat_session(pool, user_id=anna.user_id)
    run = await rows.run(pool, user_id=anna.user_id, chat_session_id=session["id"])
    learned = {"user_id": anna.user_id, "source_type": "conversation", "source_session_id": session["id"]}
    lesson = await rows.knowledge(pool, **learned, source_run_id=run["id"], metadata={"messageIds": [7]})
    everybodys = await rows.knowledge(pool, level="organization")
    foreign = await rows.knowledge(pool, user_id=ben.user_id)
    for entity in (lesson, everybodys, foreign):
        await pool.execute(
            "INSERT INTO knowledge_uses (knowledge_id, run_id, chat_session_id) VALUES ($1, $2, $3)",
            entity["id"],
            run["id"],
            session["id"],
        )
    assert await listed_titles(anna, runId=str(run["id"])) == [lesson["title"]]
    assert await listed_titles(ben, runId=str(run["id"])) == []
    assert await listed_titles(anna, foundInSessionId=session["id"]) == [everybodys["title"], lesson["title"]]
    with pytest.raises(NotFoundError):
        await listed_titles(ben, foundInSessionId=session["id"])
    shown = await get_knowledge(anna, {"id": str(lesson["id"])})
    assert (shown["sourceRunId"], shown["sourceSessionId"], shown["sourceMessageIds"]) == (
        str(run["id"]),
        session["id"],
        ["7"],
    )
    root = await new_user("superadmin")
    hidden = await get_knowledge(root, {"id": str(lesson["id"])})
    assert not any(hidden.get(field) for field in ("sourceRunId", "sourceSessionId", "sourceMessageIds"))
