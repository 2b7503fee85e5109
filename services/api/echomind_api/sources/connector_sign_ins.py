"""Sign-ins at Google and Microsoft, which connect a connector with the user's account.

The authorization code flow with PKCE. `state` and the verifier are generated here for each sign-in; the row is deleted
when the provider's response arrives, whatever its result, so no response is accepted twice.
"""

import base64
import hashlib
import secrets as random
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

import aiohttp
import msgspec
from sqlalchemy import delete, func, or_

from echomind_api.auth import tokens
from echomind_api.auth.addresses import Proxies, own_address
from echomind_api.rows import audit, reload
from echomind_api.sources.connector_rows import find_connector, find_to_change
from echomind_api.sources.connector_schedule import cancel_active, check_synced, schedule, state_error
from echomind_api.sources.connector_settings import check_may_set, encrypted, read_settings, signed_in
from echomind_lib.access import Principal
from echomind_lib.config import Settings
from echomind_lib.connectors import ConnectorDefinition, SettingsError
from echomind_lib.connectors.oauth import IDENTITY_SCOPES, OAuthGrant, OAuthProvider, oauth_provider
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import PermissionDeniedError, SignInRefusedError
from echomind_lib.models.public import CompleteConnectorSignInRequest, StartConnectorSignInResponse
from echomind_lib.network.bodies import read_at_most
from echomind_lib.secrets import Secrets
from echomind_lib.text import single_line

SIGN_IN_PAGE: Final = "/connectors/sign-in"
"""The page of the web UI that starts a sign-in, and the redirect URI of providers."""
SIGN_IN_LIFETIME: Final = timedelta(minutes=10)
_TIMEOUT: Final = aiohttp.ClientTimeout(total=20)
_MAX_BYTES: Final = 256 * 1024
_AGAIN: Final = "Begin the sign-in again."
_ANYBODY: Final = OAuthGrant(refresh_token="")
"""Placeholder for the account that will sign in."""


