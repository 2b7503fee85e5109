"""SCIM clients: superadmins make their tokens, and give them accounts."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.auth import tokens
from echomind_api.auth.credentials import hold
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_api.auth.memberships import refresh_groups, source_of_client
from echomind_api.people import require_person, with_updaters
from echomind_api.rows import audit, missing, unique
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import scim_clients as mapper
from echomind_lib.models import public
from echomind_lib.text import NAME_CHARACTERS, single_line

MAX_TOKENS: Final = 2
_LIFETIME: Final = timedelta(days=365)
_LONGEST: Final = timedelta(days=730)
_GIVEN: Final = {"idx_scim_users_user_id": "user_id", "idx_scim_users_user_name": "user_name"}


class OwnScimClients(public.ScimClientService):
    """The service `ScimClientService`."""

    def __init__(self, database: Database, providers: IdentityProviders) -> None:
        self._database = database
        self._providers = providers

    @override
    async def list_scim_clients(
        self, request: public.ListScimClientsRequest, call: CallContext
    ) -> public.ListScimClientsResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            found = list(await session.scalars(select(rows.ScimClient).order_by(rows.ScimClient.name)))
            return public.ListScimClientsResponse(scim_clients=await self._shown(session, found))

    @override
    async def get_scim_client(self, request: public.GetScimClientRequest, call: CallContext) -> public.ScimClient:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            return await self._read(session, await _find(session, request.id))

    @override
    async def create_scim_client(self, request: public.CreateScimClientRequest, call: CallContext) -> public.ScimClient:
        require_role(call.principal, "superadmin")
        given = request.scim_client
        issuer = None
        if given.provider:
            issuer = (await self._providers.get(given.provider, even_inactive=True)).settings.issuer
        async with self._database.session() as session:
            (await hold(session, call.principal)).require_lasting("A SCIM client")
            row = rows.ScimClient(name=given.name, issuer=issuer, user_id_last_update=call.principal.user_id)
            session.add(row)
            with unique("SCIM client", {"scim_clients_name_key": "name"}):
                await session.flush()
            audit(session, call, f"scim-clients/{row.id}", name=row.name, issuer=issuer)
            await session.refresh(row)
            return await self._read(session, row)

    @override
    async def delete_scim_client(self, request: public.DeleteScimClientRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await hold(session, call.principal)
            row = await _find(session, request.id, lock=True)
            member = rows.GroupMember
            taken_back = delete(member).where(member.source == source_of_client(row.name)).returning(member.user_id)
            people = sorted(set(await session.scalars(taken_back)))
            await refresh_groups(session, people)
            await session.execute(delete(rows.ScimClient).where(rows.ScimClient.id == row.id))
            audit(session, call, f"scim-clients/{row.id}", name=row.name, people=len(people))
        return Empty()

    @override
    async def create_scim_token(
        self, request: public.CreateScimTokenRequest, call: CallContext
    ) -> public.CreateScimTokenResponse:
        require_role(call.principal, "superadmin")
        expires_at = _expiry(request.expires_at)
        token = tokens.new_scim_token()
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            credential.require_lasting("A token of a SCIM client")
            credential.require_recent("A token of a SCIM client")
            client = await _find(session, request.id, lock=True)
            own = rows.ScimToken.client_id == client.id
            await session.execute(delete(rows.ScimToken).where(own, rows.ScimToken.expires_at <= func.now()))
            count = await session.scalar(select(func.count()).select_from(rows.ScimToken).where(own))
            if (count or 0) >= MAX_TOKENS:
                rule = f"the client has {MAX_TOKENS} tokens: remove one first"
                raise ValidationFailedError(f"id: {rule}", id=rule)
            row = rows.ScimToken(
                client_id=client.id, prefix=tokens.scim_prefix(token.text), sha256=token.sha256, expires_at=expires_at
            )
            session.add(row)
            client.user_id_last_update = call.principal.user_id
            await session.flush()
            await session.refresh(row)
            audit(session, call, f"scim-clients/{client.id}", token=row.prefix, expires_at=expires_at.isoformat())
            return public.CreateScimTokenResponse(token=public.ScimToken.from_row(row), secret=token.text)

    @override
    async def delete_scim_token(self, request: public.DeleteScimTokenRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await hold(session, call.principal)
            client = await _find(session, request.id, lock=True)
            removed = (
                delete(rows.ScimToken)
                .where(rows.ScimToken.id == request.token_id, rows.ScimToken.client_id == client.id)
                .returning(rows.ScimToken.prefix)
            )
            if (prefix := await session.scalar(removed)) is None:
                raise missing("token", request.token_id)
            client.user_id_last_update = call.principal.user_id
            audit(session, call, f"scim-clients/{client.id}", removed_token=prefix)
        return Empty()

    @override
    async def give_user_to_scim_client(
        self, request: public.GiveUserToScimClientRequest, call: CallContext
    ) -> public.ScimClient:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            (await hold(session, call.principal, request.user_id)).require_lasting("What a SCIM client is given")
            client = await _find(session, request.id, lock=True)
            await require_person(session, request.user_id, field="user_id")
            account = await session.get(rows.User, request.user_id)
            if account is None:
                raise missing("user", request.user_id)
            name = single_line(request.user_name, NAME_CHARACTERS) or account.email or account.user_name
            attributes: dict[str, Any] = {"active": account.is_active}
            session.add(rows.ScimUser(client_id=client.id, user_id=account.id, user_name=name, attributes=attributes))
            with unique("user of a SCIM client", _GIVEN):
                await session.flush()
            audit(session, call, f"users/{account.id}", scim_client=client.name, user_name=name)
            return await self._read(session, client)

    async def _read(self, session: AsyncSession, row: rows.ScimClient) -> public.ScimClient:
        return (await self._shown(session, [row]))[0]

    async def _shown(self, session: AsyncSession, found: Sequence[rows.ScimClient]) -> list[public.ScimClient]:
        if not found:
            return []
        token = rows.ScimToken
        working: dict[int, list[rows.ScimToken]] = {}
        for row in await session.scalars(select(token).where(token.expires_at > func.now()).order_by(token.id.desc())):
            working.setdefault(row.client_id, []).append(row)
        users, groups = await _counted(session, rows.ScimUser), await _counted(session, rows.ScimGroup)
        names = await self._providers.names_by_issuer()
        shown = [
            (
                row,
                mapper.to_model(
                    row,
                    working.get(row.id, []),
                    provider=names.get(row.issuer or "", ""),
                    user_count=users.get(row.id, 0),
                    group_count=groups.get(row.id, 0),
                ),
            )
            for row in found
        ]
        return await with_updaters(session, shown)


async def _find(session: AsyncSession, client_id: int, *, lock: bool = False) -> rows.ScimClient:
    row = await session.get(rows.ScimClient, client_id, with_for_update=lock or None)
    if row is None:
        raise missing("SCIM client", client_id)
    return row


async def _counted(session: AsyncSession, table: type[rows.ScimUser] | type[rows.ScimGroup]) -> dict[int, int]:
    query = select(table.client_id, func.count()).where(table.deleted_date.is_(None)).group_by(table.client_id)
    return dict(iter(await session.execute(query)))


def _expiry(requested: datetime | None) -> datetime:
    now = datetime.now(UTC)
    expires_at = requested or now + _LIFETIME
    if not now < expires_at <= now + _LONGEST:
        rule = f"must be in the future, within {_LONGEST.days} days"
        raise ValidationFailedError(f"expires_at: {rule}", expires_at=rule)
    return expires_at
