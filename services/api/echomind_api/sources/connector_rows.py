"""Reads connectors with the access check in the statement, and creates them after checking the scope."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import audit_foreign, missing, violated
from echomind_lib.access import Principal, connectors_by_name
from echomind_lib.access import connectors as rule_of
from echomind_lib.access.documents import is_source_reader
from echomind_lib.access.names import USUAL_NAMES
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import (
    AlreadyExistsError,
    GroupRequiredError,
    PermissionDeniedError,
    ValidationFailedError,
)
from echomind_lib.models.public import Scope

_LARGEST_ID: Final = 2**31 - 1
_BY_NAME: Final = (
    select(rows.Connector)
    .where(rows.Connector.name == bindparam("name"), rows.Connector.type == "file")
    .where(rows.Connector.deleted_date.is_(None), connectors_by_name().where(rows.Connector))
    .order_by(rows.Connector.id)
)
"""Built once, as each upload looks for its connector."""
_BY_NAME_AND_SCOPE: Final = _BY_NAME.where(
    rows.Connector.scope == bindparam("scope"), rows.Connector.scope_id.is_not_distinct_from(bindparam("group"))
)


async def find_connector(
    database: Database, call: CallContext, connector_id: int, *, manage: bool = False
) -> rows.Connector:
    """Returns a connector that is not removed and that the caller may read, or with `manage` change.

    A superadmin's access to a connector that is not shared with them is audited.

    Raises:
        NotFoundError: There is none that the caller may read.
        PermissionDeniedError: The caller may read it but not change it.
    """
    principal: Principal = call.principal
    if connector_id > _LARGEST_ID:  # from an upload's form, which has no validation of the contract
        raise missing("connector", connector_id)
    may_read = rule_of("read")
    readable = (
        select(rows.Connector)
        .where(rows.Connector.id == connector_id, rows.Connector.deleted_date.is_(None))
        .where(may_read.where(rows.Connector))
        .params(may_read.values(principal))
    )
    async with database.session() as session:
        connector = await session.scalar(readable)
    if connector is None:
        raise missing("connector", connector_id)
    if manage and not rule_of("manage").allows(principal, connector):
        raise read_only(connector_id)
    await audit_not_shared(database, call, f"connectors/{connector_id}", [connector], write=manage)
    return connector


async def find_to_change(
    session: AsyncSession, principal: Principal, connector_id: int, *, manage: bool = True
) -> rows.Connector:
    """Returns a live connector that the caller may change, locked until the transaction ends.

    Raises:
        NotFoundError: There is none that the caller may read.
        PermissionDeniedError: The caller may read it but not change it; not without `manage`.
    """
    row = await session.scalar(
        select(rows.Connector)
        .where(rows.Connector.id == connector_id, rows.Connector.deleted_date.is_(None))
        .with_for_update()
    )
    if row is None or not rule_of("read").allows(principal, row):
        raise missing("connector", connector_id)
    if manage and not rule_of("manage").allows(principal, row):
        raise read_only(connector_id)
    return row


async def audit_not_shared(
    database: Database,
    call: CallContext,
    target: str,
    connectors: Iterable[rows.Connector],
    document_ids: Sequence[int] = (),
    *,
    write: bool = False,
) -> None:
    """Audits a superadmin's access to items that are not shared with them, like `audit_foreign`.

    Items in their scopes are shared with them; in connectors with the permission mode `source`, the documents that they
    may read at the source.

    Args:
        database: The database of the log.
        call: The call, with principal and method.
        target: The target, such as `documents/12`.
        connectors: The connectors; those that are shared with the caller are not audited.
        document_ids: IDs of the documents that were accessed.
        write: Whether the call can change the items.
    """
    shared = connectors_by_name()
    used = list(connectors)
    foreign = {row.id: row.user_id for row in used if not shared.allows(call.principal, row)}
    if document_ids and call.principal.has_role("superadmin"):
        by_source = {row.id: row.user_id for row in used if row.permission_mode == "source"}
        if by_source:
            unread = (
                select(rows.Document.connector_id)
                .where(rows.Document.id.in_(document_ids), rows.Document.connector_id.in_(by_source))
                .where(~is_source_reader())
                .params(reader_id=call.principal.user_id)
            )
            async with database.session() as session:
                foreign |= {each: by_source[each] for each in await session.scalars(unread)}
    if foreign:
        users = sorted(set(foreign.values()))
        await audit_foreign(database, call, target, write=write, connectors=sorted(foreign), users=users)


def read_only(connector_id: int) -> PermissionDeniedError:
    """Returns the error for a connector that may be read and not changed."""
    return PermissionDeniedError(
        "You may read this connector and its documents, but not change them.", resource="connector", id=connector_id
    )


async def check_scope(session: AsyncSession, principal: Principal, connector: rows.Connector) -> None:
    """Checks that the caller may give a connector its scope.

    Raises:
        GroupRequiredError: The scope is a group and none is named, or not one that the caller can share with.
        PermissionDeniedError: The scope needs a higher role.
        ValidationFailedError: A group is named with another scope.
    """
    if connector.scope != "group" and connector.scope_id:
        raise ValidationFailedError("scope_id: needs the scope SCOPE_GROUP", scope_id="needs the scope SCOPE_GROUP")
    if connector.scope == "group":
        groups = ", ".join(sorted(principal.groups))
        if not connector.scope_id:
            raise GroupRequiredError(f"Name the group. Yours are: {groups or 'none'}.", groups=groups)
        known = select(rows.Group.id).where(rows.Group.name == connector.scope_id)
        may_share = principal.has_role("superadmin") and await session.scalar(known) is not None
        if connector.scope_id not in principal.groups and not may_share:
            raise GroupRequiredError(
                f"{connector.scope_id!r} is no group of yours. Yours are: {groups or 'none'}.", groups=groups
            )
    if not rule_of("manage").allows(principal, connector):
        role = "admin" if connector.scope == "group" else "superadmin"
        raise PermissionDeniedError(f"The scope {connector.scope} needs the role {role}.", required=role)


async def insert_connector(session: AsyncSession, principal: Principal, connector: rows.Connector) -> rows.Connector:
    """Stores a new connector of the caller.

    Raises:
        AlreadyExistsError: The caller has one of this name, or one for their own files.
        GroupRequiredError: As `check_scope`; so are PermissionDeniedError and ValidationFailedError.
    """
    await check_scope(session, principal, connector)
    session.add(connector)
    try:
        await session.flush()
    except IntegrityError as error:
        raise name_taken(error) from error
    await session.refresh(connector)
    return connector


def name_taken(error: IntegrityError) -> AlreadyExistsError:
    """Returns the caller's error for a violated index of connectors.

    Raises:
        IntegrityError: The error is not about one of these indexes.
    """
    if violated(error) != "idx_connectors_name":
        raise error
    return AlreadyExistsError(
        "You have a connector of this name: choose another one.", resource="connector", field="name"
    )


async def connector_for_files(
    database: Database, call: CallContext, *, name: str = "", scope: Scope = Scope.UNSPECIFIED, group: str = ""
) -> rows.Connector:
    """Returns the connector for files by name or scope; it is created if there is none.

    Args:
        database: The database.
        call: The call with the files.
        name: Its name among the caller's own, their groups' and the organization's, or the id of any connector; empty
            means the scope's default connector.
        scope: Its scope; unset means that of the connector of the name, and the owner alone for a new one.
        group: The group, with SCOPE_GROUP.

    Raises:
        NotFoundError: The name is an id, and no connector has it as its name or its id; or no connector of the caller's
            API key has it.
        PermissionDeniedError: The caller may read the connector but not change it, or its scope requires a higher role.
        AlreadyExistsError: A connector of the caller with another scope has the name.
        GroupRequiredError: As `check_scope`.
        ValidationFailedError: As `check_scope`, or several connectors have the name.
    """
    principal: Principal = call.principal
    word = "user" if scope is Scope.UNSPECIFIED and not name else scope.word
    usual = USUAL_NAMES.get(word, "").format(group=group)
    if row := await _find_by_name(database, principal, name or usual, word, group):
        return row
    if name.isascii() and name.isdecimal():
        return await find_connector(database, call, int(name), manage=True)
    if principal.limits is not None and principal.limits.connectors is not None:
        raise missing("connector", name or usual)
    connector = rows.Connector(
        name=name or usual,
        type="file",
        user_id=principal.user_id,
        scope="user" if scope is Scope.UNSPECIFIED else word,
        scope_id=group or None,
        status="active",
    )
    try:
        async with database.session() as session:
            await insert_connector(session, principal, connector)
    except AlreadyExistsError:
        # A concurrent request of the same user may have created it.
        if row := await _find_by_name(database, principal, connector.name, word, group):
            return row
        raise
    return await find_connector(database, call, connector.id, manage=True)


async def _find_by_name(
    database: Database, principal: Principal, name: str, scope: str, group: str
) -> rows.Connector | None:
    """Returns the file connector with a name; None if there is none.

    Raises:
        PermissionDeniedError: The caller may not change it.
        ValidationFailedError: Several connectors have the name.
    """
    values: dict[str, Any] = {"name": name, **connectors_by_name().values(principal)}
    query = _BY_NAME
    if scope != "unspecified":
        query, values = _BY_NAME_AND_SCOPE, {**values, "scope": scope, "group": group or None}
    async with database.session() as session:
        found = (await session.scalars(query, values)).all()
    if not found:
        return None
    if len(found) > 1:
        ids = ", ".join(str(row.id) for row in found)
        raise ValidationFailedError(
            f"{len(found)} connectors have the name {name!r}: name one by its id, {ids}.",
            connector=f"is the name of several connectors: {ids}",
        )
    if not rule_of("manage").allows(principal, found[0]):
        raise read_only(found[0].id)
    return found[0]
