"""Where documents come from, and who may read them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Select, Text, and_, column, exists, func, literal, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningUpdate
from typing_extensions import override

from echomind_api.rows import audit, missing
from echomind_api.sources.connector_rows import check_scope, find_connector, insert_connector, name_taken, read_only
from echomind_api.sources.intake import check_source_id
from echomind_lib import jobs
from echomind_lib.access import Principal, connectors_by_name
from echomind_lib.access import connectors as rule_of
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ConnectorTypeUnavailableError, ValidationFailedError
from echomind_lib.jobs import CONNECTOR_SCOPE, REMOVE_DOCUMENTS, enqueue_in, wake
from echomind_lib.mappers import connectors
from echomind_lib.messaging import Bus
from echomind_lib.models.public import (
    Connector,
    ConnectorService,
    ConnectorType,
    CreateConnectorRequest,
    DeleteConnectorRequest,
    GetConnectorRequest,
    ListConnectorsRequest,
    ListConnectorsResponse,
    ReconcileDocumentsRequest,
    ReconcileDocumentsResponse,
    UpdateConnectorRequest,
)

_CREATED = ("name", "type", "config", "refresh_freq_minutes", "scope", "scope_id")


class Connectors(ConnectorService):
    """The service `ConnectorService`."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database = database
        self._bus = bus

    @override
    async def list_connectors(self, request: ListConnectorsRequest, call: CallContext) -> ListConnectorsResponse:
        principal: Principal = call.principal
        page = read_page(
            request.page_size, request.page_token, tuple[int], "connectors", principal.user_id, request.name
        )
        rule = connectors_by_name() if request.name else rule_of("read")
        query = (
            select(rows.Connector)
            .where(rows.Connector.deleted_date.is_(None), rule.where(rows.Connector))
            .params(rule.values(principal))
            .order_by(rows.Connector.id)
            .limit(page.limit)
        )
        if request.name:
            query = query.where(rows.Connector.name == request.name)
        if page.after:
            query = query.where(rows.Connector.id > page.after[0])
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
        return ListConnectorsResponse(connectors=[connectors.to_model(row) for row in found], next_page_token=token)

    @override
    async def get_connector(self, request: GetConnectorRequest, call: CallContext) -> Connector:
        return connectors.to_model(await find_connector(self._database, call, request.id))

    @override
    async def create_connector(self, request: CreateConnectorRequest, call: CallContext) -> Connector:
        kind = request.connector.type
        if kind is not ConnectorType.FILE:
            raise ConnectorTypeUnavailableError(
                f"Connectors of the type {kind.word} cannot be created here; `file` can.", type=kind.word
            )
        columns = connectors.to_columns(request.connector, _CREATED)
        _check_settings(columns)
        row = rows.Connector(**columns, user_id=call.principal.user_id, status="active")
        async with self._database.session() as session:
            await insert_connector(session, call.principal, row)
            audit(session, call, f"connectors/{row.id}", name=row.name, scope=row.scope, scope_id=row.scope_id)
            return connectors.to_model(row)

    @override
    async def update_connector(self, request: UpdateConnectorRequest, call: CallContext) -> Connector:
        columns = connectors.to_columns(request.connector, request.update_mask)
        async with self._database.session() as session:
            row = await _find_to_change(session, call.principal, request.id)
            if columns.get("type", row.type) != row.type:
                raise ValidationFailedError("type: cannot be changed", type="cannot be changed")
            _check_settings(columns, row)
            if "scope" in columns and columns["scope"] != "group":
                columns.setdefault("scope_id", None)
            moves = any(columns.get(name, getattr(row, name)) != getattr(row, name) for name in ("scope", "scope_id"))
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
            if moves:
                await enqueue_in(session, CONNECTOR_SCOPE, row.id)
            audit(session, call, f"connectors/{row.id}", fields=sorted(columns), scope=row.scope, scope_id=row.scope_id)
            await session.flush()
            await session.refresh(row)
        if moves:
            await wake(self._bus, CONNECTOR_SCOPE)
        return connectors.to_model(row)

    @override
    async def delete_connector(self, request: DeleteConnectorRequest, call: CallContext) -> Empty:
        async with self._database.session() as session:
            row = await _find_to_change(session, call.principal, request.id)
            await session.execute(
                update(rows.Connector)
                .where(rows.Connector.id == row.id)
                .values(deleted_date=func.now(), encrypted_credentials=None, user_id_last_update=call.principal.user_id)
            )
            audit(session, call, f"connectors/{row.id}", name=row.name)
        # They are invisible already. Clearing them away is for the ingestor, which finds what it is not woken for, too.
        await jobs.request(self._database.pool, self._bus, REMOVE_DOCUMENTS)
        return Empty()

    @override
    async def reconcile_documents(
        self, request: ReconcileDocumentsRequest, call: CallContext
    ) -> ReconcileDocumentsResponse:
        connector = await find_connector(self._database, call, request.id, manage=True)
        if connector.type != "file":
            raise ValidationFailedError("id: is no connector of files", id="is no connector of files")
        names = [file.source_id for file in request.files]
        _check_names(names, request.prefix)
        removed: Sequence[int] = []
        async with self._database.session() as session:
            upload = list(await session.scalars(_changed(request)))
            if request.remove_missing:
                removed = (await session.scalars(_remove_missing(request, call.principal.user_id))).all()
        if removed:
            await jobs.request(self._database.pool, self._bus, REMOVE_DOCUMENTS)
        return ReconcileDocumentsResponse(upload=upload, unchanged=len(names) - len(upload), removed=len(removed))


