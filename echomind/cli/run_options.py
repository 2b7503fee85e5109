"""Options that say how a run is to work, for all commands that begin one."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from echomind_lib.models.public import RunOptions

_AS_ASSISTANT = "as the assistant says"

AskClarifications = Annotated[
    bool | None,
    typer.Option(
        "--ask-clarifications/--no-clarifications",
        help="Whether it may ask you back.",
        show_default=_AS_ASSISTANT,
    ),
]
MaxSteps = Annotated[int, typer.Option(help="Most steps.", min=0, max=1000, show_default=_AS_ASSISTANT)]
TimeLimit = Annotated[
    int, typer.Option("--timeout", help="Most seconds, without waiting.", min=0, max=86_400, show_default=_AS_ASSISTANT)
]
MaxTokens = Annotated[int, typer.Option(help="Most tokens, sub-agents included.", min=0, show_default=_AS_ASSISTANT)]
MaxCost = Annotated[
    float, typer.Option(help="Most US dollars, sub-agents included.", min=0, show_default=_AS_ASSISTANT)
]
MaxDepth = Annotated[
    int | None,
    typer.Option(help="How deep sub-agents may be nested; 0: none.", min=0, max=10, show_default=_AS_ASSISTANT),
]


def run_options(
    max_steps: int,
    time_limit: int,
    max_tokens: int,
    max_cost: float,
    max_depth: int | None,
    *,
    auto_run: bool | None = None,
    ask_clarifications: bool | None = None,
) -> "RunOptions":
    """The options as the API takes them."""
    from echomind_lib.models.public import RunOptions

    return RunOptions(
        auto_run=auto_run,
        ask_clarifications=ask_clarifications,
        max_steps=max_steps,
        timeout_seconds=time_limit,
        max_run_tokens=max_tokens,
        max_cost=max_cost,
        max_depth=max_depth,
    )
