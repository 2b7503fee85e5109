"""Requests of the pages of invitations and password links, which are plain HTTP because they set the session cookie.

Their tokens are in the bodies, because URLs are logged. The pages are part of the web UI: `/join/…` and `/reset/…`.
"""

from datetime import datetime

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response

from echomind_api.auth.invitation_links import InvitationLinks
from echomind_api.auth.password_links import PasswordLinks
from echomind_api.calls.denials import Denials
from echomind_api.transports.http.browser_sessions import BrowserSessions, browser_of
from echomind_lib.contract.text import Text
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


def one_time_link_routes(
    invitations: InvitationLinks,
    password_links: PasswordLinks,
    browsers: BrowserSessions,
    denials: Denials,
) -> APIRouter:
    """Returns the routes.

    Args:
        invitations: Reads and uses invitations.
        password_links: Reads and uses password links.
        browsers: Web sessions with their cookies; the one that a new one replaces is ended.
        denials: Records refused calls.
    """
    router = APIRouter(prefix="/auth", tags=["Sign-in"])

    async def signed_in(request: Request, session: str) -> Response:
        """Returns the response that signs the browser in, whose earlier session ends."""
        await browsers.end(request)
        return browsers.begin(request, Response(status_code=204), session)

    @router.post("/invitation", responses={401: {"description": "The link does not work; the error says what to do."}})
    async def read_invitation(request: Request, body: LinkRequest) -> Invited:
        """Returns the offer of an invitation. The link can still be used."""
        call = browsers.sign_in_call(request, "Sign-in/Invitation")
        with denials.noting(call):
            offer = await invitations.read(body.token, call.address)
        return Invited(email=offer.email, invited_by=offer.invited_by, expires_at=offer.expires_at)

    @router.post("/join", status_code=204, response_class=Response)
    async def join(request: Request, body: JoinRequest) -> Response:
        """Creates the account of an invitation and signs the browser in to it: sets the session cookie."""
        call = browsers.sign_in_call(request, "Sign-in/Join")
        with denials.noting(call):
            session = await invitations.accept(body.token, body.user, body.password, browser_of(call))
        return await signed_in(request, session)

    @router.post(
        "/password-link", responses={401: {"description": "The link does not work; the error says what to do."}}
    )
    async def read_password_link(request: Request, body: LinkRequest) -> PasswordOffer:
        """Returns whose password a link sets. The link can still be used."""
        call = browsers.sign_in_call(request, "Sign-in/PasswordLink")
        with denials.noting(call):
            offer = await password_links.read(body.token, call.address)
        return PasswordOffer(user_name=offer.user_name, expires_at=offer.expires_at)

    @router.post("/password", status_code=204, response_class=Response)
    async def set_password(request: Request, body: PasswordRequest) -> Response:
        """Sets a password by a link, ends the account's other sessions, and signs the browser in."""
        call = browsers.sign_in_call(request, "Sign-in/PasswordLink")
        with denials.noting(call):
            session = await password_links.use(body.token, body.password, browser_of(call))
        return await signed_in(request, session)

    return router
