"""The audit log for superadmins: lists, exports and verification."""

from typing import Any, Final

from sqlalchemy import Select, Text, cast, column, func, literal, or_, select, table
from sqlalchemy.dialects.postgresql import REGCLASS
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.audit.horizon import complete_through
from echomind_api.audit.verification import KnownSeal, snapshot, unsealed_entries, verify
from echomind_api.retention.rules import RetentionRules
from echomind_api.rows import audit_foreign
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.db.models import AuditEntry, AuditSeal, User
from echomind_lib.db.paging import read_page
from echomind_lib.errors import DependencyUnavailableError, ValidationFailedError
from echomind_lib.mappers import audit, audit_seals
from echomind_lib.models.public import (
    AuditService,
    ListAuditEntriesRequest,
    ListAuditEntriesResponse,
    VerifyAuditLogRequest,
    VerifyAuditLogResponse,
)

_WAIT_SECONDS: Final = 5.0
_OWN_ROLE: Final = "echomind_audit"
_CLASS: Final = table("pg_class", column("oid"), column("relowner"))
_OWNER: Final = select(func.pg_get_userbyid(_CLASS.c.relowner, type_=Text)).where(
    _CLASS.c.oid == cast(literal(AuditEntry.__tablename__), REGCLASS)
)
_FILTERS: Final = (
    "from_time",
    "to_time",
    "actor_id",
    "action",
    "target",
    "denied",
    "address",
    "credential",
    "oldest_first",
    "after_id",
)


class AuditLog(AuditService):
    """The service `AuditService`."""

    def __init__(self, database: Database, rules: RetentionRules) -> None:
        self._database, self._rules = database, rules

    @override
    async def list_audit_entries(self, request: ListAuditEntriesRequest, call: CallContext) -> ListAuditEntriesResponse:
        require_role(call.principal, "superadmin")
        filters = {name: getattr(request, name) for name in _FILTERS}
        page = read_page(request.page_size, request.page_token, tuple[int], "audit entries", *filters.values())
        query, through = _filtered(select(AuditEntry), request), 0
        if request.oldest_first:
            through = await self._complete_through()
            query = query.where(AuditEntry.id <= through)
        query = page.select(query, AuditEntry.id, descending=not request.oldest_first)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
            sealed = await session.scalar(select(func.max(AuditSeal.last_id))) or 0
            actors = await _actors(session, {row.actor_id for row in found if row.actor_id is not None})
        days = await self._rules.days()
        given = {name: str(value) for name, value in filters.items() if value or (value is False and name == "denied")}
        await audit_foreign(self._database, call, "audit-entries", write=False, filters=given)
        return ListAuditEntriesResponse(
            entries=[
                audit.to_model(row, actor=actors.get(row.actor_id or 0), is_sealed=row.id <= sealed) for row in found
            ],
            next_page_token=token,
            through_id=0 if token else through,
            retention_days=days["audit_entries"],
        )

    @override
    async def verify_audit_log(self, request: VerifyAuditLogRequest, call: CallContext) -> VerifyAuditLogResponse:
        require_role(call.principal, "superadmin")
        if bool(request.known_seal) != bool(request.known_hash):
            rule = "give the number and the hash of the known seal, or neither"
            raise ValidationFailedError(f"known_hash: {rule}", known_hash=rule)
        known = KnownSeal(request.known_seal, bytes.fromhex(request.known_hash)) if request.known_seal else None
        days = await self._rules.days()
        async with snapshot(self._database) as session:
            result = await verify(session, request.first_seal or 1, known, days["audit_entries"])
            head = await session.scalar(select(AuditSeal).order_by(AuditSeal.number.desc()).limit(1))
            unsealed = await unsealed_entries(session, head)
            owner = await session.scalar(_OWNER)
        await audit_foreign(self._database, call, "audit-entries", write=False)
        return VerifyAuditLogResponse(
            defect=result.defect,
            entry_id=result.entry_id,
            seal=result.seal,
            verified_seals=result.seals,
            verified_entries=result.entries,
            expired_entries=result.expired,
            early_expired_entries=result.expired_early,
            next_seal=result.next_seal,
            head=audit_seals.to_model(head) if head else None,
            unsealed_entries=unsealed,
            is_protected=owner == _OWN_ROLE,
        )

    async def _complete_through(self) -> int:
        through = await complete_through(self._database, _WAIT_SECONDS)
        if through is None:
            raise DependencyUnavailableError(
                "A change that belongs to the audit log has not ended for some seconds: try again.",
                dependency="postgres",
            )
        return through


def _filtered(query: Select[Any], request: ListAuditEntriesRequest) -> Select[Any]:
    entry = AuditEntry
    if request.from_time is not None:
        query = query.where(entry.creation_date >= request.from_time)
    if request.to_time is not None:
        query = query.where(entry.creation_date < request.to_time)
    if request.denied is not None:
        query = query.where(entry.denied.is_(request.denied))
    for condition, given in (
        (entry.actor_id == request.actor_id, request.actor_id),
        (_is_or_below(entry.action, request.action), request.action),
        (_is_or_below(entry.target, request.target), request.target),
        (entry.address == request.address, request.address),
        (entry.credential == request.credential, request.credential),
        (entry.id > request.after_id, request.after_id),
    ):
        if given:
            query = query.where(condition)
    return query


def _is_or_below(column: Any, path: str) -> Any:
    """Returns the condition that a column is a path, or one below it: `users/12`, `users`."""
    return or_(column == path, func.starts_with(column, f"{path.rstrip('/')}/"))


async def _actors(session: AsyncSession, ids: set[int]) -> dict[int, tuple[str, str]]:
    """Returns user name and kind of accounts, by id."""
    found = await session.execute(select(User.id, User.user_name, User.kind).where(User.id.in_(ids)))
    return {row.id: (row.user_name, row.kind) for row in found}
