"""`echomind ingest`: files and folders become documents."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.progress import Progress
from echomind.cli.sources.connectors import GroupOption, check_group, find_own_files, readers, resolve_connector
from echomind.cli.terminal import CommandError
from echomind_lib.models import public
from echomind_lib.models.public import words

if TYPE_CHECKING:
    from echomind.cli.sources.folders import Selection
    from echomind.cli.sources.uploads import Upload


async def ingest(
    api: Api,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders to upload.")],
    connector: Annotated[
        str,
        typer.Option(
            metavar="NAME|ID",
            help="Connector that they go to; created when there is none of this name.",
            autocompletion=completion.connectors,
            show_default="your files",
        ),
    ] = "",
    scope: Annotated[
        words.Scope | None,
        typer.Option(help="A new connector is visible to: you, one group, or everyone.", show_default="user"),
    ] = None,
    group: GroupOption = "",
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all documents are processed.")] = False,
) -> None:
    """Upload files and folders as documents; only new and changed files are sent.

    When a folder is ingested again, documents whose files are no longer in it are removed. A folder is identified by
    its name. Hidden files and files of unsupported types are skipped. The exit code is 1 when a document failed.
    """
    from echomind.cli.sources.file_kinds import is_supported
    from echomind.cli.sources.folders import select, sign
    from echomind.cli.sources.uploads import Upload

    check_group(scope or words.Scope.USER, group)
    selection = select(paths, is_supported)
    files = selection.files
    signatures = await sign(files)
    uploads = {
        file.source_id: Upload(file.source_id, signature, file.open)
        for file, signature in zip(files, signatures, strict=True)
    }
    target = await _connector(api, connector, scope, group)
    destination = {"connector": connector, "scope": scope or "", "group": group}
    report = await _bring_in(api, target, destination, selection, uploads, wait=wait)
    _show(api, selection, report, wait=wait)
    if group:
        await _warn_outsider(api, group)


async def _warn_outsider(api: Api, group: str) -> None:
    """Tells uploaders who are not in the group that they cannot read the documents."""
    me = await api.client.call(public.UserService.get_current_user)
    if group not in me.groups:
        api.terminal.note(
            f"You are not in the group {group}: your own questions do not use these documents. "
            f"`echomind groups join {shlex.quote(group)} {shlex.quote(me.user_name)}` adds you."
        )


class _Report:
    """Counts of uploaded, unchanged and failed files."""

    def __init__(self) -> None:
        self.documents: list[public.Document] = []
        self.unchanged = 0
        self.removed = 0

    def count(self, status: str) -> int:
        return sum(document.status.word == status for document in self.documents)


async def _bring_in(
    api: Api,
    connector: "public.Connector | None",
    destination: dict[str, str],
    selection: "Selection",
    uploads: "dict[str, Upload]",
    *,
    wait: bool,
) -> _Report:
    from echomind.cli.sources.uploads import find_unfinished, reconcile, upload, upload_all, wait_all

    report = _Report()
    connector_id = connector.id if connector else 0
    waiting = iter(uploads.values())
    # The server chooses the connector of the scope, and creates it if there is none: the first upload returns its id.
    while not connector_id and (document := next(waiting, None)):
        first = await upload(api.rest, destination, document)
        connector_id = first.connector_id
        if first.status is not public.DocumentStatus.COMPLETED:
            report.documents.append(first)
    if not connector_id:
        return report
    to_send: set[str] = set()
    groups = {**selection.folders, "": selection.loose} if selection.loose else selection.folders
    for prefix, files in groups.items():
        known = [uploads[file.source_id] for file in files]
        to_send.update((await reconcile(api.client, connector_id, prefix, known, remove_missing=False)).upload)
    to_send -= {document.source_id for document in report.documents}
    with Progress(api.terminal, "Uploading", len(to_send)) as progress:
        sending = [document for source_id, document in uploads.items() if source_id in to_send]
        report.documents += await upload_all(api.rest, connector_id, sending, progress.advance)
    for prefix, files in selection.folders.items():
        kept = [uploads[file.source_id] for file in files]
        report.removed += (await reconcile(api.client, connector_id, prefix, kept, remove_missing=True)).removed
    if wait:
        sent = {document.source_id for document in report.documents}
        report.documents += await find_unfinished(api.client, connector_id, uploads.keys() - sent)
        with Progress(api.terminal, "Processing", len(report.documents)) as progress:
            report.documents = await wait_all(api.client, report.documents, progress.advance)
    report.unchanged = len(uploads) - len(report.documents)
    return report


async def _connector(api: Api, name: str, scope: words.Scope | None, group: str) -> "public.Connector | None":
    """Returns the connector to upload to; None if the server must find or create it.

    Raises:
        CommandError: The connector with this name has another scope, or does not accept files.
    """
    if not name:
        return await find_own_files(api) if scope in {None, words.Scope.USER} else None
    connector = await resolve_connector(api, name)
    if connector is None:
        return None
    if connector.type.word != "file":
        raise CommandError(f"The connector {name} is of type {connector.type.word} and takes no files.")
    if scope and (connector.scope.word, connector.scope_id) != (scope.value, group):
        raise CommandError(f"The connector {name} exists and is visible to {readers(connector)}: choose another name.")
    return connector


def _show(api: Api, selection: "Selection", report: _Report, *, wait: bool) -> None:
    failed = [document for document in report.documents if document.status.word == "failed"]
    api.terminal.json(
        {
            "completed": report.count("completed"),
            "failed": len(failed),
            "skipped": report.unchanged + selection.unsupported + selection.empty,
            "documents": [_document(document) for document in report.documents],
        }
    )
    for document in failed:
        api.terminal.note(f"failed: {document.title or document.source_id}: {document.status_message}")
    counts = {
        "unchanged": report.unchanged,
        "removed": report.removed,
        "of unsupported type": selection.unsupported,
        "empty": selection.empty,
        "hidden": selection.hidden,
    }
    done = f"{report.count('completed')} ready" if wait else f"{len(report.documents) - len(failed)} uploaded"
    rest = [f"{count} {word}" for word, count in counts.items() if count]
    api.terminal.line(", ".join([done, f"{len(failed)} failed", *rest]) + ".")
    if not wait and report.documents:
        api.terminal.note("Processing continues; `echomind documents list` shows its status.")
    if failed:
        api.terminal.status = 1


def _document(document: "public.Document") -> dict[str, Any]:
    return {
        "documentId": str(document.id) if document.id else "",
        "title": document.title,
        "status": document.status.word,
        "statusMessage": document.status_message,
        "chunkCount": document.chunk_count,
    }
