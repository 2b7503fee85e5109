"""Connectors: where documents come from, and who may read them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.people import names_of, with_updaters
from echomind_api.rows import audit, reload
from echomind_api.sources import connector_settings as settings_of
from echomind_api.sources.connected_accounts import ConnectedAccounts
from echomind_api.sources.connector_rows import (
    check_scope,
    find_connector,
    find_to_change,
    insert_connector,
    name_taken,
)
from echomind_api.sources.connector_schedule import (
    ConnectorSchedule,
    cancel_active,
    is_of_another,
    remove_sign_in,
    schedule,
    state_error,
)
from echomind_api.sources.connector_sign_ins import ConnectorSignIns
from echomind_api.sources.connector_tests import test_connector
from echomind_api.sources.connector_types import type_infos
from echomind_api.sources.folder_uploads import reconcile
from echomind_lib import jobs
from echomind_lib.access import Principal, connectors_by_name
from echomind_lib.access import connectors as rule_of
from echomind_lib.config import ConnectorSettings
from echomind_lib.connectors import ConnectorDefinition
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.jobs import CONNECTOR_SCOPE, REMOVE_DOCUMENTS, SCHEDULE_SYNCS, enqueue_in, wake
from echomind_lib.mappers import connectors
from echomind_lib.messaging import CONNECTOR_CHANGED, Bus
from echomind_lib.models import public
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ConnectorChanged
from echomind_lib.secrets import Secrets

_CREATED: Final = ("name", "type", "config", "refresh_freq_minutes", "permission_mode", "scope", "scope_id")
_STILL_FORGETS: Final = (
    "The readers of its documents from before are still being removed: set this permission mode in a few minutes."
)
_WHAT_IS_READ: Final = ("config", "permission_mode")
"""Fields whose change makes the next sync a full listing."""


class Connectors(public.ConnectorService):
    """The service `ConnectorService`."""

    def __init__(
        self,
        database: Database,
        bus: Bus,
        secrets: Secrets,
        types: ConnectorSettings,
        sign_ins: ConnectorSignIns,
    ) -> None:
        """Stores its dependencies.

        Args:
            database: The database.
            bus: The wire to ingestors and open pages.
            secrets: Encryption of credentials.
            types: The administrator's settings of sources.
            sign_ins: Sign-ins at providers.
        """
        self._database = database
        self._bus = bus
        self._secrets = secrets
        self._types = types
        self._sign_ins = sign_ins
        self._accounts = ConnectedAccounts(database, secrets, types)
        self._schedule = ConnectorSchedule(database)

    @override
    async def list_connectors(
        self, request: public.ListConnectorsRequest, call: CallContext
    ) -> public.ListConnectorsResponse:
        principal: Principal = call.principal
        page = read_page(
            request.page_size, request.page_token, tuple[int], "connectors", principal.user_id, request.name
        )
        rule = connectors_by_name() if request.name else rule_of("read")
        query = (
            select(rows.Connector)
            .where(rows.Connector.deleted_date.is_(None), rule.where(rows.Connector))
            .params(rule.values(principal))
        )
        if request.name:
            query = query.where(rows.Connector.name == request.name)
        query = page.select(query, rows.Connector.id)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
            shown = await _shown(session, found, principal)
        return public.ListConnectorsResponse(connectors=shown, next_page_token=token)

    @override
    async def get_connector(self, request: public.GetConnectorRequest, call: CallContext) -> public.Connector:
        return await self._shown(await find_connector(self._database, call, request.id), call)

    @override
    async def create_connector(self, request: public.CreateConnectorRequest, call: CallContext) -> public.Connector:
        definition = settings_of.definition_of(request.connector)
        columns = connectors.to_columns(request.connector, _CREATED)
        columns["type"] = definition.name
        if request.connector.permission_mode is public.PermissionMode.UNSPECIFIED:
            columns["permission_mode"] = definition.permission_modes[0]
        settings_of.check_columns(definition, columns)
        settings_of.check_may_set(definition, call.principal, columns["config"])
        settings_of.check_server(definition, columns["config"], self._types)
        credentials = None
        if request.connector.credentials:
            credentials = settings_of.read_credentials(definition, request.connector.credentials)
        settings_of.check_access(definition, columns["config"], credentials, columns["permission_mode"])
        row = rows.Connector(
            **columns,
            user_id=call.principal.user_id,
            encrypted_credentials=settings_of.encrypted(credentials, self._secrets),
            status="active",
        )
        if settings_of.is_synced(definition, row.config):
            row.status = "pending"
            schedule(row, definition)
        async with self._database.session() as session:
            await insert_connector(session, call.principal, row)
            audit(
                session,
                call,
                f"connectors/{row.id}",
                name=row.name,
                type=row.type,
                scope=row.scope,
                scope_id=row.scope_id,
                permission_mode=row.permission_mode,
            )
        return await self._announced(row, call)

    @override
    async def update_connector(self, request: public.UpdateConnectorRequest, call: CallContext) -> public.Connector:
        fields = list(request.update_mask)
        columns = connectors.to_columns(request.connector, fields)
        async with self._database.session() as session:
            row = await find_to_change(session, call.principal, request.id)
            if "credentials" in fields or _changes(row, columns, (*_WHAT_IS_READ, "refresh_freq_minutes")):
                definition = settings_of.installed(row.type)
                await self._change_source(session, row, definition, columns, fields, request.connector, call)
            if "scope" in columns and columns["scope"] != "group":
                columns.setdefault("scope_id", None)
            moves = _changes(row, columns, ("scope", "scope_id"))
            if moves and is_of_another(row, call.principal):
                await remove_sign_in(session, row)
            chunks_follow = moves or _changes(row, columns, ("permission_mode",))
            for name, value in columns.items():
                setattr(row, name, value)
            row.user_id_last_update = call.principal.user_id
            with session.no_autoflush:
                if moves:
                    await check_scope(session, call.principal, row)
            try:
                await session.flush()
            except IntegrityError as error:
                raise name_taken(error) from error
            if chunks_follow:
                await enqueue_in(session, CONNECTOR_SCOPE, row.id)
            written = sorted({*columns, *({"credentials"} & set(fields))})
            audit(session, call, f"connectors/{row.id}", fields=written, scope=row.scope, scope_id=row.scope_id)
            await reload(session, row)
        if chunks_follow:
            await wake(self._bus, CONNECTOR_SCOPE)
        return await self._announced(row, call)

    async def _change_source(
        self,
        session: AsyncSession,
        row: rows.Connector,
        definition: ConnectorDefinition,
        columns: dict[str, Any],
        fields: Sequence[str],
        given: public.Connector,
        call: CallContext,
    ) -> None:
        """Checks a change of a connector's settings or credentials, and schedules its next sync."""
        if given.permission_mode is public.PermissionMode.UNSPECIFIED and "permission_mode" in columns:
            columns["permission_mode"] = definition.permission_modes[0]
        settings_of.check_columns(definition, columns, row)
        config = columns.get("config", row.config)
        if config != row.config or "credentials" in fields:
            settings_of.check_may_set(definition, call.principal, config)
        if config != row.config:
            settings_of.check_server(definition, config, self._types)
        credentials = settings_of.stored_credentials(definition, row.encrypted_credentials, self._secrets)
        reads_other = _changes(row, columns, _WHAT_IS_READ)
        if "credentials" in fields:
            read = settings_of.read_credentials
            credentials = read(definition, given.credentials) if given.credentials else None
            row.encrypted_credentials = settings_of.encrypted(credentials, self._secrets)
            row.connected_account = row.signed_in_by = None
        elif reads_other and is_of_another(row, call.principal):
            await remove_sign_in(session, row)
            credentials = None
        elif row.encrypted_credentials is not None:
            settings_of.check_same_origin(row.config, config)
        if "credentials" in fields or reads_other:
            mode = columns.get("permission_mode", row.permission_mode)
            settings_of.check_access(definition, config, credentials, mode)
            if mode == "source" != row.permission_mode and row.readers_forgotten_to is not None:
                raise state_error(row, _STILL_FORGETS)
        if reads_other:
            await cancel_active(session, row)
            row.state = {}
        for name in (*_WHAT_IS_READ, "refresh_freq_minutes"):
            setattr(row, name, columns.get(name, getattr(row, name)))
        schedule(row, definition)

    @override
    async def delete_connector(self, request: public.DeleteConnectorRequest, call: CallContext) -> Empty:
        await self._delete(request.id, call)
        return Empty()

    async def delete_empty(self, connector_id: int, call: CallContext) -> int:
        """Deletes a connector if it has no documents, and returns how many it has.

        A file that comes meanwhile is in it, so that the connector stays, or finds it deleted.

        Raises:
            EchoMindError: As `delete_connector`.
        """
        return await self._delete(connector_id, call, only_empty=True)

    async def _delete(self, connector_id: int, call: CallContext, *, only_empty: bool = False) -> int:
        async with self._database.session() as session:
            # Its lock holds off whoever adds a document.
            row = await find_to_change(session, call.principal, connector_id)
            if only_empty:
                there = rows.Document.connector_id == row.id, rows.Document.deleted_date.is_(None)
                if count := await session.scalar(select(func.count()).select_from(rows.Document).where(*there)):
                    return count
            await cancel_active(session, row)
            await session.execute(
                update(rows.Connector)
                .where(rows.Connector.id == row.id)
                .values(
                    deleted_date=func.now(),
                    encrypted_credentials=None,
                    connected_account=None,
                    signed_in_by=None,
                    next_sync_at=None,
                    user_id_last_update=call.principal.user_id,
                )
            )
            audit(session, call, f"connectors/{row.id}", name=row.name)
        # The documents are invisible already. An ingestor deletes them; if this request is lost, its recurring job
        # does.
        await jobs.request(self._database.pool, self._bus, REMOVE_DOCUMENTS)
        return 0

    @override
    async def reconcile_documents(
        self, request: public.ReconcileDocumentsRequest, call: CallContext
    ) -> public.ReconcileDocumentsResponse:
        return await reconcile(self._database, self._bus, request, call)

    @override
    async def list_connector_types(
        self, request: public.ListConnectorTypesRequest, call: CallContext
    ) -> public.ListConnectorTypesResponse:
        return public.ListConnectorTypesResponse(types=type_infos(call.principal, self._types))

    @override
    async def test_connector(
        self, request: public.TestConnectorRequest, call: CallContext
    ) -> public.TestConnectorResponse:
        return await test_connector(self._database, self._bus, self._secrets, request, call)

    @override
    async def pause_connector(self, request: public.PauseConnectorRequest, call: CallContext) -> public.Connector:
        return await self._announced(await self._schedule.pause(request.id, call), call)

    @override
    async def resume_connector(self, request: public.ResumeConnectorRequest, call: CallContext) -> public.Connector:
        return await self._announced(await self._schedule.resume(request.id, call), call)

    @override
    async def disable_connector(self, request: public.DisableConnectorRequest, call: CallContext) -> public.Connector:
        return await self._announced(await self._schedule.disable(request.id, request.reason, call), call)

    @override
    async def enable_connector(self, request: public.EnableConnectorRequest, call: CallContext) -> public.Connector:
        return await self._announced(await self._schedule.enable(request.id, call), call)

    @override
    async def start_connector_sign_in(
        self, request: public.StartConnectorSignInRequest, call: CallContext
    ) -> public.StartConnectorSignInResponse:
        return await self._sign_ins.start(request.id, call)

    @override
    async def complete_connector_sign_in(
        self, request: public.CompleteConnectorSignInRequest, call: CallContext
    ) -> public.Connector:
        return await self._announced(await self._sign_ins.complete(request, call), call)

    @override
    async def list_connected_accounts(
        self, request: public.ListConnectedAccountsRequest, call: CallContext
    ) -> public.ListConnectedAccountsResponse:
        return await self._accounts.list_accounts(request, call)

    @override
    async def disconnect_account(
        self, request: public.DisconnectAccountRequest, call: CallContext
    ) -> public.DisconnectAccountResponse:
        row, is_revoked, access_url = await self._accounts.disconnect(request.id, call)
        await self._bus.publish(CONNECTOR_CHANGED, ConnectorChanged(connector_id=row.id))
        return public.DisconnectAccountResponse(is_revoked=is_revoked, access_url=access_url)

    async def _announced(self, row: rows.Connector, call: CallContext) -> public.Connector:
        """Tells of a change, and returns the connector as its reader sees it. A sync that is due begins at once."""
        if row.next_sync_at is not None and row.next_sync_at <= datetime.now(UTC):
            await jobs.request(self._database.pool, self._bus, SCHEDULE_SYNCS)
        await self._bus.publish(CONNECTOR_CHANGED, ConnectorChanged(connector_id=row.id))
        return await self._shown(row, call)

    async def _shown(self, row: rows.Connector, call: CallContext) -> public.Connector:
        async with self._database.session() as session:
            return (await _shown(session, [row], call.principal))[0]


