"""`echomind documents`: stored documents and the status of their processing."""

import sys
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from echomind.cli.api import Api
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import last_change, moment, size
from echomind.cli.sources.document_changes import (
    move_documents,
    purge_documents,
    remove_documents,
    rename_document,
    retry_documents,
)
from echomind.cli.sources.document_lists import count_documents, list_documents, list_folders
from echomind.cli.sources.document_options import DocumentId
from echomind.cli.sources.source_people import mapping_text
from echomind.cli.tables import Table, shown
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

app = CommandGroup("Documents that are stored, and their processing.")

_TEXT_PART = 100_000
"""The most code points that one answer has."""


app.command("list")(list_documents)
app.command("count")(count_documents)
app.command("folders")(list_folders)

_PARTS = Table("DocumentService.list_documents", "ID FILE_WITHIN_IT:title STATUS MESSAGE:status_message", "")


@app.command("show")
async def show_document(api: Api, document_id: DocumentId) -> None:
    """Show a document."""
    document = await api.client.call(public.DocumentService.get_document, {"id": document_id})
    request = {"filter": {"parent_id": document_id}, "sort": "DOCUMENT_SORT_TITLE", "page_size": 1000}
    within = await api.client.call(public.DocumentService.list_documents, request)
    api.terminal.json(document)
    api.terminal.fields(
        (
            ("Document", f"{document.title} (id {document.id})"),
            ("Identifier", document.source_id),
            ("Connector", document.connector_id),
            ("Within", f"document {document.parent_id}" if document.parent_id else ""),
            ("Address", document.original_url),
            ("Status", shown(document.status)),
            ("Message", document.status_message),
            ("Kind", document.content_type),
            ("Size", size(document.size_bytes)),
            ("Language", document.language),
            ("Passages", document.chunk_count),
            ("Stored", moment(document.creation_date)),
            ("Changed", last_change(document)),
        )
    )
    if within.documents:
        _PARTS.write_rows(api.terminal, within.documents)


@app.command("readers")
async def show_readers(api: Api, document_id: DocumentId) -> None:
    """Show who may read a document in the connected system. Requires the right to manage its connector."""
    found = await api.client.call(public.SourcePermissionService.list_document_readers, {"document_id": document_id})
    api.terminal.json(found)
    if not found.by_source:
        api.terminal.line("Whoever sees its connector reads it: the connector does not sync permissions.")
        return
    _READERS.write_rows(api.terminal, found.readers)


def _mapped(reader: "public.DocumentReader") -> str:
    if reader.is_outdated:
        return "members outdated"
    return "" if reader.mapping.word == "unspecified" else mapping_text(reader)


@app.command("text")
async def show_text(
    api: Api,
    document_id: DocumentId,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="With headings, lists and tables, where the file has them.")
    ] = False,
) -> None:
    """Print the full text of a document, as it was extracted."""
    form = public.TextForm.MARKDOWN if markdown else public.TextForm.PLAIN
    parts: list[str] = []
    start, length, title = 0, 1, ""
    while start < length:
        request = {"id": document_id, "start": start, "end": start + _TEXT_PART, "form": form.value}
        part = await api.client.call(public.DocumentService.get_document_text, request)
        parts.append(part.text)
        api.terminal.text(part.text)
        start, length, title = part.end, part.length, part.title
        if not part.text:
            break
    api.terminal.json({"documentId": str(document_id), "title": title, "text": "".join(parts)})
    api.terminal.end_line()


@app.command("download")
async def download_document(
    api: Api,
    document_id: DocumentId,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; `-` is standard output.", show_default="its name"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Download the file of a document, as it was uploaded."""
    from echomind_lib.handwritten_routes import download

    document = await api.client.call(public.DocumentService.get_document, {"id": document_id})
    # Only the last part of the name is used, so that the file is written to the current folder.
    path = output or Path(PurePosixPath(document.source_id).name or f"document-{document_id}")
    if str(path) == "-":
        async with download(api.rest, document_id) as pieces:
            async for piece in pieces:
                sys.stdout.buffer.write(piece)
        return
    if path.exists() and not force:
        raise CommandError(f"{path} exists: choose another name with --output, or overwrite it with --force.")
    size_bytes = 0
    async with download(api.rest, document_id) as pieces:
        with path.open("wb") as file:
            async for piece in pieces:
                size_bytes += file.write(piece)
    api.terminal.report(
        {"documentId": str(document_id), "file": str(path), "sizeBytes": size_bytes},
        f"Wrote {path} ({size(size_bytes)}).",
    )


app.command("rename")(rename_document)
app.command("move")(move_documents)
app.command("retry")(retry_documents)
app.command("remove")(remove_documents)
app.command("purge")(purge_documents)

_READERS = Table(
    "SourcePermissionService.list_document_readers",
    "KEY NAME E-MAIL:email ACCOUNTS MAPPED",
    "Nobody may read it: the connected system has no readers for it, or they could not be read.",
    {"MAPPED": _mapped},
)
