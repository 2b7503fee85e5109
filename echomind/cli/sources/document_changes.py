"""Commands that change documents, some by their ids or all that match a filter."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.rendering import counted, plain
from echomind.cli.sources.connectors import find_connector
from echomind.cli.sources.document_options import DocumentId, DocumentIds, FilterOptions, Matching, SomeDocumentIds
from echomind_lib.models import public

if TYPE_CHECKING:
    from echomind_lib.contract.client import Unary

_IDS_AT_ONCE = 1000
"""Maximum ids of one call."""


async def rename_document(
    api: Api, document_id: DocumentId, title: Annotated[str, typer.Argument(help="New title.")]
) -> None:
    """Rename a document; new answers and searches show the new title."""
    change = {"id": document_id, "document": {"title": title}}
    document = await api.client.call(public.DocumentService.update_document, change)
    api.terminal.report(document, f"Renamed to {document.title}.")


async def move_documents(
    api: Api,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="NAME|ID", help="Connector to move them to.", autocompletion=completion.connectors
        ),
    ],
    options: FilterOptions,
    document_ids: SomeDocumentIds = None,
    matching: Matching = False,
) -> None:
    """Move documents to another connector of files, whose readers can read them from then on.

    Documents that are pending or being processed, or whose path exists in that connector, are not moved.
    """
    meant = await _meant(api, document_ids, options, matching=matching)
    connector = await find_connector(api, to)
    changed = await _change(api, public.DocumentService.move_documents, meant, connector_id=connector.id)
    _report(api, changed, meant, f"Moved {{}} to {connector.name}", f"Moving {{}} to {connector.name}")


async def retry_documents(
    api: Api, options: FilterOptions, document_ids: SomeDocumentIds = None, matching: Matching = False
) -> None:
    """Reprocess documents from their stored files.

    Documents that are pending or being processed are skipped.
    """
    meant = await _meant(api, document_ids, options, matching=matching)
    changed = await _change(api, public.DocumentService.retry_documents, meant)
    _report(api, changed, meant, "Reprocessing {}", "Reprocessing {}")


async def remove_documents(
    api: Api,
    options: FilterOptions,
    document_ids: SomeDocumentIds = None,
    matching: Matching = False,
    yes: Yes = False,
) -> None:
    """Remove documents; searches stop finding them at once."""
    meant = await _meant(api, document_ids, options, matching=matching)
    if isinstance(meant, list):
        loss = f"Remove document {_listed(meant)}"
    else:
        counts = await api.client.call(public.DocumentService.count_documents, {"filter": meant})
        about = "about " if counts.total_estimated else ""
        loss = f"Remove {about}{counted(counts.total, 'document')}, all that match and that you may change"
    await confirm(api.terminal, loss, yes=yes)
    changed = await _change(api, public.DocumentService.delete_documents, meant)
    _report(api, changed, meant, "Removed {}", "Removing {}")


async def purge_documents(api: Api, document_ids: DocumentIds, yes: Yes = False) -> None:
    """Remove documents and delete their passages, files and text before the command ends.

    Quotes of them in sessions stay until these are purged.
    """
    loss = f"Delete document {_listed(document_ids)} with file, text and passages, permanently"
    await confirm(api.terminal, loss, yes=yes)
    for document_id in document_ids:
        await api.client.call(public.DocumentService.purge_document, {"id": document_id})
        api.terminal.line(f"Purged document {document_id}.")
    api.terminal.json({"documentIds": [str(document_id) for document_id in document_ids]})


async def _meant(
    api: Api, document_ids: list[int] | None, options: FilterOptions, *, matching: bool
) -> "list[int] | public.DocumentFilter":
    """Returns the documents to change, by ids or by a filter.

    Raises:
        typer.BadParameter: Neither or both are given; a forgotten option must not change all documents.
    """
    if matching and not document_ids:
        return await options.message(api)
    if matching:
        raise typer.BadParameter("give ids or --matching, not both", param_hint="--matching")
    if not options.is_empty:
        raise typer.BadParameter("filter options go with --matching", param_hint="ID...")
    if not document_ids:
        raise typer.BadParameter("give the ids of documents, or --matching with filter options", param_hint="ID...")
    return document_ids


async def _change(
    api: Api,
    method: "Unary[Any, public.ChangeDocumentsResponse]",
    meant: "list[int] | public.DocumentFilter",
    **fields: int,
) -> "public.ChangeDocumentsResponse":
    """Changes the documents, in transactions of up to a thousand ids, and returns how many are changed."""
    if not isinstance(meant, list):
        return await api.client.call(method, {"selection": {"filter": meant}, **fields})
    answers = [
        await api.client.call(method, {"selection": {"ids": meant[start : start + _IDS_AT_ONCE]}, **fields})
        for start in range(0, len(meant), _IDS_AT_ONCE)
    ]
    return public.ChangeDocumentsResponse(
        documents=sum(answer.documents for answer in answers),
        in_background=any(answer.in_background for answer in answers),
    )


def _report(
    api: Api,
    changed: "public.ChangeDocumentsResponse",
    meant: "list[int] | public.DocumentFilter",
    done: str,
    doing: str,
) -> None:
    """Writes the result; `done` and `doing` have `{}` in place of the documents."""
    ids = meant if isinstance(meant, list) else []
    api.terminal.json(plain(changed) | ({"documentIds": [str(each) for each in ids]} if ids else {}))
    if not changed.documents:
        api.terminal.line("Nothing was changed: none of the documents can be changed.")
        return
    what = f"document {ids[0]}" if len(ids) == 1 else counted(changed.documents, "document")
    text = f"{doing} in the background." if changed.in_background else f"{done}."
    api.terminal.line(text.replace("{}", what, 1))


def _listed(document_ids: Sequence[int]) -> str:
    return ", ".join(map(str, document_ids))
