"""Knowledge: kept by hand, found, judged, hidden with its documents, and reviewed before it is everybody's."""

from typing import Any

import asyncpg
import pytest

from echomind_api.main import Gateway
from echomind_lib.errors import (
    KnowledgeStateError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import Client
from tests.drivers.fact_vectors import Follow
from tests.drivers.gateway import NewUser
from tests.factories import rows


async def add(somebody: Client, title: str, content: str, **values: Any) -> dict[str, Any]:
    return await somebody.call(
        "KnowledgeService/CreateKnowledge", {"knowledge": {"title": title, "content": content} | values}
    )


async def get(somebody: Client, entity: dict[str, Any]) -> dict[str, Any]:
    return await somebody.call("KnowledgeService/GetKnowledge", {"id": entity["id"]})


async def found(somebody: Client, query: str) -> list[str]:
    answer = await somebody.call("KnowledgeService/SearchKnowledge", {"query": query})
    return [hit["knowledge"]["title"] for hit in answer.get("hits", [])]


async def titles(somebody: Client, **filters: Any) -> list[str]:
    answer = await somebody.call("KnowledgeService/ListKnowledge", filters)
    return [entity["title"] for entity in answer.get("knowledge", [])]


async def document(pool: asyncpg.Pool, owner: Client, scope: str) -> int:
    connector = await rows.connector(pool, type="file", user_id=owner.user_id, scope=scope)
    made: int = (await rows.document(pool, connector_id=connector["id"], title=f"A document for {scope}"))["id"]
    return made


def drawn_from(*document_ids: int) -> dict[str, Any]:
    return {"sources": [{"documentId": each} for each in document_ids]}


async def test_what_a_person_writes_is_theirs(new_user: NewUser) -> None:
    anna, ben = await new_user(), await new_user()
    made = await add(anna, "Releases", "We release on Tuesdays.", category="methodology", tags=["release"])
    assert made["level"] == "KNOWLEDGE_LEVEL_INDIVIDUAL"
    assert made["sourceType"] == "KNOWLEDGE_SOURCE_TYPE_MANUAL"
    assert made["confidence"] == pytest.approx(0.8)
    assert made["canManage"] is True
    await add(anna, "Coffee", "The machine is on the second floor.")
    assert await titles(anna, own=True) == ["Coffee", "Releases"]
    assert await titles(anna, category="methodology", own=True) == ["Releases"]
    assert await titles(anna, tag="release", own=True) == ["Releases"]
    assert await titles(anna, query="second FLOOR") == ["Coffee"]
    assert "Coffee" not in await titles(ben)
    with pytest.raises(NotFoundError):
        await get(ben, made)
    changed = await anna.call(
        "KnowledgeService/UpdateKnowledge",
        {"id": made["id"], "knowledge": {"content": "We release on Mondays."}, "updateMask": "content"},
    )
    assert (changed["content"], changed["revision"]) == ("We release on Mondays.", 2)
    await anna.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
    assert await titles(anna, own=True) == ["Coffee"]


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
        await add(anna, "Ours", "It is ours.", level="KNOWLEDGE_LEVEL_ORGANIZATION")
    made = await add(root, "Everybody's", "It is everybody's.", level="KNOWLEDGE_LEVEL_ORGANIZATION")
    assert made["isVerified"] is True
    assert not (await get(anna, made)).get("canManage")
    with pytest.raises(PermissionDeniedError):
        await anna.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
    await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})


@pytest.mark.parametrize(
    "secret", ["The key is sk-proj-abcdefghijklmnop1234.", "Card 4111 1111 1111 1111", "The password is hunter2!"]
)
async def test_no_secret_is_kept(new_user: NewUser, pool: asyncpg.Pool, secret: str) -> None:
    anna = await new_user()
    with pytest.raises(ValidationFailedError, match="secrets are not kept"):
        await add(anna, "Access", secret)
    made = await add(anna, "Access", "Ask the help desk.")
    change = {"id": made["id"], "knowledge": {"content": secret}, "updateMask": "content"}
    with pytest.raises(ValidationFailedError, match="secrets are not kept"):
        await anna.call("KnowledgeService/UpdateKnowledge", change)
    assert await pool.fetchval("SELECT count(*) FROM knowledge_entities WHERE content = $1", secret) == 0


