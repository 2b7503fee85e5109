"""The options of the commands that add and change assistants."""

import re
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.find import find
from echomind.cli.nouns import ASSISTANTS, LLMS
from echomind.cli.options import given
from echomind_lib.models.public import words

_MEMBER = re.compile(r"(.*?)(?:@(\d{1,9}))?", re.DOTALL)
"""A member's name, with the version that it is pinned to."""


@dataclass(frozen=True, kw_only=True)
class AssistantOptions:
    """Options of an assistant; None if not given."""

    description: Annotated[str | None, typer.Option(help="What the assistant is for.")] = None
    model: Annotated[
        str | None,
        typer.Option(help="Name or id of its chat model; empty: the default model.", autocompletion=completion.llms),
    ] = None
    system_prompt: Annotated[str | None, typer.Option(help="Instructions of every session.")] = None
    task_prompt: Annotated[
        str | None, typer.Option(help="Template of each question, with `{query}` and `{context}`.")
    ] = None
    starters: Annotated[list[str] | None, typer.Option("--starter", help="Conversation starter; repeatable.")] = None
    visible: Annotated[bool | None, typer.Option("--visible/--hidden", help="Whether people see the assistant.")] = None
    groups: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            help="Group whose members see it while it is visible; repeatable. Empty: everyone.",
            autocompletion=completion.groups,
        ),
    ] = None
    priority: Annotated[int | None, typer.Option(help="Position in lists: lower comes first.")] = None
    default: Annotated[bool, typer.Option("--default", help="Make it the default assistant.")] = False
    tools: Annotated[
        list[str] | None, typer.Option("--tool", help="Built-in tool that it may use; repeatable. Without: all.")
    ] = None
    approval_tools: Annotated[
        list[str] | None, typer.Option("--approve", help="Tool that needs a person's approval; repeatable.")
    ] = None
    max_steps: Annotated[int | None, typer.Option(help="Max steps of a run.", min=0, max=1000)] = None
    timeout: Annotated[int | None, typer.Option(help="Max seconds of a run.", min=0, max=86_400)] = None
    max_tokens: Annotated[int | None, typer.Option(help="Max tokens of a run.", min=0)] = None
    max_cost: Annotated[float | None, typer.Option(help="Max cost of a run in US dollars.", min=0)] = None
    max_depth: Annotated[int | None, typer.Option(help="Max depth of sub-agents.", min=0, max=10)] = None
    ask: Annotated[
        bool | None, typer.Option("--ask-clarifications/--no-clarifications", help="Allow clarifying questions.")
    ] = None
    wait: Annotated[
        words.WaitStrategy | None,
        typer.Option("--wait-for", "--wait", help="Which results of parallel tool calls a step waits for."),
    ] = None
    history: Annotated[
        bool | None, typer.Option("--history/--no-history", help="Whether prompts contain the session so far.")
    ] = None
    history_runs: Annotated[int | None, typer.Option(help="Max earlier questions in a prompt.", min=0, max=100)] = None
    summarize_after: Annotated[
        int | None, typer.Option(help="Tokens of a session after which it is summarized.", min=0)
    ] = None
    members: Annotated[
        list[str] | None,
        typer.Option(
            "--member",
            metavar="NAME[@VERSION][=ROLE]",
            help="Assistant that works for it, with its role; repeatable, in their order. @VERSION pins a version. "
            "Empty: none.",
        ),
    ] = None
    mode: Annotated[words.TeamMode | None, typer.Option(help="How it works with its members.")] = None

    async def fields(self, api: Api) -> dict[str, Any]:
        """Returns the given fields of the assistant except its configuration, by the contract's names.

        Raises:
            CommandError: There is no such chat model, or no such assistant.
        """
        return given(
            description=self.description,
            llm_id=(await LLMS.find(api, self.model)).id if self.model else None if self.model is None else 0,
            system_prompt=self.system_prompt,
            task_prompt=self.task_prompt,
            starter_messages=_several(self.starters),
            is_visible=self.visible,
            groups=_several(self.groups),
            display_priority=self.priority,
            is_default=self.default or None,
            members=await _members(api, self.members) if self.members else None,
        )

    def config(self) -> dict[str, Any]:
        """Returns the given fields of its configuration, by the contract's names."""
        from echomind_lib.models.public import TeamMode, WaitStrategy

        return given(
            tools=_several(self.tools),
            approval_tools=_several(self.approval_tools),
            max_steps=self.max_steps,
            timeout_seconds=self.timeout,
            max_run_tokens=self.max_tokens,
            max_cost=self.max_cost,
            max_depth=self.max_depth,
            ask_clarifications=self.ask,
            wait_strategy=WaitStrategy.from_word(self.wait) if self.wait else None,
            add_history_to_context=self.history,
            num_history_runs=self.history_runs,
            summarize_after_tokens=self.summarize_after,
            team_mode=TeamMode.from_word(self.mode) if self.mode else None,
        )


def _several(values: list[str] | None) -> list[str] | None:
    """Returns repeated options; None if there are none, for which typer passes an empty list."""
    return [value for value in values if value] if values else None


async def _members(api: Api, written: list[str]) -> list[dict[str, Any]]:
    assistants = await ASSISTANTS.every(api.client)
    members = []
    for one in written:
        if one:
            member, _, role = one.partition("=")
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
