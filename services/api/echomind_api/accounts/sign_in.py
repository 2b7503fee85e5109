"""Sign-in with one-time links and passwords of local accounts."""

from sqlalchemy import Select, exists, select
from typing_extensions import override

from echomind_api.accounts.stored_keys import revoke_keys
from echomind_api.auth.credentials import hold
from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_api.auth.local_accounts import LocalAccounts
from echomind_api.auth.password_links import replace_password
from echomind_api.auth.passwords import hash_password, verify_password
from echomind_api.auth.principals import Principals
from echomind_api.auth.sessions import new_link
from echomind_api.people import require_person
from echomind_api.rows import audit, missing
from echomind_lib.access import Principal, require_role
from echomind_lib.config import AuthSettings
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.models import public


class Auth(public.AuthService):
    """The service `AuthService`."""

    def __init__(
        self,
        database: Database,
        principals: Principals,
        failures: FailedCredentials,
        settings: AuthSettings,
        providers: IdentityProviders,
        local_accounts: LocalAccounts,
    ) -> None:
        self._database = database
        self._principals = principals
        self._failures = failures
        self._settings = settings
        self._providers = providers
        self._local_accounts = local_accounts

    @override
    async def get_sign_in_options(self, request: Empty, call: CallContext) -> public.SignInOptions:
        owners = select(rows.User.id).where(rows.User.id == rows.Credential.user_id, rows.User.is_active)
        async with self._database.session() as session:
            password = await session.scalar(select(exists(select(rows.Credential.user_id).where(exists(owners)))))
        password = password and await self._local_accounts.are_on()
        titles = await self._providers.titles()
        providers = [public.SignInProvider(name=name, title=title) for name, title in titles.items()]
        return public.SignInOptions(mode=self._settings.mode, password=bool(password), providers=providers)

    @override
    async def create_sign_in_link(
        self, request: public.CreateSignInLinkRequest, call: CallContext
    ) -> public.SignInLink:
        principal: Principal = call.principal
        user_id = request.user_id or principal.user_id
        is_own = user_id == principal.user_id
        if not is_own:
            if not principal.has_role("admin"):
                raise missing("user", user_id)  # the same error as GetUser
            require_role(principal, "superadmin")
        await self._local_accounts.require()
        link, token = new_link()
        async with self._database.session() as session:
            credential = await hold(session, principal, user_id)
            credential.require_lasting("A sign-in link")
            await require_person(session, user_id, field="user_id")
            user = await session.get(rows.User, user_id)
            if user is None or not user.is_active:
                raise missing("user", user_id)
            row = rows.SignInToken(
                user_id=user_id,
                token_hash=token.sha256,
                expires_at=link.expires_at,
                # Keep the time of the original sign-in, so that a session left open cannot renew itself with a link.
                authenticated_at=credential.authenticated_at if is_own else None,
            )
            session.add(row)
            audit(session, call, f"users/{user_id}")
        return public.SignInLink(path=link.path, expires_at=link.expires_at)

    @override
    async def create_password_link(
        self, request: public.CreatePasswordLinkRequest, call: CallContext
    ) -> public.PasswordLink:
        principal: Principal = call.principal
        if request.user_id != principal.user_id and not principal.has_role("admin"):
            raise missing("user", request.user_id)  # the same error as GetUser
        require_role(principal, "superadmin")
        await self._local_accounts.require()
        link, token = new_link("password")
        async with self._database.session() as session:
            credential = await hold(session, principal, request.user_id)
            credential.require_lasting("A link to set a password")
            await require_person(session, request.user_id, field="user_id")
            if request.user_id == principal.user_id:
                credential.require_recent("A link to set your own password")
            user = await session.get(rows.User, request.user_id)
            if user is None or not user.is_active:
                raise missing("user", request.user_id)
            row = rows.SignInToken(
                user_id=user.id, token_hash=token.sha256, expires_at=link.expires_at, purpose="password"
            )
            session.add(row)
            audit(session, call, f"users/{user.id}")
        return public.PasswordLink(path=link.path, expires_at=link.expires_at)

    @override
    async def set_password(self, request: public.SetPasswordRequest, call: CallContext) -> Empty:
        principal: Principal = call.principal
        user_id = principal.user_id
        await self._local_accounts.require()
        proved = await self._prove(user_id, request.current_password)
        password_hash = await hash_password(request.password)
        async with self._database.session() as session:
            credential = await hold(session, principal)
            credential.require_lasting("A password")
            present = await session.scalar(_password_hash(user_id))
            if present is None:
                credential.require_recent("Setting a first password")
            elif present != proved and not credential.is_recent:
                raise PermissionDeniedError(
                    "Changing the password takes the current one, or in the web UI a sign-in in the last 10 minutes.",
                    required="current_password",
                )
            await replace_password(session, user_id, password_hash, keep_session=principal.web_session_id or 0)
            if request.revoke_api_keys:
                await revoke_keys(session, user_id, by=user_id, keep=principal.api_key_id or 0)
            audit(session, call, f"users/{user_id}", revoke_api_keys=request.revoke_api_keys)
        self._principals.forget(user_id)
        return Empty()

    async def _prove(self, user_id: int, password: str) -> str | None:
        """Returns the hash of the present password when it is the one that was given; None when there is none.

        Raises:
            PermissionDeniedError: Another one was given.
            OverloadedError: Too many others were given.
        """
        if not password:
            return None
        async with self._database.session() as session:
            present = await session.scalar(_password_hash(user_id))
        if present is None:
            return None
        with self._failures.password(user_id):
            if not await verify_password(present, password):
                raise PermissionDeniedError("The current password is wrong.", required="current_password")
        return present


def _password_hash(user_id: int) -> Select[str]:
    return select(rows.Credential.password_hash).where(rows.Credential.user_id == user_id)
