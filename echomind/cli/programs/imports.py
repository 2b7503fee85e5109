"""`echomind import`: what you have in other programs."""

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from echomind.cli.api import Api, broken_rules
from echomind.cli.help_format import CommandGroup
from echomind.cli.programs.exports import conversations_in
from echomind.cli.programs.open_webui import database_conversations
from echomind.cli.programs.owners import Owner, Owners
from echomind.cli.programs.tables import table_conversations
from echomind.cli.programs.traces import TraceFile
from echomind.cli.rendering import one_line
from echomind.cli.terminal import CommandError
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
            help="Exports of ChatGPT (the ZIP archive or its conversations.json), Open WebUI (JSON, or its database"
            " webui.db), LibreChat (JSON or JSON lines), Onyx (CSV) or AnythingLLM (CSV, JSON or JSON lines).",
        ),
    ],
    for_owners: Annotated[
        bool,
        typer.Option(
            "--for-owners",
            help="Import each conversation for its person, by the verified e-mail address; as a superadmin.",
        ),
    ] = False,
    owners: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="People of the other program, with the columns email and id or username; for --for-owners.",
        ),
    ] = None,
) -> None:
    """Import conversations with their branches and times.

    They are yours then, or with --for-owners those of their people. What was imported before is left as it is, so that
    you can run it again. The exit code is 1 if a conversation could not be imported.
    """
    if owners is not None and not for_owners:
        raise CommandError("--owners names the people of --for-owners: add it.")
    report = _Report(api, Owners(owners) if for_owners else None)
    try:
        for file in files:
            for content in database_conversations(file) or table_conversations(file) or conversations_in(file):
                await report.import_one(file, content)
    finally:
        report.show({})
    report.require_all()


for _program in ("chatgpt", "openwebui", "librechat", "onyx", "anythingllm"):
    # Fixed names for scripts: docs/decisions/0062. What program a file is of, the file itself says.
    app.command(_program, hidden=True)(import_conversations)


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
    try:
        for content in traces.sessions():
            await report.import_one(file, content)
    finally:
        report.show({"rows": traces.rows})
    report.require_all()


class _Report:
    """Imports conversations one by one, and counts what becomes of them."""

    def __init__(self, api: Api, owners: Owners | None = None) -> None:
        """Initializes it.

        Args:
            api: The server.
            owners: Whose the conversations are; None if they become the caller's.
        """
        self._api, self._owners = api, owners
        self._people: set[int] = set()
        self._unmatched: Counter[Owner] = Counter()
        self._created, self._known, self._omitted = 0, 0, 0
        self._ratings, self._omitted_ratings, self._merged = 0, 0, 0
        self._failed: list[dict[str, Any]] = []

    async def import_one(self, file: Path, content: str) -> None:
        """Imports a conversation; one that is refused, here or by the server, is in the report."""
        from pydantic import ValidationError

        from echomind_lib.errors import NotFoundError, ValidationFailedError

        try:
            done = await self._imported(content)
        except (ValidationFailedError, ValidationError, NotFoundError) as error:
            # What is missing to the caller is missing for all conversations; another person may have it.
            if isinstance(error, NotFoundError) and self._owners is None:
                raise
            reason = broken_rules(error) if isinstance(error, ValidationError) else error.message
            self._failed.append({"file": file.name, "title": _title(content), "reason": reason})
            return
        if done is None:
            return
        self._people.add(done.user_id)
        self._created, self._known = self._created + done.is_new, self._known + (not done.is_new)
        self._omitted += done.omitted_parts
        self._ratings += done.ratings
        self._omitted_ratings += done.omitted_ratings
        self._merged += done.merged_steps

    async def _imported(self, content: str) -> "public.ImportChatSessionResponse | None":
        """Imports a conversation for its person; None if there is no account for them."""
        from echomind_lib.errors import NotFoundError

        if self._owners is None:
            return await self._api.client.call(public.ImportService.import_chat_session, {"content": content})
        owner = self._owners.of(content)
        if owner.email and owner not in self._unmatched:
            try:
                return await self._api.client.call(
                    public.ImportService.import_user_chat_session, {"content": content, "email": owner.email}
                )
            except NotFoundError as error:
                if error.metadata.get("resource") != "user":
                    raise
        self._unmatched[owner] += 1
        return None

    def show(self, further: dict[str, Any]) -> None:
        """Prints the report, with further figures of it as JSON."""
        terminal, failed = self._api.terminal, self._failed
        figures = {
            "imported": self._created,
            "importedBefore": self._known,
            "omittedParts": self._omitted,
            "ratings": self._ratings,
            "omittedRatings": self._omitted_ratings,
            "mergedSteps": self._merged,
        }
        if self._owners is not None:
            unmatched = [
                {"owner": owner.name, "email": owner.email, "conversations": count}
                for owner, count in self._unmatched.most_common()
            ]
            further = further | {"people": len(self._people), "unmatched": unmatched}
        terminal.json(figures | further | {"failed": failed})
        for each in failed:
            terminal.note(f"failed: {one_line(each['title'], _TITLE)} ({each['file']}): {each['reason']}")
        for owner, count in self._unmatched.most_common():
            terminal.note(f"not matched: {count} of {_described(owner)}")
        terminal.line(f"Imported {self._created}, {self._known} imported before, {len(failed)} failed.")
        if self._owners is not None:
            people = len(self._people)
            whose = "1 person" if people == 1 else f"{people} people"
            terminal.line(f"They are of {whose}. {self._unmatched.total()} have no account here.")
        if "rows" in further:
            terminal.line(f"{further['rows']} rows were read.")
        if self._ratings:
            now = "yours" if self._owners is None else "of these people"
            terminal.line(f"{self._ratings} ratings of answers are {now} now.")
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

    def require_all(self) -> None:
        """Exits with 1 if a conversation failed or has no person here."""
        if self._failed or self._unmatched:
            raise typer.Exit(1)


def _described(owner: Owner) -> str:
    """Returns who is meant, and why there is no account for them."""
    if not owner.name:
        return "nobody: the file names no person"
    name = one_line(owner.name, _TITLE)
    if not owner.email:
        return f"{name}, whose address is not known: name it in the file of --owners"
    known = name if name == owner.email else f"{name} ({one_line(owner.email, _TITLE)})"
    return f"{known}: no active account has this address, verified"


def _title(content: str) -> str:
    from echomind_lib.text import storable

    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    title = (value.get("title") or value.get("id")) if isinstance(value, dict) else None
    return storable(title) if isinstance(title, str) and title else "(no title)"
