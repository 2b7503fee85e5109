"""Permissions at the source, and the mapping of its people to accounts."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, any_, case, exists, false, func, or_, select, true
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased
from typing_extensions import override

from echomind_api.rows import audit, missing
from echomind_api.sources.connector_rows import find_connector
from echomind_api.sources.documents import Documents
from echomind_lib.access import require_role
from echomind_lib.access.source_principals import is_fresh, principals_of
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.models import public

_READERS: Final = 1000
"""Readers of a document that one answer shows."""
_MAPPED: Final = (public.SourcePersonMapping.EMAIL, public.SourcePersonMapping.ALIAS)


class SourcePermissions(public.SourcePermissionService):
    """The service `SourcePermissionService`."""

    def __init__(self, database: Database, documents: Documents) -> None:
        self._database = database
        self._documents = documents

    @override
    async def list_source_people(
        self, request: public.ListSourcePeopleRequest, call: CallContext
    ) -> public.ListSourcePeopleResponse:
        require_role(call.principal, "superadmin")
        connector = await find_connector(self._database, call, request.connector_id)
        identity = (connector.id, request.unmapped_only, request.query, request.mapping.number)
        page = read_page(request.page_size, request.page_token, tuple[int], "source people", *identity)
        people = _people(connector.id).where(*_containing(request.query)).subquery()
        selected = page.select(select(people), people.c.id)
        if request.unmapped_only:
            selected = selected.where(people.c.mapping.not_in([each.number for each in _MAPPED]))
        if request.mapping is not public.SourcePersonMapping.UNSPECIFIED:
            selected = selected.where(people.c.mapping == request.mapping.number)
        async with self._database.session() as session:
            found = (await session.execute(selected)).all()
        kept, token = page.cut(found, lambda row: (row.id,))
        return public.ListSourcePeopleResponse(people=[_person(row) for row in kept], next_page_token=token)

    @override
    async def list_source_groups(
        self, request: public.ListSourceGroupsRequest, call: CallContext
    ) -> public.ListSourceGroupsResponse:
        require_role(call.principal, "superadmin")
        connector = await find_connector(self._database, call, request.connector_id)
        identity = (connector.id, request.query)
        page = read_page(request.page_size, request.page_token, tuple[int], "source groups", *identity)
        selected = page.select(_groups(connector.id).where(*_containing(request.query)), rows.SourcePrincipal.id)
        async with self._database.session() as session:
            found = (await session.execute(selected)).all()
        kept, token = page.cut(found, lambda row: (row.id,))
        groups = [public.SourceGroup.from_row(row, kind=_kind(row.key)) for row in kept]
        return public.ListSourceGroupsResponse(groups=groups, next_page_token=token)

    @override
    async def set_source_alias(
        self, request: public.SetSourceAliasRequest, call: CallContext
    ) -> public.SetSourceAliasResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            if request.user_id:
                if await session.get(rows.User, request.user_id) is None:
                    raise missing("user", request.user_id)
                given = {"user_id": request.user_id, "user_id_last_update": call.principal.user_id}
                await session.execute(
                    insert(rows.SourceAlias)
                    .values(key=request.key, **given)
                    .on_conflict_do_update(index_elements=[rows.SourceAlias.key], set_=given)
                )
            elif alias := await session.get(rows.SourceAlias, request.key):
                await session.delete(alias)
            audit(session, call, "source-aliases", key=request.key, user_id=request.user_id)
        return public.SetSourceAliasResponse()

    @override
    async def list_source_aliases(
        self, request: public.ListSourceAliasesRequest, call: CallContext
    ) -> public.ListSourceAliasesResponse:
        require_role(call.principal, "superadmin")
        page = read_page(
            request.page_size, request.page_token, tuple[str], "source aliases", request.query, request.unused_only
        )
        aliases = _aliases().subquery()
        selected = page.select(select(aliases), aliases.c.key)
        if request.query:
            texts = (aliases.c.key, aliases.c.name, aliases.c.email, aliases.c.user_name)
            selected = selected.where(or_(*(text.icontains(request.query, autoescape=True) for text in texts)))
        if request.unused_only:
            selected = selected.where(or_(aliases.c.user_id == 0, aliases.c.connectors == 0))
        async with self._database.session() as session:
            found = (await session.execute(selected)).all()
        kept, token = page.cut(found, lambda row: (row.key,))
        listed = [public.SourceAlias.from_row(row) for row in kept]
        return public.ListSourceAliasesResponse(aliases=listed, next_page_token=token)

    @override
    async def list_document_readers(
        self, request: public.ListDocumentReadersRequest, call: CallContext
    ) -> public.ListDocumentReadersResponse:
        document = await self._documents.find(call, request.document_id, manage=True)
        async with self._database.session() as session:
            connector = await session.get_one(rows.Connector, document.connector_id)
            if connector.permission_mode != "source":
                return public.ListDocumentReadersResponse()
            found = (await session.execute(_readers(document.id))).all()
        # Only callers who may list accounts see which account a reader has.
        names_accounts = call.principal.has_role("admin")
        readers = [_reader(row, names_accounts=names_accounts) for row in found]
        return public.ListDocumentReadersResponse(by_source=True, readers=readers)


def _mapped(people: Select[Any]) -> Select[Any]:
    """Returns a statement of principals with whom each is mapped to: `mapping`, `user_id` and `user_name`."""
    person = rows.SourcePrincipal
    named, owner = aliased(rows.User, name="named"), aliased(rows.User, name="owner")
    double = aliased(rows.SourcePrincipal, name="double")
    has_double = exists().where(
        double.connector_id == person.connector_id,
        double.email != "",
        func.lower(double.email) == func.lower(person.email),
        double.id != person.id,
    )
    mapping = case(
        (~person.key.startswith("user:"), public.SourcePersonMapping.UNSPECIFIED.number),
        (named.id.is_not(None), public.SourcePersonMapping.ALIAS.number),
        (rows.SourceAlias.key.is_not(None), public.SourcePersonMapping.ACCOUNT_DELETED.number),
        (owner.id.is_(None), public.SourcePersonMapping.NO_ACCOUNT.number),
        (has_double, public.SourcePersonMapping.AMBIGUOUS.number),
        (~owner.is_email_verified, public.SourcePersonMapping.UNVERIFIED.number),
        else_=public.SourcePersonMapping.EMAIL.number,
    )
    has_email = and_(person.key.startswith("user:"), person.email != "")
    return (
        people.add_columns(
            mapping.label("mapping"),
            func.coalesce(named.id, owner.id, 0).label("user_id"),
            func.coalesce(named.user_name, owner.user_name, "").label("user_name"),
        )
        .outerjoin(rows.SourceAlias, rows.SourceAlias.key == person.key)
        .outerjoin(named, named.id == rows.SourceAlias.user_id)
        .outerjoin(
            owner,
            and_(has_email, rows.SourceAlias.key.is_(None), func.lower(owner.email) == func.lower(person.email)),
        )
    )


def _people(connector_id: int) -> Select[Any]:
    """Returns the statement of the people of a connector, with whom they are mapped to."""
    person = rows.SourcePrincipal
    people: Any = select(person.id, person.key, person.name, person.email)
    return _mapped(people).where(person.connector_id == connector_id, person.key.startswith("user:"))


def _aliases() -> Select[Any]:
    """Returns the statement of all aliases, each with the person as a connector knows them that was added last."""
    alias, person = rows.SourceAlias, rows.SourcePrincipal
    of_person = select(person).where(person.key == alias.key).correlate(alias)
    newest = of_person.order_by(person.connector_id.desc()).limit(1).lateral("newest")
    connectors = select(func.count()).select_from(person).where(person.key == alias.key).correlate(alias)
    return (
        select(
            alias.key,
            func.coalesce(newest.c.name, "").label("name"),
            func.coalesce(newest.c.email, "").label("email"),
            func.coalesce(rows.User.id, 0).label("user_id"),
            func.coalesce(rows.User.user_name, "").label("user_name"),
            connectors.scalar_subquery().label("connectors"),
        )
        .select_from(alias)
        .outerjoin(newest, true())
        .outerjoin(rows.User, rows.User.id == alias.user_id)
    )


def _containing(query: str) -> list[ColumnElement[bool]]:
    """Returns the condition that a principal's texts contain the search words."""
    texts = (rows.SourcePrincipal.name, rows.SourcePrincipal.email, rows.SourcePrincipal.key)
    return [or_(*(text.icontains(query, autoescape=True) for text in texts))] if query else []


