"""`echomind notebooks`: sources that several people ask together."""

from typing import TYPE_CHECKING, Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.notebooks.notebook_sources import NOTHING_NEW, NewSources, source_state, store_sources
from echomind.cli.options import given
from echomind.cli.rendering import counted, last_change, one_line, plain
from echomind.cli.sources.connectors import find_connector
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError, NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

if TYPE_CHECKING:
    from collections.abc import Sequence


app = CommandGroup("Notebooks: sources that several people ask together.")

Name = Annotated[
    str, typer.Argument(metavar="NOTEBOOK", help="Title or id of a notebook.", autocompletion=completion.notebooks)
]
Documents = Annotated[
    list[int] | None,
    typer.Option(
        "--document", help="Id of a document; repeatable.", metavar="ID", min=1, autocompletion=completion.documents
    ),
]
Connectors = Annotated[
    list[str] | None,
    typer.Option(
        "--connector",
        help="Name or id of a connector; repeatable.",
        metavar="NAME|ID",
        autocompletion=completion.connectors,
    ),
]

Everyone = Annotated[bool, typer.Option("--all", help="Those of all people; for superadmins.")]


Tools = Annotated[
    list[str] | None,
    typer.Option(
        "--tool",
        help="Tool that answers may use besides the sources, such as search_web or wiki__*; repeatable.",
        metavar="NAME",
    ),
]

_NOTEBOOKS = Table(
    "NotebookService.list_notebooks",
    "ID TITLE::60 OF:user_name:30 ROLE SOURCES:source_count SESSIONS:session_count "
    "MEMBERS:member_count CREATED:creation_date",
    "There is no notebook; `echomind notebooks add TITLE` adds one.",
)
_SESSIONS = Table(
    "NotebookService.list_notebook_sessions",
    "SESSION:chat_session_id TITLE OF:user_name LAST_MESSAGE:last_message_at",
    "",
    {"TITLE": lambda each: one_line(each.chat_session.title, 60) if each.chat_session else "(you may not read it)"},
)


@app.command("list")
async def list_notebooks(
    api: Api,
    removed: Annotated[
        bool, typer.Option("--removed", help="List the removed notebooks, which can be restored.")
    ] = False,
    everyone: Everyone = False,
) -> None:
    """List your notebooks."""
    _NOTEBOOKS.write(api.terminal, await _notebooks(api, removed=removed, everyone=everyone))


@app.command("show")
async def show_notebook(
    api: Api, name: Name, query: Annotated[str, typer.Option(help="Only sessions that contain this text.")] = ""
) -> None:
    """Show a notebook with its sources, members and sessions."""
    notebook = await find_notebook(api, name)
    request = {"id": notebook.id}
    sources = (await api.client.call(public.NotebookService.list_notebook_sources, request)).sources
    joined = await api.client.call(public.NotebookService.list_notebook_members, request)
    members, groups = joined.members, joined.groups
    sessions = (
        await api.client.call(public.NotebookService.list_notebook_sessions, request | {"query": query})
    ).sessions
    api.terminal.json(
        plain(notebook) | {"sources": sources, "members": members, "groups": groups, "sessions": sessions}
    )
    api.terminal.fields(
        (
            ("Notebook", f"{notebook.title} (id {notebook.id})"),
            ("Description", notebook.description),
            ("Instructions", notebook.instructions),
            ("Further tools", ", ".join(notebook.tools)),
            ("Changed", last_change(notebook)),
            ("Members", ", ".join(f"{member.user_name} ({member.role.word})" for member in members)),
            ("Groups", ", ".join(f"{group.name} ({group.role.word})" for group in groups)),
        )
    )
    names = {member.user_id: member.user_name for member in members}
    api.terminal.table(
        ("SOURCE", "TITLE", "CONNECTOR", "DOCUMENT", "STATE", "CANNOT READ IT"),
        (
            (
                source.id,
                source.title or "(you may not read it)",
                source.connector_id or "",
                source.document_id or "",
                source_state(source),
                ", ".join(
                    [names.get(user_id, str(user_id)) for user_id in source.unreadable_by]
                    + [f"some of {group.name}" for group in groups if group.group_id in source.unreadable_by_groups]
                ),
            )
            for source in sources
        ),
        empty="It has no source.",
    )
    if any(source.access_scope.word != "unspecified" for source in sources):
        api.terminal.note(f"`echomind notebooks sources {notebook.id} --give-access SOURCE` lets all members read it.")
    _SESSIONS.write_rows(
        api.terminal, sessions, empty="No session contains it." if query else "Nobody has asked anything in it."
    )


@app.command("add")
async def add_notebook(
    api: Api,
    title: Annotated[str, typer.Argument(help="Title.")],
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    instructions: Annotated[str, typer.Option(help="How questions are answered in it.")] = "",
    document: Documents = None,
    connector: Connectors = None,
    tool: Tools = None,
) -> None:
    """Add a notebook."""
    from echomind_lib.errors import EchoMindError

    values = {"title": title, "description": description, "instructions": instructions, "tools": tool or []}
    notebook = await api.client.call(public.NotebookService.create_notebook, {"notebook": values})
    try:
        await add_sources(api, notebook.id, document, connector)
    except (CommandError, EchoMindError):
        await api.client.call(public.NotebookService.purge_notebook, {"id": notebook.id})
        raise
    api.terminal.report(notebook, f"Added {notebook.title} (id {notebook.id}).")