class TestOpinions:
    """One current opinion of a person, and what comes of it for the confidence."""

    async def test_withdrawn_leaves_the_exact_earlier_value(self, new_user: NewUser, pool: asyncpg.Pool) -> None:
        anna, root = await new_user(), await new_user("superadmin")
        made = await add(root, "Rule", "The rule.", level="KNOWLEDGE_LEVEL_ORGANIZATION")

        async def counts() -> tuple[Any, ...]:
            query = "SELECT alpha, beta, evidence_at FROM knowledge_entities WHERE id = $1"
            return tuple((await pool.fetch(query, int(made["id"])))[0])

        await self.say(root, made, accuracyRating=3)
        before, shown = await counts(), (await get(anna, made))["confidence"]
        liked = await self.say(anna, made, helpful=True, comment="It helped.")
        assert liked["confidence"] > shown
        assert liked["helpfulCount"] == 1
        assert liked["myFeedback"]["comment"] == "It helped."
        assert (await self.say(anna, made, helpful=False))["confidence"] < shown
        assert (await self.say(anna, made, helpful=False, accuracyRating=4))["notHelpfulCount"] == 1
        after = await anna.call("KnowledgeService/DeleteKnowledgeFeedback", {"id": made["id"]})
        assert await counts() == before
        assert "myFeedback" not in after

    async def test_many_of_one_person_count_as_one(self, new_user: NewUser) -> None:
        anna = await new_user()
        made = await add(anna, "Rule", "The rule.")
        once = await self.say(anna, made, helpful=True)
        for _ in range(10):
            again = await self.say(anna, made, helpful=True)
        assert again["confidence"] == once["confidence"] == pytest.approx(9 / 11, abs=1e-4)

    async def test_nothing_is_no_opinion(self, new_user: NewUser) -> None:
        anna = await new_user()
        made = await add(anna, "Rule", "The rule.")
        with pytest.raises(ValidationFailedError):
            await self.say(anna, made, comment=" ")

    async def test_who_manages_an_entity_reads_them_all(self, new_user: NewUser) -> None:
        anna, ben, root = await new_user(), await new_user(), await new_user("superadmin")
        made = await add(root, "Rule", "The rule.", level="KNOWLEDGE_LEVEL_ORGANIZATION")
        await self.say(anna, made, comment="Not since May.", usedInStep=2)
        await self.say(ben, made, accuracyRating=1)
        listed = await root.call("KnowledgeService/ListKnowledgeFeedback", {"id": made["id"]})
        assert [(one["userId"], one.get("usedInStep", 0)) for one in listed["feedback"]] == [
            (ben.user_id, 0),
            (anna.user_id, 2),
        ]
        with pytest.raises(PermissionDeniedError):
            await anna.call("KnowledgeService/ListKnowledgeFeedback", {"id": made["id"]})

    @staticmethod
    async def say(somebody: Client, entity: dict[str, Any], **feedback: Any) -> dict[str, Any]:
        request = {"id": entity["id"], "feedback": feedback}
        return await somebody.call("KnowledgeService/SetKnowledgeFeedback", request)


