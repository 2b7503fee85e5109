"""Actions on the list of conversations: search, pin, archive, export, restore."""

from pathlib import Path
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.rendering import moment, plain
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

SessionId = Annotated[
    int, typer.Argument(metavar="ID", help="Id of the session.", autocompletion=completion.sessions, min=1)
]

_HITS = Table(
    "ChatSessionService.search_chat_sessions",
    "ID:chat_session.id NEWEST TITLE:chat_session.title:40 FOUND_IN:excerpt:80",
    "No session says that.",
    {"NEWEST": lambda each: moment(each.chat_session.last_message_at or each.chat_session.creation_date)},
)


async def read_session(api: Api, session_id: int) -> "public.ChatSession":
    """Returns a session."""
    return await api.client.call(public.ChatSessionService.get_chat_session, {"id": session_id})


async def change_session(api: Api, session_id: int, fields: dict[str, Any]) -> "public.ChatSession":
    """Changes fields of a session."""
    return await api.client.call(
        public.ChatSessionService.update_chat_session, {"id": session_id, "chat_session": fields}
    )


async def search_sessions(
    api: Api,
    query: Annotated[str, typer.Argument(help="Words, or parts of words, of titles and messages.")],
    limit: Annotated[int, typer.Option(help="Max sessions to show.", min=1)] = 20,
) -> None:
    """Search your sessions by title and text, archived ones too."""
    if not query.strip():
        raise typer.BadParameter("it is empty", param_hint="QUERY")
    await _HITS.show(api, {"query": query}, limit=limit)


async def pin_session(
    api: Api,
    session_id: SessionId,
    undo: Annotated[bool, typer.Option("--undo", help="Unpin the session.")] = False,
) -> None:
    """Pin a session to the top of the list."""
    session = await change_session(api, session_id, {"pinned": not undo})
    api.terminal.report(session, f"{'Unpinned' if undo else 'Pinned'} {session.title}.")


async def archive_session(
    api: Api,
    session_id: SessionId,
    undo: Annotated[bool, typer.Option("--undo", help="Return the session to the list.")] = False,
) -> None:
    """Archive a session; it is hidden from the list until a question is asked in it."""
    session = await change_session(api, session_id, {"archived": not undo})
    api.terminal.report(session, f"{'Put back' if undo else 'Archived'} {session.title}.")


async def pause_session(api: Api, session_id: SessionId) -> None:
    """Pause the run of a session at its next step, with its sub-agents."""
    session = await api.client.call(public.ChatSessionService.pause_chat_session, {"id": session_id})
    api.terminal.report(session, f"Asked to pause {session.title}.")


async def resume_session(api: Api, session_id: SessionId) -> None:
    """Resume the paused run of a session, with its sub-agents."""
    session = await api.client.call(public.ChatSessionService.resume_chat_session, {"id": session_id})
    api.terminal.report(session, f"Asked to resume {session.title}.")


async def cancel_session(api: Api, session_id: SessionId) -> None:
    """Cancel the run of a session, with its sub-agents; the text written so far stays."""
    session = await api.client.call(public.ChatSessionService.cancel_chat_session, {"id": session_id})
    api.terminal.report(session, f"Asked to cancel {session.title}.")


async def export_session(
    api: Api,
    session_id: SessionId,
    file_format: Annotated[
        words.ExportFormat, typer.Option("--format", help="Format: for people, or for programs.")
    ] = words.ExportFormat.MARKDOWN,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write.", show_default="standard output")
    ] = None,
) -> None:
    """Export a session with its questions, answers and sources."""
    request = public.ExportChatSessionRequest(id=session_id, format=public.ExportFormat.from_word(file_format))
    exported = await api.client.call(public.ChatSessionService.export_chat_session, request)
    if output:
        output.write_text(exported.content, encoding="utf-8")
    if api.terminal.as_json:
        api.terminal.json(plain(exported))
    elif output:
        api.terminal.line(f"Wrote {output}.")
    else:
        api.terminal.line(exported.content.rstrip())


async def restore_session(api: Api, session_id: SessionId) -> None:
    """Restore a removed session."""
    session = await api.client.call(public.ChatSessionService.restore_chat_session, {"id": session_id})
    api.terminal.report(session, f"Restored {session.title}.")
