"""Files that other programs export: the conversations in them, one after the other."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, TextIO

from echomind.cli.terminal import CommandError

_PIECE: Final = 1 << 20
_BETWEEN: Final = " \t\r\n,"


def conversations_in(path: Path) -> Iterator[str]:
    """Yields the conversations of a JSON file, or of the files `conversations*.json` of a ZIP archive, as JSON.

    Only one conversation is held in memory.

    Raises:
        CommandError: It is no such file; the message says what is wrong.
    """
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                file.seek(0)
                with _text(file) as text:
                    yield from objects_in(text, path.name)
                return
            with zipfile.ZipFile(file) as archive:
                names = sorted(name for name in archive.namelist() if _has_conversations(name))
                if not names:
                    raise CommandError(f"{path.name} has no file conversations.json.")
                for name in names:
                    with archive.open(name) as entry, _text(entry) as text:
                        yield from objects_in(text, f"{path.name}/{name}")
    except (OSError, zipfile.BadZipFile) as error:
        raise CommandError(f"{path} cannot be read: {error}.") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path.name} is not UTF-8 text.") from error


def _has_conversations(name: str) -> bool:
    base = name.rpartition("/")[2]
    return base.startswith("conversations") and base.endswith(".json")


def _text(file: IO[bytes]) -> TextIO:
    return io.TextIOWrapper(file, encoding="utf-8-sig")


def objects_in(text: TextIO, name: str) -> Iterator[str]:
    """Yields the values of a JSON array as JSON, or the only value of a file that has no array.

    Raises:
        CommandError: It is no JSON, or cut off.
    """
    decoder, rest, piece = json.JSONDecoder(), text.read(_PIECE).lstrip(), _PIECE
    is_list = rest.startswith("[")
    rest = rest[1:] if is_list else rest
    while True:
        rest = rest.lstrip(_BETWEEN)
        if is_list and rest.startswith("]"):
            return
        try:
            _, end = decoder.raw_decode(rest)
        except ValueError as error:
            # A value of many pieces is read in ever longer ones, so that it is not parsed too often.
            more, piece = text.read(piece), piece * 2
            if not more:
                raise CommandError(f"{name} is not valid JSON, or it is cut off.") from error
            rest += more
            continue
        except RecursionError as error:
            raise CommandError(f"{name} is nested too deeply.") from error
        yield rest[:end]
        if not is_list:
            return
        rest, piece = rest[end:], _PIECE
