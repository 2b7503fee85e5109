"""Audit of denied access, written asynchronously, so that a denial always takes the same time."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog
from prometheus_client import Counter
from sqlalchemy import ARRAY, BigInteger, Uuid, any_, cast, insert, select
from sqlalchemy.exc import SQLAlchemyError

from echomind_api.auth.bad_credentials import BadCredentials, Counted
from echomind_api.calls.targets import target_of
from echomind_api.rows import credential_of
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import (
    DependencyUnavailableError,
    EchoMindError,
    NotFoundError,
    PermissionDeniedError,
    UnauthenticatedError,
)

DENIED: Final = (PermissionDeniedError, UnauthenticatedError, NotFoundError)
"""The errors of calls that are refused because of their principal."""
_FLUSH_SECONDS = 1.0
_MAX_WAITING = 2000
_ROOM_SECONDS = 5.0
_ROWS: Final[dict[str, type[rows.Base]]] = {
    "API key": rows.ApiKey,
    "assistant": rows.Assistant,
    "chat model": rows.Llm,
    "chat session": rows.ChatSession,
    "checkpoint": rows.Checkpoint,
    "connector": rows.Connector,
    "connector sync": rows.ConnectorSync,
    "document": rows.Document,
    "embedding model": rows.EmbeddingModel,
    "dataset": rows.EvaluationDataset,
    "evaluation": rows.EvaluationRun,
    "evaluation question": rows.EvaluationCase,
    "group": rows.Group,
    "identity provider": rows.IdentityProvider,
    "invitation": rows.Invitation,
    "knowledge entity": rows.KnowledgeEntity,
    "memory": rows.AgentMemory,
    "message": rows.ChatMessage,
    "note": rows.NotebookNote,
    "notebook": rows.Notebook,
    "reranker": rows.Reranker,
    "run": rows.Run,
    "SCIM client": rows.ScimClient,
    "service account": rows.User,
    "share": rows.SessionShare,
    "todo": rows.Todo,
    "user": rows.User,
    "web session": rows.WebSession,
    "webhook": rows.Webhook,
    "webhook delivery": rows.WebhookDelivery,
}
"""The table of each resource, to distinguish hidden resources from missing ones."""
_PATHS: Final = {"knowledge entity": "knowledge", "memory": "memories", "service account": "service-accounts"}
"""Paths of resources whose names in the REST API differ from their tables'."""
_BY_UUID: Final = "run"
"""The one whose ids are UUIDs; the others' are numbers."""

log = structlog.get_logger(__name__)
_lost = Counter("echomind_audit_entries_lost_total", "Denied accesses that could not be written to the audit log.")


@dataclass(frozen=True, slots=True)
class _Denial:
    actor_id: int
    action: str
    target: str
    detail: dict[str, str]
    address: str
    credential: str
    resource: str = ""
    row_id: int | UUID | None = None


