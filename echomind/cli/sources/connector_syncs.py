"""`echomind connectors sync` and the other commands for syncs: their results, and pausing and disabling connectors."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.lists import read_list
from echomind.cli.sources.connectors import Name, failures_hint, find_connector, sync_counts
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError, Terminal
from echomind_lib.models import public

if TYPE_CHECKING:
    from rich.status import Status

    from echomind_lib.contract.client import Unary

_FIRST_POLL_SECONDS: Final = 0.2
_LONGEST_POLL_SECONDS: Final = 2.0
_RECENT: Final = 50
"""Syncs among which one with failures is looked for."""
_UNDER_WAY: Final = frozenset({"pending", "running"})

SyncId = Annotated[
    int | None,
    typer.Option(
        "--sync", metavar="ID", min=1, help="Id of a sync; `syncs` lists them.", show_default="the newest with failures"
    ),
]

_SYNCS = Table(
    "ConnectorSyncService.list_connector_syncs",
    "ID REQUESTED:creation_date ENDED:completed_at KIND STATUS DOCUMENTS MESSAGE",
    "",
    {
        "STATUS": lambda each: each.status.word.replace("_", " "),
        "DOCUMENTS": sync_counts,
        "MESSAGE": lambda each: each.error or each.warning,
    },
)
_FAILURES = Table(
    "ConnectorSyncService.list_connector_sync_failures",
    "NAME MESSAGE NEXT_SYNC FOUND:creation_date",
    "Everything could be read.",
    {
        "NAME": lambda each: each.name or each.source_id or "(not yours to read)",
        "NEXT_SYNC": lambda each: "resolved" if each.resolved_at else "tries again" if each.is_retryable else "",
    },
)
_REMOVALS = Table(
    "ConnectorSyncService.list_connector_sync_removals",
    "ID:document_id TITLE IN_THE_CONNECTED_SYSTEM:source_id",
    "Nothing would be removed.",
    {"TITLE": lambda each: each.title or "(not yours to read)"},
)


async def sync_connector(
    api: Api,
    name: Name,
    full: Annotated[bool, typer.Option("--full", help="Read everything again, not only what has changed.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it has ended.")] = False,
) -> None:
    """Start a sync, unless one waits or runs already.

    With --wait the exit code is 1 when it failed, read nothing or was cancelled. Ctrl-C ends the waiting, not the sync.
    """
    connector = await find_connector(api, name)
    sync = await api.client.call(public.ConnectorSyncService.sync_connector, {"id": connector.id, "full": full})
    if wait:
        sync = await _wait(api, sync)
    api.terminal.json(sync)
    api.terminal.line(f"Sync {sync.id} of {connector.name}: {_outcome(sync)}")
    if sync.warning:
        api.terminal.note(f"warning: {sync.warning}")
    if sync.error:
        api.terminal.problem(sync.error)
    if sync.failures:
        api.terminal.note(failures_hint(connector))
    if sync.status.word == "waiting_for_confirmation":
        api.terminal.note(
            f"It would remove {sync.to_remove} documents: `echomind connectors confirm {connector.id}` lists them and "
            f"asks, `echomind connectors reject {connector.id}` keeps them."
        )
    if sync.status.word in {"needs_attention", "failed", "cancelled"}:
        api.terminal.status = 1


async def cancel_sync(api: Api, name: Name) -> None:
    """Cancel the queued or running sync; documents that it has stored stay."""
    connector = await find_connector(api, name)
    sync = await api.client.call(public.ConnectorSyncService.cancel_connector_sync, {"id": connector.id})
    api.terminal.report(sync, f"Sync {sync.id} of {connector.name}: {_outcome(sync)}")


async def pause_connector(api: Api, name: Name) -> None:
    """Pause a connector: no syncs until it is resumed. Its documents stay."""
    _report(api, await _change(api, public.ConnectorService.pause_connector, name), "Paused")


async def resume_connector(api: Api, name: Name) -> None:
    """Resume a paused connector; a sync that is due begins at once."""
    _report(api, await _change(api, public.ConnectorService.resume_connector, name), "Resumed")


async def disable_connector(
    api: Api, name: Name, reason: Annotated[str, typer.Option(help="Reason, which its readers see.")] = ""
) -> None:
    """Disable a connector, for superadmins: only they can enable it. Its documents stay."""
    connector = await find_connector(api, name)
    request = {"id": connector.id, "reason": reason}
    _report(api, await api.client.call(public.ConnectorService.disable_connector, request), "Disabled")


async def enable_connector(api: Api, name: Name) -> None:
    """Enable a disabled connector, for superadmins."""
    _report(api, await _change(api, public.ConnectorService.enable_connector, name), "Enabled")


async def list_syncs(
    api: Api, name: Name, limit: Annotated[int, typer.Option(help="Max syncs to list.", min=1, max=100_000)] = 20
) -> None:
    """List the syncs of a connector, the newest first."""
    connector = await find_connector(api, name)
    empty = f"{connector.name} has never been synced."
    await _SYNCS.show(api, {"connector_id": connector.id}, limit=limit, empty=empty)


async def list_failures(api: Api, name: Name, sync_id: SyncId = None) -> None:
    """List the items that a sync could not read."""
    connector = await find_connector(api, name)
    request = {"id": sync_id or (await _newest_with_failures(api, connector)).id}
    await _FAILURES.show(api, request)


async def confirm_sync(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove the documents that a sync would remove, after listing them."""
    connector = await find_connector(api, name)
    sync = _waiting(connector)
    _REMOVALS.write_rows(api.terminal, await read_list(api.client, _REMOVALS.call, {"id": sync.id}))
    await confirm(api.terminal, f"Remove {sync.to_remove} documents of {connector.name}", yes=yes)
    confirmed = await api.client.call(public.ConnectorSyncService.confirm_connector_sync, {"id": sync.id})
    api.terminal.report(confirmed, f"Sync {sync.id} of {connector.name}: {_outcome(confirmed)}")


