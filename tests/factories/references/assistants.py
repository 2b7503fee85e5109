"""References of assistants and chat models."""

from typing import Any
from uuid import uuid4

from tests.drivers.client import Client
from tests.factories.references.use import Use, about, asks
from tests.factories.world import World, name


async def no_tool(world: World, ownership: str, somebody: Client) -> str:
    return f"no_tool_{uuid4().hex}"


def naming_a_tool(field: str, *, new: bool) -> Use:
    """Returns an assistant whose config names a tool that there is not."""

    def request(assistant: Any, tool: Any) -> dict[str, Any]:
        config = {"config": {field: [tool]}}
        if new:
            return {"assistant": {"name": name()} | config}
        return {"id": assistant, "assistant": config, "updateMask": "config"}

    return Use(no_tool, about(World.assistant, request), expected="VALIDATION_FAILED", role="superadmin")


async def no_group(world: World, ownership: str, somebody: Client) -> str:
    return f"no_group_{uuid4().hex}"


def for_a_group(*, new: bool) -> Use:
    """Returns an assistant for a group that there is not."""

    def request(assistant: Any, group: Any) -> dict[str, Any]:
        if new:
            return {"assistant": {"name": name(), "groups": [group]}}
        return {"id": assistant, "assistant": {"groups": [group]}, "updateMask": "groups"}

    return Use(no_group, about(World.assistant, request), "", role="superadmin")


A_MEMBER = Use(
    World.assistant,
    asks(lambda item: {"assistant": {"name": name(), "members": [{"assistantId": item}]}}),
    "",
    role="superadmin",
)


NOWHERE = {"provider": "LLM_PROVIDER_VLLM", "endpoint": "http://127.0.0.1:9"}


USES: dict[tuple[str, str], Use] = {
    ("AssistantService/SaveAssistantDraft", "assistant.groups"): for_a_group(new=True),
    ("AssistantService/CreateAssistant", "assistant.groups"): for_a_group(new=True),
    ("AssistantService/UpdateAssistant", "assistant.groups"): for_a_group(new=False),
    ("AssistantService/SaveAssistantDraft", "assistant.config.tools"): naming_a_tool("tools", new=True),
    ("AssistantService/SaveAssistantDraft", "assistant.config.approval_tools"): naming_a_tool(
        "approvalTools", new=True
    ),
    ("AssistantService/SaveAssistantDraft", "assistant.members.assistant_id"): A_MEMBER,
    ("AssistantService/CreateAssistant", "assistant.members.assistant_id"): A_MEMBER,
    ("AssistantService/UpdateAssistant", "assistant.members.assistant_id"): Use(
        World.assistant,
        about(
            World.assistant,
            lambda own, member: {
                "id": own,
                "assistant": {"members": [{"assistantId": member}]},
                "updateMask": "members",
            },
        ),
        "",
        role="superadmin",
    ),
    ("AssistantService/SaveAssistantDraft", "assistant.llm_id"): Use(
        World.llm, asks(lambda llm: {"assistant": {"name": name(), "llmId": llm}}), "", role="superadmin"
    ),
    ("AssistantService/CreateAssistant", "assistant.config.tools"): naming_a_tool("tools", new=True),
    ("AssistantService/UpdateAssistant", "assistant.config.tools"): naming_a_tool("tools", new=False),
    ("AssistantService/CreateAssistant", "assistant.config.approval_tools"): naming_a_tool("approvalTools", new=True),
    ("AssistantService/UpdateAssistant", "assistant.config.approval_tools"): naming_a_tool("approvalTools", new=False),
    ("AssistantService/CreateAssistant", "assistant.llm_id"): Use(
        World.llm, asks(lambda llm: {"assistant": {"name": name(), "llmId": llm}}), "", role="superadmin"
    ),
    ("AssistantService/UpdateAssistant", "assistant.llm_id"): Use(
        World.llm,
        about(
            World.assistant,
            lambda assistant, llm: {"id": assistant, "assistant": {"llmId": llm}, "updateMask": "llmId"},
        ),
        "",
        role="superadmin",
    ),
    ("LlmService/TestLlmSettings", "id"): Use(
        World.llm,
        asks(lambda item: {"id": item, "llm": {"name": "m", "modelId": "m"} | NOWHERE}),
        "",
        role="superadmin",
    ),
    ("LlmService/ListOfferedModels", "id"): Use(
        World.llm,
        asks(lambda item: {"id": item} | NOWHERE),
        "",
        role="superadmin",
    ),
}
