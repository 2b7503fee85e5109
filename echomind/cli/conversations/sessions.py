"""`echomind sessions`: conversations, their branches and their forks."""

from contextlib import aclosing
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.conversations.metadata import (
    ExternalId,
    ExternalIdFilter,
    Metadata,
    MetadataFilter,
    checked_pairs,
    parsed_metadata,
    shown_metadata,
)
from echomind.cli.conversations.run_options import AssistantName
from echomind.cli.conversations.session_branches import fork_session, list_messages, switch_branch, undo
from echomind.cli.conversations.session_list import (
    SessionId,
    archive_session,
    cancel_session,
    change_session,
    export_session,
    pause_session,
    pin_session,
    read_session,
    restore_session,
    resume_session,
    search_sessions,
)
from echomind.cli.help_format import CommandGroup
from echomind.cli.notebooks.notebooks import find_notebook
from echomind.cli.nouns import ASSISTANTS
from echomind.cli.rendering import counted, moment, one_line, plain
from echomind.cli.tables import Table
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

Memory = Annotated[
    bool | None,
    typer.Option(
        "--memory/--no-memory", help="Whether memories are used and learned in it; nothing else is learned without."
    ),
]

app = CommandGroup("Sessions: conversations, their branches and forks.")

_SESSIONS = Table(
    "ChatSessionService.list_chat_sessions",
    "ID STATUS MESSAGES:message_count NEWEST TITLE",
    "There is no session.",
    {
        "NEWEST": lambda each: moment(each.last_message_at or each.creation_date),
        "TITLE": lambda each: one_line(each.title, 80) + (" (pinned)" if each.pinned else ""),
    },
)


@app.command("list")
async def list_sessions(
    api: Api,
    archived: Annotated[
        bool, typer.Option("--archived", help="List the archived sessions instead of the others.")
    ] = False,
    removed: Annotated[
        bool, typer.Option("--removed", help="List the removed sessions, which can be restored or purged.")
    ] = False,
    status: Annotated[
        list[words.ChatSessionStatus] | None,
        typer.Option(help="Only sessions with this status; repeatable.", show_default="any"),
    ] = None,
    assistant: Annotated[
        str, typer.Option(help="Only sessions of this assistant, by name or id.", autocompletion=completion.assistants)
    ] = "",
    goal: Annotated[
        bool | None, typer.Option("--goal/--no-goal", help="Only sessions with a goal, or without.")
    ] = None,
    notebook: Annotated[
        str, typer.Option(help="Only sessions of this notebook, by title or id.", autocompletion=completion.notebooks)
    ] = "",
    metadata: MetadataFilter = None,
    external_id: ExternalIdFilter = "",
    limit: Annotated[int, typer.Option(help="Max sessions to list.", min=1)] = 50,
) -> None:
    """List your sessions: pinned ones first, then by newest message."""
    request = {
        "archived": archived,
        "removed": removed,
        "statuses": [public.ChatSessionStatus.from_word(word) for word in status or ()],
        "assistant_id": (await ASSISTANTS.find(api, assistant)).id if assistant else 0,
        "has_goal": goal,
        "notebook_id": (await find_notebook(api, notebook)).id if notebook else 0,
        "metadata": checked_pairs(metadata),
        "external_id": external_id,
    }
    await _SESSIONS.show(api, request, limit=limit)


