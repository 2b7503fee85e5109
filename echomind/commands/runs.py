"""`echomind runs`: what happens between a question and its answer."""

from contextlib import aclosing
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from echomind.commands.api import Api, api_command, command_group
from echomind.commands.rendering import moment, one_line, plain, seconds

if TYPE_CHECKING:
    from echomind_lib.models.public import Run, Step

app = command_group("Runs: list, show, watch, pause, resume, cancel.")

RunId = Annotated[str, typer.Argument(metavar="ID", help="The run.")]


class Status(StrEnum):
    """How far a run is."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING_FOR_INPUT = "waiting_for_input"
    WAITING_FOR_CHILDREN = "waiting_for_children"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"


FINAL = {Status.COMPLETED, Status.FAILED, Status.CANCELLED, Status.TIMEOUT}


@app.command("list")
@api_command
async def list_runs(
    api: Api,
    session: Annotated[int | None, typer.Option(help="Only this session's.", min=1, show_default="all")] = None,
    status: Annotated[Status | None, typer.Option(help="Only these.", show_default="all")] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 50,
) -> None:
    """List your runs, newest first."""
    from echomind_lib.models.public import ListRunsResponse, RunStatus

    query: dict[str, str | int] = {"chatSessionId": session} if session else {}
    if status:
        query["status"] = RunStatus.from_word(status)
    runs = (await api.client.collect("/runs", ListRunsResponse, limit, query=query)).runs
    if api.terminal.as_json:
        api.terminal.json({"runs": [plain(run) for run in runs]})
    api.terminal.table(
        ("ID", "STATUS", "SESSION", "ASKED", "TOOK", "STEPS", "TOKENS", "QUESTION"),
        (
            (
                run.id,
                run.status.word,
                run.chat_session_id,
                moment(run.creation_date),
                seconds(run.duration_ms) if run.duration_ms else "",
                run.steps_executed,
                run.prompt_tokens + run.completion_tokens,
                one_line(run.input, 60),
            )
            for run in runs
        ),
        empty="There is no run.",
    )


@app.command("show")
@api_command
async def show_run(api: Api, run_id: RunId) -> None:
    """Show a run with its steps and tool calls."""
    await _show(api, await _run(api, run_id))


@app.command("watch")
@api_command
async def watch_run(api: Api, run_id: RunId) -> None:
    """Follow a run to its end; one that has ended is shown. Ctrl-C stops watching, not the run."""
    run = await _run(api, run_id)
    if run.status.word in FINAL:
        await _show(api, run)
        return
    from echomind.commands.ask import AnswerWriter
    from echomind.following import RunFollower

    follower = RunFollower(api.client, session_id=run.chat_session_id, run_id=run.id)
    writer = AnswerWriter(api.terminal, follower)
    async with aclosing(follower.watch()) as events:
        status = await writer.write(events, until_parked=False)
    writer.finish(status)


@app.command("pause")
@api_command
async def pause_run(api: Api, run_id: RunId) -> None:
    """Pause a run at its next step."""
    await _control(api, run_id, "pause")


@app.command("resume")
@api_command
async def resume_run(api: Api, run_id: RunId) -> None:
    """Let a paused run go on."""
    await _control(api, run_id, "resume")


@app.command("cancel")
@api_command
async def cancel_run(api: Api, run_id: RunId) -> None:
    """End a run; the text written so far stays."""
    await _control(api, run_id, "cancel")


async def _control(api: Api, run_id: str, action: str) -> None:
    from echomind_lib.models.public import Run

    run = await api.client.call("POST", f"/runs/{_checked(run_id)}:{action}", Run, body={})
    if api.terminal.as_json:
        api.terminal.json(plain(run))
    api.terminal.line(f"Asked to {action}: the run is {run.status.word.replace('_', ' ')}.")


async def _run(api: Api, run_id: str) -> "Run":
    from echomind_lib.models.public import Run

    return await api.client.call("GET", f"/runs/{_checked(run_id)}", Run)


async def _show(api: Api, run: "Run") -> None:
    from echomind_lib.models.public import ListStepsResponse

    steps = (await api.client.call("GET", f"/runs/{run.id}/steps", ListStepsResponse)).steps
    if api.terminal.as_json:
        api.terminal.json(plain(run) | {"steps": [plain(step) for step in steps]})
        return
    api.terminal.fields(
        (
            ("Run", run.id),
            ("Question", one_line(run.input, 200)),
            ("Status", run.status.word),
            ("Error", f"{run.error.message} [{run.error.reason}]" if run.error else ""),
            ("Session", run.chat_session_id),
            ("Asked", moment(run.creation_date)),
            ("Took", seconds(run.duration_ms) if run.duration_ms else ""),
            ("Tokens", f"{run.prompt_tokens} read, {run.completion_tokens} written"),
            ("Cost", f"${run.cost:.4f}" if run.cost else ""),
            ("Attempts", run.attempt if run.attempt > 1 else ""),
        )
    )
    for step in steps:
        for line in _step_lines(step):
            api.terminal.line(line)


def _step_lines(step: "Step") -> list[str]:
    took = f" ({seconds(step.execution_duration_ms)})" if step.execution_duration_ms else ""
    model = f", {step.llm_model}" if step.llm_model else ""
    lines = [f"{step.step_number}. {step.action.word.replace('_', ' ')}: {step.status.word}{model}{took}"]
    lines += [f"   {one_line(text, 200)}" for text in (step.output, step.error_message) if text]
    for call in step.tool_calls:
        words = ", ".join(f"{name}={value!r}" for name, value in (call.parameters or {}).items())
        outcome = call.error_message or call.result
        lines.append(f"   {call.tool_name}({one_line(words, 150)}): {call.status.word}")
        lines += [f"      {one_line(outcome, 150)}"] if outcome else []
    return lines


def _checked(run_id: str) -> str:
    from uuid import UUID

    try:
        return str(UUID(run_id))
    except ValueError as error:
        example = "01926b3e-7c1a-7000-8000-5f0d3c2b1a09"
        raise typer.BadParameter(f"a run's id looks like {example}", param_hint="ID") from error
