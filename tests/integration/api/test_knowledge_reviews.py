"""Nothing individual is everybody's before a superadmin has approved it."""

import asyncpg
import pytest

from echomind_api.learned.knowledge import knowledge, reviews
from echomind_lib.errors import DependencyUnavailableError, KnowledgeStateError, NotFoundError, PermissionDeniedError
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


async def test_a_private_document_blocks_a_proposal(new_user: NewUser, pool: asyncpg.Pool) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    private, shared = await add_document(pool, anna, "user"), await add_document(pool, root, "org")
    made = await add_knowledge(anna, "Hidden plan", "The plan is not told.", **drawn_from(private, shared))
    with pytest.raises(KnowledgeStateError) as caught:
        await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    assert caught.value.metadata["problem"] == "restricted_sources"
    assert str(private) in caught.value.message
    assert str(shared) not in caught.value.message
    # Also if the permission is lost between proposal and decision.
    other = await add_knowledge(anna, "Open plan", "The plan is open.", **drawn_from(shared))
    await anna.call("KnowledgeService/ProposeKnowledge", {"id": other["id"]})
    await pool.execute(
        "UPDATE connectors SET scope = 'user' WHERE id = (SELECT connector_id FROM documents WHERE id = $1)", shared
    )
    with pytest.raises(KnowledgeStateError) as caught:
        await root.call("KnowledgeService/ApproveKnowledge", {"id": other["id"], "revision": 1})
    assert caught.value.metadata["problem"] == "restricted_sources"


async def test_a_proposal_is_changed_and_takes_the_place_of_another_entity(new_user: NewUser, follow: Follow) -> None:
    anna, ben, root = await new_user(), await new_user(), await new_user("superadmin")
    stored = await add_knowledge(
        root,
        "Travel costs",
        "Travel costs are handed in within four weeks, with all receipts.",
        level="KNOWLEDGE_LEVEL_ORGANIZATION",
    )
    made = await add_knowledge(anna, "Travel costs", "Travel costs are handed in within six weeks, with all receipts.")
    await follow()
    proposed = await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"], "note": "It is new."})
    assert proposed["reviewStatus"] == "KNOWLEDGE_REVIEW_STATUS_PROPOSED"
    queue = await root.call("KnowledgeService/ListKnowledgeProposals", {})
    assert made["id"] in [entity["id"] for entity in queue["knowledge"]]
    with pytest.raises(NotFoundError):
        await get_knowledge(ben, made)
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
    assert (await get_knowledge(ben, stored))["content"] == "Whatever else I want."
    with pytest.raises(NotFoundError):
        await get_knowledge(anna, made)
    await root.call("KnowledgeService/DeleteKnowledge", {"id": stored["id"]})


async def test_an_approved_entity_is_everybodys_and_verified(new_user: NewUser) -> None:
    anna, ben, root = await new_user(), await new_user(), await new_user("superadmin")
    made = await add_knowledge(anna, "Desks", "Desks are booked in the calendar.")
    await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    await root.call("KnowledgeService/ApproveKnowledge", {"id": made["id"], "revision": 1})
    seen = await get_knowledge(ben, made)
    assert (seen["level"], seen["isVerified"]) == ("KNOWLEDGE_LEVEL_ORGANIZATION", True)
    assert seen["userName"] == (await get_knowledge(anna, made))["userName"]
    with pytest.raises(PermissionDeniedError):
        await anna.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
    with pytest.raises(KnowledgeStateError):
        await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})