class ConnectorSignIns:
    """Starts and completes sign-ins."""

    def __init__(self, database: Database, secrets: Secrets, settings: Settings, proxies: Proxies) -> None:
        self._database = database
        self._secrets = secrets
        self._settings = settings
        self._proxies = proxies

    async def start(self, connector_id: int, call: CallContext) -> StartConnectorSignInResponse:
        """Returns where the caller signs in.

        Raises:
            NotFoundError: There is no such connector that the caller may read.
            PermissionDeniedError: The caller may not change it.
            ConnectorStateError: Its type has no sign-in, no application is configured, or its settings need other
                credentials.
        """
        principal: Principal = call.principal
        row = await find_connector(self._database, call, connector_id, manage=True)
        definition, provider = self._provider(row)
        check_may_set(definition, principal, row.config)
        page = self._address(call) + SIGN_IN_PAGE
        if principal.web_session_id is None:
            return StartConnectorSignInResponse(url=f"{page}?connector={row.id}")
        state, verifier = tokens.new_token(), random.token_urlsafe(64)
        sign_in = rows.ConnectorSignIn(
            connector_id=row.id,
            web_session_id=principal.web_session_id,
            state_hash=state.sha256,
            encrypted_verifier=self._secrets.encrypt(verifier),
            settings_hash=_settings_hash(row),
            redirect_uri=page,
            expires_at=datetime.now(UTC) + SIGN_IN_LIFETIME,
        )
        earlier = (rows.ConnectorSignIn.connector_id == row.id) & (
            rows.ConnectorSignIn.web_session_id == principal.web_session_id
        )
        async with self._database.session() as session:
            await session.execute(
                delete(rows.ConnectorSignIn).where(or_(earlier, rows.ConnectorSignIn.expires_at < func.now()))
            )
            session.add(sign_in)
        return StartConnectorSignInResponse(
            url=_authorize_url(provider, definition, page, state.text, verifier), expires_at=sign_in.expires_at
        )

    async def complete(self, request: CompleteConnectorSignInRequest, call: CallContext) -> rows.Connector:
        """Exchanges the provider's code and stores the encrypted grant.

        Raises:
            SignInRefusedError: The state is unknown, used, expired or of another web session, what the connector reads
                or who may read it was changed since the start, or the provider refused.
            NotFoundError: The connector was removed or is now hidden from the caller.
            PermissionDeniedError: The caller may no longer change it.
        """
        principal: Principal = call.principal
        if principal.web_session_id is None:
            raise PermissionDeniedError("A sign-in is completed in the browser that began it.")
        state_hash = tokens.digest(request.state)
        async with self._database.session() as session:
            sign_in = await session.scalar(
                delete(rows.ConnectorSignIn)
                .where(rows.ConnectorSignIn.state_hash == state_hash)
                .returning(rows.ConnectorSignIn)
            )
        if sign_in is None or sign_in.expires_at < datetime.now(UTC):
            raise SignInRefusedError(f"This sign-in has expired or was completed before. {_AGAIN}")
        if sign_in.web_session_id != principal.web_session_id:
            raise SignInRefusedError(f"This sign-in was begun in another browser or account. {_AGAIN}")
        row = await find_connector(self._database, call, sign_in.connector_id, manage=True)
        _check_unchanged(row, sign_in)
        definition, provider = self._provider(row)
        if request.error or not request.code:
            raise _refused(provider, request.error)
        verifier = self._secrets.decrypt(sign_in.encrypted_verifier)
        grant = await _exchange(provider, definition, request.code, sign_in.redirect_uri, verifier)
        return await self._store(sign_in, definition, grant, call)

    async def _store(
        self, sign_in: rows.ConnectorSignIn, definition: ConnectorDefinition, grant: OAuthGrant, call: CallContext
    ) -> rows.Connector:
        async with self._database.session() as session:
            row = await find_to_change(session, call.principal, sign_in.connector_id)
            _check_unchanged(row, sign_in)
            account = single_line(grant.account, 255) or definition.title
            if not grant.account or row.connected_account != account:  # another account sees other documents
                await cancel_active(session, row)
                row.state = {}
            row.encrypted_credentials = encrypted(signed_in(definition, grant), self._secrets)
            row.connected_account = account
            row.signed_in_by = call.principal.user_id
            row.user_id_last_update = call.principal.user_id
            schedule(row, definition)
            audit(session, call, f"connectors/{row.id}", name=row.name, account=account)
            await reload(session, row)
        return row

    def _provider(self, row: rows.Connector) -> tuple[ConnectorDefinition, OAuthProvider]:
        definition = check_synced(row)
        if definition.sign_in is None:
            raise state_error(row, f"{definition.title} has no sign-in: enter its credentials.")
        provider = oauth_provider(self._settings.connectors, definition.sign_in)
        if not provider.is_configured:
            raise state_error(
                row,
                f"Nobody can sign in with {provider.title} yet: set {provider.missing_settings} where EchoMind runs.",
            )
        try:
            definition.check(
                read_settings(definition, row.config), signed_in(definition, _ANYBODY), row.permission_mode
            )
        except SettingsError as error:
            raise state_error(row, f"Nobody can sign in for it: {error}.") from None
        return definition, provider

    def _address(self, call: CallContext) -> str:
        """Returns where the caller's browser reaches EchoMind."""
        headers = call.metadata if call.transport == "http" else {}
        return own_address(self._settings.api, self._proxies, call.peer, headers)


