"""One current opinion per person, and its effect on the confidence."""

from typing import Any

import asyncpg
import pytest

from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from tests.drivers.gateway import NewUser
from tests.drivers.knowledge_calls import add_knowledge, get_knowledge, rate


async def test_a_withdrawn_opinion_leaves_the_exact_earlier_value(new_user: NewUser, pool: asyncpg.Pool) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    made = await add_knowledge(root, "Rule", "The rule.", level="KNOWLEDGE_LEVEL_ORGANIZATION")

    async def counts() -> tuple[Any, ...]:
        query = "SELECT alpha, beta, evidence_at FROM knowledge_entities WHERE id = $1"
        return tuple((await pool.fetch(query, int(made["id"])))[0])

    await rate(root, made, accuracyRating=3)
    before, shown = await counts(), (await get_knowledge(anna, made))["confidence"]
    liked = await rate(anna, made, helpful=True, comment="It helped.")
    assert liked["confidence"] > shown
    assert liked["helpfulCount"] == 1
    assert liked["myFeedback"]["comment"] == "It helped."
    assert (await rate(anna, made, helpful=False))["confidence"] < shown
    assert (await rate(anna, made, helpful=False, accuracyRating=4))["notHelpfulCount"] == 1
    after = await anna.call("KnowledgeService/DeleteKnowledgeFeedback", {"id": made["id"]})
    assert await counts() == before
    assert "myFeedback" not in after


async def test_many_opinions_of_one_person_count_as_one(new_user: NewUser) -> None:
    anna = await new_user()
    made = await add_knowledge(anna, "Rule", "The rule.")
    once = await rate(anna, made, helpful=True)
    for _ in range(10):
        again = await rate(anna, made, helpful=True)
    assert again["confidence"] == once["confidence"] == pytest.approx(9 / 11, abs=1e-4)


async def test_nothing_is_no_opinion(new_user: NewUser) -> None:
    anna = await new_user()
    made = await add_knowledge(anna, "Rule", "The rule.")
    with pytest.raises(ValidationFailedError):
        await rate(anna, made, comment=" ")


async def test_who_manages_an_entity_reads_all_opinions(new_user: NewUser) -> None:
    anna, ben, root = await new_user(), await new_user(), await new_user("superadmin")
    made = await add_knowledge(root, "Rule", "The rule.", level="KNOWLEDGE_LEVEL_ORGANIZATION")
    await rate(anna, made, comment="Not since May.", usedInStep=2)
    await rate(ben, made, accuracyRating=1)
    listed = await root.call("KnowledgeService/ListKnowledgeFeedback", {"id": made["id"]})
    assert [(each["userId"], each.get("usedInStep", 0)) for each in listed["feedback"]] == [
        (ben.user_id, 0),
        (anna.user_id, 2),
    ]
    with pytest.raises(PermissionDeniedError):
        await anna.call("KnowledgeService/ListKnowledgeFeedback", {"id": made["id"]})