def _changes(row: rows.Connector, columns: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(name in columns and columns[name] != getattr(row, name) for name in names)


async def _shown(
    session: AsyncSession, found: Sequence[rows.Connector], principal: Principal
) -> list[public.Connector]:
    """Returns connectors with their newest syncs, and for those who manage them who changed them and signed in."""
    syncs = await _newest_syncs(session, [row.id for row in found])
    shown = {row.id: connectors.to_model(row, syncs.get(row.id)) for row in found}
    may_manage = rule_of("manage")
    managed = [(row, shown[row.id]) for row in found if may_manage.allows(principal, row)]
    names = await names_of(session, {row.signed_in_by for row, _ in managed})
    for row, message in managed:
        message.signed_in_by = row.signed_in_by or 0
        message.signed_in_by_name = names.get(message.signed_in_by, "")
    return list((shown | {each.id: each for each in await with_updaters(session, managed)}).values())


async def _newest_syncs(session: AsyncSession, ids: Sequence[int]) -> dict[int, rows.ConnectorSync]:
    """Returns the newest sync of each of some connectors that has one."""
    newest = select(func.max(rows.ConnectorSync.id)).where(rows.ConnectorSync.connector_id.in_(ids))
    query = select(rows.ConnectorSync).where(
        rows.ConnectorSync.id.in_(newest.group_by(rows.ConnectorSync.connector_id))
    )
    return {sync.connector_id: sync for sync in await session.scalars(query)}