def challenge_of(verifier: str) -> str:
    """Returns the S256 challenge of a verifier: https://www.rfc-editor.org/rfc/rfc7636#section-4.2."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode("ascii")


def _settings_hash(row: rows.Connector) -> bytes:
    """Returns the SHA-256 of what a connector reads and who may read it: what a person signs in for."""
    settings = [row.config, row.permission_mode, row.scope, row.scope_id]
    return hashlib.sha256(msgspec.json.encode(settings, order="deterministic")).digest()


def _check_unchanged(row: rows.Connector, sign_in: rows.ConnectorSignIn) -> None:
    """Raises `SignInRefusedError` unless a connector has the settings for which the sign-in was begun."""
    if sign_in.settings_hash != _settings_hash(row):
        raise SignInRefusedError(
            "What the connector reads, or who may read it, was changed since you began. "
            "Check its settings, and sign in again."
        )


def _authorize_url(
    provider: OAuthProvider, definition: ConnectorDefinition, redirect_uri: str, state: str, verifier: str
) -> str:
    query = provider.parameters | {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": redirect_uri,
        "scope": " ".join((*IDENTITY_SCOPES, *provider.scopes, *definition.sign_in_scopes)),
        "state": state,
        "code_challenge": challenge_of(verifier),
        "code_challenge_method": "S256",
    }
    return f"{provider.authorize_url}?{urlencode(query)}"


async def _exchange(
    provider: OAuthProvider, definition: ConnectorDefinition, code: str, redirect_uri: str, verifier: str
) -> OAuthGrant:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "client_id": provider.client_id,
        "code_verifier": verifier,
    }
    if provider.client_secret:
        form["client_secret"] = provider.client_secret
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as client,
            client.post(provider.token_url, data=form, allow_redirects=False) as response,
        ):
            status, body = response.status, await read_at_most(response, _MAX_BYTES)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise _unavailable(provider, repr(error)) from error
    if status >= 500:
        raise _unavailable(provider, f"HTTP {status}")
    answer = _json(body or b"")
    if status != 200:
        raise _refused(provider, str(answer.get("error", "")))
    scopes = tuple(str(answer.get("scope", "")).split())
    missing = [scope for scope in definition.sign_in_scopes if _short(scope) not in set(map(_short, scopes))]
    if scopes and missing:
        raise SignInRefusedError(
            f"{provider.title} did not give all that the connector needs: {', '.join(missing)}. "
            "Sign in again and leave all boxes ticked.",
            provider=provider.name,
        )
    refresh_token = answer.get("refresh_token")
    if not isinstance(refresh_token, str) or not refresh_token:
        raise SignInRefusedError(
            f"{provider.title} gave no lasting access. Remove EchoMind from the account's connected applications "
            "there, and sign in again.",
            provider=provider.name,
        )
    return OAuthGrant(refresh_token=refresh_token, account=_account(answer.get("id_token")), scopes=scopes)


def _short(scope: str) -> str:
    """Returns a scope without the address before its name, which Microsoft leaves out in some answers."""
    return scope.rpartition("/")[2].lower()


def _account(id_token: Any) -> str:
    """Returns the account of an ID token, for display.

    No decision depends on it, and it comes directly from the provider over TLS, so its signature is not checked:
    https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation, item 6.
    """
    parts = id_token.split(".") if isinstance(id_token, str) else []
    if len(parts) != 3:
        return ""
    try:
        claims = _json(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return ""
    named = (claims.get(claim) for claim in ("email", "preferred_username", "name"))
    return next((name for name in named if isinstance(name, str) and name), "")


def _json(data: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}


def _unavailable(provider: OAuthProvider, detail: str) -> SignInRefusedError:
    return SignInRefusedError(
        f"{provider.title} does not answer at present. {_AGAIN}", detail=detail, provider=provider.name
    )


def _refused(provider: OAuthProvider, error: str) -> SignInRefusedError:
    code = single_line(error, 100)
    if code == "access_denied":
        message = f"Access was not granted at {provider.title}. Sign in again and accept, or use another account."
    else:
        message = f"{provider.title} refused the sign-in ({code or 'without a reason'}). {_AGAIN}"
    return SignInRefusedError(message, provider=provider.name)
