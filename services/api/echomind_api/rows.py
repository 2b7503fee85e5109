"""Shared code of the services that administer rows: conflicts of names, and the audit log."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import asyncpg
from sqlalchemy import Integer, Text, bindparam, func, insert, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.db.models import AuditEntry, Base
from echomind_lib.db.statements import Command, Connection
from echomind_lib.errors import AlreadyExistsError, NotFoundError

_REPEATED: Final = timedelta(minutes=1)
"""How long a repeated read adds nothing to the audit log: a page that is open reads the same every few seconds."""
_NOTE: Final = Command(
    insert(AuditEntry).values(
        actor_id=bindparam("actor_id", type_=Integer),
        action=bindparam("action", type_=Text),
        target=bindparam("target", type_=Text),
        detail=bindparam("detail", type_=JSONB),
        address=bindparam("address", type_=Text),
        credential=bindparam("credential", type_=Text),
    )
)


def missing(
    resource: str,
    id: object,  # noqa: A002 - the word of the contract's metadata
    needed: str = "see it",
) -> NotFoundError:
    """Returns the error for a resource that does not exist, or for which a permission is missing.

    Args:
        resource: What it is, as `document`.
        id: Its id.
        needed: What the caller must be allowed to do.
    """
    return NotFoundError(f"There is no {resource} {id}, or you may not {needed}.", resource=resource, id=id)


def audit(session: AsyncSession, call: CallContext, target: str, **detail: Any) -> None:
    """Records an administrative write in the audit log, in the transaction of the write.

    Args:
        session: The transaction.
        call: The call, with principal and method.
        target: The resource's path, such as `connectors/12`.
        detail: What changed: names of fields and values that are not secret.
    """
    session.add(
        AuditEntry(
            actor_id=call.principal.user_id,
            action=action_of(call),
            target=target,
            detail=detail,
        )
    )


def credential_of(principal: Principal | None) -> str:
    """Returns the path of what a caller has proved themselves with; empty for none."""
    if principal is None:
        return ""
    for resource, id_ in (
        ("api-keys", principal.api_key_id),
        ("web-sessions", principal.web_session_id),
        ("identities", principal.identity_id),
    ):
        if id_ is not None:
            return f"{resource}/{id_}"
    return ""


async def audit_by(connection: Connection, call: CallContext, target: str, detail: Mapping[str, Any]) -> None:
    """Records an administrative write as `audit` does, in the transaction of a connection of the driver.

    Args:
        connection: The connection.
        call: The call, with principal and method.
        target: The resource's path.
        detail: What changed.
    """
    await _NOTE.execute(
        connection,
        actor_id=call.principal.user_id,
        action=action_of(call),
        target=target,
        detail=detail,
        address=call.address,
        credential=credential_of(call.principal),
    )
    call.is_audited = True


async def audit_foreign(database: Database, call: CallContext, target: str, *, write: bool, **detail: Any) -> None:
    """Audits that a user has used something of another user. The same read is noted once a minute.

    Args:
        database: The database of the log.
        call: The call, with principal and method.
        target: The resource's path.
        write: Whether it may have been changed; each such call is audited.
        detail: Its owner, and its parent.
    """
    async with database.session() as session:
        recorded = select(AuditEntry.id).where(
            AuditEntry.actor_id == call.principal.user_id,
            AuditEntry.action == action_of(call),
            AuditEntry.target == target,
            AuditEntry.detail == detail,
            ~AuditEntry.denied,
            AuditEntry.creation_date > func.now() - _REPEATED,
        )
        if write or await session.scalar(recorded.limit(1)) is None:
            had_change = call.is_audited
            audit(session, call, target, **detail)
            call.is_audited = write or had_change


def action_of(call: CallContext) -> str:
    """Returns the action of a call in the audit log: service and method."""
    return call.method.removeprefix("echomind.public.v1.")


async def reload(session: AsyncSession, row: Base) -> None:
    """Writes the changes of a row and reads it again, with what the database has set: defaults, triggers."""
    await session.flush()
    await session.refresh(row)


async def lock_table(session: AsyncSession, table: type[Base]) -> None:
    """Locks a table against other writers until the transaction ends, so that what was read stays valid.

    Readers are not blocked.
    """
    await session.execute(text(f"LOCK TABLE {table.__tablename__} IN SHARE ROW EXCLUSIVE MODE"))


@contextmanager
def unique(resource: str, fields: Mapping[str, str]) -> Iterator[None]:
    """Converts the violation of a unique index to `ALREADY_EXISTS`.

    Args:
        resource: The resource.
        fields: The field whose value exists already, by the name of the violated index.
    """
    try:
        yield
    except IntegrityError as error:
        field = fields.get(violated(error) or "")
        if field is None:
            raise
        raise AlreadyExistsError(
            f"There is another {resource} with this {field}: choose a different one.", resource=resource, field=field
        ) from error


def violated(error: IntegrityError) -> str | None:
    """Returns the name of the constraint or index that an insert or update met."""
    cause: BaseException | None = error.orig
    while cause is not None and not isinstance(cause, asyncpg.IntegrityConstraintViolationError):
        cause = cause.__cause__
    return None if cause is None else cause.constraint_name
