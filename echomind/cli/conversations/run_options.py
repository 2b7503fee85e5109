"""Run options, for all commands that start a run."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from echomind.cli import completion
from echomind_lib.models.public import words

if TYPE_CHECKING:
    from echomind_lib.models.public import RunOptions


AssistantName = Annotated[
    str,
    typer.Option(
        help="Name or id of the assistant.", autocompletion=completion.assistants, show_default="the default one"
    ),
]
"""The assistant of a new conversation."""
_AS_ASSISTANT = "the assistant's"


@dataclass(frozen=True, kw_only=True)
class GoalOptions:
    """Goal options of a run; zero and None mean the assistant's values."""

    max_steps: Annotated[int, typer.Option(help="Max steps.", min=0, max=1000, show_default=_AS_ASSISTANT)] = 0
    time_limit: Annotated[
        int,
        typer.Option(
            "--timeout",
            help="Max seconds; waiting for people does not count.",
            min=0,
            max=86_400,
            show_default=_AS_ASSISTANT,
        ),
    ] = 0
    max_tokens: Annotated[
        int, typer.Option(help="Max tokens, sub-agents included.", min=0, show_default=_AS_ASSISTANT)
    ] = 0
    max_cost: Annotated[
        float, typer.Option(help="Max cost in US dollars, sub-agents included.", min=0, show_default=_AS_ASSISTANT)
    ] = 0
    max_depth: Annotated[
        int | None,
        typer.Option(help="Max depth of sub-agents; 0: none.", min=0, max=10, show_default=_AS_ASSISTANT),
    ] = None

    wait_for: Annotated[
        words.WaitStrategy | None,
        typer.Option(
            "--wait-for", help="Which results of parallel tool calls a step waits for.", show_default=_AS_ASSISTANT
        ),
    ] = None

    def message(self, *, auto_run: bool | None = None, ask_clarifications: bool | None = None) -> "RunOptions":
        """Returns the options as the API has them.

        Args:
            auto_run: Whether the run is autonomous; None for the assistant's setting.
            ask_clarifications: Whether it may ask clarifying questions; None for the assistant's setting.
        """
        from echomind_lib.models.public import RunOptions, WaitStrategy

        return RunOptions(
            auto_run=auto_run,
            ask_clarifications=ask_clarifications,
            max_steps=self.max_steps,
            timeout_seconds=self.time_limit,
            max_run_tokens=self.max_tokens,
            max_cost=self.max_cost,
            max_depth=self.max_depth,
            wait_strategy=WaitStrategy.from_word(self.wait_for) if self.wait_for else WaitStrategy.UNSPECIFIED,
        )


@dataclass(frozen=True, kw_only=True)
class QuestionOptions(GoalOptions):
    """How the run that answers a question works."""

    ask_clarifications: Annotated[
        bool | None,
        typer.Option(
            "--ask-clarifications/--no-clarifications",
            help="Allow clarifying questions.",
            show_default=_AS_ASSISTANT,
        ),
    ] = None
    tool: Annotated[
        list[str] | None,
        typer.Option(
            help="Only tool that it may call, or several by a * at the end; repeatable.",
            metavar="NAME",
            show_default=_AS_ASSISTANT,
        ),
    ] = None

    def question(self) -> "RunOptions":
        """Returns the options as the API has them."""
        options = self.message(ask_clarifications=self.ask_clarifications)
        return options.model_copy(update={"tools": self.tool or []})
