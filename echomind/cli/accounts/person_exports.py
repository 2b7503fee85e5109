"""`echomind users export`: what is stored of a person, as a ZIP archive."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.nouns import USERS
from echomind.cli.rendering import size
from echomind.cli.terminal import CommandError
from echomind_lib.models import public


async def export_user(
    api: Api,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|ID",
            help="User name or id of an account.",
            autocompletion=completion.users,
            show_default="your own",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write.", show_default="echomind-user-ID.zip")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Write what is stored of a person to a ZIP archive: your own, or as a superadmin anybody's."""
    from echomind_lib.handwritten_routes import export_user as pieces_of

    user = await USERS.find(api, name) if name else await api.client.call(public.UserService.get_current_user)
    path = output or Path(f"echomind-user-{user.id}.zip")
    if path.exists() and not force:
        raise CommandError(f"{path} exists: choose another name with --output, or overwrite it with --force.")
    size_bytes = 0
    async with pieces_of(api.rest, user.id) as pieces:
        with _replacing(path) as file:
            async for piece in pieces:
                size_bytes += file.write(piece)
    api.terminal.report(
        {"userId": str(user.id), "file": str(path), "sizeBytes": size_bytes}, f"Wrote {path} ({size(size_bytes)})."
    )


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Context of a file that only its owner can read, and that replaces another one once it is complete.

    A device or a pipe is written to as it is.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink()  # a part of an archive is none
        raise
