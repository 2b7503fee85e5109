"""Syncs of connectors: requested, watched, cancelled, and confirmed when they would remove much."""

from collections.abc import Sequence
from typing import Final, TypeVar

from sqlalchemy import Select, and_, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.rows import audit, missing, reload
from echomind_api.sources.connector_rows import audit_not_shared, find_connector, find_to_change
from echomind_api.sources.connector_schedule import ACTIVE, cancel_active, check_synced, state_error
from echomind_api.sources.connector_settings import needs_credentials
from echomind_lib.access import Principal, connectors
from echomind_lib.access.documents import documents
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import EchoMindError
from echomind_lib.jobs import SYNC_CONNECTOR, enqueue_in, wake
from echomind_lib.mappers import connector_syncs
from echomind_lib.messaging import CONNECTOR_CHANGED, Bus
from echomind_lib.models import public
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ConnectorChanged

_WAITING: Final = "waiting_for_confirmation"
_LARGEST_ID: Final = 2**63 - 1
T = TypeVar("T")


class ConnectorSyncs(public.ConnectorSyncService):
    """The service `ConnectorSyncService`."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database = database
        self._bus = bus

    @override
    async def sync_connector(self, request: public.SyncConnectorRequest, call: CallContext) -> public.ConnectorSync:
        async with self._database.session() as session:
            row = await find_to_change(session, call.principal, request.id)
            _check_may_sync(row)
            sync = await _active(session, row.id)
            if sync is None:
                kind = "full" if request.full or not row.state.get("cursor") else "incremental"
                sync = rows.ConnectorSync(
                    connector_id=row.id, kind=kind, status="pending", user_id_last_update=call.principal.user_id
                )
                session.add(sync)
                await session.flush()
                await enqueue_in(session, SYNC_CONNECTOR, row.id)
                audit(session, call, f"connectors/{row.id}", name=row.name, sync=sync.id, kind=kind)
            await reload(session, sync)
        return await self._announced(sync)

    @override
    async def cancel_connector_sync(
        self, request: public.CancelConnectorSyncRequest, call: CallContext
    ) -> public.ConnectorSync:
        async with self._database.session() as session:
            row = await find_to_change(session, call.principal, request.id)
            sync = await _active(session, row.id)
            if sync is None:
                raise state_error(row, "No sync waits or runs.")
            await cancel_active(session, row)
            audit(session, call, f"connectors/{row.id}", name=row.name, sync=sync.id)
            await reload(session, sync)
        return await self._announced(sync)

    @override
    async def list_connector_syncs(
        self, request: public.ListConnectorSyncsRequest, call: CallContext
    ) -> public.ListConnectorSyncsResponse:
        await find_connector(self._database, call, request.connector_id)
        page = read_page(request.page_size, request.page_token, tuple[int], "connector_syncs", request.connector_id)
        syncs = select(rows.ConnectorSync).where(rows.ConnectorSync.connector_id == request.connector_id)
        query = page.select(syncs, rows.ConnectorSync.id, descending=True)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
        return public.ListConnectorSyncsResponse(
            syncs=[connector_syncs.to_model(row) for row in found], next_page_token=token
        )

    @override
    async def get_connector_sync(
        self, request: public.GetConnectorSyncRequest, call: CallContext
    ) -> public.ConnectorSync:
        sync, connector = await self._find_both(request.id, call)
        return connector_syncs.to_model(sync, with_cursors=connectors("manage").allows(call.principal, connector))

    @override
    async def list_connector_sync_failures(
        self, request: public.ListConnectorSyncFailuresRequest, call: CallContext
    ) -> public.ListConnectorSyncFailuresResponse:
        sync = await self._find(request.id, call, manage=True)
        page = read_page(request.page_size, request.page_token, tuple[int], "connector_sync_failures", sync.id)
        query = page.select(_could_not_read(sync, call.principal), rows.ConnectorSyncFailure.id)
        async with self._database.session() as session:
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].id,))
        await self._audit_documents(call, sync, [row.document_id for row in found if row.document_id])
        failures = [_failure(row, is_shown=is_shown) for row, _, is_shown in found]
        return public.ListConnectorSyncFailuresResponse(failures=failures, next_page_token=token)

    @override
    async def list_connector_sync_removals(
        self, request: public.ListConnectorSyncRemovalsRequest, call: CallContext
    ) -> public.ListConnectorSyncRemovalsResponse:
        sync = await self._find(request.id, call, manage=True)
        page = read_page(request.page_size, request.page_token, tuple[int], "connector_sync_removals", sync.id)
        if sync.status != _WAITING:
            return public.ListConnectorSyncRemovalsResponse()
        query = page.select(_would_remove(sync, call.principal), rows.Document.id)
        async with self._database.session() as session:
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row.id,))
        await self._audit_documents(call, sync, [row.id for row in found if row.is_shown])
        removals = [
            public.ConnectorSyncRemoval(document_id=row.id, title=row.title, source_id=row.source_id)
            if row.is_shown
            else public.ConnectorSyncRemoval(document_id=row.id)
            for row in found
        ]
        return public.ListConnectorSyncRemovalsResponse(removals=removals, next_page_token=token)

    @override
    async def confirm_connector_sync(
        self, request: public.ConfirmConnectorSyncRequest, call: CallContext
    ) -> public.ConnectorSync:
        async with self._database.session() as session:
            row, sync = await self._find_waiting(session, request.id, call)
            _check_may_sync(row)
            sync.may_remove, sync.status = True, "pending"
            sync.user_id_last_update = call.principal.user_id
            await enqueue_in(session, SYNC_CONNECTOR, row.id)
            audit(session, call, f"connectors/{row.id}", name=row.name, sync=sync.id, to_remove=sync.to_remove)
            await reload(session, sync)
        return await self._announced(sync)

    @override
    async def reject_connector_sync(
        self, request: public.RejectConnectorSyncRequest, call: CallContext
    ) -> public.ConnectorSync:
        async with self._database.session() as session:
            row, sync = await self._find_waiting(session, request.id, call)
            await cancel_active(session, row)
            row.paused_at = func.now()
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"connectors/{row.id}", name=row.name, sync=sync.id, to_remove=sync.to_remove)
            await reload(session, sync)
        return await self._announced(sync)

    async def _audit_documents(self, call: CallContext, sync: rows.ConnectorSync, document_ids: Sequence[int]) -> None:
        """Audits that a superadmin was shown documents that their source does not let them read."""
        async with self._database.session() as session:
            connector = await session.get_one(rows.Connector, sync.connector_id)
        await audit_not_shared(self._database, call, f"connectors/{connector.id}", [connector], document_ids)

    async def _find(self, sync_id: int, call: CallContext, *, manage: bool = False) -> rows.ConnectorSync:
        """Returns a sync of a connector as `_find_both`."""
        sync, _ = await self._find_both(sync_id, call, manage=manage)
        return sync

    async def _find_both(
        self, sync_id: int, call: CallContext, *, manage: bool = False
    ) -> tuple[rows.ConnectorSync, rows.Connector]:
        """Returns a sync of a connector that the caller may read, or with `manage` change, and the connector.

        Raises:
            NotFoundError: There is none.
            PermissionDeniedError: The caller may not change its connector.
        """
        async with self._database.session() as session:
            sync = await session.get(rows.ConnectorSync, sync_id)
        if sync is None:
            raise missing("connector sync", sync_id)
        try:
            return sync, await find_connector(self._database, call, sync.connector_id, manage=manage)
        except EchoMindError as error:
            if error.reason == "NOT_FOUND":
                raise missing("connector sync", sync_id) from None
            raise

    async def _find_waiting(
        self, session: AsyncSession, sync_id: int, call: CallContext
    ) -> tuple[rows.Connector, rows.ConnectorSync]:
        connector_id = (await self._find(sync_id, call, manage=True)).connector_id
        row = await find_to_change(session, call.principal, connector_id)
        sync = await session.get_one(rows.ConnectorSync, sync_id)
        if sync.status != _WAITING:
            raise state_error(row, "This sync does not wait for a confirmation.")
        return row, sync

    async def _announced(self, sync: rows.ConnectorSync) -> public.ConnectorSync:
        if sync.status == "pending":
            await wake(self._bus, SYNC_CONNECTOR)
        await self._bus.publish(CONNECTOR_CHANGED, ConnectorChanged(connector_id=sync.connector_id))
        return connector_syncs.to_model(sync)


def _check_may_sync(row: rows.Connector) -> None:
    definition = check_synced(row)
    if row.status == "disabled":
        raise state_error(row, "A superadmin has disabled it: only a superadmin can enable it again.")
    if row.paused_at is not None:
        raise state_error(row, "It is paused: resume it first.")
    if row.encrypted_credentials is None and needs_credentials(definition):
        raise state_error(row, "It has no credentials: sign in, or enter them.")


async def _active(session: AsyncSession, connector_id: int) -> rows.ConnectorSync | None:
    return await session.scalar(
        select(rows.ConnectorSync).where(
            rows.ConnectorSync.connector_id == connector_id, rows.ConnectorSync.status.in_(ACTIVE)
        )
    )


def _could_not_read(
    sync: rows.ConnectorSync, principal: Principal
) -> Select[rows.ConnectorSyncFailure, int | None, bool]:
    """Returns the items that a sync could not read, by id, with their documents and whether the caller may see them."""
    failure, document, may_read = rows.ConnectorSyncFailure, rows.Document, documents()
    is_of_failure = and_(
        document.connector_id == failure.connector_id,
        document.source_id == failure.source_id,
        document.deleted_date.is_(None),
    )
    return (
        select(failure, document.id.label("document_id"), may_read.at_source().label("is_shown"))
        .join(rows.Connector, rows.Connector.id == failure.connector_id)
        .outerjoin(document, is_of_failure)
        .params(may_read.values(principal))
        .where(failure.sync_id == sync.id)
    )


def _failure(row: rows.ConnectorSyncFailure, *, is_shown: bool) -> public.ConnectorSyncFailure:
    hidden = {} if is_shown else {"source_id": "", "name": ""}
    return public.ConnectorSyncFailure.from_row(row, **hidden)


def _would_remove(sync: rows.ConnectorSync, principal: Principal) -> Select[int, str, str, bool]:
    """Returns the documents that the listing of a sync has not seen, and whether the caller may read them."""
    may_read = documents()
    # A listing may have started in an earlier sync.
    began = select(rows.Connector.state["listing"].as_integer()).where(rows.Connector.id == sync.connector_id)
    listing = began.scalar_subquery()
    seen = select(rows.ConnectorSyncSeen.source_id).where(
        rows.ConnectorSyncSeen.sync_id == listing, rows.ConnectorSyncSeen.source_id == rows.Document.source_id
    )
    return (
        select(rows.Document.id, rows.Document.title, rows.Document.source_id, may_read.where().label("is_shown"))
        .join(rows.Connector, rows.Connector.id == rows.Document.connector_id)
        .params(may_read.values(principal))
        .where(rows.Document.connector_id == sync.connector_id, rows.Document.deleted_date.is_(None), ~exists(seen))
    )
