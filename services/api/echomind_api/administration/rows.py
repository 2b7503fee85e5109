"""What the services that administer rows share: conflicts of names, and the audit log."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import asyncpg
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.contract import CallContext
from echomind_lib.db.models import AuditEntry
from echomind_lib.errors import AlreadyExistsError, NotFoundError


def missing(resource: str, id: object) -> NotFoundError:  # noqa: A002 - the word of the contract's metadata
    """The error for a resource that is not there or not to be seen."""
    return NotFoundError(f"There is no {resource} {id}, or you may not see it.", resource=resource, id=id)


def audit(session: AsyncSession, call: CallContext, target: str, **detail: Any) -> None:
    """Notes an administrative write in the audit log, in the transaction of the write.

    Args:
        session: The transaction.
        call: Who did it, and by which method.
        target: The resource's path, such as `connectors/12`.
        detail: What was changed: names of fields and values that are no secret.
    """
    session.add(
        AuditEntry(
            actor_id=call.principal.user_id,
            action=call.method.removeprefix("echomind.public.v1."),
            target=target,
            detail=detail,
        )
    )


@contextmanager
def unique(resource: str, fields: Mapping[str, str]) -> Iterator[None]:
    """Turns the violation of a unique index into `ALREADY_EXISTS`.

    Args:
        resource: What is written.
        fields: The field whose value is taken, by the name of the index that says so.
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
    """The name of the constraint or index that an insert or update met."""
    cause: BaseException | None = error.orig
    while cause is not None and not isinstance(cause, asyncpg.IntegrityConstraintViolationError):
        cause = cause.__cause__
    return None if cause is None else cause.constraint_name
