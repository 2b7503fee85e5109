"""Follows a run until it ends, and asks the user at the terminal for the input that it needs."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from echomind.cli.answers.tool_names import approval_question
from echomind.cli.api import INTERRUPTED, Api
from echomind.cli.conversations.activity import approval_text, chosen
from echomind.cli.conversations.answer_writer import AnswerWriter
from echomind_lib.models import public

if TYPE_CHECKING:
    from echomind.cli.conversations.following import RunFollower

_CANCEL_SECONDS = 5.0
"""How long Ctrl-C waits for the run to end; a second Ctrl-C does not wait."""


async def converse(
    api: Api,
    follower: "RunFollower",
    begin: "Callable[[], AsyncGenerator[public.SessionEvent]]",
    *,
    cancels: bool = True,
) -> None:
    """Writes a run until it ends, or until it needs input and there is no terminal.

    Args:
        api: The client and options of the command.
        follower: The run.
        begin: Function that opens its first stream of events.
        cancels: Whether Ctrl-C cancels the run; otherwise it continues.
    """
    writer = AnswerWriter(api.terminal, follower)
    interrupted, waiting = False, None
    try:
        status, waiting = await _to_the_end(api, follower, writer, begin)
    except asyncio.CancelledError:
        if not follower.run_id or not cancels:
            raise
        interrupted = True
        status = await _cancel(api, follower, writer)
    writer.finish(status, waiting)
    if interrupted:
        api.terminal.status = INTERRUPTED


async def _to_the_end(
    api: Api, follower: "RunFollower", writer: AnswerWriter, begin: "Callable[[], AsyncGenerator[public.SessionEvent]]"
) -> "tuple[public.RunStatus, public.Run | None]":
    """Returns the run's status, and the run that waits for input that the terminal did not give."""
    while True:
        async with aclosing(begin()) as events:
            status = await writer.write(events)
        if not writer.waiting_run_id:
            return status, None
        run = await api.client.call(public.RunService.get_run, {"id": writer.waiting_run_id})
        # Another client may have answered already.
        if run.pending_input is not None and not (api.terminal.can_ask and await _answer(api, run)):
            return status, run
        begin = follower.watch


async def _answer(api: Api, run: "public.Run") -> bool:
    """Asks the user at the terminal; returns false if they do not answer."""
    pending = run.pending_input
    assert pending is not None
    if pending.kind is public.PendingInputKind.APPROVAL:
        return await _approve(api, run.id, pending)
    if pending.form is not None and pending.form.fields:
        return await _fill_in(api, run.id, pending.form)
    for number, option in enumerate(pending.options, 1):
        api.terminal.note(f"  {number}) {option}")
    text = ""
    while not text:
        given = await api.terminal.ask(f"? {pending.question}\n>")
        if given is None:
            return False
        text = chosen(given, pending.options)
    await api.client.call(public.RunService.provide_input, {"id": run.id, "content": text})
    return True


async def _fill_in(api: Api, run_id: str, form: "public.InputForm") -> bool:
    """Asks for each field of a form, again while the answer does not fit; returns false if the user does not answer."""
    from echomind_lib.errors import ValidationFailedError

    api.terminal.note(f"? The MCP server {form.server} asks: {form.message}")
    api.terminal.note(f"  The answer goes to {form.server}: give it no password, key or other secret.")
    while True:
        values: dict[str, str] = {}
        for field in form.fields:
            given = await api.terminal.ask(f"{_asked(field)}\n>")
            if given is None:
                return False
            if text := chosen(given, field.options):
                values[field.name] = text
        content = json.dumps(values)
        try:
            await api.client.call(public.RunService.provide_input, {"id": run_id, "content": content})
        except ValidationFailedError as error:
            api.terminal.note(error.message)
        else:
            return True


def _asked(field: "public.InputField") -> str:
    """Returns what a person has to know of a field."""
    kind = field.type.word
    parts = [] if kind == "string" else ["yes or no" if kind == "boolean" else kind]
    parts += [field.format] if field.format else []
    if field.minimum is not None:
        parts.append(f"at least {field.minimum:g}")
    if field.maximum is not None:
        parts.append(f"at most {field.maximum:g}")
    if field.default_values:
        parts.append(f"otherwise {', '.join(field.default_values)}")
    elif not field.required:
        parts.append("optional")
    title = field.title or field.name
    lines = [f"{title} ({', '.join(parts)})" if parts else title]
    lines += [field.description] if field.description else []
    return "\n".join(lines + [f"  {number}) {option}" for number, option in enumerate(field.options, 1)])


async def _approve(api: Api, run_id: str, pending: "public.PendingInput") -> bool:
    api.terminal.note(f"? {approval_question(pending.tool_calls)}")
    for call in pending.tool_calls:
        given = await api.terminal.ask(f"Approve {approval_text(call)}? [y/N]")
        if given is None:
            return False
        approved = given.lower() in {"y", "yes"}
        comment = "" if approved or given.lower() in {"", "n", "no"} else given
        decision = public.ApproveToolCallRequest(
            id=run_id, tool_call_id=call.tool_call_id, approved=approved, comment=comment
        )
        await api.client.call(public.RunService.approve_tool_call, decision)
    return True


async def _cancel(api: Api, follower: "RunFollower", writer: AnswerWriter) -> "public.RunStatus":
    """Cancels the run and waits for its last event."""
    api.terminal.note("· Cancelling.")
    run = await api.client.call(public.RunService.cancel_run, {"id": follower.run_id})
    try:
        async with asyncio.timeout(_CANCEL_SECONDS), aclosing(follower.watch()) as events:
            return await writer.write(events, until_parked=False)
    except TimeoutError:
        return run.status
