"""`echomind messages`: edit, regenerate, exclude, rate."""

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echomind.cli.answer_writer import source_lines
from echomind.cli.api import Api, api_command, command_group
from echomind.cli.conversing import converse
from echomind.cli.rendering import plain
from echomind.cli.run_options import AskClarifications, MaxCost, MaxDepth, MaxSteps, MaxTokens, TimeLimit, run_options

if TYPE_CHECKING:
    from echomind_lib.models.public import RunOptions

app = command_group("Messages: show, edit, regenerate, discard, rate.")

MessageId = Annotated[int, typer.Argument(metavar="ID", help="The message.", min=1)]


@app.command("show")
@api_command
async def show_message(api: Api, message_id: MessageId) -> None:
    """Show a message with its sources."""
    from echomind_lib.models.public import ChatMessage

    message = await api.client.call("GET", f"/messages/{message_id}", ChatMessage)
    if api.terminal.as_json:
        api.terminal.json(plain(message))
    api.terminal.line(message.content or message.error)
    for line in source_lines(message.citations):
        api.terminal.line(line)


@app.command("edit")
@api_command
async def edit_message(
    api: Api,
    message_id: MessageId,
    text: Annotated[str, typer.Argument(help="The question in its new words.")],
    ask_clarifications: AskClarifications = None,
    max_steps: MaxSteps = 0,
    time_limit: TimeLimit = 0,
    max_tokens: MaxTokens = 0,
    max_cost: MaxCost = 0,
    max_depth: MaxDepth = None,
) -> None:
    """Ask a question again in other words; what followed the old one stays as another branch."""
    if not text.strip():
        raise typer.BadParameter("it is empty", param_hint="TEXT")
    options = run_options(max_steps, time_limit, max_tokens, max_cost, max_depth, ask_clarifications=ask_clarifications)
    await _ask_again(api, f"/messages/{message_id}:edit", options, {"content": text})


@app.command("regenerate")
@api_command
async def regenerate_message(
    api: Api,
    message_id: MessageId,
    ask_clarifications: AskClarifications = None,
    max_steps: MaxSteps = 0,
    time_limit: TimeLimit = 0,
    max_tokens: MaxTokens = 0,
    max_cost: MaxCost = 0,
    max_depth: MaxDepth = None,
) -> None:
    """Have the same question answered once more, beside the answer that there is."""
    options = run_options(max_steps, time_limit, max_tokens, max_cost, max_depth, ask_clarifications=ask_clarifications)
    await _ask_again(api, f"/messages/{message_id}:regenerate", options, {})


@app.command("discard")
@api_command
async def discard_message(
    api: Api, message_id: MessageId, undo: Annotated[bool, typer.Option("--undo", help="Put it back.")] = False
) -> None:
    """Leave a message out of later prompts; it stays readable."""
    from echomind_lib.models.public import ChatMessage

    path = f"/messages/{message_id}:discard"
    message = await api.client.call("POST", path, ChatMessage, body={"discarded": not undo})
    if api.terminal.as_json:
        api.terminal.json(plain(message))
    api.terminal.line(f"Message {message_id} is {'back in' if undo else 'left out of'} later prompts.")


@app.command("rate")
@api_command
async def rate_message(
    api: Api,
    message_id: MessageId,
    good: Annotated[bool, typer.Option("--good/--bad", help="Whether the answer was good.", show_default=False)],
    text: Annotated[str, typer.Option(help="Why.", show_default=False)] = "",
) -> None:
    """Say whether an answer was good; a second word replaces the first."""
    from echomind_lib.models.public import Feedback

    body = Feedback(is_positive=good, feedback_text=text)
    feedback = await api.client.call("PUT", f"/messages/{message_id}/feedback", Feedback, body=body)
    if api.terminal.as_json:
        api.terminal.json(plain(feedback))
    api.terminal.line(f"Noted: answer {message_id} was {'good' if good else 'bad'}.")


async def _ask_again(api: Api, path: str, options: "RunOptions", fields: Mapping[str, Any]) -> None:
    """Begins a run by a message that there is, and writes its answer."""
    from echomind.cli.following import RunFollower
    from echomind_lib.models.public import SendMessageResponse

    body = {"requestId": str(uuid.uuid4()), "options": plain(options), **fields}
    sent = await api.client.call("POST", path, SendMessageResponse, body=body)
    assert sent.run is not None
    follower = RunFollower(api.client, session_id=sent.run.chat_session_id, run_id=sent.run.id)
    await converse(api, follower, follower.watch)