async def reject_sync(api: Api, name: Name) -> None:
    """Keep the documents that a sync would remove, and pause the connector."""
    connector = await find_connector(api, name)
    rejected = await api.client.call(public.ConnectorSyncService.reject_connector_sync, {"id": _waiting(connector).id})
    api.terminal.report(
        rejected,
        f"Nothing was removed, and {connector.name} is paused: `echomind connectors resume {connector.id}` resumes it.",
    )


async def _wait(api: Api, sync: "public.ConnectorSync") -> "public.ConnectorSync":
    """Returns a sync when it has ended or waits for confirmation, and shows its progress until then."""
    from echomind_lib.contract.client import RESTART

    pause = _FIRST_POLL_SECONDS
    with _status_line(api.terminal) as line:
        while sync.status.word in _UNDER_WAY:
            if line is not None:
                line.update(f"{sync.status.word}: {sync_counts(sync)}")
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_POLL_SECONDS)
            sync = await api.client.call(
                public.ConnectorSyncService.get_connector_sync, {"id": sync.id}, retries=RESTART
            )
    return sync


@contextmanager
def _status_line(terminal: Terminal) -> "Iterator[Status | None]":
    """Yields a line on standard error that can be rewritten; None if that is not a terminal."""
    if not terminal.is_interactive:
        yield None
        return
    from rich.console import Console

    with Console(file=terminal.error_stream).status("pending") as line:
        yield line


async def _change(api: Api, method: "Unary[Any, public.Connector]", name: str) -> "public.Connector":
    return await api.client.call(method, {"id": (await find_connector(api, name)).id})


def _report(api: Api, connector: "public.Connector", done: str) -> None:
    api.terminal.report(connector, f"{done} {connector.name} (id {connector.id}).")


async def _newest_with_failures(api: Api, connector: "public.Connector") -> "public.ConnectorSync":
    """Returns the newest sync with failures, as the next one repeats only what is retried; else the newest."""
    if connector.sync is None:
        raise CommandError(f"{connector.name} has never been synced.")
    if connector.sync.failures:
        return connector.sync
    request = {"connector_id": connector.id}
    listed = await api.client.collect(public.ConnectorSyncService.list_connector_syncs, request, limit=_RECENT)
    return next((sync for sync in listed.syncs if sync.failures), connector.sync)


def _waiting(connector: "public.Connector") -> "public.ConnectorSync":
    if connector.sync is None or connector.sync.status.word != "waiting_for_confirmation":
        raise CommandError(f"No sync of {connector.name} waits for confirmation.")
    return connector.sync


def _outcome(sync: "public.ConnectorSync") -> str:
    return f"{sync.status.word.replace('_', ' ')}, {sync_counts(sync)}."