def _person(row: Any) -> public.SourcePerson:
    return public.SourcePerson(
        key=row.key,
        name=row.name,
        email=row.email,
        mapping=public.SourcePersonMapping.numbers[row.mapping],
        user_id=row.user_id,
        user_name=row.user_name,
    )


def _reader(row: Any, *, names_accounts: bool) -> public.DocumentReader:
    return public.DocumentReader(
        key=row.key,
        kind=_kind(row.key),
        name=row.name,
        email=row.email,
        accounts=row.accounts,
        is_outdated=row.is_outdated,
        mapping=public.SourcePersonMapping.numbers[row.mapping],
        user_id=row.user_id if names_accounts else 0,
        user_name=row.user_name if names_accounts else "",
    )


def _accounts() -> ColumnElement[int]:
    """Returns how many active accounts are a principal, by a group in it, too."""
    principal, reader = rows.SourcePrincipal, aliased(rows.User, name="account")
    held = func.array(principals_of(reader.id, reader).scalar_subquery())
    counted = select(func.count()).select_from(reader).where(reader.is_active, principal.id == any_(held))
    return counted.correlate(principal).scalar_subquery()


_IS_GROUP: Final = or_(rows.SourcePrincipal.key.startswith("group:"), rows.SourcePrincipal.key.startswith("tenant:"))
_IS_OUTDATED: Final = and_(_IS_GROUP, ~func.coalesce(is_fresh(rows.SourcePrincipal, rows.Connector), false()))


def _readers(document_id: int) -> Select[Any]:
    """Returns the statement of the readers of a document."""
    principal = rows.SourcePrincipal
    known = (principal.key, principal.name, principal.email)
    readers: Any = select(*known, _accounts().label("accounts"), _IS_OUTDATED.label("is_outdated"))
    return (
        _mapped(readers)
        .join(rows.DocumentReader, rows.DocumentReader.principal_id == principal.id)
        .join(rows.Connector, rows.Connector.id == principal.connector_id)
        .where(rows.DocumentReader.document_id == document_id)
        .order_by(principal.key)
        .limit(_READERS)
    )


def _groups(connector_id: int) -> Select[Any]:
    """Returns the statement of the groups and tenants of a connector, by id."""
    group = rows.SourcePrincipal
    members = select(func.count()).select_from(rows.SourceMember).where(rows.SourceMember.group_id == group.id)
    return (
        select(
            group.id,
            group.key,
            group.name,
            group.email,
            group.members_read_at,
            members.correlate(group).scalar_subquery().label("members"),
            _accounts().label("accounts"),
            _IS_OUTDATED.label("is_outdated"),
        )
        .join(rows.Connector, rows.Connector.id == group.connector_id)
        .where(group.connector_id == connector_id, _IS_GROUP)
    )


def _kind(key: str) -> public.SourcePrincipalKind:
    return public.SourcePrincipalKind.__members__.get(
        key.partition(":")[0].upper(), public.SourcePrincipalKind.UNSPECIFIED
    )
