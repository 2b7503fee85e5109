"""Tools that a notebook allows besides its sources."""

import pytest

from echomind_lib.errors import DependencyUnavailableError, PermissionDeniedError, ValidationFailedError
from tests.drivers.notebook_room import Room

TOOLS = ["read_news", "wiki__*"]


@pytest.mark.usefixtures("tool_listing")
async def test_editors_allow_further_tools_and_everybody_sees_them(room: Room) -> None:
    assert not (await room.call("viewer", "GetNotebook")).get("tools")
    changed = await room.call("editor", "UpdateNotebook", notebook={"tools": TOOLS}, updateMask="tools")
    assert (changed["tools"], changed["title"]) == (TOOLS, "Leave")
    assert (await room.call("viewer", "GetNotebook"))["tools"] == TOOLS
    with pytest.raises(PermissionDeniedError):
        await room.call("viewer", "UpdateNotebook", notebook={"tools": ["wiki__list"]}, updateMask="tools")
    # What is unchanged is not noted as a change of tools.
    await room.call("editor", "UpdateNotebook", notebook={"tools": TOOLS}, updateMask="tools")
    recorded = await room.pool.fetch(
        "SELECT actor_id FROM audit_log WHERE target = $1 AND detail ? 'tools'", f"notebooks/{room.id}"
    )
    assert [each["actor_id"] for each in recorded] == [room.people["editor"].user_id]
    cleared = await room.call("owner", "UpdateNotebook", notebook={"tools": []}, updateMask="tools")
    assert not cleared.get("tools")


@pytest.mark.usefixtures("tool_listing")
@pytest.mark.parametrize(
    ("tools", "problem"),
    [
        (["read_news", "serch_web"], "is named serch_web. Known: read_news"),
        (["spawn_sub_agent"], "is named spawn_sub_agent"),
        (["*_news"], "tools"),
        (["read_news", "read_news"], "tools"),
    ],
)
async def test_a_tool_that_no_notebook_can_have_is_refused(room: Room, tools: list[str], problem: str) -> None:
    with pytest.raises(ValidationFailedError, match=problem):
        await room.call("owner", "UpdateNotebook", notebook={"tools": tools}, updateMask="tools")
    with pytest.raises(ValidationFailedError, match=problem):
        await room.people["owner"].call(
            "NotebookService/CreateNotebook", {"notebook": {"title": "News", "tools": tools}}, room.via
        )


async def test_stored_tools_need_no_agent_to_stay(room: Room) -> None:
    await room.pool.execute("UPDATE notebooks SET tools = '{gone}' WHERE id = $1", int(room.id))
    kept = {"title": "Holidays", "tools": ["gone", "wiki__*"]}
    changed = await room.call("owner", "UpdateNotebook", notebook=kept, updateMask="title,tools")
    assert changed["tools"] == ["gone", "wiki__*"]
    with pytest.raises(DependencyUnavailableError):
        await room.call("owner", "UpdateNotebook", notebook={"tools": ["read_news"]}, updateMask="tools")
