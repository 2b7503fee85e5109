"""Members of assistants: saved, shown, and refused where a team could not work."""

from typing import Any

import pytest

from echomind_lib.errors import NotFoundError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.factories.world import name


async def new_assistant(owner: Client, *members: int, via: Transport = "grpc", **more: Any) -> dict[str, Any]:
    led = [{"assistantId": member, "role": f"Role {index}."} for index, member in enumerate(members, 1)]
    new = {"name": name(), "members": led} | more
    return await owner.call("AssistantService/CreateAssistant", {"assistant": new}, via)


async def set_members(owner: Client, leader: int, *members: int, via: Transport = "grpc") -> dict[str, Any]:
    ask = {
        "id": leader,
        "assistant": {"members": [{"assistantId": member} for member in members]},
        "updateMask": "members",
    }
    return await owner.call("AssistantService/UpdateAssistant", ask, via)


def members_of(assistant: dict[str, Any]) -> list[int]:
    return [member["assistantId"] for member in assistant.get("members", [])]


async def test_members_are_kept_in_their_order(owner: Client, via: Transport) -> None:
    first, other = await new_assistant(owner), await new_assistant(owner)
    mode = {"config": {"teamMode": "TEAM_MODE_ROUTE"}}
    team = await new_assistant(owner, other["id"], first["id"], via=via, **mode)
    assert [(each["assistantId"], each["role"], each["name"]) for each in team["members"]] == [
        (other["id"], "Role 1.", other["name"]),
        (first["id"], "Role 2.", first["name"]),
    ]
    assert team["config"]["teamMode"] == "TEAM_MODE_ROUTE"
    assert (await set_members(owner, team["id"], first["id"], other["id"], via=via))["members"][0]["name"] == first[
        "name"
    ]
    read = await owner.call("AssistantService/GetAssistant", {"id": team["id"]}, via)
    assert members_of(read) == [first["id"], other["id"]]
    copy = await owner.call("AssistantService/DuplicateAssistant", {"id": team["id"], "name": name()}, via)
    assert members_of(copy) == [first["id"], other["id"]]
    listed = await owner.call("AssistantService/ListAssistants", {"pageSize": 1000}, via)
    assert members_of(next(each for each in listed["assistants"] if each["id"] == team["id"])) == members_of(read)
    await owner.call("AssistantService/DeleteAssistant", {"id": first["id"]}, via)
    read = await owner.call("AssistantService/GetAssistant", {"id": team["id"]}, via)
    assert members_of(read) == [other["id"]]
    assert members_of(await set_members(owner, team["id"], via=via)) == []


async def test_an_assistant_cannot_lead_itself(owner: Client, via: Transport) -> None:
    bottom = await new_assistant(owner)
    middle = await new_assistant(owner, bottom["id"])
    top = await new_assistant(owner, middle["id"])
    for leader, member in ((bottom, bottom), (middle, top), (bottom, top)):
        with pytest.raises(ValidationFailedError, match="would lead itself"):
            await set_members(owner, leader["id"], member["id"], via=via)
    draft = {"id": bottom["id"], "assistant": {"name": bottom["name"], "members": [{"assistantId": top["id"]}]}}
    with pytest.raises(ValidationFailedError, match="would lead itself"):
        await owner.call("AssistantService/SaveAssistantDraft", draft, via)
    with pytest.raises(ValidationFailedError, match="twice"):
        await set_members(owner, top["id"], middle["id"], middle["id"], via=via)


async def test_teams_are_nested_to_ten_levels(owner: Client) -> None:
    chain = [await new_assistant(owner)]
    for _ in range(10):
        chain.append(await new_assistant(owner, chain[-1]["id"]))
    with pytest.raises(ValidationFailedError, match="10 levels"):
        await new_assistant(owner, chain[-1]["id"])
    below = await new_assistant(owner)
    with pytest.raises(ValidationFailedError, match="10 levels"):
        await set_members(owner, chain[0]["id"], below["id"])


async def test_a_draft_is_no_member_and_has_members(owner: Client) -> None:
    member = await new_assistant(owner)
    new = {"name": name(), "members": [{"assistantId": member["id"]}]}
    draft = await owner.call("AssistantService/SaveAssistantDraft", {"assistant": new})
    assert members_of(draft) == [member["id"]]
    with pytest.raises(NotFoundError):
        await new_assistant(owner, draft["id"])


async def test_the_question_of_a_team_makes_a_run_of_a_team(owner: Client) -> None:
    team = await new_assistant(owner, (await new_assistant(owner))["id"], isVisible=True)
    sent = await owner.call("ChatMessageService/SendMessage", {"content": "x", "assistantId": team["id"]})
    run = await owner.call("RunService/GetRun", {"id": sent["run"]["id"]})
    assert (run["kind"], run["maxSteps"], run["timeoutSeconds"]) == ("RUN_KIND_TEAM", 60, 900)
