"""Sign-in of browsers: what sets and ends the session cookie."""

import html

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import HTMLResponse, RedirectResponse, Response

from echomind_api.audit import Denials
from echomind_api.auth.principals import Principals
from echomind_api.auth.sessions import SESSION_LIFETIME, WebSessions
from echomind_api.auth.signin import SESSION_COOKIE, session_token
from echomind_api.limits import TokenBuckets
from echomind_lib.contract import CallContext
from echomind_lib.contract.text import Text
from echomind_lib.errors import OverloadedError, UnauthenticatedError

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>EchoMind: {title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #16181d; color: #e6e6e6; }} a {{ color: #8ab4f8; }} }}
code {{ background: #8883; padding: .1em .3em; border-radius: .2em; }}
</style>
<h1>{title}</h1>
<p>{text}</p>
<p>A new link is in the file <code>run/sign-in-link</code> of the data folder after each start of EchoMind, and an
administrator can make one. If your account has a password, you can <a href="/">sign in with it</a>.</p>
"""
# Ten guesses at once, then one every ten seconds: for an account, and three times that for an address, behind which
# there may be an office.
_PER_ACCOUNT = (0.1, 10)
_PER_ADDRESS = (0.3, 30)


class SignInRequest(BaseModel):
    """A name and a password."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="forbid")

    user_name: Text = Field(min_length=1, max_length=255, description="The account's name or e-mail address.")
    password: Text = Field(min_length=1, max_length=1024, description="Its password.")


def sign_in_routes(
    sessions: WebSessions, principals: Principals, denials: Denials, *, cookie_secure: bool
) -> APIRouter:
    """The routes.

    Args:
        sessions: Where sessions begin and end.
        principals: Told when one ends.
        denials: Told of what is refused.
        cookie_secure: Whether the cookie is sent by HTTPS alone.
    """
    router = APIRouter(prefix="/auth", tags=["Sign-in"])
    accounts, addresses = TokenBuckets(*_PER_ACCOUNT), TokenBuckets(*_PER_ADDRESS)

    def set_cookie(response: Response, token: str) -> Response:
        response.set_cookie(
            SESSION_COOKIE,
            token,
            max_age=int(SESSION_LIFETIME.total_seconds()),
            httponly=True,
            secure=cookie_secure,
            samesite="strict",
        )
        response.headers["Cache-Control"] = "no-store"
        return response

    @router.get("/link", response_class=HTMLResponse, responses={303: {"description": "Signed in."}})
    async def use_link(request: Request, token: str = "") -> Response:
        """Signs a browser in by a one-time link and goes on to the web UI."""
        call = _call(request, "Sign-in/Link")
        try:
            addresses.take(_address(request))
            session = await sessions.begin_by_link(token)
        except UnauthenticatedError as error:
            denials.note(call, error)
            return _page("This link no longer works", error.message, 401)
        except OverloadedError as error:
            return _page("Too many attempts", error.message, 429)
        return set_cookie(RedirectResponse("/", 303), session)

    @router.post("/sign-in", status_code=204, response_class=Response)
    async def sign_in(request: Request, body: SignInRequest) -> Response:
        """Signs a browser in by name and password: sets the session cookie."""
        addresses.take(_address(request))
        accounts.take(body.user_name.lower())
        try:
            session = await sessions.begin_by_password(body.user_name, body.password)
        except UnauthenticatedError as error:
            denials.note(_call(request, "Sign-in/Password"), error)
            raise
        accounts.give_back(body.user_name.lower())
        return set_cookie(Response(status_code=204), session)

    @router.post("/sign-out", status_code=204, response_class=Response)
    async def sign_out(request: Request) -> Response:
        """Ends the browser's session and takes its cookie away. Needs the header `X-EchoMind-CSRF`."""
        if token := session_token(request.headers):
            user_id = await sessions.end(token)
            if user_id is not None:
                principals.forget(user_id)
        response = Response(status_code=204)
        response.delete_cookie(SESSION_COOKIE, httponly=True, secure=cookie_secure, samesite="strict")
        return response

    return router


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _call(request: Request, method: str) -> CallContext:
    # What was sent stands for a credential, so that the attempt is noted.
    return CallContext(method, {"authorization": ""}, _address(request), "http")


def _page(title: str, text: str, status: int) -> HTMLResponse:
    page = _PAGE.format(title=html.escape(title), text=html.escape(text))
    return HTMLResponse(page, status, {"Cache-Control": "no-store"})
