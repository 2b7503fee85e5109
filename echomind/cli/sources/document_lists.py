"""Commands that list and count documents and folders."""

from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.nouns import CONNECTORS
from echomind.cli.rendering import plain, size
from echomind.cli.sources.connectors import find_connector
from echomind.cli.sources.document_options import FilterOptions
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

_DOCUMENTS = Table(
    "DocumentService.list_documents",
    "ID STATUS PASSAGES:chunk_count SIZE STORED:creation_date TITLE::80",
    "",
    {"SIZE": lambda each: size(each.size_bytes)},
)
_FOLDERS = Table("DocumentService.list_document_folders", "DOCUMENTS FOLDER:path", "There is no folder.")


async def list_documents(
    api: Api,
    options: FilterOptions,
    sort: Annotated[
        words.DocumentSort | None,
        typer.Option(help="Order: by time of adding, title or size.", show_default="newest first"),
    ] = None,
    descending: Annotated[
        bool, typer.Option("--descending", help="Reverse the order of --sort: latest, last or largest first.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Max documents to list.", min=1)] = 50,
) -> None:
    """List the documents that you may read, newest first."""
    request: dict[str, Any] = {} if options.is_empty else {"filter": await options.message(api)}
    if sort:
        request |= {"sort": public.DocumentSort.from_word(sort), "descending": descending}
    elif descending:
        raise typer.BadParameter("it goes with --sort", param_hint="--descending")
    empty = "There is no document; `echomind ingest PATH` adds some." if options.is_empty else "No document matches."
    await _DOCUMENTS.show(api, request, limit=limit, empty=empty)


async def count_documents(api: Api, options: FilterOptions) -> None:
    """Count the documents that you may read, by status, type and connector.

    The counts by a property ignore the filter on that property, so they show what another value would find.
    """
    request = {"filter": await options.message(api)}
    counts = await api.client.call(public.DocumentService.count_documents, request)
    if api.terminal.as_json:
        api.terminal.json(plain(counts))
        return
    connectors = await CONNECTORS.every(api.client)
    names = {str(connector.id): connector.name for connector in connectors}
    about = "about " if counts.total_estimated else ""
    api.terminal.fields([("Documents", f"{about}{counts.total}")])
    about = "about " if counts.counts_estimated else ""
    rows = [
        *(("status", _status_word(each.value), each.documents) for each in counts.statuses),
        *(("type", each.value.removeprefix("DOCUMENT_KIND_").lower(), each.documents) for each in counts.kinds),
        *(("connector", names.get(each.value, each.value), each.documents) for each in counts.connectors),
    ]
    if rows:
        columns = ("BY", "VALUE", "DOCUMENTS")
        api.terminal.table(columns, ((by, value, f"{about}{count}") for by, value, count in rows), empty="")


async def list_folders(
    api: Api,
    connector: Annotated[
        str, typer.Argument(metavar="NAME|ID", help="Name or id of a connector.", autocompletion=completion.connectors)
    ],
    folder: Annotated[
        str, typer.Argument(metavar="PATH", help="The folder whose folders are listed.", show_default="the outermost")
    ] = "",
) -> None:
    """List the folders of a connector, with how many documents are in each and below."""
    request = {"connector_id": (await find_connector(api, connector)).id, "parent": folder.rstrip("/")}
    await _FOLDERS.show(api, request)


def _status_word(value: str) -> str:
    """Returns what the command line calls a status of documents, such as `ready`; a later version may know more."""
    name = value.removeprefix("DOCUMENT_STATUS_")
    word = words.DocumentStatus.__members__.get(name)
    return word.value if word else name.lower()
