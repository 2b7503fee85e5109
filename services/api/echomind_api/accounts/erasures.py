"""Erasure of people over the registry of their data, with a report."""

from typing import Any, Final

from sqlalchemy import BigInteger, cast, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.accounts.deactivation import Deactivations
from echomind_api.administration.purge import Purge
from echomind_api.auth.credentials import hold
from echomind_api.people import require_person
from echomind_api.privacy.registry import STORES, Store
from echomind_api.rows import action_of, audit, missing
from echomind_lib.access import Principal, require_role
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.holds import deletion_held
from echomind_lib.db.paging import read_page
from echomind_lib.errors import DeletionHeldError, ValidationFailedError
from echomind_lib.mappers import erasures
from echomind_lib.models import public

_Row = rows.Erasure
_FILES: Final = "are deleted in the background within minutes, files of earlier versions within two hours"
_VECTORS: Final = "are deleted in the background within minutes"


class Eraser:
    """Deletes a person with all that belongs to them, and reports what became of it."""

    def __init__(self, database: Database, deactivations: Deactivations, purge: Purge) -> None:
        self._database, self._deactivations, self._purge = database, deactivations, purge

    async def preview(self, user_id: int) -> list[public.ErasureItem]:
        """Returns what an erasure would delete, hand over, anonymize and keep.

        Raises:
            NotFoundError: There is no such account.
        """
        async with self._database.session() as session:
            if await session.get(rows.User, user_id) is None:
                raise missing("user", user_id)
            return await _counted(session, user_id)

    async def erase(self, user_id: int, call: CallContext) -> rows.Erasure:
        """Erases a person and returns the stored report; an interrupted erasure is continued, with its report.

        Raises:
            NotFoundError: There is no such account.
            ValidationFailedError: It is the caller's own, or the last active superadmin.
            DeletionHeldError: A legal hold is on the person, or on something of theirs.
        """
        if user_id == call.principal.user_id:
            rule = "is your own account: another superadmin can purge it"
            raise ValidationFailedError(f"id: {rule}", id=rule)
        # Deactivate the account first, so that it adds nothing while its conversations are deleted.
        deactivating = self._deactivations.deactivating(
            user_id, actor_id=call.principal.user_id, action=action_of(call)
        )
        async with deactivating as session:
            await hold(session, call.principal, user_id)
            await require_person(session, user_id)
            await require_not_held(session, user_id, call.principal)
            # Stored before anything ends or is deleted, so that an interruption leaves what there was.
            report_id = await _begun(session, user_id, call.principal.user_id)
            audit(session, call, f"users/{user_id}")
        await self._purge.sessions_of_user(user_id)
        async with self._database.session() as session:
            await require_not_held(session, user_id, call.principal)
            await self._purge.user(session, user_id, call.principal.user_id)
            row = await session.get_one(_Row, report_id, with_for_update=True)
            row.completed_at = func.coalesce(_Row.completed_at, func.now())
            await session.flush()
            await session.refresh(row)
        await self._purge.wake_ingestor()
        return row


async def _begun(session: AsyncSession, user_id: int, caller_id: int) -> int:
    """Stores what there is of a person as a report that is not completed, and returns its id.

    The report of an interrupted erasure is continued: of each store, it has the larger count.
    """
    found = {(each.store, each.rule.word, each.reason): each for each in await _counted(session, user_id)}
    unfinished = select(_Row).where(_Row.erased_user_id == user_id, _Row.completed_at.is_(None)).with_for_update()
    row = (await session.scalars(unfinished.order_by(_Row.id).limit(1))).first()
    if row is None:
        row = _Row(erased_user_id=user_id, items=[])
        session.add(row)
    for item in erasures.to_model(row, "").items:
        new = found.setdefault((item.store, item.rule.word, item.reason), item)
        new.count = max(new.count, item.count)
    row.erased_by, row.items = caller_id, [erasures.to_json(item) for item in found.values()]
    await session.flush()
    return row.id


