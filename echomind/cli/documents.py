"""`echomind documents`: what has been stored, and how far it is."""

import sys
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api, api_command
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import moment, one_line, plain, size
from echomind.cli.terminal import CommandError

app = CommandGroup("Documents that are stored, and their processing.")

_TEXT_PART = 100_000
"""The most code points that one answer has."""

DocumentId = Annotated[
    int, typer.Argument(metavar="ID", min=1, help="Id of the document.", autocompletion=completion.documents)
]


class Status(StrEnum):
    """Status of a document."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


@app.command("list")
@api_command
async def list_documents(
    api: Api,
    connector: Annotated[
        str,
        typer.Option(
            help="Only documents of this connector, by name or id.",
            autocompletion=completion.connectors,
            show_default="all",
        ),
    ] = "",
    status: Annotated[Status | None, typer.Option(help="Only documents with this status.", show_default="all")] = None,
    limit: Annotated[int, typer.Option(help="Max documents to list.", min=1)] = 50,
) -> None:
    """List the documents that you may read, newest first."""
    from echomind.cli.connectors import find_connector
    from echomind_lib.models.public import DocumentService, DocumentStatus

    request: dict[str, Any] = {}
    if connector:
        request["connector_id"] = (await find_connector(api, connector)).id
    if status:
        request["status"] = DocumentStatus.from_word(status)
    documents = (await api.client.collect(DocumentService.list_documents, request, limit=limit)).documents
    if api.terminal.as_json:
        api.terminal.json({"documents": [plain(document) for document in documents]})
    api.terminal.table(
        ("ID", "STATUS", "PASSAGES", "SIZE", "STORED", "TITLE"),
        (
            (
                document.id,
                document.status.word,
                document.chunk_count,
                size(document.size_bytes),
                moment(document.creation_date),
                one_line(document.title, 80),
            )
            for document in documents
        ),
        empty="There is no document; `echomind ingest PATH` adds some.",
    )


@app.command("show")
@api_command
async def show_document(api: Api, document_id: DocumentId) -> None:
    """Show a document."""
    from echomind_lib.models.public import DocumentService

    document = await api.client.call(DocumentService.get_document, {"id": document_id})
    if api.terminal.as_json:
        api.terminal.json(plain(document))
    api.terminal.fields(
        (
            ("Document", f"{document.title} (id {document.id})"),
            ("Source", document.source_id),
            ("Connector", document.connector_id),
            ("Status", document.status.word),
            ("Message", document.status_message),
            ("Kind", document.content_type),
            ("Size", size(document.size_bytes)),
            ("Language", document.language),
            ("Passages", document.chunk_count),
            ("Stored", moment(document.creation_date)),
            ("Changed", moment(document.last_update)),
        )
    )


@app.command("text")
@api_command
async def show_text(api: Api, document_id: DocumentId) -> None:
    """Print the full text of a document, as it was extracted."""
    from echomind_lib.models.public import DocumentService

    parts: list[str] = []
    start, length, title = 0, 1, ""
    while start < length:
        request = {"id": document_id, "start": start, "end": start + _TEXT_PART}
        part = await api.client.call(DocumentService.get_document_text, request)
        parts.append(part.text)
        api.terminal.text(part.text)
        start, length, title = part.end, part.length, part.title
        if not part.text:
            break
    if api.terminal.as_json:
        api.terminal.json({"documentId": str(document_id), "title": title, "text": "".join(parts)})
    api.terminal.end_line()


@app.command("download")
@api_command
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
    from echomind_lib.models.public import DocumentService

    document = await api.client.call(DocumentService.get_document, {"id": document_id})
    # A name never leads out of the folder in which the command runs.
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
    if api.terminal.as_json:
        api.terminal.json({"documentId": str(document_id), "file": str(path), "sizeBytes": size_bytes})
    api.terminal.line(f"Wrote {path} ({size(size_bytes)}).")


@app.command("retry")
@api_command
async def retry_document(api: Api, document_id: DocumentId) -> None:
    """Reprocess a document from its stored file."""
    from echomind_lib.models.public import DocumentService

    document = await api.client.call(DocumentService.retry_document, {"id": document_id})
    if api.terminal.as_json:
        api.terminal.json(plain(document))
    api.terminal.line(f"{document.title} is {document.status.word}.")


@app.command("remove")
@api_command
async def remove_documents(
    api: Api,
    document_ids: Annotated[
        list[int],
        typer.Argument(metavar="ID...", min=1, help="Ids of the documents.", autocompletion=completion.documents),
    ],
    yes: Yes = False,
) -> None:
    """Remove documents; searches stop finding them at once."""
    from echomind_lib.models.public import DocumentService

    await confirm(api.terminal, f"Remove document {_listed(document_ids)}", yes=yes)
    for document_id in document_ids:
        await api.client.call(DocumentService.delete_document, {"id": document_id})
        api.terminal.line(f"Removed document {document_id}.")
    if api.terminal.as_json:
        api.terminal.json({"documentIds": [str(document_id) for document_id in document_ids]})


@app.command("purge")
@api_command
async def purge_documents(
    api: Api,
    document_ids: Annotated[
        list[int],
        typer.Argument(metavar="ID...", min=1, help="Ids of the documents.", autocompletion=completion.documents),
    ],
    yes: Yes = False,
) -> None:
    """Remove documents and delete their passages, files and text before the command ends.

    What conversations have quoted of them stays until those are purged.
    """
    from echomind_lib.models.public import DocumentService

    loss = f"Delete document {_listed(document_ids)} with file, text and passages, for good"
    await confirm(api.terminal, loss, yes=yes)
    for document_id in document_ids:
        await api.client.call(DocumentService.purge_document, {"id": document_id})
        api.terminal.line(f"Purged document {document_id}.")
    if api.terminal.as_json:
        api.terminal.json({"documentIds": [str(document_id) for document_id in document_ids]})


def _listed(document_ids: list[int]) -> str:
    return ", ".join(map(str, document_ids))