class TestHiding:
    """What was drawn from a document is seen by those who may read it."""

    async def test_with_the_right_to_a_document(self, new_user: NewUser, pool: asyncpg.Pool, follow: Follow) -> None:
        anna, root = await new_user(), await new_user("superadmin")
        drawn = await document(pool, root, "org")
        given = {"level": "KNOWLEDGE_LEVEL_ORGANIZATION"} | drawn_from(drawn)
        made = await add(root, "Notice periods", "The notice period of the contract is three months.", **given)
        await follow()
        assert made["sources"] == [{"documentId": str(drawn), "title": "A document for org"}]
        query = "How long is the notice period?"
        assert await found(anna, query) == ["Notice periods"]
        move = "UPDATE connectors SET scope = $1 WHERE id = (SELECT connector_id FROM documents WHERE id = $2)"
        await pool.execute(move, "user", drawn)
        assert await found(anna, query) == []
        assert await titles(anna, query="Notice periods") == []
        with pytest.raises(NotFoundError):
            await get(anna, made)
        await pool.execute(move, "org", drawn)
        assert await found(anna, query) == ["Notice periods"]
        await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})

    async def test_removed_documents_give_nobody_a_right(self, new_user: NewUser, pool: asyncpg.Pool) -> None:
        anna = await new_user()
        own = await document(pool, anna, "user")
        made = await add(anna, "Mine", "From my own document.", **drawn_from(own))
        await pool.execute("DELETE FROM documents WHERE id = $1", own)
        assert (await get(anna, made))["title"] == "Mine"  # one's own connector is still there
        await pool.execute("UPDATE knowledge_entities SET level = 'organization' WHERE id = $1", int(made["id"]))
        ben = await new_user()
        with pytest.raises(NotFoundError):
            await get(ben, made)

    async def test_anothers_document_is_no_source(self, new_user: NewUser, pool: asyncpg.Pool) -> None:
        anna, ben = await new_user(), await new_user()
        with pytest.raises(NotFoundError):
            await add(anna, "Theirs", "From a document of another.", **drawn_from(await document(pool, ben, "user")))

    async def test_a_kept_answer_has_the_sources_of_its_conversation(
        self, new_user: NewUser, pool: asyncpg.Pool
    ) -> None:
        anna = await new_user()
        drawn = await document(pool, anna, "user")
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


