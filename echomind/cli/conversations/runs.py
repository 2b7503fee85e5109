"""`echomind runs`: the processing of questions until their answers."""

import uuid
from contextlib import aclosing
from datetime import datetime
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.conversations.activity import call_text, chosen, question_lines
from echomind.cli.conversations.metadata import ExternalIdFilter, MetadataFilter, checked_pairs, shown_metadata
from echomind.cli.conversations.run_inspection import RunId, checked, exclude_step, show_details, show_prompt, show_tree
from echomind.cli.conversations.run_options import AssistantName, GoalOptions
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import ASSISTANTS, LLMS
from echomind.cli.rendering import moment, one_line, plain, seconds
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Runs: what happens between a question and its answer.")


FINAL = {words.RunStatus.COMPLETED, words.RunStatus.FAILED, words.RunStatus.CANCELLED, words.RunStatus.TIMEOUT}

_RUNS = Table(
    "RunService.list_runs",
    "ID STATUS SESSION:chat_session_id ASKED:creation_date TOOK STEPS:steps_executed TOKENS QUESTION:input:60",
    "There is no run.",
    {
        "TOOK": lambda each: seconds(each.duration_ms) if each.duration_ms else "",
        "TOKENS": lambda each: each.prompt_tokens + each.completion_tokens,
    },
)


@app.command("list")
async def list_runs(
    api: Api,
    session: Annotated[
        int | None,
        typer.Option(help="Only runs of this session.", autocompletion=completion.sessions, min=1, show_default="all"),
    ] = None,
    status: Annotated[
        list[words.RunStatus] | None,
        typer.Option(
            "--status",
            "--state",
            metavar="STATUS",
            help="Only runs with this status, as waiting_for_input; repeatable.",
            show_default="all",
        ),
    ] = None,
    roots: Annotated[bool, typer.Option("--roots", help="Without sub-agents.")] = False,
    assistant: Annotated[
        str, typer.Option(help="Only runs of this assistant.", autocompletion=completion.assistants, show_default="all")
    ] = "",
    model: Annotated[
        str, typer.Option(help="Only runs of this model.", autocompletion=completion.llms, show_default="all")
    ] = "",
    user: Annotated[
        int | None, typer.Option(metavar="ID", help="Runs of this person; for superadmins.", show_default="you")
    ] = None,
    everyone: Annotated[bool, typer.Option("--everyone", help="Runs of everyone; for superadmins.")] = False,
    min_cost: Annotated[float, typer.Option(metavar="USD", help="Min cost of a run.", min=0)] = 0,
    since: Annotated[
        datetime | None,
        typer.Option(metavar="TIME", help="Only runs created at this time or later.", show_default="the beginning"),
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(metavar="TIME", help="Only runs created before this time.", show_default="now")
    ] = None,
    metadata: MetadataFilter = None,
    external_id: ExternalIdFilter = "",
    limit: Annotated[int, typer.Option(help="Max runs to list.", min=1)] = 50,
) -> None:
    """List your runs, newest first."""
    filters = {
        "chat_session_id": session,
        "statuses": [public.RunStatus.from_word(word) for word in status or ()],
        "roots_only": roots,
        "assistant_id": (await ASSISTANTS.find(api, assistant)).id if assistant else 0,
        "llm_id": (await LLMS.find(api, model)).id if model else 0,
        "user_id": user,
        "everyone": everyone,
        "min_cost": min_cost,
        "created_from": since and since.astimezone(),
        "created_before": until and until.astimezone(),
        "metadata": checked_pairs(metadata),
        "external_id": external_id,
    }
    request = {name: value for name, value in filters.items() if value}
    await _RUNS.show(api, request, limit=limit)


@app.command("show")
async def show_run(api: Api, run_id: RunId) -> None:
    """Show a run with its steps and tool calls."""
    await _show(api, await _run(api, run_id))