@app.command("update")
async def update_notebook(
    api: Api,
    name: Name,
    title: Annotated[str | None, typer.Option(help="New title.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    instructions: Annotated[str | None, typer.Option(help="How questions are answered in it.")] = None,
    tool: Tools = None,
    sources_only: Annotated[bool, typer.Option("--sources-only", help="Allow no further tools.")] = False,
) -> None:
    """Change a notebook: its title, description, instructions or further tools."""
    if tool and sources_only:
        raise CommandError("Give either --tool or --sources-only.")
    tools = [] if sources_only else tool
    values = given(title=title, description=description, instructions=instructions, tools=tools)
    if not values:
        raise NothingToChangeError(
            "Say what to change: --title, --description, --instructions, --tool or --sources-only."
        )
    change = {"id": (await find_notebook(api, name)).id, "notebook": values, "update_mask": list(values)}
    notebook = await api.client.call(public.NotebookService.update_notebook, change)
    api.terminal.report(notebook, f"Changed {notebook.title}.")


@app.command("sources")
async def change_sources(
    api: Api,
    name: Name,
    document: Documents = None,
    connector: Connectors = None,
    remove: Annotated[
        list[int] | None, typer.Option(help="Source to remove, by its id; repeatable.", metavar="ID", min=1)
    ] = None,
    new: NewSources = NOTHING_NEW,
    give_access: Annotated[
        list[int] | None,
        typer.Option(help="Source that all members may read from now on, by its id; repeatable.", metavar="ID", min=1),
    ] = None,
) -> None:
    """Add sources to a notebook, remove some, or let all members read them."""
    if not (document or connector or remove or give_access) and new == NOTHING_NEW:
        raise NothingToChangeError(
            "Say what to change: --document, --connector, --file, --address, --text, --remove or --give-access."
        )
    notebook = await find_notebook(api, name)
    documents, connectors = await store_sources(api, notebook.title, new)
    await add_sources(api, notebook.id, [*(document or ()), *documents], [*(connector or ()), *map(str, connectors)])
    if give_access:
        gift = {"id": notebook.id, "source_ids": give_access}
        await api.client.call(public.NotebookService.give_notebook_access, gift)
    if remove:
        await api.client.call(public.NotebookService.remove_notebook_sources, {"id": notebook.id, "source_ids": remove})
    notebook = await api.client.call(public.NotebookService.get_notebook, {"id": notebook.id})
    api.terminal.report(notebook, f"{notebook.title} has {counted(notebook.source_count, 'source')}.")


@app.command("start")
async def start_template(
    api: Api,
    name: Name,
    template: Annotated[words.NotebookTemplate, typer.Argument(help="What to ask for.")],
    field: Annotated[list[str] | None, typer.Option(help="Column of a table; repeatable.")] = None,
    language: Annotated[str, typer.Option(help="ISO 639-1 code of the answer's language.")] = "en",
) -> None:
    """Ask for a summary, a briefing, a comparison or a table of the sources.

    The answer is written in a new session; `echomind runs watch RUN` follows it.
    """
    values = {
        "template": public.NotebookTemplate.from_word(template.value),
        "fields": field or [],
        "language": language,
    }
    request = {"id": (await find_notebook(api, name)).id} | values
    sent = await api.client.call(public.NotebookService.start_notebook_template, request)
    api.terminal.json(sent)
    run_id = sent.run.id if sent.run else ""
    session_id = sent.run.chat_session_id if sent.run else 0
    api.terminal.line(f"Asked in session {session_id}.")
    api.terminal.note(f"`echomind runs watch {run_id}` follows the answer.")


@app.command("remove")
async def remove_notebook(
    api: Api,
    name: Name,
    purge: Annotated[bool, typer.Option("--purge", help="Delete it permanently, also a removed one.")] = False,
    everyone: Everyone = False,
    yes: Yes = False,
) -> None:
    """Remove a notebook with its sessions; it can be restored for 30 days."""
    notebooks = await _notebooks(api, everyone=everyone)
    if purge:
        notebooks += await _notebooks(api, removed=True, everyone=everyone)
    notebook = find(notebooks, name, "notebook", lambda each: each.title)
    what = f"{notebook.title} with its {counted(notebook.session_count, 'session')}"
    await confirm(api.terminal, f"Delete {what} permanently" if purge else f"Remove {what}", yes=yes)
    end = public.NotebookService.purge_notebook if purge else public.NotebookService.delete_notebook
    await api.client.call(end, {"id": notebook.id})
    api.terminal.report(notebook, f"{'Deleted' if purge else 'Removed'} {notebook.title}.")


@app.command("restore")
async def restore_notebook(api: Api, name: Name, everyone: Everyone = False) -> None:
    """Restore a removed notebook with its sessions."""
    notebooks = await _notebooks(api, removed=True, everyone=everyone)
    notebook = find(notebooks, name, "removed notebook", lambda each: each.title)
    restored = await api.client.call(public.NotebookService.restore_notebook, {"id": notebook.id})
    api.terminal.report(restored, f"Restored {restored.title}.")


async def add_sources(
    api: Api, notebook_id: int, documents: "Sequence[int] | None", connectors: "Sequence[str] | None"
) -> None:
    """Adds documents, by their ids, and connectors, by their names or ids."""
    if documents or connectors:
        connector_ids = [(await find_connector(api, connector)).id for connector in connectors or ()]
        request = {"id": notebook_id, "document_ids": list(documents or ()), "connector_ids": connector_ids}
        await api.client.call(public.NotebookService.add_notebook_sources, request)


async def find_notebook(api: Api, name: str) -> "public.Notebook":
    """Returns the caller's notebook with a title or an id."""
    return find(await _notebooks(api), name, "notebook", lambda each: each.title)


async def _notebooks(api: Api, *, removed: bool = False, everyone: bool = False) -> "list[public.Notebook]":
    request = {"removed": removed, "all": everyone}
    listed = await api.client.collect(public.NotebookService.list_notebooks, request, limit=10_000)
    return listed.notebooks
