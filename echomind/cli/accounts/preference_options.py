"""The options of the command that changes preferences."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.nouns import ASSISTANTS, LLMS
from echomind.cli.options import FieldOptions, given
from echomind_lib.models.public import words


class Clarifications(StrEnum):
    """Whether runs may ask clarifying questions."""

    ASSISTANT = "assistant"
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, kw_only=True)
class PreferenceOptions(FieldOptions, message="Preferences"):
    """Preferences apart from the options of runs in new sessions."""

    language: words.Language | None = None
    theme: words.Theme | None = None
    density: words.Density | None = None
    send_key: words.SendKey | None = None
    follow_answers: Annotated[bool | None, typer.Option("--follow-answers/--no-follow-answers")] = None
    notifications: Annotated[bool | None, typer.Option("--notifications/--no-notifications")] = None
    single_key_shortcuts: Annotated[bool | None, typer.Option("--shortcuts/--no-shortcuts")] = None
    memory: Annotated[
        bool | None,
        typer.Option(
            "--memory/--no-memory",
            help="Whether EchoMind remembers facts about you and uses them; switching it off deletes nothing.",
        ),
    ] = None
    assistant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Assistant of your new sessions; empty: the default one.",
            autocompletion=completion.assistants,
        ),
    ] = None

    async def fields(self, api: Api) -> dict[str, Any]:
        """Returns the given preferences, by the contract's names.

        Raises:
            CommandError: There is no such assistant.
        """
        return self.given_fields() | given(
            memory_off=None if self.memory is None else not self.memory,
            default_assistant_id=await _id(ASSISTANTS.find, api, self.assistant),
        )


@dataclass(frozen=True, kw_only=True)
class RunPreferences(FieldOptions, message="RunOptions"):
    """Preferences for the runs of new sessions."""

    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Chat model of your new sessions; empty: the assistant's.",
            autocompletion=completion.llms,
        ),
    ] = None
    clarifications: Annotated[
        Clarifications | None, typer.Option(help="Whether new sessions allow clarifying questions.")
    ] = None
    max_steps: int | None = None
    timeout_seconds: Annotated[int | None, typer.Option("--timeout")] = None
    wait_strategy: Annotated[words.WaitStrategy | None, typer.Option("--wait-for")] = None

    async def fields(self, api: Api) -> dict[str, Any]:
        """Returns the given run options, by the contract's names.

        Raises:
            CommandError: There is no such chat model.
        """
        fields = self.given_fields() | given(llm_id=await _id(LLMS.find, api, self.model))
        if self.clarifications:
            asks = {Clarifications.ASSISTANT: None, Clarifications.YES: True, Clarifications.NO: False}
            fields["ask_clarifications"] = asks[self.clarifications]
        return fields


async def _id(find: Callable[[Api, str], Awaitable[Any]], api: Api, reference: str | None) -> int | None:
    """Returns the id for a name: 0, the default, for an empty name; None if it was not given."""
    if not reference:
        return None if reference is None else 0
    return int((await find(api, reference)).id)