async def require_not_held(session: AsyncSession, user_id: int, principal: Principal) -> None:
    """Raises `DeletionHeldError` if a legal hold is on an account, or on one of its conversations.

    Only to a superadmin does the message name the hold.
    """
    held = select(rows.ChatSession.id).where(
        rows.ChatSession.user_id == user_id, func.is_held(rows.ChatSession.user_id, rows.ChatSession.id)
    )
    is_held = await session.scalar(select(func.is_held(user_id, None)))
    if is_held or await session.scalar(held.limit(1)) is not None:
        if not principal.has_role("superadmin"):
            raise deletion_held()
        raise DeletionHeldError(
            "A legal hold is on this account, or on one of its conversations: release it before you delete the account."
        )


async def _counted(session: AsyncSession, user_id: int) -> list[public.ErasureItem]:
    """Returns what there is of a person in each store, without those that have nothing."""
    counts = union_all(
        *(
            select(literal(number).label("number"), func.count().label("found"))
            .select_from(rows.Base.metadata.tables[store.table])
            .where(store.rows(user_id))
            for number, store in enumerate(STORES)
        )
    )
    found = [(STORES[row.number], row.found) for row in await session.execute(counts) if row.found]
    return [_item(store, count) for store, count in found] + await _files_and_vectors(session, user_id)


async def _files_and_vectors(session: AsyncSession, user_id: int) -> list[public.ErasureItem]:
    [documents] = [store for store in STORES if store.table == "documents"]
    query = select(func.count(), cast(func.coalesce(func.sum(rows.Document.chunk_count), 0), BigInteger)).where(
        documents.rows(user_id)
    )
    files, passages = (await session.execute(query)).one()
    memories = select(func.count()).select_from(rows.AgentMemory).where(rows.AgentMemory.user_id == user_id)
    vectors = passages + (await session.scalar(memories) or 0)
    items = [("files", files, _FILES), ("vectors", vectors, _VECTORS)]
    return [
        public.ErasureItem(store=name, rule=public.ErasureRule.DELETE, count=count, reason=reason)
        for name, count, reason in items
        if count
    ]


def _item(store: Store, count: int) -> public.ErasureItem:
    rule = public.ErasureRule.from_word(store.rule)
    return public.ErasureItem(store=store.table, rule=rule, count=count, reason=store.reason)


class Erasures(public.ErasureService):
    """The service `ErasureService`."""

    def __init__(self, database: Database, eraser: Eraser) -> None:
        self._database, self._eraser = database, eraser

    @override
    async def list_erasures(
        self, request: public.ListErasuresRequest, call: CallContext
    ) -> public.ListErasuresResponse:
        require_role(call.principal, "superadmin")
        page = read_page(request.page_size, request.page_token, tuple[int], "erasures")
        query = select(_Row, rows.User.user_name).outerjoin(rows.User, rows.User.id == _Row.erased_by)
        async with self._database.session() as session:
            query = page.select(query, _Row.id, descending=True)
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].id,))
        shown: list[Any] = [erasures.to_model(row[0], row[1] or "") for row in found]
        return public.ListErasuresResponse(erasures=shown, next_page_token=token)

    @override
    async def preview_erasure(self, request: public.PreviewErasureRequest, call: CallContext) -> public.Erasure:
        require_role(call.principal, "superadmin")
        items = await self._eraser.preview(request.user_id)
        async with self._database.session() as session:
            audit(session, call, f"users/{request.user_id}")
        return public.Erasure(user_id=request.user_id, items=items)

    @override
    async def erase_user(self, request: public.EraseUserRequest, call: CallContext) -> public.Erasure:
        require_role(call.principal, "superadmin")
        row = await self._eraser.erase(request.user_id, call)
        async with self._database.session() as session:
            caller = await session.get_one(rows.User, call.principal.user_id)
            return erasures.to_model(row, caller.user_name)