@app.command("start")
async def start_run(
    api: Api,
    goal: Annotated[str, typer.Argument(help="Goal of the run.")],
    session: Annotated[
        int | None,
        typer.Option(
            help="Session that the run belongs to.", autocompletion=completion.sessions, min=1, show_default="a new one"
        ),
    ] = None,
    assistant: AssistantName = "",
    options: GoalOptions = GoalOptions(),  # noqa: B008 - frozen
    wait: Annotated[
        bool, typer.Option("--wait", help="Follow the run to its end; Ctrl-C stops following, not the run.")
    ] = False,
) -> None:
    """Start a run in agent mode: it works towards a goal by itself until its todos are done."""
    from echomind.cli.conversations.conversing import converse
    from echomind.cli.conversations.following import RunFollower

    if session and assistant:
        raise typer.BadParameter("a session has its assistant already", param_hint="--assistant")
    if not goal.strip():
        raise typer.BadParameter("it is empty", param_hint="GOAL")
    request = public.SendMessageRequest(
        chat_session_id=session,
        content=goal,
        assistant_id=(await ASSISTANTS.find(api, assistant)).id if assistant else 0,
        request_id=str(uuid.uuid4()),
        options=options.as_message(auto_run=True),
    )
    if wait:
        follower = RunFollower(api.client)
        await converse(api, follower, lambda: follower.ask(request), cancels=False)
        return
    sent = await api.client.call(public.ChatMessageService.send_message, request)
    assert sent.run is not None
    api.terminal.json(sent.run)
    api.terminal.line(f"Started run {sent.run.id} in session {sent.run.chat_session_id}.")
    api.terminal.note(f"`echomind runs watch {sent.run.id}` follows it.")


@app.command("watch")
async def watch_run(api: Api, run_id: RunId) -> None:
    """Follow a run to its end: steps, tools, todos, sub-agents, questions.

    A run that has ended is shown. Ctrl-C stops watching, not the run.
    """
    run = await _run(api, run_id)
    if run.status.word in FINAL:
        await _show(api, run)
        return
    from echomind.cli.conversations.answer_writer import AnswerWriter
    from echomind.cli.conversations.following import RunFollower

    follower = RunFollower(api.client, session_id=run.chat_session_id, run_id=run.id)
    writer = AnswerWriter(api.terminal, follower)
    async with aclosing(follower.watch()) as events:
        status = await writer.write(events, until_parked=False)
    if run.parent_run_id:  # a sub-run has an output instead of a message
        api.terminal.line((await _run(api, run_id)).output)
    writer.finish(status)


@app.command("input")
async def provide_input(
    api: Api, run_id: RunId, text: Annotated[str, typer.Argument(help="Answer, or the number of an offered one.")]
) -> None:
    """Answer the question of a waiting run; it resumes."""
    pending = (await _run(api, run_id)).pending_input
    content = chosen(text, pending.options) if pending else text
    run = await api.client.call(public.RunService.provide_input, {"id": checked(run_id), "content": content})
    _report(api, run, "Answered")


@app.command("approve")
async def approve_tool_call(
    api: Api,
    run_id: RunId,
    call: Annotated[
        str, typer.Option(metavar="CALL", help="Only this tool call, by its id.", show_default="all that wait")
    ] = "",
    deny: Annotated[bool, typer.Option("--deny", help="Deny instead, as `echomind runs deny`.")] = False,
    comment: Annotated[str, typer.Option(help="Reason, which the agent reads.")] = "",
) -> None:
    """Approve tool calls that wait for approval.

    The run resumes when none waits any more.
    """
    _report(api, await _decide(api, run_id, call, comment, approved=not deny), "Denied" if deny else "Approved")


@app.command("deny")
async def deny_tool_call(
    api: Api,
    run_id: RunId,
    call: Annotated[
        str, typer.Option(metavar="CALL", help="Only this tool call, by its id.", show_default="all that wait")
    ] = "",
    comment: Annotated[str, typer.Option(help="Reason, which the agent reads.")] = "",
) -> None:
    """Deny tool calls that wait for approval; the run resumes without them."""
    _report(api, await _decide(api, run_id, call, comment, approved=False), "Denied")


@app.command("pause")
async def pause_run(api: Api, run_id: RunId) -> None:
    """Pause a run at its next step."""
    _report(api, await api.client.call(public.RunService.pause_run, {"id": checked(run_id)}), "Asked to pause")


@app.command("resume")
async def resume_run(api: Api, run_id: RunId) -> None:
    """Resume a paused run."""
    _report(api, await api.client.call(public.RunService.resume_run, {"id": checked(run_id)}), "Asked to resume")


