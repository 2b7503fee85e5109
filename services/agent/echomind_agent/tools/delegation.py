"""The tool with which a team's leader delegates tasks to its members."""
# ruff: noqa: ARG001 - the function only says what the model may give

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final

import msgspec
from pydantic import AfterValidator, Field

from echomind_agent.toolset.registry import Tool, ToolContext, ToolError, read_parameters, tool
from echomind_lib.assistants.teams import TeamMember, find_member
from echomind_lib.db.words import TeamMode
from echomind_lib.llms import ToolCall

DELEGATE: Final = "delegate_task"
_TASK_CHARACTERS = 20_000
_EXPECTED_CHARACTERS = 4_000
_DESCRIPTIONS: dict[TeamMode, str] = {
    "coordinate": (
        "Gives a task to a member of your team, who works on it alone and reports to you. Several calls in one answer "
        "are worked on at the same time."
    ),
    "route": "Hands the question over to the member of your team who is to answer it. Call it once, alone.",
    "collaborate": "Gives a task to all members of your team, who work on it at the same time and report to you.",
}


def delegation_tool(members: Sequence[TeamMember], mode: TeamMode) -> Tool:
    """Returns the tool with the members as the only values of `member`.

    In mode collaborate the model chooses no member: `for_all_members` adds a call for each of them.
    """
    slugs = [member.slug for member in members]
    names = {member.slug: member.name for member in members}

    def slug(written: str) -> str:
        if (member := find_member(members, written)) is None:
            raise ValueError(f"there is no member {written[:100]!r}. Give one of: {', '.join(slugs)}")
        return member.slug

    @tool(
        name=DELEGATE,
        description=_DESCRIPTIONS[mode],
        progress=lambda given: f"Giving {names[given.member]} a task: {given.task[:200]}",
        executor="sub_run",
    )
    async def delegate_task(
        context: ToolContext,
        member: Annotated[
            str, AfterValidator(slug), Field(description="Who is to do it.", json_schema_extra={"enum": slugs})
        ],
        task: Annotated[
            str,
            Field(
                min_length=1,
                max_length=_TASK_CHARACTERS,
                description="What is to be done, complete in itself: the member sees this and a short form of the "
                "conversation, nothing else.",
            ),
        ],
        expected_output: Annotated[
            str,
            Field(
                min_length=1,
                max_length=_EXPECTED_CHARACTERS,
                description="What to report: which facts, in which form, how long.",
            ),
        ],
    ) -> str:
        raise ToolError("A task is not worked on here.")

    if mode != "collaborate":
        return delegate_task
    schema = dict(delegate_task.schema)
    schema["properties"] = {name: each for name, each in schema["properties"].items() if name != "member"}
    schema["required"] = [name for name in schema["required"] if name != "member"]
    return replace(delegate_task, schema=schema)


def for_all_members(requested: Sequence[ToolCall], members: Sequence[TeamMember]) -> list[ToolCall]:
    """Returns calls in which each task is given to all members, with ids derived from its own."""
    calls: list[ToolCall] = []
    for call in requested:
        arguments = read_parameters(call.arguments)
        if call.name != DELEGATE or arguments is None:
            calls.append(call)
            continue
        for number, member in enumerate(members, 1):
            given = msgspec.json.encode({**arguments, "member": member.slug}).decode()
            calls.append(ToolCall(f"{call.id}.{number}", call.name, given))
    return calls
