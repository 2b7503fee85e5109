"""`echomind memories`: facts about you that are remembered across conversations."""

from collections.abc import Sequence
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import USERS
from echomind.cli.options import Switch
from echomind.cli.rendering import counted, moment
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Memories: what is remembered of you across sessions.")

MemoryId = Annotated[
    int,
    typer.Argument(
        metavar="ID", help="Id of the memory, which the list shows.", min=1, autocompletion=completion.memories
    ),
]


Type = Annotated[
    words.MemoryType | None, typer.Option("--type", help="Only memories of this type.", show_default="all")
]


def _type(kind: words.MemoryType | None) -> str:
    return f"MEMORY_TYPE_{kind.name if kind else 'UNSPECIFIED'}"


def _show(api: Api, name: str, memories: "Sequence[public.Memory]") -> None:
    api.terminal.json({name: memories})
    for memory in memories:
        api.terminal.line(_line(memory))
    if not memories:
        api.terminal.note("There is no memory.")


def _line(memory: "public.Memory") -> str:
    created = f"{memory.creation_date:%Y-%m-%d}" if memory.creation_date else ""
    closed = "  (replaced)" if memory.superseded_by else "  (withdrawn)" if memory.valid_to else ""
    by = "you" if memory.updated_by else "EchoMind"
    changed = f"  (changed {moment(memory.last_update)} by {by})" if memory.last_update and not closed else ""
    return f"{memory.id:>6}  {created}  {memory.memory_type.word:<10}  {memory.content}{closed}{changed}"


@app.command("list")
async def list_memories(
    api: Api,
    kind: Type = None,
    history: Annotated[bool, typer.Option("--history", help="List what was replaced or has expired, too.")] = False,
) -> None:
    """List your memories, newest first. With `--history --json` it is a complete export."""
    request = {"memory_type": _type(kind), "with_history": history}
    memories = (await api.client.collect(public.MemoryService.list_memories, request, limit=100_000)).memories
    _show(api, "memories", memories)


@app.command("search")
async def search_memories(
    api: Api, query: Annotated[str, typer.Argument(metavar="QUERY", help="What the memories are about.")]
) -> None:
    """Find memories about something, in the order in which an answer would get them."""
    hits = (await api.client.call(public.MemoryService.search_memories, {"query": query})).hits
    _show(api, "memories", [hit.memory for hit in hits if hit.memory])


@app.command("add")
async def add_memory(
    api: Api,
    content: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember, in one sentence.")],
    kind: Annotated[words.MemoryType, typer.Option("--type", help="What it is about.")] = words.MemoryType.SEMANTIC,
) -> None:
    """Add a memory."""
    request = {"memory": {"content": content, "memory_type": _type(kind)}}
    memory = await api.client.call(public.MemoryService.create_memory, request)
    _report(api, memory, "Remembered")


@app.command("update")
async def update_memory(
    api: Api, memory_id: MemoryId, content: Annotated[str, typer.Argument(metavar="TEXT", help="New text.")]
) -> None:
    """Change a memory."""
    request = {"id": memory_id, "memory": {"content": content}, "update_mask": ["content"]}
    memory = await api.client.call(public.MemoryService.update_memory, request)
    _report(api, memory, "Now")


@app.command("remove")
async def delete_memory(api: Api, memory_id: MemoryId, yes: Yes = False) -> None:
    """Delete a memory permanently, with all that it had replaced."""
    memory = await api.client.call(public.MemoryService.get_memory, {"id": memory_id})
    await confirm(api.terminal, f'Delete the memory "{memory.content}" with what it had replaced', yes=yes)
    await api.client.call(public.MemoryService.delete_memory, {"id": memory_id})
    _report(api, memory, "Deleted")


@app.command("purge")
async def clear_memories(
    api: Api,
    user: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Those of this person, without showing them; for superadmins.",
            autocompletion=completion.users,
            show_default="you",
        ),
    ] = "",
    yes: Yes = False,
) -> None:
    """Delete all your memories permanently."""
    if user:
        person = await USERS.find(api, user)
        await confirm(api.terminal, f"Delete all that is remembered of {person.user_name}, permanently", yes=yes)
        answer = await api.client.call(public.MemoryService.erase_memories, {"user_id": person.id})
    else:
        await confirm(api.terminal, "Delete all that is remembered of you, permanently", yes=yes)
        answer = await api.client.call(public.MemoryService.delete_all_memories, {})
    api.terminal.report(
        {"deleted": answer.deleted}, f"Deleted {counted(answer.deleted, 'memory', 'memories')}, replaced ones included."
    )


@app.command("allow")
async def allow_memory(
    api: Api,
    memory: Annotated[
        Switch | None, typer.Argument(help="Whether memory is on; without it, print the setting.")
    ] = None,
) -> None:
    """Print or, as a superadmin, set whether memory is on, for the whole installation.

    Switching it off deletes nothing. `echomind preferences set --no-memory` switches it off for yourself alone.
    """
    if memory is None:
        settings = await api.client.call(public.SystemService.get_installation_settings, {})
    else:
        change = {"settings": {"memory_enabled": memory is Switch.ON}}
        settings = await api.client.call(public.SystemService.update_installation_settings, change)
    api.terminal.report(settings, (Switch.ON if settings.memory_enabled else Switch.OFF).value)


def _report(api: Api, memory: "public.Memory", done: str) -> None:
    api.terminal.report(memory, f"{done}: {memory.content} [id {memory.id}]")
