"""`echomind audit`: who has changed, shared, exported or been refused what."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TextIO

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import USERS
from echomind.cli.rendering import counted, one_line
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

app = CommandGroup("The audit log: who has changed, shared, exported or been refused what, for superadmins.")
_PAGE = 1000
_HASH_CHARACTERS = 64

_ENTRIES = Table(
    "AuditService.list_audit_entries",
    "ID TIME:creation_date WHO ACTION TARGET OUTCOME FROM DETAIL",
    "No entry matches.",
    {
        "WHO": lambda each: each.actor_name or each.actor_id or "",
        "OUTCOME": lambda each: (
            ("denied" if each.denied else "") + (f" ({each.count} times)" if each.count > 1 else "")
        ),
        "FROM": lambda each: " ".join(filter(None, (each.address, each.credential))),
        "DETAIL": lambda each: one_line(json.dumps(each.detail, ensure_ascii=False) if each.detail else "", 80),
    },
)


@dataclass(frozen=True)
class Filters:
    """Which entries."""

    since: Annotated[
        datetime | None, typer.Option(metavar="TIME", help="Only entries from this time on.", show_default=False)
    ] = None
    until: Annotated[
        datetime | None, typer.Option(metavar="TIME", help="Only entries before this time.", show_default=False)
    ] = None
    user: Annotated[
        str,
        typer.Option(help="Only what this account did.", autocompletion=completion.users, show_default=False),
    ] = ""
    action: Annotated[
        str, typer.Option(help="Only this action, such as UserService/UpdateUser, or UserService.", show_default=False)
    ] = ""
    target: Annotated[str, typer.Option(help="Only this target, such as users/12, or users.", show_default=False)] = ""
    denied: Annotated[
        bool | None,
        typer.Option("--denied/--allowed", help="Only what was refused, or what was not.", show_default=False),
    ] = None
    address: Annotated[str, typer.Option(help="Only from this IP address.", show_default=False)] = ""
    credential: Annotated[
        str, typer.Option(help="Only with this credential, such as api-keys/12.", show_default=False)
    ] = ""

    async def request(self, api: Api) -> dict[str, Any]:
        """Returns the fields of a request."""
        user_id = (await USERS.find(api, self.user)).id if self.user else 0
        request = {
            "from_time": _utc(self.since),
            "to_time": _utc(self.until),
            "actor_id": user_id,
            "action": self.action,
            "target": self.target,
            "denied": self.denied,
            "address": self.address,
            "credential": self.credential,
        }
        return {name: value for name, value in request.items() if value is not None}


@app.command("list")
async def list_entries(
    api: Api,
    filters: Filters,
    limit: Annotated[int, typer.Option(help="Max entries to list.", min=1, max=100_000)] = 50,
) -> None:
    """List entries, newest first."""
    await _ENTRIES.show(api, await filters.request(api), limit=limit)


@app.command("export")
async def export_entries(
    api: Api,
    filters: Filters,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The file; one that is there is continued.", show_default="standard output"
        ),
    ] = None,
    after: Annotated[
        int, typer.Option(metavar="ID", help="Only entries after this one.", min=0, show_default=False)
    ] = 0,
) -> None:
    """Write entries as JSON lines, oldest first. No entry is missed, however many are written meanwhile."""
    request = {**(await filters.request(api)), "oldest_first": True, "page_size": _PAGE}
    if file is None:
        if api.terminal.as_json:
            raise CommandError("--json writes to standard output, too: name a file.")
        total, through = await _write(api, {**request, "after_id": after}, typer.get_text_stream("stdout"))
    else:
        if after and file.exists():
            raise CommandError(f"{file} exists and is continued after its last entry: leave --after out.")
        with _continued(file) as (stream, last):
            total, through = await _write(api, {**request, "after_id": last or after}, stream)
    api.terminal.json({"entries": total, "throughId": str(through)})
    api.terminal.note(f"Wrote {counted(total, 'entry', 'entries')}; the log is complete up to {through}.")


@app.command("verify")
async def verify_log(
    api: Api,
    head: Annotated[
        str,
        typer.Option(metavar="NUMBER:HASH", help="A seal that was kept: shows a removed end too.", show_default=False),
    ] = "",
) -> None:
    """Verify that no sealed entry was changed, removed or added; show the newest seal to keep."""
    request: dict[str, Any] = _known(head)
    seals = entries = expired = early = 0
    while True:
        found = await api.client.call(public.AuditService.verify_audit_log, request)
        seals += found.verified_seals
        entries += found.verified_entries
        expired += found.expired_entries
        early += found.early_expired_entries
        if found.defect is not public.AuditDefect.UNSPECIFIED:
            api.terminal.json(found)
            api.terminal.problem(_sentence(found))
            raise typer.Exit(1)
        if not found.next_seal:
            break
        request = {"first_seal": found.next_seal}
    newest = f"{found.head.number}:{found.head.hash}" if found.head else ""
    api.terminal.json(
        {
            "seals": seals,
            "entries": entries,
            "expiredEntries": expired,
            "earlyExpiredEntries": early,
            "unsealedEntries": found.unsealed_entries,
            "head": newest,
            "isProtected": found.is_protected,
        }
    )
    api.terminal.fields(
        (
            ("Seals", f"{seals:,}, all whole"),
            ("Entries", f"{entries:,}, as they were written"),
            ("Expired", f"{expired:,}"),
            ("Not sealed yet", f"{found.unsealed_entries:,}"),
            ("Newest seal", newest or "none"),
        )
    )
    if early:
        api.terminal.problem(
            f"{counted(early, 'entry', 'entries')} expired before the time that entries are kept for now. If that time "
            "was not raised since, somebody has removed them."
        )
    if not found.is_protected:
        api.terminal.note(
            "The log belongs to EchoMind's own user of the database. An administrator of the database server can give "
            'it an owner of its own: see "What it protects against" in the guide of the audit log.'
        )
    if early:
        raise typer.Exit(1)


async def _write(api: Api, request: dict[str, Any], stream: TextIO) -> tuple[int, int]:
    """Writes all pages; returns the number of entries, and the id up to which the log is complete."""
    total, token = 0, ""
    while True:
        page = await api.client.call(public.AuditService.list_audit_entries, {**request, "page_token": token})
        stream.writelines(entry.to_json().decode() + "\n" for entry in page.entries)
        stream.flush()
        total += len(page.entries)
        if not (token := page.next_page_token):
            return total, page.through_id


@contextmanager
def _continued(file: Path) -> Iterator[tuple[TextIO, int]]:
    """Opens an export to continue it, for this process alone; a new one can be read by its owner only.

    A last line that an interrupted export has left incomplete is removed.

    Yields:
        The file at its end, and the id of its last entry; 0 if it has none.

    Raises:
        CommandError: Another export writes to the file, or it is no export.
    """
    with open(file, "a+b", opener=lambda path, flags: os.open(path, flags, 0o600)) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(f"Another export writes to {file}: wait until it has ended.") from None
        last, size = _last_entry(stream, file)
        stream.truncate(size)
        with TextIOWrapper(stream, encoding="utf-8") as text:
            yield text, last


def _last_entry(stream: BinaryIO, file: Path) -> tuple[int, int]:
    """Returns the id of the last entry in a file, and the bytes up to its end; 0 and 0 for an empty file.

    Raises:
        CommandError: The file is no export.
    """
    last, size, line = b"", 0, b""
    stream.seek(0)
    for line in stream:
        if line.endswith(b"\n"):
            last, size = line, size + len(line)
    if not line:
        return 0, 0
    try:
        return int(json.loads(last)["id"]), size
    except (ValueError, KeyError, TypeError):
        raise CommandError(f"{file} does not end with an entry of the audit log: name another file.") from None


def _known(head: str) -> dict[str, Any]:
    if not head:
        return {}
    number, _, digits = head.partition(":")
    if not number.isdigit() or len(digits) != _HASH_CHARACTERS:
        raise typer.BadParameter("Give a seal as NUMBER:HASH, as `echomind audit verify` shows it.")
    return {"known_seal": int(number), "known_hash": digits.lower()}


def _sentence(found: "public.VerifyAuditLogResponse") -> str:
    entry = f"Entry {found.entry_id}, under seal {found.seal},"
    return {
        public.AuditDefect.CHANGED: f"{entry} was changed after it was written.",
        public.AuditDefect.REMOVED: f"{entry} was removed.",
        public.AuditDefect.ADDED: f"{entry} was added later.",
        public.AuditDefect.SEAL_CHANGED: f"Seal {found.seal} was changed, or does not continue the one before.",
        public.AuditDefect.SEAL_MISSING: (
            f"Seal {found.seal} is missing: the end of the log, or a part of it, was removed."
        ),
    }[found.defect]


def _utc(time: datetime | None) -> datetime | None:
    return time.astimezone(UTC) if time else None