class TestReview:
    """Nothing individual is everybody's before a superadmin has approved it."""

    async def test_a_private_document_keeps_a_proposal_back(self, new_user: NewUser, pool: asyncpg.Pool) -> None:
        anna, root = await new_user(), await new_user("superadmin")
        private, shared = await document(pool, anna, "user"), await document(pool, root, "org")
        made = await add(anna, "Hidden plan", "The plan is not told.", **drawn_from(private, shared))
        with pytest.raises(KnowledgeStateError) as caught:
            await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
        assert caught.value.metadata["problem"] == "restricted_sources"
        assert str(private) in caught.value.message
        assert str(shared) not in caught.value.message
        # Also when the right is lost between the proposal and the decision.
        other = await add(anna, "Open plan", "The plan is open.", **drawn_from(shared))
        await anna.call("KnowledgeService/ProposeKnowledge", {"id": other["id"]})
        await pool.execute(
            "UPDATE connectors SET scope = 'user' WHERE id = (SELECT connector_id FROM documents WHERE id = $1)", shared
        )
        with pytest.raises(KnowledgeStateError) as caught:
            await root.call("KnowledgeService/ApproveKnowledge", {"id": other["id"], "revision": 1})
        assert caught.value.metadata["problem"] == "restricted_sources"

    async def test_the_whole_way(self, new_user: NewUser, follow: Follow) -> None:
        anna, ben, root = await new_user(), await new_user(), await new_user("superadmin")
        stored = await add(
            root,
            "Travel costs",
            "Travel costs are handed in within four weeks, with all receipts.",
            level="KNOWLEDGE_LEVEL_ORGANIZATION",
        )
        made = await add(anna, "Travel costs", "Travel costs are handed in within six weeks, with all receipts.")
        await follow()
        proposed = await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"], "note": "It is new."})
        assert proposed["reviewStatus"] == "KNOWLEDGE_REVIEW_STATUS_PROPOSED"
        queue = await root.call("KnowledgeService/ListKnowledgeProposals", {})
        assert made["id"] in [entity["id"] for entity in queue["knowledge"]]
        with pytest.raises(NotFoundError):
            await get(ben, made)
        review = await root.call("KnowledgeService/GetKnowledgeReview", {"id": made["id"]})
        assert "blockedReason" not in review or not review["blockedReason"]
        alike = review["similar"][0]
        assert alike["knowledge"]["id"] == stored["id"]
        changes = [(part["change"].rpartition("_")[2], part["text"]) for part in alike["differences"]]
        assert changes == [
            ("KEPT", "Travel costs are handed in within "),
            ("REMOVED", "four"),
            ("ADDED", "six"),
            ("KEPT", " weeks, with all receipts."),
        ]
        await anna.call(
            "KnowledgeService/UpdateKnowledge",
            {"id": made["id"], "knowledge": {"content": "Whatever else I want."}, "updateMask": "content"},
        )
        with pytest.raises(KnowledgeStateError) as caught:
            await root.call("KnowledgeService/ApproveKnowledge", {"id": made["id"], "revision": proposed["revision"]})
        assert caught.value.metadata["problem"] == "changed"
        approved = await root.call(
            "KnowledgeService/ApproveKnowledge", {"id": made["id"], "revision": 2, "replacedId": stored["id"]}
        )
        assert (approved["id"], approved["content"]) == (stored["id"], "Whatever else I want.")
        assert (await get(ben, stored))["content"] == "Whatever else I want."
        with pytest.raises(NotFoundError):
            await get(anna, made)
        await root.call("KnowledgeService/DeleteKnowledge", {"id": stored["id"]})

    async def test_an_approved_entity_is_everybodys_and_verified(self, new_user: NewUser) -> None:
        anna, ben, root = await new_user(), await new_user(), await new_user("superadmin")
        made = await add(anna, "Desks", "Desks are booked in the calendar.")
        await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
        await root.call("KnowledgeService/ApproveKnowledge", {"id": made["id"], "revision": 1})
        seen = await get(ben, made)
        assert (seen["level"], seen["isVerified"]) == ("KNOWLEDGE_LEVEL_ORGANIZATION", True)
        assert seen["userName"] == (await get(anna, made))["userName"]
        with pytest.raises(PermissionDeniedError):
            await anna.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
        with pytest.raises(KnowledgeStateError):
            await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
        await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})

    async def test_a_rejected_one_stays_its_owners(self, new_user: NewUser) -> None:
        anna, root = await new_user(), await new_user("superadmin")
        made = await add(anna, "Rumour", "They say so.")
        await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
        await root.call("KnowledgeService/RejectKnowledge", {"id": made["id"], "comment": "Who says so?"})
        seen = await get(anna, made)
        assert seen["reviewStatus"] == "KNOWLEDGE_REVIEW_STATUS_REJECTED"
        assert (seen["level"], seen["reviewComment"]) == ("KNOWLEDGE_LEVEL_INDIVIDUAL", "Who says so?")
        await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
        await anna.call("KnowledgeService/WithdrawKnowledge", {"id": made["id"]})
        with pytest.raises(KnowledgeStateError):
            await root.call("KnowledgeService/ApproveKnowledge", {"id": made["id"], "revision": 1})

    async def test_nobody_makes_a_persons_everybodys_without_it(self, new_user: NewUser) -> None:
        anna, root = await new_user(), await new_user("superadmin")
        made = await add(anna, "Mine", "It is mine.")
        change = {"level": "KNOWLEDGE_LEVEL_ORGANIZATION"}
        with pytest.raises(KnowledgeStateError):
            await root.call(
                "KnowledgeService/UpdateKnowledge", {"id": made["id"], "knowledge": change, "updateMask": "level"}
            )
        with pytest.raises(PermissionDeniedError):
            await root.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})

    async def test_a_lapsed_review_ranks_lower(self, new_user: NewUser, pool: asyncpg.Pool, follow: Follow) -> None:
        anna, root = await new_user(), await new_user("superadmin")
        level = {"level": "KNOWLEDGE_LEVEL_ORGANIZATION"}
        old = await add(root, "Old parking rule", "Cars are parked in the yard behind the house.", **level)
        new = await add(root, "New parking rule", "Cars are parked in the yard behind the house.", **level)
        await follow()
        lapse = "UPDATE knowledge_entities SET review_after = now() - interval '1 day' WHERE id = $1"
        await pool.execute(lapse, int(old["id"]))
        assert (await get(anna, old)).get("isVerified", False) is False
        assert await found(anna, "Where are cars parked?") == ["New parking rule", "Old parking rule"]
        assert await titles(root, lapsed=True) == ["Old parking rule"]
        assert (await root.call("KnowledgeService/VerifyKnowledge", {"id": old["id"]}))["isVerified"] is True
        for made in (old, new):
            await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})


