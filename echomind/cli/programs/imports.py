"""`echomind import`: what you have in other programs."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from echomind.cli.api import Api, broken_rules
from echomind.cli.help_format import CommandGroup
from echomind.cli.programs.exports import conversations_in
from echomind.cli.programs.tables import table_conversations
from echomind.cli.programs.traces import TraceFile
from echomind.cli.rendering import one_line
from echomind_lib.models import public

app = CommandGroup("Import what you have in other programs.")

_TITLE = 60


@app.callback()
def imports() -> None:
    """Import what you have in other programs."""


@app.command("conversations")
async def import_conversations(
    api: Api,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Exports of ChatGPT (the ZIP archive or its conversations.json), Open WebUI or LibreChat (JSON), Onyx"
            " (CSV) or AnythingLLM (CSV, JSON or JSON lines).",
        ),
    ],
) -> None:
    """Import conversations with their branches and times.

    What was imported before is left as it is, so that you can run it again. The exit code is 1 if a conversation could
    not be imported.
    """
    report = _Report(api)
    for file in files:
        for content in table_conversations(file) or conversations_in(file):
            await report.import_one(file, content)
    report.show({})


@app.command("traces")
async def import_traces(
    api: Api,
    file: Annotated[Path, typer.Argument(metavar="FILE.db", help="SQLite database of sessions, traces and steps.")],
) -> None:
    """Import sessions of agent traces: questions, answers, and the steps that led to them.

    What was imported before is left as it is, so that you can run it again. The exit code is 1 if a session could not
    be imported.
    """
    report, traces = _Report(api), TraceFile(file)
    for content in traces.sessions():
        await report.import_one(file, content)
    report.show({"rows": traces.rows})


class _Report:
    """Imports conversations one by one, and counts what becomes of them."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._created, self._known, self._omitted = 0, 0, 0
        self._ratings, self._omitted_ratings, self._merged = 0, 0, 0
        self._failed: list[dict[str, Any]] = []

    async def import_one(self, file: Path, content: str) -> None:
        """Imports a conversation; one that is refused, here or by the server, is in the report."""
        from pydantic import ValidationError

        from echomind_lib.errors import ValidationFailedError

        try:
            done = await self._api.client.call(public.ImportService.import_chat_session, {"content": content})
        except (ValidationFailedError, ValidationError) as error:
            reason = error.message if isinstance(error, ValidationFailedError) else broken_rules(error)
            self._failed.append({"file": file.name, "title": _title(content), "reason": reason})
            return
        self._created, self._known = self._created + done.is_new, self._known + (not done.is_new)
        self._omitted += done.omitted_parts
        self._ratings += done.ratings
        self._omitted_ratings += done.omitted_ratings
        self._merged += done.merged_steps

    def show(self, further: dict[str, int]) -> None:
        """Prints the report, with further figures of it as JSON, and exits with 1 if a conversation failed."""
        terminal, failed = self._api.terminal, self._failed
        figures = {
            "imported": self._created,
            "importedBefore": self._known,
            "omittedParts": self._omitted,
            "ratings": self._ratings,
            "omittedRatings": self._omitted_ratings,
            "mergedSteps": self._merged,
        }
        terminal.json(figures | further | {"failed": failed})
        for each in failed:
            terminal.note(f"failed: {one_line(each['title'], _TITLE)} ({each['file']}): {each['reason']}")
        terminal.line(f"Imported {self._created}, {self._known} imported before, {len(failed)} failed.")
        if further:
            terminal.line(f"{further['rows']} rows were read.")
        if self._ratings:
            terminal.line(f"{self._ratings} ratings of answers are yours now.")
        if self._omitted_ratings:
            terminal.line(
                f"{self._omitted_ratings} ratings were left out: others gave them, or they are neither helpful nor"
                " unhelpful."
            )
        if self._merged:
            terminal.line(
                f"{self._merged} steps are together in the last steps of their runs, which have at most 10,000: none is"
                " left out."
            )
        if self._omitted:
            terminal.line(f"{self._omitted} parts that are not text were left out: pictures, files, calls of tools.")
        if failed:
            raise typer.Exit(1)


def _title(content: str) -> str:
    from echomind_lib.text import storable

    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    title = (value.get("title") or value.get("id")) if isinstance(value, dict) else None
    return storable(title) if isinstance(title, str) and title else "(no title)"
