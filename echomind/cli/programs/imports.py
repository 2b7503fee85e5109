"""`echomind import`: what you have in other programs."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from echomind.cli.api import Api, api_command
from echomind.cli.help_format import CommandGroup
from echomind.cli.programs.exports import conversations_in
from echomind.cli.rendering import one_line

app = CommandGroup("Import what you have in other programs.")

_TITLE = 60


@app.callback()
def imports() -> None:
    """Import what you have in other programs."""


@app.command("conversations")
@api_command
async def import_conversations(
    api: Api,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Exports of ChatGPT (the ZIP archive or its conversations.json), Open WebUI or LibreChat (JSON).",
        ),
    ],
) -> None:
    """Import conversations with their branches and times.

    What was imported before is left as it is, so that you can run it again. The exit code is 1 if a conversation could
    not be imported.
    """
    from echomind_lib.errors import ValidationFailedError
    from echomind_lib.models.public import ImportService

    created, known, omitted = 0, 0, 0
    failed: list[dict[str, Any]] = []
    for file in files:
        for content in conversations_in(file):
            try:
                done = await api.client.call(ImportService.import_chat_session, {"content": content})
            except ValidationFailedError as error:
                failed.append({"file": file.name, "title": _title(content), "reason": error.message})
                continue
            created, known = created + done.is_new, known + (not done.is_new)
            omitted += done.omitted_parts
    api.terminal.json({"imported": created, "importedBefore": known, "omittedParts": omitted, "failed": failed})
    for each in failed:
        api.terminal.note(f"failed: {one_line(each['title'], _TITLE)} ({each['file']}): {each['reason']}")
    api.terminal.line(f"Imported {created}, {known} imported before, {len(failed)} failed.")
    if omitted:
        api.terminal.line(f"{omitted} parts that are not text were left out: pictures, files, calls of tools.")
    if failed:
        raise typer.Exit(1)


def _title(content: str) -> str:
    value = json.loads(content)
    title = value.get("title") if isinstance(value, dict) else None
    return title if isinstance(title, str) and title else "(no title)"
