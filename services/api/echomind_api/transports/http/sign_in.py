"""Sign-in of browsers: what sets and ends the session cookie."""

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response

from echomind_api.auth.provider_sign_in import ProviderSignIns
from echomind_api.auth.sessions import WebSessions
from echomind_api.calls.denials import Denials
from echomind_api.transports.http.browser_sessions import BrowserSessions, browser_of
from echomind_api.transports.http.provider_sign_in import ProviderSignInRoutes
from echomind_api.transports.http.sign_in_link import SignInLink
from echomind_lib.config import ApiSettings
from echomind_lib.contract.text import Text


class SignInRequest(BaseModel):
    """A name and a password."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="forbid")

    user_name: Text = Field(min_length=1, max_length=255, description="The account's name or e-mail address.")
    password: Text = Field(min_length=1, max_length=1024, description="Its password.")


class SignedOut(BaseModel):
    """A session that was ended here."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)

    provider_url: str = Field(
        description="Where the browser signs out at the provider as well; empty if the session was not begun at one, "
        "or it has no such page."
    )


def sign_in_routes(
    sessions: WebSessions,
    browsers: BrowserSessions,
    denials: Denials,
    base: str,
    sign_ins: ProviderSignIns,
    api: ApiSettings,
    providers: ProviderSignInRoutes,
) -> APIRouter:
    """Returns the routes.

    Args:
        sessions: Web sessions.
        browsers: Web sessions with their cookies.
        denials: Notes what is refused.
        base: The path that the gateway is reached under.
        sign_ins: Sign-ins at OpenID providers.
        api: Settings of the gateway, with its public address.
        providers: The routes of sign-ins at providers.
    """
    router = APIRouter(prefix="/auth", tags=["Sign-in"])
    SignInLink(sessions, browsers, denials, base).add_to(router)
    providers.add_to(router)

    @router.post("/sign-in", status_code=204, response_class=Response)
    async def by_password(request: Request, body: SignInRequest) -> Response:
        """Signs a browser in by name and password: sets the session cookie."""
        call = browsers.sign_in_call(request, "Sign-in/Password")
        with denials.noting(call):
            session = await sessions.begin_by_password(body.user_name, body.password, browser_of(call))
        return browsers.begin(request, Response(status_code=204), session)

    @router.post("/sign-out")
    async def sign_out(request: Request, response: Response) -> SignedOut:
        """Ends the browser's session and deletes its cookie. Needs the header `X-EchoMind-CSRF`."""
        issuer = await browsers.end(request)
        browsers.delete_cookie(request, response)
        url = await sign_ins.sign_out_url(issuer, f"{browsers.address(request, api)}/") if issuer else ""
        return SignedOut(provider_url=url)

    return router