def _changed(request: ReconcileDocumentsRequest) -> Select[str]:
    """Returns the names of the files that are not stored as they are, or whose processing has failed."""
    names, signatures = ([getattr(file, name) for file in request.files] for name in ("source_id", "signature"))
    given = func.unnest(literal(names, ARRAY(Text)), literal(signatures, ARRAY(Text)))
    file = given.table_valued(column("source_id", Text), column("signature", Text)).render_derived(name="file")
    stored = and_(
        rows.Document.connector_id == request.id,
        rows.Document.source_id == file.c.source_id,
        rows.Document.deleted_date.is_(None),
    )
    is_changed = or_(
        rows.Document.id.is_(None),
        rows.Document.signature.is_distinct_from(file.c.signature),
        rows.Document.status == "failed",
    )
    return (
        select(file.c.source_id)
        .select_from(file.outerjoin(rows.Document, stored))
        .where(is_changed)
        .order_by(file.c.source_id)
    )


def _remove_missing(request: ReconcileDocumentsRequest, user_id: int) -> ReturningUpdate[int]:
    """Returns the statement that removes the documents below the prefix that are not among the files."""
    names = func.unnest(literal([file.source_id for file in request.files], ARRAY(Text)))
    file = names.table_valued(column("source_id", Text)).render_derived(name="file")
    return (
        update(rows.Document)
        .where(rows.Document.connector_id == request.id, rows.Document.deleted_date.is_(None))
        .where(func.starts_with(rows.Document.source_id, request.prefix))
        .where(~exists(select(file.c.source_id).where(file.c.source_id == rows.Document.source_id)))
        .values(deleted_date=func.now(), user_id_last_update=user_id)
        .returning(rows.Document.id)
    )


async def _find_to_change(session: AsyncSession, principal: Principal, connector_id: int) -> rows.Connector:
    row = await session.scalar(
        select(rows.Connector)
        .where(rows.Connector.id == connector_id, rows.Connector.deleted_date.is_(None))
        .with_for_update()
    )
    if row is None or not rule_of("read").allows(principal, row):
        raise missing("connector", connector_id)
    if not rule_of("manage").allows(principal, row):
        raise read_only(connector_id)
    return row


def _check_settings(columns: dict[str, Any], stored: rows.Connector | None = None) -> None:
    """Raises `ValidationFailedError` for settings of synchronization, which a connector of uploaded files has not.

    What is stored already may be sent back.
    """
    rule = "must be empty: files are uploaded, and this connector has no place to read them from"
    for name in ("config", "refresh_freq_minutes"):
        if columns.get(name) and (stored is None or columns[name] != getattr(stored, name)):
            raise ValidationFailedError(f"connector.{name}: {rule}.", **{f"connector.{name}": rule})


def _check_names(names: list[str], prefix: str) -> None:
    for name in names:
        check_source_id(name)
        if not name.startswith(prefix):
            rule = f"{name!r} does not begin with the prefix"
            raise ValidationFailedError(f"files: {rule}", files=rule)
    if len(set(names)) != len(names):
        raise ValidationFailedError("files: must not hold a source_id twice", files="must not hold a source_id twice")