@app.command("cancel")
async def cancel_run(api: Api, run_id: RunId) -> None:
    """Cancel a run with its sub-agents; the text written so far stays."""
    run = await api.client.call(public.RunService.cancel_run, {"id": checked(run_id)})
    # The API returns no error for a run that has already ended.
    is_late = run.status.word in FINAL - {words.RunStatus.CANCELLED}
    _report(api, run, "Nothing to cancel" if is_late else "Asked to cancel")


app.command("tree")(show_tree)
app.command("details")(show_details)
app.command("prompt")(show_prompt)
app.command("exclude")(exclude_step)


def _report(api: Api, run: "public.Run", done: str) -> None:
    api.terminal.report(run, f"{done}: the run is {run.status.word.replace('_', ' ')}.")


async def _decide(api: Api, run_id: str, call: str, comment: str, *, approved: bool) -> "public.Run":
    decision = public.ApproveToolCallRequest(id=checked(run_id), tool_call_id=call, approved=approved, comment=comment)
    return await api.client.call(public.RunService.approve_tool_call, decision)


async def _run(api: Api, run_id: str) -> "public.Run":
    return await api.client.call(public.RunService.get_run, {"id": checked(run_id)})


async def _show(api: Api, run: "public.Run") -> None:
    steps = (await api.client.collect(public.RunService.list_steps, {"id": run.id}, limit=10_000)).steps
    if api.terminal.as_json:
        api.terminal.json(plain(run) | {"steps": steps})
        return
    api.terminal.fields(
        (
            ("Run", run.id),
            ("Goal" if run.goal else "Question", one_line(run.goal or run.input, 200)),
            ("Status", run.status.word),
            ("Started by", run.parent_run_id),
            ("Was told", one_line(run.inherited_context, 300)),
            ("Error", f"{run.error.message} [{run.error.reason}]" if run.error else ""),
            ("Detail", run.error.detail if run.error else ""),
            ("Session", run.chat_session_id),
            ("Assistant", _assistant(run)),
            ("Asked", moment(run.creation_date)),
            ("Took", seconds(run.duration_ms) if run.duration_ms else ""),
            ("Tokens", f"{run.prompt_tokens} read, {run.completion_tokens} written"),
            ("Cost", f"${run.cost:.4f}" if run.cost else ""),
            ("Limits", _limits(run)),
            ("Attempts", run.attempt if run.attempt > 1 else ""),
            ("Tools", ", ".join(run.tools)),
            ("External ID", run.external_id),
            ("Metadata", shown_metadata(run.metadata)),
        )
    )
    for step in steps:
        for line in _step_lines(step):
            api.terminal.line(line)
    for text in (run.output, run.result_summary):
        if text:
            api.terminal.markdown(text)
    if run.pending_input:
        for line in question_lines(run.id, run.pending_input):
            api.terminal.line(line)


def _assistant(run: "public.Run") -> str:
    version = f", version {run.assistant_version}" if run.assistant_version else ""
    name = f"{run.assistant_name} (id {run.assistant_id})" if run.assistant_name else f"id {run.assistant_id}"
    return f"{name}{version}"


def _limits(run: "public.Run") -> str:
    limits = [f"{run.max_steps} steps", f"{run.timeout_seconds} s"]
    limits += [f"{run.max_run_tokens} tokens"] if run.max_run_tokens else []
    limits += [f"${run.max_cost:.2f}"] if run.max_cost else []
    return ", ".join([*limits, f"{run.max_depth} levels of sub-agents"])


def _step_lines(step: "public.Step") -> list[str]:
    took = f" ({seconds(step.execution_duration_ms)})" if step.execution_duration_ms else ""
    model = f", {step.llm_model}" if step.llm_model else ""
    out = ", excluded" if step.excluded else ""
    action = f"{step.action.word.replace('_', ' ')} ({step.step_type.word})"
    lines = [f"{step.step_number}. {action}: {step.status.word}{out}{model}{took}"]
    lines += [f"   {one_line(text, 200)}" for text in (step.output, step.error_message) if text]
    for call in step.tool_calls:
        outcome = call.error_message or call.result or call.status_message
        lines.append(f"   {call_text(call)}: {call.status.word}")
        lines += [f"      {one_line(outcome, 150)}"] if outcome else []
    return lines