class Denials:
    """Collects denied accesses and writes them once a second, bad credentials once a minute.

    Denials of authenticated users are never dropped: if too many are pending, calls wait, and while the database cannot
    store them, calls fail instead of being denied without an audit entry.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Denial] = []
        self._bad_credentials = BadCredentials()
        self._writing = asyncio.Lock()

    async def record(self, call: CallContext, error: EchoMindError) -> None:
        """Records a call that was refused because of its principal, by one of the errors `DENIED`."""
        if call.principal is None:
            self.note_unknown(call, error)
        elif denial := _denial_of(call, error):
            await self._make_room()
            self._waiting.append(denial)

    @contextmanager
    def noting(self, call: CallContext) -> Iterator[None]:
        """Records a call that fails within because of its credential."""
        try:
            yield
        except UnauthenticatedError as error:
            self.note_unknown(call, error)
            raise

    def note_unknown(self, call: CallContext, error: EchoMindError) -> None:
        """Records a refused call of an unknown sender.

        Calls without a credential are not recorded, except NOT_FOUND: those are invalid links, which are credentials
        themselves.
        """
        if isinstance(error, NotFoundError) or {"authorization", "cookie"} & call.metadata.keys():
            self._bad_credentials.count(call.address, _action(call), error.reason)

    async def write(self) -> None:
        """Writes the collected denials periodically until it is cancelled, and once more then."""
        try:
            while True:
                await asyncio.sleep(_FLUSH_SECONDS)
                await self._flush(self._bad_credentials.take_past())
        finally:
            if not await self.flush():
                _lost.inc(len(self._waiting))

    async def flush(self) -> bool:
        """Writes the collected denials. Returns whether all were stored; the others are kept."""
        return await self._flush(self._bad_credentials.take_all())

    async def _flush(self, counted: list[Counted]) -> bool:
        async with self._writing:
            denials, self._waiting = self._waiting, []
            if not denials and not counted:
                return True
            try:
                await self._store(denials, counted)
            except (SQLAlchemyError, OSError, TimeoutError) as error:
                self._waiting = denials + self._waiting
                self._bad_credentials.put_back(counted)
                log.warning("denied accesses are not in the audit log yet", count=len(denials), error=repr(error))
                return False
            return True

    async def _make_room(self) -> None:
        try:
            async with asyncio.timeout(_ROOM_SECONDS):
                while len(self._waiting) >= _MAX_WAITING:
                    if not await self._flush([]):
                        raise _unavailable()
        except TimeoutError:
            raise _unavailable() from None

    async def _store(self, denials: list[_Denial], counted: list[Counted]) -> None:
        asked = defaultdict(set)
        for denial in denials:
            asked[denial.resource].add(denial.row_id)
        async with self._database.session() as session:
            there: set[tuple[str, int | UUID | None]] = {("", None)}
            for resource, ids in asked.items():
                if resource:
                    table = _ROWS[resource].__table__
                    # The widest type, because a requested id may exceed the range of the column.
                    kind = Uuid if resource == _BY_UUID else BigInteger
                    query = select(table.c.id).where(table.c.id == any_(cast(list(ids), ARRAY(kind))))
                    if "deleted_date" in table.c:
                        query = query.where(table.c.deleted_date.is_(None))
                    there |= {(resource, row_id) for row_id in await session.scalars(query)}
            entries: list[dict[str, object]] = [
                {
                    "actor_id": denial.actor_id,
                    "action": denial.action,
                    "target": denial.target,
                    "detail": denial.detail,
                    "denied": True,
                    "count": 1,
                    "address": denial.address,
                    "credential": denial.credential,
                }
                for denial in denials
                if (denial.resource, denial.row_id) in there
            ]
            entries += [
                {
                    "actor_id": None,
                    "action": each.action,
                    "target": "",
                    "detail": {"reason": each.reason, "actions": sorted(each.actions)},
                    "denied": True,
                    "count": each.count,
                    "address": each.address,
                    "credential": "",
                }
                for each in counted
            ]
            if entries:
                await session.execute(insert(rows.AuditEntry), entries)


def _denial_of(call: CallContext, error: EchoMindError) -> _Denial | None:
    """Returns the audit entry of a refused call; None if its resource cannot exist."""
    detail = {"reason": error.reason}
    address, credential = call.address, credential_of(call.principal)
    resource = error.metadata.get("resource", "")
    row_id = _row_id(resource, error.metadata.get("id", ""))
    user_id, action = call.principal.user_id, _action(call)
    if row_id is not None:
        path = _PATHS.get(resource) or _ROWS[resource].__tablename__.replace("_", "-")
        return _Denial(user_id, action, f"{path}/{row_id}", detail, address, credential, resource, row_id)
    if isinstance(error, NotFoundError):
        return None
    return _Denial(user_id, action, target_of(call), detail, address, credential)


def _action(call: CallContext) -> str:
    return call.method.removeprefix("echomind.public.v1.")


def _unavailable() -> DependencyUnavailableError:
    return DependencyUnavailableError("The database does not answer: try again.", dependency="postgres")


def _row_id(resource: str, text: str) -> int | UUID | None:
    """Returns the id that a resource's error names; none when no row can have it."""
    if resource not in _ROWS:
        return None
    try:
        if resource == _BY_UUID:
            return UUID(text)
        number = int(text)
    except ValueError:
        return None
    return number if 0 < number < 2**63 else None
