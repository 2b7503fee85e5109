"""Access to the disk: lists a folder's files, and opens them without leaving the folder.

Symbolic links below the folder are not followed: their target is either in the folder and read there, or must not be
read. File names are bytes; bytes that are not UTF-8 are mapped to private-use characters.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from echomind_ingestor.connectors.protocol import SourceError
from echomind_lib.connectors.types.file import is_below, not_allowed

_UNFINISHED: Final = re.compile(
    r"(?i)(\.|~\$).*|.*(~|\.(part|partial|tmp|temp|swp|crdownload|download|filepart))", re.DOTALL
)
"""Hidden files, and incomplete files of programs, which are not read."""
_ESCAPES: Final = 0xEF00
"""A byte that is not UTF-8 is mapped to this private-use code point plus its value."""
_ESCAPED: Final = re.compile("[\uef80-\uefff]")
_SURROGATE: Final = re.compile("[\udc80-\udcff]")
_SURROGATES: Final = 0xDC00


@dataclass(frozen=True, slots=True)
class Found:
    """A found file, or a folder that could not be read.

    Attributes:
        path: Its path below the folder, with `/`.
        status: Its status; None if it could not be read.
        reason: The reason.
    """

    path: str
    status: os.stat_result | None
    reason: str = ""

    @property
    def version(self) -> str:
        """Returns a value that changes whenever the content may have changed."""
        status = self.status
        return "" if status is None else f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"


def find_root(folder: str, allowed: Sequence[str]) -> str:
    """Returns the real path of a folder that may be read.

    Raises:
        SourceError: It may not be read, or is not a folder.
    """
    root = Path(folder).resolve()
    if not is_below(root, allowed):
        raise SourceError(f"{not_allowed(folder, allowed)}.")
    if not root.is_dir():
        raise SourceError(f"{folder} is not a folder of the machine that the ingestor runs on.")
    return str(root)


def walk(root: str, after: str, is_selected: Callable[[str], bool]) -> Iterator[Found]:
    """Yields the files below a folder in a fixed order, starting after a path.

    Args:
        root: The folder.
        after: Path of the last known file; empty for all.
        is_selected: Returns whether to select a file, by its path.
    """
    behind = os.fsencode(_to_disk(after)).split(b"/") if after else []
    yield from _walk(root, None, "", behind, is_selected)


def _walk(
    folder: str, above: int | None, prefix: str, after: list[bytes], is_selected: Callable[[str], bool]
) -> Iterator[Found]:
    # Opened relative to the parent's descriptor without following links, so a link swapped in meanwhile has no effect.
    follow = 0 if above is None else os.O_NOFOLLOW
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | follow, dir_fd=above)
    except OSError as error:
        yield Found(_from_disk(prefix.rstrip("/")), None, _reason(error))
        return
    try:
        yield from _walk_opened(opened, prefix, after, is_selected)
    finally:
        os.close(opened)


def _walk_opened(folder: int, prefix: str, after: list[bytes], is_selected: Callable[[str], bool]) -> Iterator[Found]:
    try:
        with os.scandir(folder) as entries:
            listed = sorted(
                (os.fsencode(entry.name), entry) for entry in entries if not _UNFINISHED.fullmatch(entry.name)
            )
    except OSError as error:
        yield Found(_from_disk(prefix.rstrip("/")), None, _reason(error))
        return
    for name, entry in listed:
        if after and name < after[0]:
            continue
        behind = after[1:] if after and name == after[0] else []
        path = prefix + entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.name, folder, f"{path}/", behind, is_selected)
            elif (
                entry.is_file(follow_symlinks=False)
                and not (after and name == after[0])
                and is_selected(_from_disk(path))
            ):
                yield Found(_from_disk(path), entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            continue  # removed since the folder was listed
        except OSError as error:
            yield Found(_from_disk(path), None, _reason(error))


def open_file(root: str, path: str) -> int:
    """Opens a file below a folder without following symbolic links.

    Returns:
        Its descriptor, which the caller closes.

    Raises:
        OSError: It cannot be opened, is not a file or is outside of the folder.
    """
    *folders, name = _to_disk(path).split("/")
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            at, above = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at), at
            os.close(above)
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise FileNotFoundError(path)
    return opened


def _from_disk(path: str) -> str:
    return _SURROGATE.sub(lambda odd: chr(ord(odd[0]) - _SURROGATES + _ESCAPES), path)


def _to_disk(path: str) -> str:
    if ".." in path.split("/") or path.startswith("/"):
        raise FileNotFoundError(path)
    return _ESCAPED.sub(lambda odd: chr(ord(odd[0]) - _ESCAPES + _SURROGATES), path)


def _reason(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "The ingestor's user may not read it: grant it the right to."
    return f"It could not be read: {error.strerror or 'the disk failed'}."
