"""Sign-in by a one-time link: its page, and the button on it."""

from typing import Annotated, Final
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from echomind_api.auth.sessions import WebSessions
from echomind_api.calls.denials import Denials
from echomind_api.transports.http.browser_sessions import BrowserSessions, browser_of
from echomind_api.transports.http.guard import is_same_origin
from echomind_api.transports.http.sign_in_pages import failure_page, replace_page, sign_in_page
from echomind_api.transports.http.sign_in_words import LinkFailure, language_of
from echomind_lib.contract import CallContext
from echomind_lib.errors import OverloadedError, PermissionDeniedError, UnauthenticatedError, ValidationFailedError

_METHOD: Final = "Sign-in/Link"
_LINK_FAILED: Final = {"description": "The page says what to do.", "content": {"text/html": {}}}
_FORM_BYTES = 8192
_FORM = {
    "required": True,
    "content": {
        "application/x-www-form-urlencoded": {
            "schema": {
                "type": "object",
                "required": ["token"],
                "properties": {
                    "token": {"type": "string", "description": "The link's token."},
                    "replace": {
                        "type": "string",
                        "description": "Id of the account whose session in this browser is to end, when there is one.",
                    },
                },
            }
        }
    },
}
Token = Annotated[str, Query(max_length=1024, description="The link's token.")]


class SignInLink:
    """The routes of one-time links."""

    def __init__(self, sessions: WebSessions, browsers: BrowserSessions, denials: Denials, base: str) -> None:
        self._sessions = sessions
        self._browsers = browsers
        self._denials = denials
        self._base = base

    def add_to(self, router: APIRouter) -> None:
        """Adds the routes."""
        router.get("/link", response_class=HTMLResponse, responses={"default": _LINK_FAILED})(self.show_link)
        router.post(
            "/link",
            response_class=HTMLResponse,
            responses={303: {"description": "Signed in."}, "default": _LINK_FAILED},
            openapi_extra={"requestBody": _FORM},
        )(self.use_link)

    async def show_link(self, request: Request, token: Token = "") -> Response:
        """Returns the page of a one-time link, which asks whether to sign in. Opening it changes nothing."""
        call = self._browsers.sign_in_call(request, _METHOD)
        try:
            return await self._page(request, call, token)
        except (UnauthenticatedError, OverloadedError) as error:
            return self._refused(request, call, error)

    async def use_link(self, request: Request) -> Response:
        """Signs a browser in by a one-time link and goes to the web UI. Only the page of the link can send it.

        Another account's session in the browser ends only when `replace` names the account.
        """
        call = self._browsers.sign_in_call(request, _METHOD)
        try:
            return await self._sign_in(request, call)
        except (UnauthenticatedError, OverloadedError, PermissionDeniedError) as error:
            return self._refused(request, call, error)

    async def _sign_in(self, request: Request, call: CallContext) -> Response:
        if not is_same_origin(request.headers):
            raise PermissionDeniedError("Open the sign-in link in your browser and sign in by its button.")
        fields = parse_qs(await _body(request))
        token, replace = (fields.get(name, [""])[0] for name in ("token", "replace"))
        other = await self._browsers.principal(request, call.address)
        if other is not None and str(other.user_id) != replace:
            account = await self._sessions.account_of_link(token, call.address)
            if account.user_id != other.user_id:
                return await self._page(request, call, token, 409)
        session = await self._sessions.begin_by_link(token, browser_of(call))
        if other is not None:
            await self._browsers.end(request)
        return self._browsers.begin(request, RedirectResponse(f"{self._base}/", 303), session)

    async def _page(self, request: Request, call: CallContext, token: str, status: int = 200) -> HTMLResponse:
        account = await self._sessions.account_of_link(token, call.address)
        other = await self._browsers.principal(request, call.address)
        language = _language(request)
        if other is None or other.user_id == account.user_id:
            return sign_in_page(language, token, account.user_name)
        present_name = await self._sessions.name_of(other.user_id)
        return replace_page(language, token, account.user_name, present_name, other.user_id, status)

    def _refused(
        self, request: Request, call: CallContext, error: UnauthenticatedError | OverloadedError | PermissionDeniedError
    ) -> HTMLResponse:
        language = _language(request)
        if isinstance(error, OverloadedError):
            page = failure_page(language, LinkFailure.TOO_MANY_ATTEMPTS, 429)
            page.headers["Retry-After"] = error.metadata["retry_after_seconds"]
            return page
        self._denials.note_unknown(call, error)
        if isinstance(error, PermissionDeniedError):
            return failure_page(language, LinkFailure.FOREIGN_PAGE, 403)
        return failure_page(language, LinkFailure.ENDED, 401)


def _language(request: Request) -> str:
    return language_of(request.headers.get("accept-language", ""))


async def _body(request: Request) -> str:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _FORM_BYTES:
            raise ValidationFailedError(f"body: must have at most {_FORM_BYTES} bytes", body="is too large")
    return body.decode("utf-8", "replace")
