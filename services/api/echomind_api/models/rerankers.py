"""Rerankers of servers. Superadmins alone see and manage them. At most one is active."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Integer, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.models.reranker_tests import TESTED, check_endpoint, require_usable, test_reranker
from echomind_api.people import with_updater, with_updaters
from echomind_api.rows import audit, lock_table, missing, reload, unique
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import rerankers
from echomind_lib.models.public import (
    CreateRerankerRequest,
    DeleteRerankerRequest,
    GetRerankerRequest,
    ListRerankersRequest,
    ListRerankersResponse,
    Reranker,
    RerankerService,
    TestRerankerRequest,
    TestRerankerResponse,
    UpdateRerankerRequest,
)
from echomind_lib.network.origins import same_origin
from echomind_lib.secrets import Secrets

_CREATED: Final = ("name", *TESTED, "candidates", "timeout_ms", "is_active")
_UNIQUE: Final = {"idx_rerankers_name": "name"}


class Rerankers(RerankerService):
    """The service `RerankerService`."""

    def __init__(self, database: Database, secrets: Secrets) -> None:
        self._database = database
        self._secrets = secrets

    @override
    async def list_rerankers(self, request: ListRerankersRequest, call: CallContext) -> ListRerankersResponse:
        require_role(call.principal, "superadmin")
        page = read_page(request.page_size, request.page_token, tuple[int], "rerankers")
        query = page.select(select(rows.Reranker).where(rows.Reranker.deleted_date.is_(None)), rows.Reranker.id)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
            listed = await with_updaters(session, [(row, rerankers.to_model(row)) for row in found])
        return ListRerankersResponse(rerankers=listed, next_page_token=token)

    @override
    async def get_reranker(self, request: GetRerankerRequest, call: CallContext) -> Reranker:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await _find(session, request.id)
            return await with_updater(session, row, rerankers.to_model(row))

    @override
    async def create_reranker(self, request: CreateRerankerRequest, call: CallContext) -> Reranker:
        require_role(call.principal, "superadmin")
        columns = rerankers.to_columns(request.reranker, _CREATED, self._secrets)
        check_endpoint(columns)
        if columns["is_active"]:
            await require_usable(columns, self._secrets)
        async with self._database.session() as session:
            await lock_table(session, rows.Reranker)  # at most one is active
            if columns["is_active"]:
                await _end_active(session, call)
            # Again: the key that encrypted it before the test may be retired by now.
            columns |= rerankers.to_columns(request.reranker, {"api_key"}, self._secrets)
            row = rows.Reranker(**columns)
            session.add(row)
            with unique("reranker", _UNIQUE):
                await session.flush()
            audit(session, call, f"rerankers/{row.id}", name=row.name, model=row.model_id)
            await reload(session, row)
            return await with_updater(session, row, rerankers.to_model(row))

    @override
    async def update_reranker(self, request: UpdateRerankerRequest, call: CallContext) -> Reranker:
        require_role(call.principal, "superadmin")
        columns = rerankers.to_columns(request.reranker, request.update_mask, self._secrets)
        async with self._database.session() as session:
            row = await _find(session, request.id)
            before = {name: getattr(row, name) for name in (*TESTED, "is_active")}
        after = before | columns
        if "endpoint" in columns:
            check_endpoint(after)
            _check_key(before, columns)
        if after["is_active"] and after != before:
            await require_usable(after, self._secrets)
        async with self._database.session() as session:
            await lock_table(session, rows.Reranker)
            row = await _find(session, request.id)
            if before != {name: getattr(row, name) for name in before}:
                raise ValidationFailedError("The reranker was changed meanwhile: try again.")
            if after["is_active"] and not row.is_active:
                await _end_active(session, call)
            # Again: the key that encrypted it before the test may be retired by now.
            columns |= rerankers.to_columns(request.reranker, columns.keys() & {"api_key"}, self._secrets)
            for name, value in columns.items():
                setattr(row, name, value)
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"rerankers/{row.id}", fields=sorted(columns))
            with unique("reranker", _UNIQUE):
                await session.flush()
            await reload(session, row)
            return await with_updater(session, row, rerankers.to_model(row))

    @override
    async def delete_reranker(self, request: DeleteRerankerRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await _find(session, request.id)
            row.deleted_date, row.api_key, row.is_active = datetime.now(UTC), None, False
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"rerankers/{row.id}", name=row.name, model=row.model_id)
        return Empty()

    @override
    async def test_reranker(self, request: TestRerankerRequest, call: CallContext) -> TestRerankerResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await _find(session, request.id)
        return await test_reranker({name: getattr(row, name) for name in TESTED}, self._secrets)


async def _find(session: AsyncSession, reranker_id: int) -> rows.Reranker:
    # Ids in the contract are 32-bit, the column 16-bit.
    found = type_coerce(rows.Reranker.id, Integer) == reranker_id
    row = await session.scalar(select(rows.Reranker).where(found, rows.Reranker.deleted_date.is_(None)))
    if row is None:
        raise missing("reranker", reranker_id)
    return row


async def _end_active(session: AsyncSession, call: CallContext) -> None:
    active = rows.Reranker.is_active, rows.Reranker.deleted_date.is_(None)
    values = {"is_active": False, "user_id_last_update": call.principal.user_id}
    await session.execute(update(rows.Reranker).where(*active).values(values))


def _check_key(before: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Raises an error if the stored key would go elsewhere: for a new address the key is given again or removed."""
    if before["api_key"] is None or "api_key" in columns or same_origin(before["endpoint"], columns["endpoint"]):
        return
    rule = (
        "must be given again, or be given empty to remove it: the stored key was given for another address, and is not "
        "sent elsewhere"
    )
    raise ValidationFailedError(f"api_key: {rule}", api_key=rule)