@app.command("show")
async def show_session(api: Api, session_id: SessionId) -> None:
    """Show a session."""
    session = await read_session(api, session_id)
    api.terminal.json(session)
    covered = f" (up to message {session.last_summarized_message_id})" if session.summary else ""
    api.terminal.fields(
        (
            ("Session", f"{session.title} (id {session.id})"),
            ("Status", session.status.word),
            ("Error", f"{session.error.message} [{session.error.reason}]" if session.error else ""),
            ("Goal", session.goal),
            ("Messages", session.message_count),
            ("Shown up to message", session.head_message_id),
            ("Latest run", session.most_recent_run_id),
            ("Forked from", _origin(session)),
            ("Preferences", _preferences(session)),
            ("Memory", "off" if session.without_memory else ""),
            ("External ID", session.external_id),
            ("Metadata", shown_metadata(session.metadata)),
            ("Summary", session.summary + covered),
            ("Being summarized", "yes" if session.is_summarizing else ""),
            ("Summaries and title took", _summaries(session)),
            ("Begun", moment(session.creation_date)),
            ("Newest message", moment(session.last_message_at)),
        )
    )
    for step in session.important_steps:
        api.terminal.line(f"Step {step.step_number} of run {step.run_id}: {step.text}")


@app.command("add")
async def add_session(
    api: Api,
    title: Annotated[str, typer.Option(help="Title.", show_default="from its first question")] = "",
    goal: Annotated[str, typer.Option(help="Goal of its runs.")] = "",
    assistant: AssistantName = "",
    one_shot: Annotated[bool, typer.Option("--one-shot", help="Answer each question alone, without history.")] = False,
    memory: Memory = None,
    metadata: Metadata = None,
    external_id: ExternalId = "",
) -> None:
    """Add a session before its first question.

    `echomind ask --session ID` continues it.
    """
    new = public.ChatSession(
        title=title,
        goal=goal,
        assistant_id=(await ASSISTANTS.find(api, assistant)).id if assistant else 0,
        mode=public.ChatMode.ONE_SHOT if one_shot else public.ChatMode.CHAT,
        without_memory=memory is False,
        metadata=parsed_metadata(metadata),
        external_id=external_id,
    )
    session = await api.client.call(public.ChatSessionService.create_chat_session, {"chat_session": new})
    api.terminal.report(session, f"Added session {session.id}.")


@app.command("watch")
async def watch_session(
    api: Api,
    session_id: SessionId,
    after: Annotated[
        int, typer.Option(help="Id of the last event that you have.", min=0, show_default="the beginning")
    ] = 0,
) -> None:
    """Follow the events of a session until Ctrl-C.

    Stored events are printed in order, each once, then live ones. With --json, each event is one object on a line.
    """
    from echomind.cli.conversations.following import follow_session

    async with aclosing(follow_session(api.client, session_id, after)) as events:
        async for event in events:
            if api.terminal.as_json:
                api.terminal.json(plain(event))
            elif event.id:
                detail = event.text or event.kind.word.replace("_", " ")
                api.terminal.line(
                    f"{event.id}  {moment(event.creation_date)}  {event.run_id or '-'}  {one_line(detail, 120)}"
                )


@app.command("rename")
async def rename_session(
    api: Api, session_id: SessionId, title: Annotated[str, typer.Argument(help="New title.")]
) -> None:
    """Rename a session."""
    api.terminal.report(await change_session(api, session_id, {"title": title}), f"Renamed to {title}.")


@app.command("update")
async def update_session(
    api: Api,
    session_id: SessionId,
    goal: Annotated[str | None, typer.Option(help="Goal of its runs; empty: none.")] = None,
    assistant: Annotated[
        str, typer.Option(help="Name or id of the assistant.", autocompletion=completion.assistants)
    ] = "",
    preferences: Annotated[str, typer.Option(metavar="JSON", help='Run limits and options, as {"maxSteps": 20}.')] = "",
    memory: Memory = None,
    metadata: Metadata = None,
    external_id: Annotated[str | None, typer.Option(metavar="ID", help="Its ID at your program; empty: none.")] = None,
) -> None:
    """Change a session: its goal, assistant, options, use of memory, ID and values.

    --external-id and --metadata are what programs keep with it; --metadata replaces all values.
    """
    fields: dict[str, Any] = {} if goal is None else {"goal": goal}
    if assistant:
        fields["assistant_id"] = (await ASSISTANTS.find(api, assistant)).id
    if preferences:
        fields["preferences"] = _options(preferences)
    if memory is not None:
        fields["without_memory"] = not memory
    if metadata is not None:
        fields["metadata"] = parsed_metadata(metadata)
    if external_id is not None:
        fields["external_id"] = external_id
    if not fields:
        raise NothingToChangeError(
            "Say what to change: --goal, --assistant, --preferences, --memory, --no-memory, --metadata, --external-id."
        )
    api.terminal.report(await change_session(api, session_id, fields), "Changed.")


