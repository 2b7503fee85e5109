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
from echomind.cli.terminal import CommandError

if TYPE_CHECKING:
    from echomind_lib.models.public import NotebookSource

_UNUSABLE: Final = re.compile(r'[\x00-\x1f\x7f"*/:<>?\\|]+')
_NAME_CHARACTERS: Final = 80


@dataclass(frozen=True, kw_only=True)
class NewSources:
    """Options of sources that are stored first."""

    file: Annotated[
        list[Path] | None,
        typer.Option(help="File or folder to store and add; repeatable.", exists=True, show_default=False),
    ] = None
    address: Annotated[
        list[str] | None,
        typer.Option(help="Web page to read and add; repeatable.", metavar="URL", show_default=False),
    ] = None
    text: Annotated[
        list[str] | None,
        typer.Option(help="Text to store and add, named by its first line; repeatable.", show_default=False),
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
    from echomind.cli.uploads import Upload, upload
    from echomind_lib.models.public import ConnectorService, DocumentStatus, Scope

    contents = [
        (str(path.relative_to(given.parent)), path.read_bytes()) for given in new.file or () for path in _files(given)
    ]
    contents += [(f"{_name(text.strip().split(chr(10))[0]) or 'text'}.md", text.encode()) for text in new.text or ()]
    documents = []
    for path, content in contents:
        signature = hashlib.sha256(content).hexdigest()
        source_id = f"{_name(title) or 'notebook'}/{path}"
        stored = await upload(api.rest, {}, Upload(source_id, signature, partial(io.BytesIO, content)))
        if stored.status is DocumentStatus.FAILED:
            raise CommandError(f"{path}: {stored.status_message}")
        documents.append(stored.id)
    connectors = []
    for address in new.address or ():
        config = {"start_urls": [address], "sitemaps": False, "max_depth": 0, "max_pages": 1}
        name = re.sub("^https?://", "", address)[:255]
        connector = {"name": name, "type_name": "web", "scope": Scope.USER, "config": config}
        connectors.append((await api.client.call(ConnectorService.create_connector, {"connector": connector})).id)
    return documents, connectors


def source_state(source: "NotebookSource") -> str:
    """Returns a text about how far a source is read: `12 of 14 ready, 1 failed`, with the reason."""
    if not source.is_readable:
        return ""
    counts = f"{source.documents_ready} of {source.documents} ready" if source.documents else "no documents yet"
    failed = f"{source.documents_failed} failed" if source.documents_failed else ""
    return ", ".join(filter(None, (counts, failed))) + (f": {source.status_message}" if source.status_message else "")


def _files(given: Path) -> list[Path]:
    if given.is_file():
        return [given]
    return sorted(path for path in given.rglob("*") if path.is_file() and not path.name.startswith("."))


def _name(text: str) -> str:
    """Returns a text as a name in a path; empty if nothing of it can be used."""
    return _UNUSABLE.sub(" ", text).lstrip("#. ")[:_NAME_CHARACTERS].strip(". ")
