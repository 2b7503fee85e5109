"""Uploads documents to a connector: compares, uploads new and changed ones, and waits until searches find them."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import chain, islice
from os import SEEK_END
from typing import BinaryIO

from echomind.cli.bounded import map_bounded
from echomind.cli.terminal import CommandError
from echomind_lib import handwritten_routes
from echomind_lib.contract.client import RESTART, Client, is_transient
from echomind_lib.contract.rest_client import RestTransport
from echomind_lib.errors import FileRejectedError
from echomind_lib.models import public

_UPLOADS_AT_ONCE = 6
_FILES_A_REQUEST = 8
_BYTES_A_REQUEST = 512 * 1024
"""Maximum bytes of the files that share a request; a larger file has one of its own."""
_FEWEST_A_POLL = 8
_MOST_A_POLL = 100
"""Documents that are asked for at once: twice as many as have ended since the last time."""
_FIRST_POLL_SECONDS = 0.1
_LONGEST_POLL_SECONDS = 1.0
_STALLED_SECONDS = 900.0
"""How long is waited while nothing happens to any of the documents."""
ENDED = frozenset({public.DocumentStatus.COMPLETED, public.DocumentStatus.FAILED})
_REMOVED = {
    "status": public.DocumentStatus.FAILED,
    "status_message": "It was removed while it was being processed.",
}

Progress = Callable[[], None]


@dataclass(frozen=True)
class Upload:
    """A document to bring in."""

    source_id: str
    """Its identifier in the connector."""
    signature: str
    """SHA-256 of its bytes, in lower-case hexadecimal."""
    open: Callable[[], BinaryIO]
    """Opens its bytes; called again when an upload is repeated."""
    title: str = ""
    """Its title; empty means the name."""


async def reconcile(
    client: Client, connector_id: int, prefix: str, uploads: Sequence[Upload], *, remove_missing: bool
) -> public.ReconcileDocumentsResponse:
    """Compares documents with those of the connector under a prefix.

    Raises:
        EchoMindError: The caller may not manage the connector.
    """
    request = public.ReconcileDocumentsRequest(
        id=connector_id,
        prefix=prefix,
        files=[public.FileEntry(source_id=upload.source_id, signature=upload.signature) for upload in uploads],
        remove_missing=remove_missing,
    )
    return await client.call(public.ConnectorService.reconcile_documents, request, retries=RESTART)


async def upload(rest: RestTransport, destination: Mapping[str, str], document: Upload) -> public.Document:
    """Uploads one document; a rejected one is returned as failed.

    Args:
        rest: The connection.
        destination: Target of the upload, as in `handwritten_routes.upload`.
        document: The document.
    """
    try:
        return (await _send(rest, destination, [document]))[0]
    except FileRejectedError as error:
        return public.Document(
            source_id=document.source_id,
            title=document.title or document.source_id,
            status=public.DocumentStatus.FAILED,
            status_message=str(error),
        )


async def _send(
    rest: RestTransport, destination: Mapping[str, str], documents: Sequence[Upload]
) -> Sequence[public.Document]:
    """Uploads documents in one request, and again if it does not arrive.

    Raises:
        FileRejectedError: The server rejects one of them.
    """

    async def send() -> Sequence[public.Document]:
        with ExitStack() as opened:
            files = [
                handwritten_routes.File(opened.enter_context(each.open()), each.source_id, each.title)
                for each in documents
            ]
            return await handwritten_routes.upload(rest, files, destination)

    return await RESTART.call(send, is_transient)


async def upload_all(
    rest: RestTransport, connector_id: int, documents: Iterable[Upload], progress: Progress
) -> list[public.Document]:
    """Uploads documents, several at once and small ones together; rejected ones are returned as failed.

    Args:
        rest: The connection.
        connector_id: The connector.
        documents: The documents.
        progress: Called for each document.

    Returns:
        The documents as stored, in order.
    """
    destination = {"connector_id": str(connector_id)}

    async def upload_batch(batch: Sequence[Upload]) -> list[public.Document]:
        stored: list[public.Document] = []
        if len(batch) > 1:
            with suppress(FileRejectedError):  # it is found below, and what is stored already stays as it is
                stored += await _send(rest, destination, batch)
        for document in batch[len(stored) :]:
            stored.append(await upload(rest, destination, document))
        for _ in stored:
            progress()
        return stored

    return list(chain.from_iterable(await map_bounded(upload_batch, _batches(documents), at_once=_UPLOADS_AT_ONCE)))


def _batches(documents: Iterable[Upload]) -> Iterator[list[Upload]]:
    """Divides documents into requests, in order: small ones share one, as a request costs more than they do."""
    batch: list[Upload] = []
    length = 0
    for document in documents:
        with document.open() as content:
            size = content.seek(0, SEEK_END)
        if batch and (len(batch) == _FILES_A_REQUEST or length + size > _BYTES_A_REQUEST):
            yield batch
            batch, length = [], 0
        batch.append(document)
        length += size
    if batch:
        yield batch


async def find_unfinished(client: Client, connector_id: int, source_ids: set[str]) -> list[public.Document]:
    """Returns the documents that are pending or being processed."""
    found: dict[int, public.Document] = {}
    for status in (public.DocumentStatus.PENDING, public.DocumentStatus.PROCESSING):
        request = {"connector_id": connector_id, "status": status}
        answer = await client.collect(public.DocumentService.list_documents, request, limit=1_000_000)
        found |= {document.id: document for document in answer.documents if document.source_id in source_ids}
    return list(found.values())


async def wait_all(client: Client, documents: Iterable[public.Document], progress: Progress) -> list[public.Document]:
    """Waits until each document is completed or failed.

    Documents are processed about in the order in which they came, so asking for the first ones that have not ended
    misses little, and one request asks for many.

    Args:
        client: The connection.
        documents: The documents as they were.
        progress: Called for each document.

    Returns:
        The documents as they are now, in order.

    Raises:
        CommandError: Nothing has happened to any of them for a long time.
    """
    clock = asyncio.get_running_loop().time
    known = list(documents)
    waiting = {document.id: place for place, document in enumerate(known) if document.status not in ENDED}
    for _ in range(len(known) - len(waiting)):
        progress()
    changed_at, pause, at_once = clock(), _FIRST_POLL_SECONDS, _FEWEST_A_POLL
    while waiting:
        await asyncio.sleep(pause)
        pause = min(1.5 * pause, _LONGEST_POLL_SECONDS)
        asked = [known[place] for place in islice(waiting.values(), at_once)]
        current = await _current(client, asked)
        if current != asked:
            changed_at = clock()
        elif clock() - changed_at > _STALLED_SECONDS:
            raise CommandError(
                f"No document has been processed any further for {_STALLED_SECONDS / 60:.0f} minutes. They stay "
                "queued: `echomind doctor` says what does not run, `echomind documents list` how far they are."
            )
        for document in current:
            known[waiting[document.id]] = document
            if document.status in ENDED:
                del waiting[document.id]
                progress()
        ended = sum(document.status in ENDED for document in current)
        at_once = min(max(2 * ended, _FEWEST_A_POLL), _MOST_A_POLL)
        if ended == len(current):
            pause = _FIRST_POLL_SECONDS  # those behind them may have ended, too
    return known


async def _current(client: Client, asked: Sequence[public.Document]) -> list[public.Document]:
    """Returns documents as they are now, in order; one that is not listed any more was removed."""
    request = public.ListDocumentsRequest(ids=[document.id for document in asked], page_size=_MOST_A_POLL)
    answer = await client.call(public.DocumentService.list_documents, request, retries=RESTART)
    listed = {document.id: document for document in answer.documents}
    return [listed.get(document.id) or document.model_copy(update=_REMOVED) for document in asked]
