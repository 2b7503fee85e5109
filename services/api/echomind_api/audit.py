"""Denied access, written to the audit log beside the calls, so that a refusal takes the same time for everyone."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog
from prometheus_client import Counter
from sqlalchemy import ARRAY, BigInteger, Uuid, any_, cast, insert, select
from sqlalchemy.exc import SQLAlchemyError

from echomind_api.targets import target_of
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Proceed
from echomind_lib.contract.model import ProtoModel
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import EchoMindError, NotFoundError, PermissionDeniedError, UnauthenticatedError

_FLUSH_SECONDS = 1.0
_MOST_WAITING = 2000
_ROWS: Final[dict[str, type[rows.Base]]] = {
    "API key": rows.ApiKey,
    "assistant": rows.Assistant,
    "chat model": rows.Llm,
    "chat session": rows.ChatSession,
    "checkpoint": rows.Checkpoint,
    "connector": rows.Connector,
    "document": rows.Document,
    "embedding model": rows.EmbeddingModel,
    "message": rows.ChatMessage,
    "run": rows.Run,
    "todo": rows.Todo,
    "user": rows.User,
}
"""Where a resource is kept, to tell one that may not be seen from one that is not there."""
_BY_UUID: Final = "run"
"""The one whose ids are UUIDs; the others' are numbers."""

log = structlog.get_logger(__name__)
_lost = Counter("echomind_audit_entries_lost_total", "Denied accesses that could not be written to the audit log.")


@dataclass(frozen=True, slots=True)
class _Denial:
    actor_id: int | None
    action: str
    target: str
    detail: dict[str, str]
    resource: str = ""
    row_id: int | UUID | None = None


class Denials:
    """Collects denied accesses and writes them once a second."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Denial] = []
        self._writing = asyncio.Lock()

    async def middleware(self, call: CallContext, proceed: Proceed) -> ProtoModel | None:
        """Notes a call that is refused because of who calls."""
        try:
            return await proceed()
        except (PermissionDeniedError, UnauthenticatedError, NotFoundError) as error:
            self.note(call, error)
            raise

    def note(self, call: CallContext, error: EchoMindError) -> None:
        """Notes that a call was refused.

        A call without any credential is left out: it only asks whether one is needed. So is one for what does not
        exist, which is found out when the entry is written.
        """
        if isinstance(error, UnauthenticatedError) and not {"authorization", "cookie"} & call.metadata.keys():
            return
        if len(self._waiting) >= _MOST_WAITING:
            _lost.inc()
            return
        actor_id = call.principal.user_id if call.principal else None
        action = call.method.removeprefix("echomind.public.v1.")
        detail = {"reason": error.reason, "peer": call.peer}
        resource = error.metadata.get("resource", "")
        row_id = _row_id(resource, error.metadata.get("id", ""))
        if row_id is not None:
            target = f"{_ROWS[resource].__tablename__.replace('_', '-')}/{row_id}"
            self._waiting.append(_Denial(actor_id, action, target, detail, resource, row_id))
        elif not isinstance(error, NotFoundError):
            self._waiting.append(_Denial(actor_id, action, target_of(call), detail))

    async def write(self) -> None:
        """Writes what is collected once a second, until it is cancelled; then a last time."""
        try:
            while True:
                await asyncio.sleep(_FLUSH_SECONDS)
                await self.flush()
        finally:
            await self.flush()

    async def flush(self) -> None:
        """Writes what is collected; all of it is there when this returns."""
        async with self._writing:
            denials, self._waiting = self._waiting, []
            if not denials:
                return
            try:
                await self._store(denials)
            except (SQLAlchemyError, OSError, TimeoutError) as error:
                _lost.inc(len(denials))
                log.warning("denied accesses were not written to the audit log", count=len(denials), error=repr(error))

    async def _store(self, denials: list[_Denial]) -> None:
        asked = defaultdict(set)
        for denial in denials:
            asked[denial.resource].add(denial.row_id)
        async with self._database.session() as session:
            there: set[tuple[str, int | UUID | None]] = {("", None)}
            for resource, ids in asked.items():
                if resource:
                    table = _ROWS[resource].__table__
                    # Of the widest type, as an id that was asked for may be larger than any that the column can hold.
                    kind = Uuid if resource == _BY_UUID else BigInteger
                    query = select(table.c.id).where(table.c.id == any_(cast(list(ids), ARRAY(kind))))
                    if "deleted_date" in table.c:
                        query = query.where(table.c.deleted_date.is_(None))
                    there |= {(resource, row_id) for row_id in await session.scalars(query)}
            entries = [
                {
                    "actor_id": denial.actor_id,
                    "action": denial.action,
                    "target": denial.target,
                    "detail": denial.detail,
                    "denied": True,
                }
                for denial in denials
                if (denial.resource, denial.row_id) in there
            ]
            if entries:
                await session.execute(insert(rows.AuditEntry), entries)


def _row_id(resource: str, text: str) -> int | UUID | None:
    """The id that a resource's error names; none when no row can have it."""
    if resource not in _ROWS:
        return None
    try:
        if resource == _BY_UUID:
            return UUID(text)
        number = int(text)
    except ValueError:
        return None
    return number if 0 < number < 2**63 else None
