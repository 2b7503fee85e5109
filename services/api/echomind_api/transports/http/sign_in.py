"""Sign-in of browsers: the routes that set and delete the session cookie."""

from typing import Annotated, Final
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import HTMLResponse, RedirectResponse, Response

from echomind_api.auth.sessions import Browser, WebSessions
from echomind_api.calls.authentication import Authentication
from echomind_api.calls.denials import Denials
from echomind_api.calls.handwritten import call_of
from echomind_api.transports.http.guard import is_same_origin
from echomind_api.transports.http.sign_in_pages import failure_page, replace_page, sign_in_page
from echomind_api.transports.http.sign_in_words import Failure, language_of
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.contract.text import Text
from echomind_lib.errors import OverloadedError, PermissionDeniedError, UnauthenticatedError, ValidationFailedError

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


class SignInRequest(BaseModel):
    """A name and a password."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="forbid")

    user_name: Text = Field(min_length=1, max_length=255, description="The account's name or e-mail address.")
    password: Text = Field(min_length=1, max_length=1024, description="Its password.")


def _language(request: Request) -> str:
    return language_of(request.headers.get("accept-language", ""))


def sign_in_routes(sessions: WebSessions, authentication: Authentication, denials: Denials, base: str) -> APIRouter:
    """Returns the routes.

    Args:
        sessions: Web sessions.
        authentication: Reads the cookie and authenticates it.
        denials: Records refused calls.
        base: The base path of the gateway.
    """
    router = APIRouter(prefix="/auth", tags=["Sign-in"])
    cookie, principals = authentication.cookie, authentication.principals

    def begun(request: Request, response: Response, token: str) -> Response:
        cookie.set(request, response, token)
        response.headers["Cache-Control"] = "no-store"
        return response

    async def present(request: Request, address: str) -> Principal | None:
        """Returns the principal that is already signed in in the browser."""
        token = cookie.read_from(request)
        try:
            return await principals.of_web_session(token, address) if token else None
        except UnauthenticatedError:
            return None

    async def end(token: str) -> None:
        user_id = await sessions.end(token)
        if user_id is not None:
            principals.forget(user_id)

    async def page_of(request: Request, call: CallContext, token: str, status: int = 200) -> HTMLResponse:
        account = await sessions.account_of_link(token, call.address)
        other = await present(request, call.address)
        language = _language(request)
        if other is None or other.user_id == account.user_id:
            return sign_in_page(language, token, account.user_name)
        present_name = await sessions.name_of(other.user_id)
        return replace_page(language, token, account.user_name, present_name, other.user_id, status)

    @router.get("/link", response_class=HTMLResponse, responses={"default": _LINK_FAILED})
    async def show_link(request: Request, token: Token = "") -> Response:
        """Returns the page of a one-time link, which asks whether to sign in. Opening it changes nothing."""
        call = sign_in_call(request, "Sign-in/Link", authentication)
        try:
            return await page_of(request, call, token)
        except (UnauthenticatedError, OverloadedError) as error:
            return await refused(request, call, error)

    @router.post(
        "/link",
        response_class=HTMLResponse,
        responses={303: {"description": "Signed in."}, "default": _LINK_FAILED},
        openapi_extra={"requestBody": _FORM},
    )
    async def use_link(request: Request) -> Response:
        """Signs a browser in by a one-time link and goes to the web UI. Only the page of the link can send it.

        Another account's session in the browser ends only when `replace` names the account.
        """
        call = sign_in_call(request, "Sign-in/Link", authentication)
        try:
            if not is_same_origin(request.headers):
                raise PermissionDeniedError("Open the sign-in link in your browser and sign in by its button.")
            fields = parse_qs(await _body(request))
            token, replace = (fields.get(name, [""])[0] for name in ("token", "replace"))
            other = await present(request, call.address)
            if other is not None and str(other.user_id) != replace:
                account = await sessions.account_of_link(token, call.address)
                if account.user_id != other.user_id:
                    return await page_of(request, call, token, 409)
            session = await sessions.begin_by_link(token, browser_of(call))
        except (UnauthenticatedError, OverloadedError, PermissionDeniedError) as error:
            return await refused(request, call, error)
        if other is not None and (old := cookie.read_from(request)):
            await end(old)
        return begun(request, RedirectResponse(f"{base}/", 303), session)

    async def refused(
        request: Request, call: CallContext, error: UnauthenticatedError | OverloadedError | PermissionDeniedError
    ) -> HTMLResponse:
        language = _language(request)
        if isinstance(error, OverloadedError):
            page = failure_page(language, Failure.TOO_MANY_ATTEMPTS, 429)
            page.headers["Retry-After"] = error.metadata["retry_after_seconds"]
            return page
        denials.note_unknown(call, error)
        if isinstance(error, PermissionDeniedError):
            return failure_page(language, Failure.FOREIGN_PAGE, 403)
        return failure_page(language, Failure.ENDED, 401)

    @router.post("/sign-in", status_code=204, response_class=Response)
    async def by_password(request: Request, body: SignInRequest) -> Response:
        """Signs a browser in by name and password: sets the session cookie."""
        call = sign_in_call(request, "Sign-in/Password", authentication)
        try:
            session = await sessions.begin_by_password(body.user_name, body.password, browser_of(call))
        except UnauthenticatedError as error:
            denials.note_unknown(call, error)
            raise
        return begun(request, Response(status_code=204), session)

    @router.post("/sign-out", status_code=204, response_class=Response)
    async def sign_out(request: Request) -> Response:
        """Ends the browser's session and deletes its cookie. Needs the header `X-EchoMind-CSRF`."""
        if token := cookie.read_from(request):
            await end(token)
        response = Response(status_code=204)
        cookie.delete(request, response)
        return response

    return router


def sign_in_call(request: Request, method: str, authentication: Authentication) -> CallContext:
    """Returns the call of an attempt to sign in, whose address is known."""
    call = call_of(request, method)
    call.address = authentication.proxies.address(call.peer, call.metadata)
    # An empty credential, so that failed attempts are audited like those of other credentials.
    call.metadata = {"authorization": "", "user-agent": call.metadata.get("user-agent", "")}
    return call


def browser_of(call: CallContext) -> Browser:
    """Returns the browser that sends an attempt to sign in."""
    return Browser(call.address, call.metadata["user-agent"])


async def _body(request: Request) -> str:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _FORM_BYTES:
            raise ValidationFailedError(f"body: must have at most {_FORM_BYTES} bytes", body="is too large")
    return body.decode("utf-8", "replace")
