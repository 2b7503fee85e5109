"""How people sign in: one-time links and passwords of local accounts."""

from datetime import UTC, datetime

from sqlalchemy import delete, exists, select
from sqlalchemy.dialects.postgresql import insert
from typing_extensions import override

from echomind_api.auth.passwords import hash_password
from echomind_api.auth.principals import Principals
from echomind_api.auth.sessions import WebSessions
from echomind_api.services.rows import audit, missing
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.models.public import (
    AuthService,
    CreateSignInLinkRequest,
    SetPasswordRequest,
    SignInLink,
    SignInOptions,
)


class Auth(AuthService):
    """The service `AuthService`."""

    def __init__(self, database: Database, principals: Principals, sessions: WebSessions, mode: str) -> None:
        self._database = database
        self._principals = principals
        self._sessions = sessions
        self._mode = mode

    @override
    async def get_sign_in_options(self, request: Empty, call: CallContext) -> SignInOptions:
        owners = select(rows.User.id).where(rows.User.id == rows.Credential.user_id, rows.User.is_active)
        async with self._database.session() as session:
            password = await session.scalar(select(exists(select(rows.Credential.user_id).where(exists(owners)))))
        return SignInOptions(mode=self._mode, password=bool(password))

    @override
    async def create_sign_in_link(self, request: CreateSignInLinkRequest, call: CallContext) -> SignInLink:
        user_id = request.user_id or call.principal.user_id
        if user_id != call.principal.user_id:
            if not call.principal.has_role("admin"):
                raise missing("user", user_id)  # as GetUser says it
            require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            user = await session.get(rows.User, user_id)
            if user is None or not user.is_active:
                raise missing("user", user_id)
            audit(session, call, f"users/{user_id}")
        link = await self._sessions.create_link(user_id)
        return SignInLink(path=link.path, expires_at=link.expires_at)

    @override
    async def set_password(self, request: SetPasswordRequest, call: CallContext) -> Empty:
        user_id = call.principal.user_id
        password_hash = await hash_password(request.password)
        columns = {"password_hash": password_hash, "user_id_last_update": user_id}
        store = insert(rows.Credential).values(user_id=user_id, **columns)
        store = store.on_conflict_do_update(index_elements=[rows.Credential.user_id], set_=columns)
        others = delete(rows.WebSession).where(
            rows.WebSession.user_id == user_id, rows.WebSession.id != (call.principal.web_session_id or 0)
        )
        # A link that was sent before the change must not let its holder in after it.
        links = delete(rows.SignInToken).where(
            rows.SignInToken.user_id == user_id, rows.SignInToken.expires_at > datetime.now(UTC)
        )
        async with self._database.session() as session:
            await session.execute(store)
            await session.execute(others)
            await session.execute(links)
            audit(session, call, f"users/{user_id}")
        self._principals.forget(user_id)
        return Empty()
