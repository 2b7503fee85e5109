"""The browsers in which the caller is signed in."""

from sqlalchemy import delete, func, select
from typing_extensions import override

from echomind_api.auth.credentials import hold
from echomind_api.auth.password_links import end_sessions
from echomind_api.auth.principals import Principals
from echomind_api.rows import audit, missing
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.models import public


class OwnWebSessions(public.WebSessionService):
    """The service `WebSessionService`."""

    def __init__(self, database: Database, principals: Principals) -> None:
        self._database = database
        self._principals = principals

    @override
    async def list_web_sessions(
        self, request: public.ListWebSessionsRequest, call: CallContext
    ) -> public.ListWebSessionsResponse:
        principal: Principal = call.principal
        page = read_page(request.page_size, request.page_token, tuple[int], "web_sessions", principal.user_id)
        own = select(rows.WebSession).where(
            rows.WebSession.user_id == principal.user_id, rows.WebSession.expires_at > func.now()
        )
        query = page.select(own, rows.WebSession.id, descending=True)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
        return public.ListWebSessionsResponse(
            web_sessions=[
                public.WebSession.from_row(row, is_current=row.id == principal.web_session_id) for row in found
            ],
            next_page_token=token,
        )

    @override
    async def delete_web_session(self, request: public.DeleteWebSessionRequest, call: CallContext) -> Empty:
        owner = call.principal.user_id
        async with self._database.session() as session:
            await hold(session, call.principal)
            ended = await session.scalar(
                delete(rows.WebSession)
                .where(rows.WebSession.id == request.id, rows.WebSession.user_id == owner)
                .returning(rows.WebSession.id)
            )
            if ended is None:
                raise missing("web session", request.id)
            audit(session, call, f"web-sessions/{ended}")
        self._principals.forget(owner)
        return Empty()

    @override
    async def delete_other_web_sessions(self, request: Empty, call: CallContext) -> Empty:
        principal: Principal = call.principal
        async with self._database.session() as session:
            await hold(session, principal)
            await end_sessions(session, principal.user_id, keep_session=principal.web_session_id or 0)
            audit(session, call, f"users/{principal.user_id}")
        self._principals.forget(principal.user_id)
        return Empty()
