"""Revisions of entities with their authors and times."""

from typing import Any

import pytest

from echomind_lib.errors import PermissionDeniedError
from tests.drivers.client import Client
from tests.drivers.gateway import NewUser
from tests.drivers.knowledge_calls import add_knowledge, rate


async def revisions(somebody: Client, entity: dict[str, Any], **request: Any) -> list[dict[str, Any]]:
    found = await somebody.call("KnowledgeService/ListKnowledgeRevisions", {"id": entity["id"]} | request)
    revisions: list[dict[str, Any]] = found.get("revisions", [])
    return revisions


async def test_each_change_of_content_is_recorded(new_user: NewUser) -> None:
    anna = await new_user()
    made = await add_knowledge(anna, "Release day", "Releases are made on Tuesdays.")
    change = {"content": "Releases are made on Fridays.", "tags": ["release"]}
    request = {"id": made["id"], "knowledge": change, "updateMask": "content,tags"}
    await anna.call("KnowledgeService/UpdateKnowledge", request)
    await anna.call("KnowledgeService/UpdateKnowledge", request)  # says the same
    await rate(anna, made, helpful=True)
    new, old = await revisions(anna, made)
    assert (old["revision"], old["content"]) == (1, "Releases are made on Tuesdays.")
    assert (new["revision"], new["tags"], new["userId"]) == (2, ["release"], anna.user_id)
    changed = [part["text"] for part in new["differences"] if part["change"] != "TEXT_CHANGE_KEPT"]
    assert changed == ["Tuesdays", "Fridays"]
    assert "differences" not in old
    pages = [await anna.call("KnowledgeService/ListKnowledgeRevisions", {"id": made["id"], "pageSize": 1})]
    token = {"pageToken": pages[0]["nextPageToken"]}
    pages.append(await anna.call("KnowledgeService/ListKnowledgeRevisions", {"id": made["id"], "pageSize": 1} | token))
    assert [page["revisions"] for page in pages] == [[new], [old]]


async def test_revisions_before_sharing_are_visible_only_to_the_owner(new_user: NewUser) -> None:
    anna, root = await new_user(), await new_user("superadmin")
    made = await add_knowledge(anna, "Parking", "Anna parks in the yard.")
    change = {"id": made["id"], "knowledge": {"content": "Park in the yard."}, "updateMask": "content"}
    await anna.call("KnowledgeService/UpdateKnowledge", change)
    await anna.call("KnowledgeService/ProposeKnowledge", {"id": made["id"]})
    await root.call("KnowledgeService/ApproveKnowledge", {"id": made["id"], "revision": 2})
    (shared,) = await revisions(root, made)
    assert (shared["revision"], shared["level"], shared["userId"]) == (
        3,
        "KNOWLEDGE_LEVEL_ORGANIZATION",
        root.user_id,
    )
    assert "differences" not in shared
    with pytest.raises(PermissionDeniedError):
        await revisions(await new_user(), made)
    await root.call("KnowledgeService/DeleteKnowledge", {"id": made["id"]})
