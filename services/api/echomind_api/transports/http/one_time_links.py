"""Requests of the pages of invitations and password links, which are plain HTTP because they set the session cookie.

Their tokens are in the bodies, because URLs are logged. The pages are part of the web UI: `/join/…` and `/reset/…`.
"""

from datetime import datetime
from typing import TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response

from echomind_api.auth.invitation_links import InvitationLinks
from echomind_api.auth.password_links import PasswordLinks
from echomind_api.auth.sessions import WebSessions
from echomind_api.calls.authentication import Authentication
from echomind_api.calls.denials import Denials
from echomind_api.transports.http.sign_in import browser_of, sign_in_call
from echomind_lib.contract import CallContext
from echomind_lib.contract.text import Text
from echomind_lib.errors import UnauthenticatedError
from echomind_lib.models.public import User


class _Body(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="forbid")


class LinkRequest(_Body):
    """A link to look at."""

    token: Text = Field(min_length=1, max_length=1024, description="The last part of the link's address.")


class PasswordRequest(LinkRequest):
    """A password that is set by a link."""

    password: Text = Field(min_length=12, max_length=1024, description="The new password.")


class JoinRequest(PasswordRequest):
    """An account that is created by an invitation."""

    user: User = Field(
        description="The account's `userName`, `email`, `firstName` and `lastName`; what else is given is not read. "
        "When the invitation names an e-mail address, that one is used."
    )


class Invited(_Body):
    """The offer of an invitation."""

    email: str = Field(description="The account's e-mail address; empty when the person gives their own.")
    invited_by: str = Field(description="Name of whoever made the invitation.")
    expires_at: datetime = Field(description="When its link stops working.")


class PasswordOffer(_Body):
    """The offer of a password link."""

    user_name: str = Field(description="Whose password it sets.")
    expires_at: datetime = Field(description="When the link stops working.")


Result = TypeVar("Result")


def one_time_link_routes(
    invitations: InvitationLinks,
    password_links: PasswordLinks,
    sessions: WebSessions,
    authentication: Authentication,
    denials: Denials,
) -> APIRouter:
    """Returns the routes.

    Args:
        invitations: Reads and uses invitations.
        password_links: Reads and uses password links.
        sessions: Web sessions; the browser's previous one is ended.
        authentication: Reads the cookie and authenticates it.
        denials: Records refused calls.
    """
    router = APIRouter(prefix="/auth", tags=["Sign-in"])
    cookie = authentication.cookie

    def refused(call: CallContext, error: UnauthenticatedError) -> UnauthenticatedError:
        denials.note_unknown(call, error)
        return error

    async def signed_in(request: Request, session: str) -> Response:
        """Returns the answer that signs the browser in, whose earlier session ends."""
        if (earlier := cookie.read_from(request)) and (user_id := await sessions.end(earlier)) is not None:
            authentication.principals.forget(user_id)
        response = Response(status_code=204, headers={"Cache-Control": "no-store"})
        cookie.set(request, response, session)
        return response

    @router.post("/invitation", responses={401: {"description": "The link does not work; the error says what to do."}})
    async def read_invitation(request: Request, body: LinkRequest) -> Invited:
        """Returns the offer of an invitation. The link can still be used."""
        call = sign_in_call(request, "Sign-in/Invitation", authentication)
        try:
            offer = await invitations.read(body.token, call.address)
        except UnauthenticatedError as error:
            raise refused(call, error) from None
        return Invited(email=offer.email, invited_by=offer.invited_by, expires_at=offer.expires_at)

    @router.post("/join", status_code=204, response_class=Response)
    async def join(request: Request, body: JoinRequest) -> Response:
        """Creates the account of an invitation and signs the browser in to it: sets the session cookie."""
        call = sign_in_call(request, "Sign-in/Join", authentication)
        try:
            session = await invitations.accept(body.token, body.user, body.password, browser_of(call))
        except UnauthenticatedError as error:
            raise refused(call, error) from None
        return await signed_in(request, session)

    @router.post(
        "/password-link", responses={401: {"description": "The link does not work; the error says what to do."}}
    )
    async def read_password_link(request: Request, body: LinkRequest) -> PasswordOffer:
        """Returns whose password a link sets. The link can still be used."""
        call = sign_in_call(request, "Sign-in/PasswordLink", authentication)
        try:
            offer = await password_links.read(body.token, call.address)
        except UnauthenticatedError as error:
            raise refused(call, error) from None
        return PasswordOffer(user_name=offer.user_name, expires_at=offer.expires_at)

    @router.post("/password", status_code=204, response_class=Response)
    async def set_password(request: Request, body: PasswordRequest) -> Response:
        """Sets a password by a link, ends the account's other sessions, and signs the browser in."""
        call = sign_in_call(request, "Sign-in/PasswordLink", authentication)
        try:
            session = await password_links.use(body.token, body.password, browser_of(call))
        except UnauthenticatedError as error:
            raise refused(call, error) from None
        return await signed_in(request, session)

    return router
