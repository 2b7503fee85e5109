"""The options of the command that changes preferences."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.nouns import ASSISTANTS, LLMS
from echomind.cli.options import given
from echomind_lib.models.public import words

# Member names are those of the contract; the values are shown and typed on the command line.


class Language(StrEnum):
    """The language of the web UI."""

    UNSPECIFIED = "browser"
    EN = "en"
    DE = "de"


class Theme(StrEnum):
    """The colours of the web UI."""

    UNSPECIFIED = "system"
    LIGHT = "light"
    DARK = "dark"


class Density(StrEnum):
    """Density of rows in the web UI."""

    UNSPECIFIED = "comfortable"
    COMPACT = "compact"


class SendKey(StrEnum):
    """Which key sends a question in the web UI."""

    UNSPECIFIED = "enter"
    CTRL_ENTER = "ctrl-enter"


class Clarifications(StrEnum):
    """Whether runs may ask clarifying questions."""

    ASSISTANT = "assistant"
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, kw_only=True)
class PreferenceOptions:
    """The given preferences; None: not given."""

    language: Annotated[Language | None, typer.Option(help="Language of the web UI.")] = None
    theme: Annotated[Theme | None, typer.Option(help="Colours of the web UI.")] = None
    density: Annotated[Density | None, typer.Option(help="Height of the web UI's rows.")] = None
    send_key: Annotated[SendKey | None, typer.Option(help="Key that sends a question in the web UI.")] = None
    follow_answers: Annotated[
        bool | None,
        typer.Option(
            "--follow-answers/--no-follow-answers",
            help="Whether pages scroll along with an answer that is being written.",
        ),
    ] = None
    notifications: Annotated[
        bool | None,
        typer.Option(
            "--notifications/--no-notifications",
            help="Whether the browser notifies you when a run ends or waits for you.",
        ),
    ] = None
    shortcuts: Annotated[
        bool | None, typer.Option("--shortcuts/--no-shortcuts", help="Whether single keys are shortcuts in the web UI.")
    ] = None
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
    max_steps: Annotated[
        int | None, typer.Option(help="Max steps of a run in new sessions; 0: the assistant's.", min=0, max=1000)
    ] = None
    time_limit: Annotated[
        int | None,
        typer.Option("--timeout", help="Max seconds of a run in new sessions; 0: the assistant's.", min=0, max=86_400),
    ] = None

    wait_for: Annotated[
        words.WaitStrategy | None,
        typer.Option(help="Which results of parallel tool calls steps wait for in new sessions."),
    ] = None

    async def fields(self, api: Api) -> dict[str, Any]:
        """Returns the given preferences except run options, by the contract's names.

        Raises:
            CommandError: There is no such assistant.
        """
        from echomind_lib.models import public

        return given(
            language=self.language and public.Language[self.language.name],
            theme=self.theme and public.Theme[self.theme.name],
            density=self.density and public.Density[self.density.name],
            send_key=self.send_key and public.SendKey[self.send_key.name],
            follow_answers=self.follow_answers,
            notifications=self.notifications,
            single_key_shortcuts=self.shortcuts,
            memory_off=None if self.memory is None else not self.memory,
            default_assistant_id=await _id(ASSISTANTS.find, api, self.assistant),
        )

    async def run_fields(self, api: Api) -> dict[str, Any]:
        """Returns the given run options, by the contract's names.

        Raises:
            CommandError: There is no such chat model.
        """
        from echomind_lib.models import public

        fields = given(
            llm_id=await _id(LLMS.find, api, self.model),
            max_steps=self.max_steps,
            timeout_seconds=self.time_limit,
            wait_strategy=self.wait_for and public.WaitStrategy.from_word(self.wait_for),
        )
        if self.clarifications:
            asks = {Clarifications.ASSISTANT: None, Clarifications.YES: True, Clarifications.NO: False}
            fields["ask_clarifications"] = asks[self.clarifications]
        return fields


async def _id(find: Callable[[Api, str], Awaitable[Any]], api: Api, reference: str | None) -> int | None:
    """Returns the id for a name: 0, the default, for an empty name; None if it was not given."""
    if not reference:
        return None if reference is None else 0
    return int((await find(api, reference)).id)
