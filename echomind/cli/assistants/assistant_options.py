"""The options of the commands that add and change assistants."""

import re
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.find import find
from echomind.cli.nouns import ASSISTANTS, LLMS
from echomind.cli.options import FieldOptions, given
from echomind_lib.models.public import words

_MEMBER = re.compile(r"(.*?)(?:@(\d{1,9}))?", re.DOTALL)
"""A member's name, with the version that it is pinned to."""


@dataclass(frozen=True, kw_only=True)
class AssistantOptions(FieldOptions, message="Assistant"):
    """Options of an assistant apart from its configuration."""

    description: str | None = None
    model: Annotated[
        str | None,
        typer.Option(help="Name or id of its chat model; empty: the default model.", autocompletion=completion.llms),
    ] = None
    system_prompt: str | None = None
    task_prompt: str | None = None
    starter_messages: Annotated[
        list[str] | None, typer.Option("--starter", help="Conversation starter; repeatable.")
    ] = None
    is_visible: Annotated[bool | None, typer.Option("--visible/--hidden", help="Whether people see the assistant.")] = (
        None
    )
    groups: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            help="Group whose members see it while it is visible; repeatable. Empty: everyone.",
            autocompletion=completion.groups,
        ),
    ] = None
    display_priority: Annotated[int | None, typer.Option("--priority")] = None
    is_default: Annotated[bool | None, typer.Option("--default", help="Make it the default assistant.")] = None
    members: Annotated[
        list[str] | None,
        typer.Option(
            "--member",
            metavar="NAME[@VERSION][=ROLE]",
            help="Assistant that works for it, with its role; repeatable, in their order. @VERSION pins a version. "
            "Empty: none.",
        ),
    ] = None

    async def fields(self, api: Api) -> dict[str, Any]:
        """Returns the given fields of the assistant except its configuration, by the contract's names.

        Raises:
            CommandError: There is no such chat model, or no such assistant.
        """
        return self.given_fields() | given(
            llm_id=(await LLMS.find(api, self.model)).id if self.model else None if self.model is None else 0,
            members=await _members(api, self.members) if self.members else None,
        )


@dataclass(frozen=True, kw_only=True)
class ConfigOptions(FieldOptions, message="AssistantConfig"):
    """Options of an assistant's configuration."""

    tools: Annotated[
        list[str] | None, typer.Option("--tool", help="Built-in tool that it may use; repeatable. Without: all.")
    ] = None
    approval_tools: Annotated[
        list[str] | None, typer.Option("--approve", help="Tool that needs a person's approval; repeatable.")
    ] = None
    max_steps: int | None = None
    timeout_seconds: Annotated[int | None, typer.Option("--timeout")] = None
    max_run_tokens: Annotated[int | None, typer.Option("--max-tokens")] = None
    max_cost: float | None = None
    max_depth: int | None = None
    ask_clarifications: Annotated[bool | None, typer.Option("--ask-clarifications/--no-clarifications")] = None
    wait_strategy: Annotated[words.WaitStrategy | None, typer.Option("--wait-for", "--wait")] = None
    add_history_to_context: Annotated[bool | None, typer.Option("--history/--no-history")] = None
    num_history_runs: Annotated[int | None, typer.Option("--history-runs")] = None
    summarize_after_tokens: Annotated[int | None, typer.Option("--summarize-after")] = None
    team_mode: Annotated[words.TeamMode | None, typer.Option("--mode")] = None


async def _members(api: Api, written: list[str]) -> list[dict[str, Any]]:
    assistants = await ASSISTANTS.every(api.client)
    members = []
    for each in written:
        if each:
            member, _, role = each.partition("=")
            found = _MEMBER.fullmatch(member.strip())
            assert found is not None
            name, version = found.groups()
            members.append(
                {
                    "assistant_id": find(assistants, name, "assistant").id,
                    "version": int(version or 0),
                    "role": role.strip(),
                }
            )
    return members
