"""The schedule of syncs: due times, pauses, and disabled connectors."""

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import audit, reload
from echomind_api.sources.connector_rows import find_to_change
from echomind_api.sources.connector_settings import is_synced, needs_credentials
from echomind_lib.access import Principal, require_role
from echomind_lib.connectors import ConnectorDefinition, find_definition
from echomind_lib.connectors.idle_status import IDLE_MESSAGE, IDLE_STATUS
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import ConnectorStateError

ACTIVE: Final = ("pending", "running", "waiting_for_confirmation")
"""Statuses of a sync that is not over; a connector has at most one such sync."""
_NO_CREDENTIALS: Final = "It has no credentials yet: sign in, or enter them."
_SIGN_IN_REMOVED: Final = (
    "Somebody else changed what it reads or who may read it, so the sign-in was removed: check its settings, and sign "
    "in again."
)
_SIGN_IN_TAKEN_BACK: Final = "Whoever signed in has disconnected their account: sign in again."


def schedule(row: rows.Connector, definition: ConnectorDefinition) -> None:
    """Sets a connector's next sync after it was added or changed.

    A sync is due immediately for a new connector, after a change of what it reads, and after a sync that failed
    or needs attention. Without required credentials no sync is due.
    """
    if not is_synced(definition, row.config):
        row.next_sync_at = None
        return
    if row.encrypted_credentials is None and needs_credentials(definition):
        row.next_sync_at = None
        if row.status != "disabled":
            is_removed = row.status_message in (_SIGN_IN_REMOVED, _SIGN_IN_TAKEN_BACK)
            row.status, row.status_message = "pending", row.status_message if is_removed else _NO_CREDENTIALS
        return
    has_failed = row.status in ("error", "needs_attention")
    if row.status == "pending" or has_failed:
        row.status, row.status_message = "pending", None
        row.sync_failures = 0
    if has_failed or not (row.state or {}).get("cursor") or row.last_sync_at is None:
        row.next_sync_at = datetime.now(UTC)
    elif row.refresh_freq_minutes:
        row.next_sync_at = row.last_sync_at + timedelta(minutes=row.refresh_freq_minutes)
    else:
        row.next_sync_at = None


async def cancel_active(session: AsyncSession, row: rows.Connector) -> None:
    """Cancels the queued or running sync, if there is one; its worker notices at its next write.

    The connector has the status of its last sync again, so that a source that failed does not look well.
    """
    await session.execute(
        update(rows.ConnectorSync)
        .where(rows.ConnectorSync.connector_id == row.id, rows.ConnectorSync.status.in_(ACTIVE))
        .values(status="cancelled", completed_at=func.now())
    )
    if row.status == "syncing":
        idle = select(IDLE_STATUS, IDLE_MESSAGE).where(rows.Connector.id == row.id)
        row.status, row.status_message = (await session.execute(idle)).one()


def is_of_another(row: rows.Connector, principal: Principal) -> bool:
    """Returns whether a connector reads with the sign-in of somebody else, or of nobody knows whom."""
    return row.connected_account is not None and row.signed_in_by != principal.user_id


async def remove_sign_in(session: AsyncSession, row: rows.Connector, *, by_itself: bool = False) -> None:
    """Removes a person's sign-in, which is good for what this person saw that it reads, and for whom.

    Nothing is synced until somebody signs in again or enters credentials. The documents stay.

    Args:
        session: The transaction, which has locked the row.
        row: The connector.
        by_itself: Whether the person has taken it back; otherwise somebody else has changed the connector.
    """
    await cancel_active(session, row)
    row.encrypted_credentials = row.connected_account = row.signed_in_by = row.next_sync_at = None
    if row.status != "disabled":
        row.status, row.status_message = "pending", _SIGN_IN_TAKEN_BACK if by_itself else _SIGN_IN_REMOVED


def check_synced(row: rows.Connector) -> ConnectorDefinition:
    """Returns the type of a connector that is synced.

    Raises:
        ConnectorStateError: It is not, or its type is not installed any more.
    """
    definition = find_definition(row.type)
    if definition is None:
        raise state_error(row, f"The connector type {row.type} is not installed any more: install its package again.")
    if not is_synced(definition, row.config):
        raise state_error(row, "Its documents are uploaded: there is nothing to sync.")
    return definition


def state_error(row: rows.Connector, message: str) -> ConnectorStateError:
    """Returns the error for an action that a connector's state does not allow."""
    return ConnectorStateError(message, connector_id=row.id, status=row.status)


class ConnectorSchedule:
    """Pauses and resumes connectors, disables and enables them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pause(self, connector_id: int, call: CallContext) -> rows.Connector:
        """Pauses a connector, and cancels the sync that runs.

        Raises:
            NotFoundError: There is no such connector that the caller may read.
            PermissionDeniedError: The caller may not change it.
            ConnectorStateError: It is not synced.
        """
        async with self._database.session() as session:
            row = await self._find(session, connector_id, call)
            if row.paused_at is None:
                row.paused_at = datetime.now(UTC)
                await cancel_active(session, row)
            return await _changed(session, row, call)

    async def resume(self, connector_id: int, call: CallContext) -> rows.Connector:
        """Resumes a connector. A sync that has become due in the meantime starts immediately.

        Raises:
            NotFoundError: There is no such connector that the caller may read.
            PermissionDeniedError: The caller may not change it.
            ConnectorStateError: It is not synced.
        """
        async with self._database.session() as session:
            row = await self._find(session, connector_id, call)
            if row.paused_at is not None:
                row.paused_at = None
                schedule(row, check_synced(row))
            return await _changed(session, row, call)

    async def disable(self, connector_id: int, reason: str, call: CallContext) -> rows.Connector:
        """Disables a connector, and cancels the sync that runs.

        Raises:
            NotFoundError: There is none.
            PermissionDeniedError: The caller is no superadmin.
            ConnectorStateError: It is not synced.
        """
        async with self._database.session() as session:
            row = await self._find(session, connector_id, call, by_superadmin=True)
            await cancel_active(session, row)
            row.status, row.status_message = "disabled", reason or None
            return await _changed(session, row, call, reason=reason)

    async def enable(self, connector_id: int, call: CallContext) -> rows.Connector:
        """Enables a connector again.

        Raises:
            NotFoundError: There is none.
            PermissionDeniedError: The caller is no superadmin.
            ConnectorStateError: It is not synced.
        """
        async with self._database.session() as session:
            row = await self._find(session, connector_id, call, by_superadmin=True)
            if row.status == "disabled":
                row.status, row.status_message = ("active" if row.last_sync_at else "pending"), None
                schedule(row, check_synced(row))
            return await _changed(session, row, call)

    async def _find(
        self, session: AsyncSession, connector_id: int, call: CallContext, *, by_superadmin: bool = False
    ) -> rows.Connector:
        principal: Principal = call.principal
        row = await find_to_change(session, principal, connector_id, manage=not by_superadmin)
        if by_superadmin:
            require_role(principal, "superadmin")
        check_synced(row)
        return row


async def _changed(session: AsyncSession, row: rows.Connector, call: CallContext, **detail: str) -> rows.Connector:
    row.user_id_last_update = call.principal.user_id
    audit(session, call, f"connectors/{row.id}", name=row.name, **detail)
    await reload(session, row)
    return row
