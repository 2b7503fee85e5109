"""Accounts at Google and Microsoft that a person has signed in with, so that connectors read with them."""

from typing import Any, Final

import aiohttp
import structlog
from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import audit, missing, reload
from echomind_api.sources.connector_schedule import remove_sign_in
from echomind_api.sources.connector_settings import SIGN_IN_FIELD, stored_credentials
from echomind_lib.config import ConnectorSettings
from echomind_lib.connectors import find_definition
from echomind_lib.connectors.oauth import OAuthGrant, OAuthProvider, oauth_provider
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.models import public
from echomind_lib.secrets import Secrets

_TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
_Row = rows.Connector

log = structlog.get_logger(__name__)


class ConnectedAccounts:
    """Lists the caller's own sign-ins, and takes them back."""

    def __init__(self, database: Database, secrets: Secrets, settings: ConnectorSettings) -> None:
        self._database, self._secrets, self._settings = database, secrets, settings

    async def list_accounts(
        self, request: public.ListConnectedAccountsRequest, call: CallContext
    ) -> public.ListConnectedAccountsResponse:
        """Returns a page of the accounts that the caller has signed in with."""
        person = call.principal.user_id
        page = read_page(request.page_size, request.page_token, tuple[int], "connected_accounts", person)
        async with self._database.session() as session:
            listed = await session.scalars(page.select(_of(person), _Row.id))
            found, token = page.cut(listed.all(), lambda row: (row.id,))
        return public.ListConnectedAccountsResponse(accounts=[self._shown(row) for row in found], next_page_token=token)

    async def disconnect(self, connector_id: int, call: CallContext) -> tuple[rows.Connector, bool, str]:
        """Takes the caller's sign-in for a connector back, at the provider too if it can be asked for that.

        Returns:
            The connector, whether the provider has ended the access, and where people can end it there.

        Raises:
            NotFoundError: The caller has not signed in for this connector.
        """
        async with self._database.session() as session:
            own = _of(call.principal.user_id).where(_Row.id == connector_id)
            row = await session.scalar(own.with_for_update())
            if row is None:
                raise missing("connector", connector_id, "take back a sign-in for it: it is not yours")
            account, provider, grant = row.connected_account or "", self._provider(row), self._grant(row)
            await remove_sign_in(session, row, by_itself=True)
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"connectors/{row.id}", name=row.name, account=account)
            await reload(session, row)
            is_used = provider is not None and await self._is_used(session, provider, account)
        # After the commit: whatever the provider answers, EchoMind does not have the tokens any more.
        is_revoked = grant is not None and not is_used and provider is not None and await _revoke(provider, grant)
        return row, is_revoked, provider.access_url if provider else ""

    def _shown(self, row: rows.Connector) -> public.ConnectedAccount:
        provider = self._provider(row)
        return public.ConnectedAccount.from_row(
            row,
            connector_name=row.name,
            type_name=row.type,
            account=row.connected_account or "",
            provider=provider.title if provider else "",
            access_url=provider.access_url if provider else "",
        )

    def _provider(self, row: rows.Connector) -> OAuthProvider | None:
        definition = find_definition(row.type)
        if definition is None or definition.sign_in is None:
            return None
        return oauth_provider(self._settings, definition.sign_in)

    def _grant(self, row: rows.Connector) -> OAuthGrant | None:
        """Returns the tokens of a sign-in; None if they cannot be decrypted or the type is not installed."""
        definition = find_definition(row.type)
        if definition is None:
            return None
        credentials: Any = stored_credentials(definition, row.encrypted_credentials, self._secrets)
        return getattr(credentials, SIGN_IN_FIELD, None)

    async def _is_used(self, session: AsyncSession, provider: OAuthProvider, account: str) -> bool:
        """Returns whether a connector still reads with an account: to revoke one token ends the access of all."""
        same = select(_Row).where(_Row.connected_account == account, _Row.deleted_date.is_(None))
        others = [self._provider(row) for row in await session.scalars(same)]
        return any(other is not None and other.name == provider.name for other in others)


def _of(person: int) -> Select[rows.Connector]:
    """Returns the connectors that read with an account that a person has signed in with."""
    return select(_Row).where(
        _Row.signed_in_by == person, _Row.connected_account.is_not(None), _Row.deleted_date.is_(None)
    )


async def _revoke(provider: OAuthProvider, grant: OAuthGrant) -> bool:
    """Revokes a token and returns whether the provider has done so: https://www.rfc-editor.org/rfc/rfc7009."""
    if not provider.revoke_url:
        return False
    form = {"token": grant.refresh_token, "token_type_hint": "refresh_token"}
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as client,
            client.post(provider.revoke_url, data=form, allow_redirects=False) as response,
        ):
            status = response.status
    except (aiohttp.ClientError, TimeoutError) as error:
        log.warning("the provider did not revoke a token", provider=provider.name, error=type(error).__name__)
        return False
    if status != 200:
        log.warning("the provider did not revoke a token", provider=provider.name, status=status)
    return status == 200
