"""The branches of a session: fork, undo, switch, and the messages of each."""

from typing import Annotated

import typer

from echomind.cli.api import Api
from echomind.cli.conversations.message_details import show_details
from echomind.cli.conversations.session_list import SessionId, read_session
from echomind.cli.lists import more
from echomind.cli.rendering import moment
from echomind_lib.models import public


async def fork_session(
    api: Api,
    session_id: SessionId,
    message: Annotated[
        int | None, typer.Option(help="Id of the last message to copy.", min=1, show_default="the newest")
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the new session.", show_default="the same")] = "",
) -> None:
    """Fork a session: copy its messages up to one into a new session."""
    request = public.ForkChatSessionRequest(id=session_id, message_id=message or 0, title=title)
    forked = await api.client.call(public.ChatSessionService.fork_chat_session, request)
    api.terminal.report(forked, f"Forked into session {forked.id}: {forked.title}.")


async def undo(
    api: Api,
    session_id: SessionId,
    count: Annotated[int, typer.Option(help="Turns to undo.", min=1)] = 1,
) -> None:
    """Undo the last turn: question and answer stay readable as a branch."""
    head = (await read_session(api, session_id)).head_message_id
    while head and count:
        message = await api.client.call(public.ChatMessageService.get_message, {"id": head})
        head = message.parent_message_id
        count -= message.role is public.MessageRole.USER
    moved = await _move(api, session_id, head or 0, to_latest=False)
    where = f"message {moved.head_message_id}" if moved.head_message_id else "the beginning"
    api.terminal.report(moved, f"The session continues from {where}.")


async def switch_branch(
    api: Api,
    session_id: SessionId,
    message: Annotated[int, typer.Argument(metavar="MESSAGE", help="Id of a message of the branch.", min=1)],
    exactly: Annotated[
        bool, typer.Option("--exactly", help="Stop at this message instead of the branch's newest.")
    ] = False,
) -> None:
    """Switch to another branch of a session; the next question continues it."""
    moved = await _move(api, session_id, message, to_latest=not exactly)
    api.terminal.report(moved, f"Shown up to message {moved.head_message_id}.")


async def list_messages(
    api: Api,
    session_id: SessionId,
    all_branches: Annotated[
        bool, typer.Option("--all", help="Messages of all branches, not only of the shown one.")
    ] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Also what was searched for, the passages found and the tools called.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Max messages to list.", min=1)] = 1000,
) -> None:
    """List a session's messages, oldest first."""
    request = {"chat_session_id": session_id, "all_branches": all_branches, "with_details": details}
    found = await api.client.collect(public.ChatMessageService.list_messages, request, limit=limit)
    messages = found.messages
    api.terminal.json({"messages": messages} | more(api.terminal, found.next_page_token, len(messages)))
    for message in messages:
        api.terminal.styled((f"--- {_heading(message)}", "dim"))
        api.terminal.markdown(message.content or message.error)
        if details:
            show_details(api, message)
    if not messages:
        api.terminal.note("There is no message.")


BY_OTHERS = {"foreign": "written by somebody else", "unknown": "perhaps written by somebody else"}
"""What stands beside the role of messages that the owner did not write."""


def _heading(message: "public.ChatMessage") -> str:
    notes = [message.role.word, BY_OTHERS.get(message.author_kind.word, "")]
    notes.append(message.status.word if message.status.word != "completed" else "")
    if message.sibling_ids:
        notes.append(f"one of {', '.join(map(str, message.sibling_ids))}")
    notes.append("excluded" if message.excluded else "")
    return f"{message.id} ({', '.join(filter(None, notes))}) {moment(message.creation_date)}"


async def _move(api: Api, session_id: int, message_id: int, *, to_latest: bool) -> "public.ChatSession":
    request = public.MoveHeadRequest(id=session_id, message_id=message_id, to_latest=to_latest)
    return await api.client.call(public.ChatSessionService.move_head, request)
