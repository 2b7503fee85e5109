"""Changes of many documents: in batches ordered by id, so that the last id identifies the rest.

Each batch checks access again. The first batch is executed for the caller, who waits for it; the rest is a background
job.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec
from sqlalchemy import ColumnElement, Select, Update, and_, exists, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from echomind_lib import jobs
from echomind_lib.access import connectors, scope_name
from echomind_lib.access.documents import documents
from echomind_lib.db.database import Database
from echomind_lib.db.models import Connector, Document, LegalHold, User
from echomind_lib.documents.filters import Filter, matching
from echomind_lib.documents.uploads import is_for_uploads
from echomind_lib.errors import DependencyUnavailableError, NotFoundError
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import CHANGE_DOCUMENTS, CONNECTOR_SCOPE, REMOVE_DOCUMENTS
from echomind_lib.messaging import Bus
from echomind_lib.messaging.streams import DOCUMENTS_BACKGROUND
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentProcess

BATCH: Final = 1000
_SETTLED: Final = ("completed", "failed")


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a selection of documents; stored as the payload of a job.

    Attributes:
        action: The action.
        user_id: ID of the user who requests it, and needs access to the documents.
        ids: IDs of the documents; empty if there is a filter.
        filter: A filter that selects the documents instead.
        last_id: The newest document at the time of the request; newer ones are excluded.
        after: The last document of the previous batches.
        connector_id: ID of the target connector, with `move`.
        restarts: With `move`: whether it moves the documents that are queued or being processed, instead of the
            others; their processing begins again.
    """

    action: Literal["delete", "retry", "move"]
    user_id: int
    ids: tuple[int, ...] = ()
    filter: Filter = Filter()
    last_id: int
    after: int = 0
    connector_id: int = 0
    restarts: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    id: int
    source_id: str


class DocumentChanges:
    """Changes documents that a person may change."""

    def __init__(self, database: Database, indexes: Indexes, bus: Bus) -> None:
        self._database = database
        self._indexes = indexes
        self._bus = bus

    async def count(self, change: Change) -> int:
        """Returns the number of documents left to change."""
        async with self._database.session() as session:
            found = select(func.count()).select_from(_to_change(change).subquery())
            return (await session.scalar(found)) or 0

    async def apply(self, change: Change, limit: int = BATCH) -> tuple[int, Change | None]:
        """Changes the next batch of documents.

        Returns:
            The number of changed documents, and the rest of the change; None if nothing is left.

        Raises:
            NotFoundError: The connector to move to was removed, or the user may no longer change it.
            DependencyUnavailableError: The vector index does not respond, or a concurrent request interfered.
        """
        async with self._database.session() as session:
            rows = await session.execute(_to_change(change).order_by(Document.id).limit(limit))
            found = [_Found(id, source_id) for id, source_id in rows]  # noqa: A001 - the column's name
        if not found:
            return 0, None
        ids = [document.id for document in found]
        changed = await (self._move(change, found) if change.action == "move" else self._update(change, ids))
        if change.action == "delete":
            await jobs.request(self._database.pool, self._bus, REMOVE_DOCUMENTS)
        elif change.action == "retry" or change.restarts:
            for document_id in changed:
                await self._bus.wake(DOCUMENTS_BACKGROUND, DocumentProcess(document_id=document_id))
        rest = msgspec.structs.replace(change, after=ids[-1]) if len(found) == limit else None
        return len(changed), rest

    async def are_held(self, change: Change) -> bool:
        """Returns whether a move would take documents out of what a legal hold keeps."""
        selected = _to_change(change, with_held=True).where(_leaves_hold(change))
        async with self._database.session() as session:
            is_any = exists().where(LegalHold.released_at.is_(None))
            return bool(await session.scalar(select(is_any & selected.exists())))

    async def continue_later(self, change: Change, subject: object) -> None:
        """Stores the rest of a change as a background job."""
        await jobs.enqueue(self._database.pool, CHANGE_DOCUMENTS, subject, msgspec.to_builtins(change))
        await jobs.wake(self._bus, CHANGE_DOCUMENTS)

    async def _update(self, change: Change, ids: Sequence[int]) -> list[int]:
        async with self._database.session() as session:
            if change.action == "move":
                # Locked, so that the connector is not removed with the documents that arrive.
                locked = _target(change).with_for_update(read=True, key_share=True, of=Connector)
                if await session.scalar(locked) is None:
                    raise _no_target(change)
            return list(await session.scalars(_changed(change, ids)))

    async def _move(self, change: Change, found: Sequence[_Found]) -> list[int]:
        # If two documents have the same path, the first is moved.
        ids = list({document.source_id: document.id for document in reversed(found)}.values())
        async with self._database.session() as session:
            target = await session.scalar(_target(change))
            members = list(await session.scalars(select(Document.id).where(Document.container_id.in_(ids))))
        if target is None:
            raise _no_target(change)
        # Chunks first: read access is checked in PostgreSQL, and a move that a job makes is found again by the same
        # filter when its process has died.
        scope = scope_name(target.scope, target.user_id, target.scope_id)
        payload = {"scope": scope, "connector_id": target.id}
        try:
            await self._indexes.set_payload(payload, {"document_id": [*ids, *members]})
            moved = await self._update(change, ids)
        except IntegrityError as error:
            await self._restore([*ids, *members])
            raise DependencyUnavailableError(
                "A file of the same path was uploaded meanwhile.", dependency="postgres"
            ) from error
        except BaseException:  # a legal hold was placed, the connector removed meanwhile, or the caller has left
            await asyncio.shield(self._restore([*ids, *members]))
            raise
        # Members have followed their container, or not.
        await self._restore(sorted({*ids, *members} - set(moved)))
        # The connector's scope may have changed since it was read.
        await jobs.request(self._database.pool, self._bus, CONNECTOR_SCOPE, target.id)
        return moved

    async def _restore(self, ids: Sequence[int]) -> None:
        """Restores the connector and scope of documents in their chunks."""
        if not ids:
            return
        selected = select(Document.id, Connector).join(Connector, Connector.id == Document.connector_id)
        async with self._database.session() as session:
            found = (await session.execute(selected.where(Document.id.in_(ids)))).all()
        for document_id, connector in found:
            scope = scope_name(connector.scope, connector.user_id, connector.scope_id)
            payload = {"scope": scope, "connector_id": connector.id}
            await self._indexes.set_payload(payload, {"document_id": document_id})


