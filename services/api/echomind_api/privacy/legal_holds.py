"""Legal holds: superadmins place, list and release them."""

from typing import Any, NamedTuple

from sqlalchemy import Select, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from typing_extensions import override

from echomind_api.auth.credentials import hold
from echomind_api.rows import audit, audit_foreign, missing
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.models import public

_Row = rows.LegalHold


class LegalHolds(public.LegalHoldService):
    """The service `LegalHoldService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def list_legal_holds(
        self, request: public.ListLegalHoldsRequest, call: CallContext
    ) -> public.ListLegalHoldsResponse:
        require_role(call.principal, "superadmin")
        page = read_page(request.page_size, request.page_token, tuple[int], "legal holds", request.with_released)
        query = _named() if request.with_released else _named().where(_Row.released_at.is_(None))
        async with self._database.session() as session:
            query = page.select(query, _Row.id, descending=True)
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].id,))
        await audit_foreign(self._database, call, "legal-holds", write=False)
        return public.ListLegalHoldsResponse(legal_holds=[_model(row) for row in found], next_page_token=token)

    @override
    async def create_legal_hold(self, request: public.CreateLegalHoldRequest, call: CallContext) -> public.LegalHold:
        require_role(call.principal, "superadmin")
        given = request.legal_hold
        if bool(given.user_id) == bool(given.chat_session_id):
            rule = "name a person (user_id) or a conversation (chat_session_id), not both"
            raise ValidationFailedError(f"legal_hold: {rule}", user_id=rule)
        async with self._database.session() as session:
            await hold(session, call.principal)
            # Locked, so that nothing deletes it before the hold is there.
            lock: Any = {"read": True, "key_share": True}
            if given.user_id and await session.get(rows.User, given.user_id, with_for_update=lock) is None:
                raise missing("user", given.user_id)
            if given.chat_session_id:
                found = await session.get(rows.ChatSession, given.chat_session_id, with_for_update=lock)
                if found is None:
                    raise missing("chat session", given.chat_session_id)
            row = _Row(
                user_id=given.user_id or None,
                chat_session_id=given.chat_session_id or None,
                reason=given.reason,
                placed_by=call.principal.user_id,
            )
            session.add(row)
            await session.flush()
            audit(session, call, f"legal-holds/{row.id}", **_subject(row))
            return await _read(session, row.id)

    @override
    async def release_legal_hold(self, request: public.ReleaseLegalHoldRequest, call: CallContext) -> public.LegalHold:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await hold(session, call.principal)
            row = await session.get(_Row, request.id, with_for_update=True)
            if row is None:
                raise missing("legal hold", request.id)
            if row.released_at is None:
                release = {"released_at": func.now(), "released_by": call.principal.user_id}
                await session.execute(update(_Row).where(_Row.id == row.id).values(release))
                audit(session, call, f"legal-holds/{row.id}", **_subject(row))
            return await _read(session, row.id)


class _Found(NamedTuple):
    row: rows.LegalHold
    user_name: str | None
    placed_by_name: str | None
    released_by_name: str | None


def _named() -> Select[Any, Any, Any, Any]:
    held, placer, releaser = aliased(rows.User), aliased(rows.User), aliased(rows.User)
    return (
        select(_Row, held.user_name, placer.user_name, releaser.user_name)
        .outerjoin(held, held.id == _Row.user_id)
        .outerjoin(placer, placer.id == _Row.placed_by)
        .outerjoin(releaser, releaser.id == _Row.released_by)
    )


def _model(found: Any) -> public.LegalHold:
    row = _Found(*found)
    return public.LegalHold.from_row(
        row.row,
        user_name=row.user_name or "",
        placed_by_name=row.placed_by_name or "",
        released_by_name=row.released_by_name or "",
    )


async def _read(session: AsyncSession, hold_id: int) -> public.LegalHold:
    query = _named().where(_Row.id == hold_id)
    return _model((await session.execute(query, execution_options={"populate_existing": True})).one())


def _subject(row: rows.LegalHold) -> dict[str, Any]:
    return {"user": row.user_id} if row.user_id is not None else {"chat_session": row.chat_session_id}
