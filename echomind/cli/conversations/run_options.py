"""Run options, for all commands that start a run."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.options import FieldOptions
from echomind_lib.models import public
from echomind_lib.models.public import words

AssistantName = Annotated[
    str,
    typer.Option(
        help="Name or id of the assistant.", autocompletion=completion.assistants, show_default="the default one"
    ),
]
"""The assistant of a new conversation."""


@dataclass(frozen=True, kw_only=True)
class GoalOptions(FieldOptions, message="RunOptions"):
    """Options of a run."""

    max_steps: int | None = None
    timeout_seconds: Annotated[int | None, typer.Option("--timeout")] = None
    max_run_tokens: Annotated[int | None, typer.Option("--max-tokens")] = None
    max_cost: float | None = None
    max_depth: int | None = None
    wait_strategy: Annotated[words.WaitStrategy | None, typer.Option("--wait-for")] = None

    def as_message(self, **further: Any) -> "public.RunOptions":
        """Returns the options as the API has them, with further fields."""
        return public.RunOptions(**self.given_fields(), **further)


@dataclass(frozen=True, kw_only=True)
class QuestionOptions(GoalOptions):
    """How the run that answers a question works."""

    ask_clarifications: Annotated[bool | None, typer.Option("--ask-clarifications/--no-clarifications")] = None
    tools: Annotated[
        list[str] | None,
        typer.Option(
            "--tool", help="Only tool that it may call, or several by a * at the end; repeatable.", metavar="NAME"
        ),
    ] = None
