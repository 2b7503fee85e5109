"""Sign-in of browsers at OpenID providers: the way there, and the way back."""

from typing import Annotated, Final

import structlog
from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from echomind_api.auth.cookies import AttemptCookie
from echomind_api.auth.provider_logout import ProviderLogouts
from echomind_api.auth.provider_sign_in import Connection, ProviderSignIns
from echomind_api.auth.provider_tests import TestedSignIn
from echomind_api.calls.denials import Denials
from echomind_api.calls.revocations import Revocations
from echomind_api.transports.http.browser_sessions import BrowserSessions, browser_of
from echomind_api.transports.http.provider_test_page import provider_test_page
from echomind_api.transports.http.sign_in_pages import provider_failure_page, signed_in_page
from echomind_api.transports.http.sign_in_words import language_of
from echomind_lib.config import ApiSettings
from echomind_lib.contract import CallContext
from echomind_lib.errors import (
    DependencyUnavailableError,
    OverloadedError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from echomind_lib.identity.failures import Failure, SignInFailedError

METHOD: Final = "Sign-in/Provider"
_ACCOUNT_PATH: Final = "/settings/account"
LOGOUT_METHOD: Final = "Sign-out/Provider"
_STATUS: Final = {
    Failure.UNAVAILABLE: 502,
    Failure.NOT_ADMITTED: 403,
    Failure.ACCOUNT_EXISTS: 409,
    Failure.CONNECTED_OTHERWISE: 409,
}
_PAGE: Final = {
    "description": "The page says what to do; an unknown provider is an error as of other calls.",
    "content": {"text/html": {}, "application/json": {}},
}

log = structlog.get_logger(__name__)

Text = Annotated[str, Query(max_length=4096)]


class Connections(BaseModel):
    """The providers that the caller's account can be connected with."""

    connections: list[Connection] = Field(description="In the order of their names.")


class BegunConnection(BaseModel):
    """A connection of an account with a person at a provider, which has begun."""

    url: str = Field(description="The provider's address, which the browser opens to sign in there.")


class ProviderSignInRoutes:
    """The routes of sign-ins at providers."""

    def __init__(
        self,
        sign_ins: ProviderSignIns,
        logouts: ProviderLogouts,
        revocations: Revocations,
        browsers: BrowserSessions,
        cookie: AttemptCookie,
        denials: Denials,
        api: ApiSettings,
        base: str,
    ) -> None:
        self._sign_ins = sign_ins
        self._logouts = logouts
        self._revocations = revocations
        self._browsers = browsers
        self._cookie = cookie
        self._denials = denials
        self._api = api
        self._base = base

    def add_to(self, router: APIRouter) -> None:
        """Adds the routes."""
        router.get("/oidc/{provider}", status_code=303, response_class=RedirectResponse, responses={"default": _PAGE})(
            self.begin
        )
        router.post("/oidc/{provider}/backchannel-logout", response_class=Response)(self.log_out)
        router.get("/connections")(self.connections)
        router.post("/oidc/{provider}/connection")(self.connect)
        router.get("/oidc/{provider}/callback", response_class=HTMLResponse, responses={"default": _PAGE})(
            self.complete
        )

    async def begin(
        self,
        request: Request,
        provider: str,
        path: Annotated[
            str, Query(max_length=2048, description="Where to go afterwards: a path of this server.")
        ] = "/",
        test: Annotated[
            bool, Query(description="Whether to show what the provider sends, to superadmins, without signing in.")
        ] = False,
    ) -> Response:
        """Sends a browser to an OpenID provider to sign in."""
        call = self._browsers.sign_in_call(request, METHOD)
        present = await self._browsers.principal(request, call.address)
        session_id = present.web_session_id if present else None
        if test and not (present and present.has_role("superadmin")):
            raise PermissionDeniedError("Sign in as a superadmin to test a sign-in provider.", required="superadmin")
        redirect_uri = f"{self.address(request)}/auth/oidc/{provider}/callback"
        try:
            begun = await self._sign_ins.begin(provider, redirect_uri, path, session_id, call.address, is_test=test)
        except (SignInFailedError, OverloadedError) as error:
            return await self._refused(request, call, provider, error)
        response = RedirectResponse(begun.url, 303, {"Cache-Control": "no-store"})
        self._cookie.set(request, response, begun.browser)
        return response

    async def connections(self, request: Request) -> Connections:
        """Lists the OpenID providers that people sign in at, and whether the account that is signed in is connected."""
        call = self._browsers.sign_in_call(request, METHOD)
        present = await self._browsers.principal(request, call.address)
        if present is None:
            raise UnauthenticatedError("Sign in first.")
        return Connections(connections=await self._sign_ins.connections(present.user_id))

    async def connect(self, request: Request, response: Response, provider: str) -> BegunConnection:
        """Begins to connect the account that is signed in with a person at an OpenID provider, who proves it there.

        Needs the header `X-EchoMind-CSRF`, and a sign-in in the last minutes.
        """
        call = self._browsers.sign_in_call(request, METHOD)
        present = await self._browsers.principal(request, call.address)
        if present is None:
            raise UnauthenticatedError("Sign in to the account that you want to connect.")
        redirect_uri = f"{self.address(request)}/auth/oidc/{provider}/callback"
        try:
            begun = await self._sign_ins.begin(
                provider, redirect_uri, _ACCOUNT_PATH, present.web_session_id, call.address, is_connection=True
            )
        except SignInFailedError as error:
            log.warning("a connection to a provider failed", provider=provider, detail=str(error))
            raise DependencyUnavailableError(
                "The sign-in provider does not answer, or not as it should. Try again in a minute."
            ) from error
        self._cookie.set(request, response, begun.browser)
        response.headers["Cache-Control"] = "no-store"
        return BegunConnection(url=begun.url)

    async def complete(
        self,
        request: Request,
        provider: str,
        state: Text = "",
        code: Text = "",
        error: Text = "",
        iss: Text = "",
    ) -> Response:
        """Signs in a browser that an OpenID provider has sent back: sets the session cookie."""
        from echomind_lib.identity.provider import Answer

        call = self._browsers.sign_in_call(request, METHOD)
        answer = Answer(code=code, error=error, issuer=iss)
        cookie = self._cookie.read_from(request) or ""
        try:
            completed = await self._sign_ins.complete(provider, state, answer, cookie, browser_of(call))
        except (SignInFailedError, OverloadedError) as failed:
            return await self._refused(request, call, provider, failed)
        if isinstance(completed, TestedSignIn):
            page = provider_test_page(_language(request), await self._sign_ins.title(provider), completed)
            self._cookie.delete(request, page)
            return page
        page = signed_in_page(_language(request), self._base + completed.return_path)
        response = self._browsers.begin(request, page, completed.session)
        self._cookie.delete(request, response)
        return response

    async def log_out(
        self, request: Request, provider: str, logout_token: Annotated[str, Form(min_length=1, max_length=16_384)]
    ) -> Response:
        """Ends the sessions that a provider's logout token names, on all replicas."""
        call = self._browsers.sign_in_call(request, LOGOUT_METHOD)
        headers = {"Cache-Control": "no-store"}
        try:
            people = await self._logouts.end_sessions(provider, logout_token, call.address)
        except SignInFailedError as error:
            log.warning("a logout of a provider was refused", provider=provider, detail=str(error))
            if error.failure is not Failure.UNAVAILABLE:
                self._denials.note_unknown(call, UnauthenticatedError(error.failure.value))
            return JSONResponse({"error": "invalid_request"}, 400, headers)
        for user_id in people:
            await self._revocations.publish(user_id)
        return Response(status_code=200, headers=headers)

    def address(self, request: Request) -> str:
        """Returns where the browser of a request reaches EchoMind."""
        return self._browsers.address(request, self._api)

    async def _refused(
        self, request: Request, call: CallContext, name: str, error: SignInFailedError | OverloadedError
    ) -> HTMLResponse:
        title, home = await self._sign_ins.title(name), f"{self._base}/"
        if isinstance(error, OverloadedError):
            page = provider_failure_page(_language(request), None, title, home, 429)
            page.headers["Retry-After"] = error.metadata["retry_after_seconds"]
            return page
        log.warning("a sign-in at a provider failed", provider=name, failure=error.failure.value, detail=str(error))
        if error.failure is not Failure.UNAVAILABLE:
            self._denials.note_unknown(call, UnauthenticatedError(error.failure.value))
        return provider_failure_page(_language(request), error.failure, title, home, _STATUS.get(error.failure, 401))


def _language(request: Request) -> str:
    return language_of(request.headers.get("accept-language", ""))
