"""`echomind notebooks notes` and the other commands for notes of notebooks."""

from typing import Annotated

import typer

from echomind.cli.answers.basis import basis_words, other_tools_words
from echomind.cli.answers.source_titles import source_title
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.notebooks.notebook_sources import NewSources, store_sources
from echomind.cli.notebooks.notebooks import Name, add_sources, find_notebook
from echomind.cli.options import given
from echomind.cli.rendering import last_change, moment, one_line
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError, NothingToChangeError
from echomind_lib.models import public

app = CommandGroup("Notes of notebooks: answers that were kept, and what members wrote.")

NoteId = Annotated[int, typer.Argument(metavar="NOTE", min=1, help="Id of a note; `list` shows them.")]

_NOTES = Table(
    "NotebookNoteService.list_notebook_notes",
    "ID TITLE::60 BY:user_name CITATIONS WRITTEN:creation_date",
    "It has no note that you may read.",
    {"CITATIONS": lambda each: len(each.citations)},
)


@app.command("list")
async def list_notes(api: Api, name: Name) -> None:
    """List the notes of a notebook that you may read."""
    notebook = await find_notebook(api, name)
    await _NOTES.show(api, {"notebook_id": notebook.id})


@app.command("show")
async def show_note(api: Api, note_id: NoteId) -> None:
    """Show a note with its citations."""
    note = await api.client.call(public.NotebookNoteService.get_notebook_note, {"id": note_id})
    api.terminal.json(note)
    written = f"by {note.user_name}, {moment(note.creation_date)}"
    changed = f"; changed {last_change(note)}" if note.updated_by_name else ""
    api.terminal.line(f"{note.title} ({written}{changed})\n\n{note.content}")
    for words in filter(None, (basis_words(note.basis), other_tools_words(note.other_tools))):
        api.terminal.line(words)
    for citation in {each.number: each for each in note.citations}.values():
        address = f" {citation.url}" if citation.url else ""
        api.terminal.line(f"[{citation.number}] {source_title(citation)}{address}: {one_line(citation.snippet, 100)}")


@app.command("add")
async def add_note(
    api: Api,
    name: Name,
    title: Annotated[str, typer.Option(help="Title.", show_default="the question, for an answer")] = "",
    content: Annotated[str, typer.Option(help="Text, in Markdown.")] = "",
    message: Annotated[
        int, typer.Option(metavar="ID", min=0, help="Answer of the notebook to keep.", show_default=False)
    ] = 0,
) -> None:
    """Write a note, or keep an answer with its citations."""
    if bool(content) == bool(message):
        raise CommandError("Give either the text with --content, or an answer with --message.")
    if content and not title.strip():
        raise CommandError("A note needs a title: give one with --title.")
    notebook = await find_notebook(api, name)
    if message:
        request = {"notebook_id": notebook.id, "message_id": message, "title": title}
        note = await api.client.call(public.NotebookNoteService.save_notebook_note, request)
    else:
        values = {"title": title, "content": content}
        request = {"notebook_id": notebook.id, "note": values}
        note = await api.client.call(public.NotebookNoteService.create_notebook_note, request)
    _report(api, note, "Added")


@app.command("update")
async def update_note(
    api: Api,
    note_id: NoteId,
    title: Annotated[str | None, typer.Option(help="New title.")] = None,
    content: Annotated[str | None, typer.Option(help="New text, in Markdown.")] = None,
    unchanged_since: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Refuse if somebody has changed it since: `last_update`, or else `creation_date`, of `show --json`.",
        ),
    ] = None,
) -> None:
    """Change a note."""
    values = given(title=title, content=content)
    if not values:
        raise NothingToChangeError("Say what to change: --title or --content.")
    change = {"id": note_id, "note": values, "update_mask": list(values)}
    change |= given(expected_last_update=unchanged_since)
    _report(api, await api.client.call(public.NotebookNoteService.update_notebook_note, change), "Changed")


@app.command("use")
async def use_note(api: Api, note_id: NoteId) -> None:
    """Store a note as a document, with its author, and add it to the sources of its notebook."""
    note = await api.client.call(public.NotebookNoteService.get_notebook_note, {"id": note_id})
    notebook = await api.client.call(public.NotebookService.get_notebook, {"id": note.notebook_id})
    text = f"# {note.title}\n\n*Note by {note.user_name}*\n\n{note.content}"
    documents, _ = await store_sources(api, notebook.title, NewSources(text=[text]))
    await add_sources(api, notebook.id, documents, [])
    _report(api, note, "Added to the sources of its notebook:")


@app.command("remove")
async def remove_note(api: Api, note_id: NoteId, yes: Yes = False) -> None:
    """Delete a note permanently."""
    note = await api.client.call(public.NotebookNoteService.get_notebook_note, {"id": note_id})
    await confirm(api.terminal, f"Delete the note {note.title}", yes=yes)
    await api.client.call(public.NotebookNoteService.delete_notebook_note, {"id": note_id})
    _report(api, note, "Deleted")


def _report(api: Api, note: "public.NotebookNote", done: str) -> None:
    api.terminal.report(note, f"{done} {note.title} (id {note.id}).")