class TestHistory:
    """Who changed what, and when."""

    async def revisions(self, somebody: Client, entity: dict[str, Any], **request: Any) -> list[dict[str, Any]]:
        found = await somebody.call("KnowledgeService/ListKnowledgeRevisions", {"id": entity["id"]} | request)
        revisions: list[dict[str, Any]] = found.get("revisions", [])
        return revisions

    async def test_each_change_of_what_it_says_is_kept(self, new_user: NewUser) -> None:
        anna = await new_user()
        made = await add(anna, "Release day", "Releases are made on Tuesdays.")
        change = {"content": "Releases are made on Fridays.", "tags": ["release"]}
        request = {"id": made["id"], "knowledge": change, "updateMask": "content,tags"}
        await anna.call("KnowledgeService/UpdateKnowledge", request)
        await anna.call("KnowledgeService/UpdateKnowledge", request)  # says the same
        await TestOpinions.say(anna, made, helpful=True)
        new, old = await self.revisions(anna, made)
        assert (old["revision"], old["content"]) == (1, "Releases are made on Tuesdays.")
        assert (new["revision"], new["tags"], new["userId"]) == (2, ["release"], anna.user_id)
        changed = [part["text"] for part in new["differences"] if part["change"] != "TEXT_CHANGE_KEPT"]
        assert changed == ["Tuesdays", "Fridays"]
        assert "differences" not in old
        pages = [await anna.call("KnowledgeService/ListKnowledgeRevisions", {"id": made["id"], "pageSize": 1})]
        token = {"pageToken": pages[0]["nextPageToken"]}
        pages.append(
            await anna.call("KnowledgeService/ListKnowledgeRevisions", {"id": made["id"], "pageSize": 1} | token)
        )
        assert [page["revisions"] for page in pages] == [[new], [old]]

    async def test_what_it_said_before_it_was_everybodys_stays_its_owners(self, new_user: NewUser) -> None:
        anna, root = await new_user(), await new_user("superadmin")
        made = await add(anna, "Parking", "Anna parks in the yard.")
        change = {"id": made["id"], "knowledge": {"content": "Park in the yard."}, "updateMask": "content"}
        await anna.call("KnowledgeService/UpdateKnowledge", change)
        await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
        await root.call("KnowledgeService/ApproveKnowledge", {"id": made["id"], "revision": 2})
        (shared,) = await self.revisions(root, made)
        assert (shared["revision"], shared["level"], shared["userId"]) == (
            3,
            "KNOWLEDGE_LEVEL_ORGANIZATION",
            root.user_id,
        )
        assert "differences" not in shared
        with pytest.raises(PermissionDeniedError):
            await self.revisions(await new_user(), made)
        await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})