async def conflicts(session: AsyncSession, change: Change) -> str | None:
    """Returns a path of the documents to move that exists in the target connector already; None if there is none."""
    taken = aliased(Document)
    found: str | None = await session.scalar(
        select(Document.source_id)
        .join(taken, taken.source_id == Document.source_id)
        .where(Document.id.in_(change.ids), Document.connector_id != change.connector_id)
        .where(taken.connector_id == change.connector_id)
        .limit(1)
    )
    return found


def _leaves_hold(change: Change) -> ColumnElement[bool]:
    return func.is_connector_held(Document.connector_id) & ~func.is_connector_held(change.connector_id)


def _to_change(change: Change, *, with_held: bool = False) -> Select[int, str]:
    """Returns the statement that selects the remaining documents that the user, if still active, may change now."""
    query: Select[int, str] = (
        select(Document.id, Document.source_id)
        .join(Connector, Connector.id == Document.connector_id)
        .join(User, and_(User.id == change.user_id, User.is_active))
        .where(Document.deleted_date.is_(None), Connector.deleted_date.is_(None))
        .where(connectors("manage").where(Connector, User), documents().at_source(person=User))
        .where(Document.id > change.after, Document.id <= change.last_id)
        .where(*matching(change.filter), *_applies(change))
    )
    if change.action == "move":
        query = query.where(is_for_uploads())
        if not with_held:
            query = query.where(~_leaves_hold(change))
    return query.where(Document.id.in_(change.ids)) if change.ids else query


def _applies(change: Change) -> list[ColumnElement[bool]]:
    """Returns the conditions under which an action changes a document."""
    if change.action == "delete":
        return []
    is_settled = Document.status.in_(_SETTLED)
    conditions: list[ColumnElement[bool]] = [~is_settled if change.restarts else is_settled]
    if change.action == "move":
        taken = aliased(Document)
        is_free = ~exists().where(taken.connector_id == change.connector_id, taken.source_id == Document.source_id)
        # A file within another one is moved with it.
        conditions += [Document.connector_id != change.connector_id, Document.container_id.is_(None), is_free]
    return conditions


def _changed(change: Change, ids: Sequence[int]) -> Update:
    # Without a processing session, a worker that still processes a document cannot publish it.
    again: dict[str, Any] = {"status": "pending", "status_message": None, "processing_session": None, "attempts": 0}
    columns: dict[str, dict[str, Any]] = {
        "delete": {"deleted_date": func.now()},
        "retry": again,
        "move": {"connector_id": change.connector_id} | (again if change.restarts else {}),
    }
    return (
        update(Document)
        .where(Document.id.in_(ids), Document.deleted_date.is_(None), *_applies(change))
        .values(**columns[change.action], user_id_last_update=change.user_id)
        .returning(Document.id)
        .execution_options(synchronize_session=False)
    )


def _target(change: Change) -> Select[Connector]:
    return (
        select(Connector)
        .join(User, and_(User.id == change.user_id, User.is_active))
        .where(Connector.id == change.connector_id, Connector.deleted_date.is_(None), is_for_uploads())
        .where(connectors("manage").where(Connector, User))
    )


def _no_target(change: Change) -> NotFoundError:
    message = f"There is no connector {change.connector_id}, or you may not change it any more."
    return NotFoundError(message, resource="connector", id=change.connector_id)
