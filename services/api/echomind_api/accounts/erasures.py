"""Erasure of people over the registry of their data, with a report."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog
from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    any_,
    case,
    false,
    func,
    null,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.accounts.deactivation import Deactivations
from echomind_api.administration.purge import Purge
from echomind_api.auth.credentials import hold
from echomind_api.people import require_person
from echomind_api.privacy.counts import counted
from echomind_api.rows import action_of, audit, missing
from echomind_lib.access import Principal, require_role
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.holds import deletion_held
from echomind_lib.db.paging import read_page
from echomind_lib.errors import DeletionHeldError, DependencyUnavailableError, EchoMindError, ValidationFailedError
from echomind_lib.mappers import erasures
from echomind_lib.models import public

_Row = rows.Erasure
_PATIENCE_SECONDS: Final = 20.0
"""How long a call waits for an erasure, which continues then."""
_CLAIM_SECONDS: Final = 60.0
"""How long an erasure whose process gives no sign is left alone, and one that has failed."""
_SWEEP_SECONDS: Final = 15.0
_POLL_SECONDS: Final = 0.2
_FAILURES: Final = (*DATABASE_FAILURES, DBAPIError, NoConnectionError)
"""What statements of a session raise when the database, or the connection to it, fails."""
_FAULT: Final = "Something went wrong in EchoMind; the log of the API says more."

log = structlog.get_logger(__name__)


class Eraser:
    """Deletes a person with all that belongs to them, and reports what became of it.

    An erasure is the row of its report: it is not completed before everything is deleted, and any process continues
    the rows that nobody works on. The trigger `cancel_erasures` ends those of an account that is activated again: they
    have no attempt then, and are continued when somebody asks again.
    """

    def __init__(self, database: Database, deactivations: Deactivations, purge: Purge) -> None:
        self._database, self._deactivations, self._purge = database, deactivations, purge
        self._running: set[asyncio.Task[None]] = set()

    async def preview(self, user_id: int) -> list[public.ErasureItem]:
        """Returns what an erasure would delete, hand over, anonymize and keep.

        Raises:
            NotFoundError: There is no such account.
        """
        async with self._database.session() as session:
            if await session.get(rows.User, user_id) is None:
                raise missing("user", user_id)
            return await counted(session, user_id)

    async def erase(self, user_id: int, call: CallContext) -> int:
        """Erases a person and returns the ID of the report; an interrupted erasure is continued, with its report.

        It returns when the erasure is completed, or continues in the background after some seconds. If one is running
        already, it waits for that one.

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
            report_id, is_running = await _begun(session, user_id, call.principal.user_id)
            audit(session, call, f"users/{user_id}")
        if is_running:
            await self._wait(report_id)
            return report_id
        # It goes on when the caller does not wait for it.
        work = asyncio.create_task(self._attempt(report_id))
        self._running.add(work)
        work.add_done_callback(self._running.discard)
        await asyncio.wait({work}, timeout=_PATIENCE_SECONDS)
        if work.done():
            work.result()
        else:
            work.add_done_callback(_note_failure)
        return report_id

    async def run(self) -> None:
        """Continues interrupted erasures, until it is cancelled."""
        while True:
            try:
                while (report_id := await self.claim()) is not None:
                    await self._continue(report_id)
            except _FAILURES as error:
                log.warning("erasures are looked for again later", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _continue(self, report_id: int) -> None:
        """Continues an erasure; one that fails must not keep others waiting."""
        try:
            await self._attempt(report_id)
        except Exception as error:  # noqa: BLE001 - whatever prevents it is stored in the report
            log.warning("an erasure is tried again later", erasure=report_id, error=repr(error))

    async def _wait(self, report_id: int) -> None:
        """Waits for an erasure on which a process works, for as long as a call does."""
        running = select(_Row.id).where(_Row.id == report_id, _is_open(), _is_running())
        give_up = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while asyncio.get_running_loop().time() < give_up:
            async with self._database.session() as session:
                if await session.scalar(running) is None:
                    return
            await asyncio.sleep(_POLL_SECONDS)

    async def claim(self) -> int | None:
        """Returns the ID of an erasure that nobody works on, after claiming it; None if there is none."""
        waiting = (
            select(_Row.id)
            .where(_is_open(), ~_is_claimed())
            .order_by(_Row.attempted_at, _Row.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        claim = update(_Row).where(_Row.id == waiting.scalar_subquery())
        async with self._database.session() as session:
            claimed: int | None = await session.scalar(
                claim.values(attempted_at=func.now(), error=None).returning(_Row.id)
            )
            return claimed

    async def _attempt(self, report_id: int) -> None:
        """Deletes what is left of a person. What prevents it is stored in the report, and raised."""
        try:
            async with self._renewed(report_id):
                await self._delete(report_id)
        except Exception as error:
            await self._fail(report_id, error.message if isinstance(error, EchoMindError) else _FAULT)
            raise

    async def _fail(self, report_id: int, reason: str) -> None:
        """Stores why an attempt has ended; it is the last one if the account is active."""
        is_active = select(rows.User.id).where(rows.User.id == _Row.erased_user_id, rows.User.is_active).exists()
        values = {"error": reason, "attempted_at": case((is_active, null()), else_=_Row.attempted_at)}
        try:
            async with self._database.session() as session:
                await session.execute(update(_Row).where(_Row.id == report_id, _is_open()).values(values))
        except _FAILURES as error:  # the claim expires by itself
            log.warning("a report does not say why its erasure waits", erasure=report_id, error=repr(error))

    async def _delete(self, report_id: int) -> None:
        async with self._database.session() as session:
            row = await session.get_one(_Row, report_id)
            user_id, heir_id = row.erased_user_id, row.erased_by
            if row.completed_at is not None:
                return
            await _require_not_held(session, user_id)
            if not row.items:  # a restore has begun it
                row.items = [erasures.to_json(item) for item in await counted(session, user_id)]

        async def require(session: AsyncSession) -> None:
            await _require_not_activated(session, report_id, user_id)

        await self._purge.sessions_of_user(user_id, require)
        async with self._database.session() as session:
            await require(session)
            await _require_not_held(session, user_id)
            await self._purge.user(session, user_id, await _heir(session, user_id, heir_id))
            completed = {"completed_at": func.now(), "error": None}
            await session.execute(update(_Row).where(_Row.id == report_id, _is_open()).values(completed))
        await self._purge.wake_ingestor()

    @asynccontextmanager
    async def _renewed(self, report_id: int) -> AsyncIterator[None]:
        """Renews the claim of an erasure while a block runs."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(_CLAIM_SECONDS / 4)
                try:
                    async with self._database.session() as session:
                        claim = update(_Row).where(_Row.id == report_id, _is_open())
                        await session.execute(claim.values(attempted_at=func.now()))
                except _FAILURES as error:
                    log.warning("the claim of an erasure is renewed later", erasure=report_id, error=repr(error))

        renewing = asyncio.create_task(renew())
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)


def _is_open() -> ColumnElement[bool]:
    """Returns the condition that an erasure is neither completed nor cancelled."""
    return and_(_Row.completed_at.is_(None), _Row.attempted_at.is_not(None))


def _is_running() -> ColumnElement[bool]:
    """Returns the condition that a process works on an erasure."""
    return and_(_is_claimed(), _Row.error.is_(None))


def _is_claimed() -> ColumnElement[bool]:
    """Returns the condition that a process works on an erasure, or has failed at it a moment ago."""
    expired = func.now() - func.make_interval(0, 0, 0, 0, 0, 0, _CLAIM_SECONDS)
    return func.coalesce(_Row.attempted_at > expired, false())


def _note_failure(work: "asyncio.Task[None]") -> None:
    if not work.cancelled() and (error := work.exception()) is not None:
        log.warning("an erasure is tried again later", error=repr(error))


async def _heir(session: AsyncSession, user_id: int, erased_by: int | None) -> int:
    """Returns who gets shared things: who began the erasure, or another superadmin if that one no longer is any."""
    is_superadmin = and_(rows.User.id != user_id, rows.User.is_active, any_(rows.User.roles) == "superadmin")
    others_last = case((rows.User.id == (erased_by or 0), 0), else_=1)
    heirs = select(rows.User.id).where(is_superadmin).order_by(others_last, rows.User.id)
    found: int | None = await session.scalar(heirs.limit(1))
    if found is None:
        raise DependencyUnavailableError("No superadmin is active who could get what is shared.", dependency="postgres")
    return found


async def _begun(session: AsyncSession, user_id: int, caller_id: int) -> tuple[int, bool]:
    """Stores what there is of a person as a report that is not completed; returns its id, and whether it is running.

    The report of an interrupted erasure is continued: of each store, it has the larger count. That of a running one
    stays as it is.
    """
    unfinished = select(_Row, _is_running().label("is_running")).where(
        _Row.erased_user_id == user_id, _Row.completed_at.is_(None)
    )
    begun = (await session.execute(unfinished.order_by(_Row.id).limit(1).with_for_update(of=_Row))).first()
    if begun is not None and begun.is_running:
        return begun[0].id, True
    found = {(each.store, each.rule.word, each.reason): each for each in await counted(session, user_id)}
    if begun is None:
        row = _Row(erased_user_id=user_id, items=[])
        session.add(row)
    else:
        row = begun[0]
    for item in erasures.to_model(row).items:
        new = found.setdefault((item.store, item.rule.word, item.reason), item)
        new.count = max(new.count, item.count)
    row.erased_by, row.items = caller_id, [erasures.to_json(item) for item in found.values()]
    row.attempted_at, row.error = await session.scalar(select(func.now())), None
    await session.flush()
    return row.id, False


async def require_not_held(session: AsyncSession, user_id: int, principal: Principal) -> None:
    """Raises `DeletionHeldError` if a legal hold is on an account, or on one of its conversations.

    Only to a superadmin does the message name the hold.
    """
    try:
        await _require_not_held(session, user_id)
    except DeletionHeldError:
        if principal.has_role("superadmin"):
            raise
        raise deletion_held() from None


async def _require_not_activated(session: AsyncSession, report_id: int, user_id: int) -> None:
    """Raises an error if somebody has activated an account since its erasure began; locks the account."""
    is_active = await session.scalar(select(rows.User.is_active).where(rows.User.id == user_id).with_for_update())
    # Once the account is locked: an activation that came first is seen, with what it did to the report.
    cancelled = select(_Row.id).where(_Row.id == report_id, _Row.completed_at.is_(None), _Row.attempted_at.is_(None))
    if is_active or await session.scalar(cancelled) is not None:
        raise ValidationFailedError(
            "The account was activated again, which cancels its erasure: erase it again if you want to.",
            user_id="was activated again",
        )


async def _require_not_held(session: AsyncSession, user_id: int) -> None:
    held = select(rows.ChatSession.id).where(
        rows.ChatSession.user_id == user_id, func.is_held(rows.ChatSession.user_id, rows.ChatSession.id)
    )
    is_held = await session.scalar(select(func.is_held(user_id, None)))
    if is_held or await session.scalar(held.limit(1)) is not None:
        raise DeletionHeldError(
            "A legal hold is on this account, or on one of its conversations: release it before you delete the account."
        )


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
        async with self._database.session() as session:
            query = page.select(_reports(), _Row.id, descending=True)
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].id,))
        return public.ListErasuresResponse(erasures=[_report(row) for row in found], next_page_token=token)

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
        report_id = await self._eraser.erase(request.user_id, call)
        async with self._database.session() as session:
            return _report((await session.execute(_reports().where(_Row.id == report_id))).one())


def _reports() -> Select[Any]:
    """Returns the query of reports, with what says how far each is."""
    left = select(func.count()).where(rows.ChatSession.user_id == _Row.erased_user_id, _is_open())
    return select(
        _Row,
        func.coalesce(rows.User.user_name, "").label("erased_by_name"),
        left.scalar_subquery().label("sessions_left"),
        _is_running().label("is_running"),
    ).outerjoin(rows.User, rows.User.id == _Row.erased_by)


def _report(found: Any) -> public.Erasure:
    return erasures.to_model(
        found[0], found.erased_by_name, sessions_left=found.sessions_left, is_running=found.is_running
    )
