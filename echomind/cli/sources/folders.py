"""Finds the files to ingest, with their identifiers and signatures."""

import asyncio
import hashlib
import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

from echomind.cli.bounded import map_bounded
from echomind.cli.terminal import CommandError

_SIGNING_THREADS = 4


@dataclass(frozen=True)
class LocalFile:
    """One file to ingest."""

    path: Path
    source_id: str
    """Its identifier in the connector: its name, or for a folder's file the folder's name and the relative path."""

    def open(self) -> BufferedReader:
        """Opens its bytes.

        Raises:
            CommandError: It cannot be read.
        """
        try:
            return self.path.open("rb")
        except OSError as error:
            raise CommandError(f"{self.path} cannot be read: {error.strerror}.") from error


@dataclass
class Selection:
    """The files at the given paths.

    Attributes:
        folders: Files of each folder, under the prefix of their identifiers, `handbook/`.
        loose: Files that were named one by one.
        hidden: Number of files and folders skipped because their name starts with a dot.
        unsupported: Number of files skipped because their type is unsupported.
        empty: Number of files skipped because they are empty.
    """

    folders: dict[str, list[LocalFile]] = field(default_factory=dict)
    loose: list[LocalFile] = field(default_factory=list)
    hidden: int = 0
    unsupported: int = 0
    empty: int = 0

    @property
    def files(self) -> list[LocalFile]:
        """Returns all files."""
        return [*self.loose, *(file for files in self.folders.values() for file in files)]


def select(paths: Sequence[Path], is_supported: Callable[[str], bool]) -> Selection:
    """Returns the files at the paths, including those in folders, sorted.

    Symbolic links to folders are not followed. A folder without files to ingest is an error: ingesting it would remove
    all of its documents, and usually it is a disk that is not mounted.

    Args:
        paths: Files and folders.
        is_supported: Returns whether a file with this name can be read; an explicitly given one always is.

    Raises:
        CommandError: A path does not exist, cannot be read or is empty, or two files would have the same identifier.
    """
    selection = Selection()
    for path in paths:
        if os.path.isdir(path):  # noqa: PTH112 - false of a name that is too long, where Path fails
            prefix = _identifier(path.resolve().name) + "/"
            if prefix == "/" or prefix in selection.folders:
                raise CommandError(f"{path}: two folders of one name, or one without a name, cannot be told apart.")
            selection.folders[prefix] = [
                LocalFile(file, prefix + _identifier(file.relative_to(path).as_posix()))
                for file in _walk(path, is_supported, selection)
            ]
            if not selection.folders[prefix]:
                raise CommandError(f"{path} holds no file that can be read.")
        elif os.path.isfile(path):  # noqa: PTH113
            selection.loose.append(LocalFile(path, _identifier(path.name)))
        else:
            raise CommandError(f"{path} does not exist, or is neither a file nor a folder.")
    _refuse_doubles(selection.files)
    return selection


async def sign(files: Sequence[LocalFile]) -> list[str]:
    """Returns the files' SHA-256 sums in order, in lower-case hexadecimal.

    Raises:
        CommandError: A file cannot be read.
    """
    return await map_bounded(lambda file: asyncio.to_thread(_sha256, file), files, at_once=_SIGNING_THREADS)


def _walk(folder: Path, is_supported: Callable[[str], bool], selection: Selection) -> Iterator[Path]:
    for parent, folder_names, file_names in os.walk(folder, onerror=_refuse):
        visible = [name for name in folder_names if not name.startswith(".")]
        selection.hidden += len(folder_names) - len(visible)
        folder_names[:] = sorted(visible)
        for name in sorted(file_names):
            path = Path(parent, name)
            if name.startswith("."):
                selection.hidden += 1
            elif not is_supported(name) or not path.is_file():
                selection.unsupported += 1
            elif path.stat().st_size == 0:
                selection.empty += 1
            else:
                yield path


def _refuse(error: OSError) -> None:
    """A folder that is passed over in silence would look as if its files were deleted."""
    raise CommandError(f"{error.filename} cannot be read: {error.strerror}.") from error


def _refuse_doubles(files: Sequence[LocalFile]) -> None:
    seen: dict[str, Path] = {}
    for file in files:
        if file.source_id in seen:
            raise CommandError(
                f"{seen[file.source_id]} and {file.path} would be the same document {file.source_id!r}: "
                "ingest the folder above them, or use two connectors."
            )
        seen[file.source_id] = file.path


def _identifier(name: str) -> str:
    """Returns the name in NFC, as macOS and Linux then agree on it.

    Raises:
        CommandError: The name is not UTF-8.
    """
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise CommandError(f"The file name {name!r} is not UTF-8: rename the file.") from error
    return unicodedata.normalize("NFC", name)


def _sha256(file: LocalFile) -> str:
    with file.open() as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