@app.command("remove")
async def remove_session(
    api: Api,
    session_id: SessionId,
    memories: Annotated[
        bool, typer.Option("--memories", help="Delete permanently what was remembered from it, too.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Remove a session with its messages; an unfinished run is cancelled.

    `echomind sessions restore ID` restores it, without the memories deleted by `--memories`.
    """
    session = await read_session(api, session_id)
    also = ", and delete what was remembered from it permanently" if memories else ""
    await confirm(
        api.terminal, f"Remove {session.title} with its {counted(session.message_count, 'message')}{also}", yes=yes
    )
    await api.client.call(public.ChatSessionService.delete_chat_session, {"id": session_id})
    if memories:
        await api.client.call(public.MemoryService.delete_all_memories, {"chat_session_id": session_id})
    api.terminal.report({"id": str(session.id), "title": session.title}, f"Removed {session.title}.")


@app.command("purge")
async def purge_session(api: Api, session_id: SessionId, yes: Yes = False) -> None:
    """Delete a session of yours permanently, also one that was removed.

    An unfinished run is cancelled.
    """
    await confirm(api.terminal, f"Delete session {session_id} with all its messages, permanently", yes=yes)
    await api.client.call(public.ChatSessionService.purge_chat_session, {"id": session_id})
    api.terminal.report({"id": str(session_id)}, f"Purged session {session_id}.")


app.command("fork")(fork_session)
app.command("undo")(undo)
app.command("switch")(switch_branch)


@app.command("summarize")
async def summarize_session(api: Api, session_id: SessionId) -> None:
    """Summarize the earlier messages, so that later prompts are shorter."""
    session = await api.client.call(public.ChatSessionService.summarize_chat_session, {"id": session_id})
    api.terminal.report(session, f"Requested; `echomind sessions show {session_id}` shows the summary when it is done.")


app.command("messages")(list_messages)
app.command("search")(search_sessions)
app.command("pin")(pin_session)
app.command("archive")(archive_session)
app.command("pause")(pause_session)
app.command("resume")(resume_session)
app.command("cancel")(cancel_session)
app.command("export")(export_session)
app.command("restore")(restore_session)


def _preferences(session: "public.ChatSession") -> str:
    given = plain(session.preferences) if session.preferences else {}
    unset = (0, "0", "", "WAIT_STRATEGY_UNSPECIFIED")
    return ", ".join(f"{name} {value}" for name, value in given.items() if value not in unset)


def _summaries(session: "public.ChatSession") -> str:
    if not session.summary_prompt_tokens:
        return ""
    cost = f", ${session.summary_cost:.4f}" if session.summary_cost else ""
    return f"{session.summary_prompt_tokens} tokens read, {session.summary_completion_tokens} written{cost}"


def _origin(session: "public.ChatSession") -> str:
    if not session.parent_session_id:
        return ""
    return f"session {session.parent_session_id}, message {session.forked_from_message_id}"


def _options(text: str) -> "public.RunOptions":
    """Checks preferences given as JSON."""
    from pydantic import ValidationError

    try:
        return public.RunOptions.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors()[0]
        where = "".join(f"{name}: " for name in fault["loc"])
        known = ", ".join(str(field.alias or name) for name, field in public.RunOptions.model_fields.items())
        raise typer.BadParameter(f"{where}{fault['msg']}; known are {known}", param_hint="--preferences") from error