async def test_what_is_removed_leaves_every_store(
    new_user: NewUser, pool: asyncpg.Pool, gateway: Gateway, follow: Follow
) -> None:
    anna, ben = await new_user(), await new_user()
    made = await add(anna, "Bicycles", "The bicycles stand in the cellar.")
    kept = await add(ben, "Boats", "The boats lie in the harbour.")
    await TestOpinions.say(anna, made, helpful=True)
    await follow()
    assert await found(anna, "Where are the bicycles?") == ["Bicycles"]
    assert await found(ben, "Where are the bicycles?") == []
    await anna.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
    assert await found(anna, "Where are the bicycles?") == []
    await follow()
    collection = f"{await pool.fetchval('SELECT collection FROM embedding_models WHERE is_active')}_facts"
    vectors = gateway.parts.dependencies.vectors
    assert await vectors.count(collection, {"kind": "knowledge", "fact_id": int(made["id"])}) == 0
    assert await vectors.count(collection, {"kind": "knowledge", "fact_id": int(kept["id"])}) == 1
    for table in ("knowledge_feedback", "knowledge_revisions", "knowledge_sources", "knowledge_uses"):
        query = f"SELECT count(*) FROM {table} WHERE knowledge_id = $1"
        assert await pool.fetchval(query, int(made["id"])) == 0


async def test_a_purged_account_leaves_what_is_everybodys(new_user: NewUser, pool: asyncpg.Pool, owner: Client) -> None:
    anna = await new_user()
    mine = await rows.knowledge(pool, user_id=anna.user_id)
    ours = await rows.knowledge(pool, user_id=anna.user_id, level="organization")
    voted = await rows.knowledge(pool, user_id=owner.user_id, level="organization")
    await TestOpinions.say(anna, {"id": voted["id"]}, helpful=False)
    await owner.call("UserService/PurgeUser", {"id": anna.user_id})
    left = await pool.fetch("SELECT id FROM knowledge_entities WHERE id = ANY ($1)", [mine["id"], ours["id"]])
    assert [row["id"] for row in left] == [ours["id"]]
    assert await pool.fetchval("SELECT beta FROM knowledge_entities WHERE id = $1", voted["id"]) == 2.0
    assert (await owner.call("KnowledgeService/GetKnowledge", {"id": ours["id"]})).get("userName", "") == ""
    for row in (ours, voted):
        await owner.call("KnowledgeService/DeleteKnowledge", {"id": row["id"]})


async def test_who_looks_at_the_proposals_of_others_is_in_the_audit_log(new_user: NewUser, pool: asyncpg.Pool) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    made = await add(anna, "Travel costs", "Travel costs are handed in within six weeks.")
    await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    await root.call("KnowledgeService/ListKnowledgeProposals", {})
    await root.call("KnowledgeService/GetKnowledgeReview", {"id": made["id"]})
    noted = await pool.fetch(
        "SELECT action, target, detail FROM audit_log WHERE actor_id = $1 AND NOT denied", root.user_id
    )
    by_action = {row["action"].rpartition("/")[2]: row for row in noted}
    listed, reviewed = by_action["ListKnowledgeProposals"], by_action["GetKnowledgeReview"]
    assert listed["target"] == "knowledge"
    assert anna.user_id in listed["detail"]["user_ids"]
    assert (reviewed["target"], reviewed["detail"]) == (f"knowledge/{made['id']}", {"user_id": anna.user_id})


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
    assert await titles(anna, runId=str(run["id"])) == [lesson["title"]]
    assert await titles(ben, runId=str(run["id"])) == []
    assert await titles(anna, foundInSessionId=session["id"]) == [everybodys["title"], lesson["title"]]
    with pytest.raises(NotFoundError):
        await titles(ben, foundInSessionId=session["id"])
    shown = await get(anna, {"id": str(lesson["id"])})
    assert (shown["sourceRunId"], shown["sourceSessionId"], shown["sourceMessageIds"]) == (
        str(run["id"]),
        session["id"],
        ["7"],
    )
    root = await new_user("superadmin")
    hidden = await get(root, {"id": str(lesson["id"])})
    assert not any(hidden.get(field) for field in ("sourceRunId", "sourceSessionId", "sourceMessageIds"))
