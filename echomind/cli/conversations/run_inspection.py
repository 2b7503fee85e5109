"""`echomind runs tree|details|prompt|exclude`: a run's sub-agents, what they sent to models, and its steps."""

from collections.abc import Sequence
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.conversations.activity import call_text
from echomind.cli.rendering import one_line
from echomind_lib.models import public

RunId = Annotated[str, typer.Argument(metavar="ID", help="Id of the run.", autocompletion=completion.runs)]
StepNumber = Annotated[int, typer.Argument(metavar="STEP", help="Number of the step in the run.", min=1)]


async def show_tree(api: Api, run_id: RunId) -> None:
    """Show a run with its sub-agents and the members of its team."""
    tree = await api.client.call(public.RunService.get_run_tree, {"id": checked(run_id)})
    api.terminal.json(tree)
    top = tree.runs[0].depth if tree.runs else 0
    for run in tree.runs:
        api.terminal.line("  " * (run.depth - top) + _line(run))


async def show_details(api: Api, run_id: RunId) -> None:
    """Show a run with its sub-agents, and all that each sent to its model and got back.

    `--json` has their events, too. Messages are shown to whoever asked, while they may read all sources.
    """
    details = await api.client.call(public.RunService.get_run_details, {"id": checked(run_id)})
    api.terminal.json(details)
    _show_details(api, details)


async def show_prompt(api: Api, run_id: RunId, step: StepNumber) -> None:
    """Show the full prompt that a step sent to the model."""
    prompt = await api.client.call(public.RunService.get_step_prompt, {"id": checked(run_id), "step_number": step})
    api.terminal.json(prompt)
    _show_messages(api, prompt.messages)
    if prompt.omissions and (left_out := _omissions(prompt.omissions)):
        api.terminal.note(f"Left out: {left_out}.")


async def exclude_step(
    api: Api,
    run_id: RunId,
    step: StepNumber,
    undo: Annotated[bool, typer.Option("--undo", help="Include the step again.")] = False,
) -> None:
    """Exclude a step of a paused or waiting run from context.

    Prompts of its later steps do not contain it; it stays readable.
    """
    request = public.ExcludeStepRequest(id=checked(run_id), step_number=step, excluded=not undo)
    changed = await api.client.call(public.RunService.exclude_step, request)
    api.terminal.report(changed, f"Step {step} is {'included in' if undo else 'excluded from'} later prompts.")


def checked(run_id: str) -> str:
    """Returns a run's id, when it looks like one.

    Raises:
        typer.BadParameter: It does not.
    """
    from uuid import UUID

    try:
        return str(UUID(run_id))
    except ValueError as error:
        example = "01926b3e-7c1a-7000-8000-5f0d3c2b1a09"
        raise typer.BadParameter(f"a run's id looks like {example}", param_hint="ID") from error


def _show_details(api: Api, details: "public.RunDetails") -> None:
    if details.run is None:
        return
    model = f"; {details.model}" if details.model else ""
    api.terminal.line(f"=== {_line(details.run)}{model}; {len(details.events)} events")
    _show_messages(api, details.messages)
    if details.content and not details.messages:  # of somebody else's run
        api.terminal.line(f"--- assistant\n{details.content}")
    for member in details.member_responses:
        _show_details(api, member)


def _show_messages(api: Api, messages: "Sequence[public.PromptMessage]") -> None:
    for message in messages:
        of = f" (result of {message.tool_call_id})" if message.tool_call_id else ""
        api.terminal.line(f"--- {message.role}{of}")
        if message.content:
            api.terminal.line(message.content)
        for call in message.tool_calls:
            api.terminal.line(f"calls {call_text(call)} [{call.tool_call_id}]")


def _line(run: "public.Run") -> str:
    spent = f"{run.steps_executed} steps, {run.prompt_tokens + run.completion_tokens} tokens"
    cost = f", ${run.cost:.4f}" if run.cost else ""
    goal = one_line(run.goal or run.input, 80)
    if run.kind.word == "member":
        goal = f"{run.assistant_name}: {goal}"
    return f"{run.status.word.replace('_', ' ')}: {goal} ({spent}{cost}) {run.id}"


def _omissions(omissions: "public.PromptOmissions") -> str:
    parts = [f"{omissions.messages} messages"] if omissions.messages else []
    parts += [f"{omissions.summarized_messages} messages, summarized"] if omissions.summarized_messages else []
    parts += [f"steps {', '.join(map(str, omissions.steps))}, but for a line each"] if omissions.steps else []
    return "; ".join(parts)