@pytest.mark.parametrize("point", ["before it is stored", "after it was stored"])
async def test_an_approval_takes_effect_once_wherever_its_process_dies(
    new_user: NewUser, pool: asyncpg.Pool, follow: Follow, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    anna, ben, root = await new_user(), await new_user(), await new_user("superadmin")
    made = await add_knowledge(anna, "Badges", "Badges are lent at the gate of the northern garage.")
    await follow()
    await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    approval = {"id": made["id"], "revision": 1}

    def die(*_: object) -> None:
        raise DependencyUnavailableError("Dead.", dependency="postgres")

    with monkeypatch.context() as patch:
        if point == "before it is stored":
            patch.setattr(reviews, "verify", die)
        else:
            patch.setattr(knowledge, "index_soon", die)
        with pytest.raises(DependencyUnavailableError):
            await root.call("KnowledgeService/ApproveKnowledge", approval)
    if point == "before it is stored":
        await root.call("KnowledgeService/ApproveKnowledge", approval)
    with pytest.raises(KnowledgeStateError) as caught:
        await root.call("KnowledgeService/ApproveKnowledge", approval)
    assert caught.value.metadata["problem"] == "not_proposed"
    seen = await get_knowledge(ben, made)
    assert (seen["level"], seen["revision"]) == ("KNOWLEDGE_LEVEL_ORGANIZATION", 2)
    revisions = "SELECT count(*) FROM knowledge_revisions WHERE knowledge_id = $1::int AND revision = 2"
    assert await pool.fetchval(revisions, int(made["id"])) == 1
    await follow()
    assert await found_titles(ben, "Where are badges lent?") == ["Badges"]
    await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})


async def test_a_rejected_one_stays_its_owners(new_user: NewUser) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    made = await add_knowledge(anna, "Rumour", "They say so.")
    await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    await root.call("KnowledgeService/RejectKnowledge", {"id": made["id"], "comment": "Who says so?"})
    seen = await get_knowledge(anna, made)
    assert seen["reviewStatus"] == "KNOWLEDGE_REVIEW_STATUS_REJECTED"
    assert (seen["level"], seen["reviewComment"]) == ("KNOWLEDGE_LEVEL_INDIVIDUAL", "Who says so?")
    await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    await anna.call("KnowledgeService/WithdrawKnowledge", {"id": made["id"]})
    with pytest.raises(KnowledgeStateError):
        await root.call("KnowledgeService/ApproveKnowledge", {"id": made["id"], "revision": 1})


async def test_nobody_makes_a_persons_everybodys_without_a_review(new_user: NewUser) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    made = await add_knowledge(anna, "Mine", "It is mine.")
    change = {"level": "KNOWLEDGE_LEVEL_ORGANIZATION"}
    with pytest.raises(KnowledgeStateError):
        await root.call(
            "KnowledgeService/UpdateKnowledge", {"id": made["id"], "knowledge": change, "updateMask": "level"}
        )
    with pytest.raises(PermissionDeniedError):
        await root.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})


async def test_a_lapsed_review_ranks_lower(new_user: NewUser, pool: asyncpg.Pool, follow: Follow) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    level = {"level": "KNOWLEDGE_LEVEL_ORGANIZATION"}
    old = await add_knowledge(root, "Old parking rule", "Cars are parked in the yard behind the house.", **level)
    new = await add_knowledge(root, "New parking rule", "Cars are parked in the yard behind the house.", **level)
    await follow()
    lapse = "UPDATE knowledge_entities SET review_after = now() - interval '1 day' WHERE id = $1"
    await pool.execute(lapse, int(old["id"]))
    assert (await get_knowledge(anna, old)).get("isVerified", False) is False
    assert await found_titles(anna, "Where are cars parked?") == ["New parking rule", "Old parking rule"]
    assert await listed_titles(root, lapsed=True) == ["Old parking rule"]
    assert (await root.call("KnowledgeService/VerifyKnowledge", {"id": old["id"]}))["isVerified"] is True
    for made in (old, new):
        await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})


async def test_who_looks_at_the_proposals_of_others_is_in_the_audit_log(new_user: NewUser, pool: asyncpg.Pool) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    made = await add_knowledge(anna, "Travel costs", "Travel costs are handed in within six weeks.")
    await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    await root.call("KnowledgeService/ListKnowledgeProposals", {})
    await root.call("KnowledgeService/GetKnowledgeReview", {"id": made["id"]})
    recorded = await pool.fetch(
        "SELECT action, target, detail FROM audit_log WHERE actor_id = $1 AND NOT denied", root.user_id
    )
    by_action = {row["action"].rpartition("/")[2]: row for row in recorded}
    listed, reviewed = by_action["ListKnowledgeProposals"], by_action["GetKnowledgeReview"]
    assert listed["target"] == "knowledge"
    assert anna.user_id in listed["detail"]["user_ids"]
    assert (reviewed["target"], reviewed["detail"]) == (f"knowledge/{made['id']}", {"user_id": anna.user_id})
