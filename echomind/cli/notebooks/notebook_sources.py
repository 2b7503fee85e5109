"""New sources of notebooks: files, folders, addresses and texts; and how far sources are read."""

import hashlib
import io
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from echomind.cli.api import Api
from echomind.cli.progress import Progress
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

if TYPE_CHECKING:
    from echomind.cli.sources.uploads import Upload

_UNUSABLE: Final = re.compile(r'[\x00-\x1f\x7f"*/:<>?\\|]+')
_NAME_CHARACTERS: Final = 80


@dataclass(frozen=True, kw_only=True)
class NewSources:
    """Options of sources that are stored first."""

    file: Annotated[
        list[Path] | None, typer.Option(help="File or folder to store and add; repeatable.", exists=True)
    ] = None
    address: Annotated[list[str] | None, typer.Option(help="Web page to read and add; repeatable.", metavar="URL")] = (
        None
    )
    text: Annotated[
        list[str] | None, typer.Option(help="Text to store and add, named by its first line; repeatable.")
    ] = None


NOTHING_NEW: Final = NewSources()


async def store_sources(api: Api, title: str, new: NewSources) -> tuple[list[int], list[int]]:
    """Stores files and texts among the caller's own files, in a folder of the notebook's title, and adds web pages.

    Args:
        api: The connection.
        title: The notebook's title.
        new: What to store.

    Returns:
        The ids of the documents, and of the connectors of the web pages.

    Raises:
        CommandError: A file cannot be read, or was refused.
        EchoMindError: The server refused.
    """
    from echomind.cli.sources.file_kinds import is_supported
    from echomind.cli.sources.folders import select, sign
    from echomind.cli.sources.uploads import Upload, upload, upload_all

    folder = _name(title) or "notebook"
    files = select(new.file or (), is_supported).files
    uploads = [
        Upload(f"{folder}/{file.source_id}", signature, file.open)
        for file, signature in zip(files, await sign(files), strict=True)
    ]
    uploads += [_upload_of_text(folder, text) for text in new.text or ()]
    stored = []
    with Progress(api.terminal, "Uploading", len(uploads)) as progress:
        if uploads:
            # The server creates the connector of the caller's files if there is none: the first upload returns its id.
            stored.append(await upload(api.rest, {}, uploads[0]))
            progress.advance()
            stored += await upload_all(api.rest, stored[0].connector_id, uploads[1:], progress.advance)
    for document in stored:
        if document.status is public.DocumentStatus.FAILED:
            raise CommandError(f"{document.source_id}: {document.status_message}")
    documents = [document.id for document in stored]
    connectors = []
    for address in new.address or ():
        config = {"start_urls": [address], "sitemaps": False, "max_depth": 0, "max_pages": 1}
        name = re.sub("^https?://", "", address)[:255]
        connector = {"name": name, "type_name": "web", "scope": public.Scope.USER, "config": config}
        connectors.append(
            (await api.client.call(public.ConnectorService.create_connector, {"connector": connector})).id
        )
    return documents, connectors


def source_state(source: "public.NotebookSource") -> str:
    """Returns a text about how far a source is read: `12 of 14 ready, 1 failed`, with the reason."""
    if not source.is_readable:
        return ""
    counts = f"{source.documents_ready} of {source.documents} ready" if source.documents else "no documents yet"
    failed = f"{source.documents_failed} failed" if source.documents_failed else ""
    return ", ".join(filter(None, (counts, failed))) + (f": {source.status_message}" if source.status_message else "")


def _upload_of_text(folder: str, text: str) -> "Upload":
    from echomind.cli.sources.uploads import Upload

    content = text.encode()
    source_id = f"{folder}/{_name(text.strip().split(chr(10))[0]) or 'text'}.md"
    return Upload(source_id, hashlib.sha256(content).hexdigest(), partial(io.BytesIO, content))


def _name(text: str) -> str:
    """Returns a text as a name in a path; empty if nothing of it can be used."""
    return _UNUSABLE.sub(" ", text).lstrip("#. ")[:_NAME_CHARACTERS].strip(". ")
