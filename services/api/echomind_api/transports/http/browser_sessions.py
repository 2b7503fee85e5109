"""The sessions of browsers: begun and ended with their cookies."""

from fastapi import Request
from starlette.responses import Response

from echomind_api.auth.addresses import own_address
from echomind_api.auth.sessions import Browser, WebSessions
from echomind_api.calls.authentication import Authentication
from echomind_api.calls.handwritten import call_of
from echomind_lib.access import Principal
from echomind_lib.config import ApiSettings
from echomind_lib.contract import CallContext
from echomind_lib.contract.rest import metadata_of, peer_of
from echomind_lib.errors import UnauthenticatedError


class BrowserSessions:
    """Web sessions with the cookie that names them."""

    def __init__(self, sessions: WebSessions, authentication: Authentication) -> None:
        self._sessions = sessions
        self._authentication = authentication
        self._cookie = authentication.cookie
        self._principals = authentication.principals

    def sign_in_call(self, request: Request, method: str) -> CallContext:
        """Returns the call of an attempt to sign in, with its address."""
        call = call_of(request, method)
        self._authentication.locate(call)
        # What was sent stands for a credential, so that the attempt is noted.
        call.metadata = {"authorization": "", "user-agent": call.metadata.get("user-agent", "")}
        return call

    def address(self, request: Request, api: ApiSettings) -> str:
        """Returns where the browser of a request reaches EchoMind, without a slash at the end."""
        return own_address(api, self._authentication.proxies, peer_of(request.scope), metadata_of(request.scope))

    async def principal(self, request: Request, address: str) -> Principal | None:
        """Returns the principal that is already signed in in the browser."""
        token = self._cookie.read_from(request)
        try:
            return await self._principals.of_web_session(token, address) if token else None
        except UnauthenticatedError:
            return None

    def begin(self, request: Request, response: Response, token: str) -> Response:
        """Returns a response that gives the browser the cookie of a session."""
        self._cookie.set(request, response, token)
        response.headers["Cache-Control"] = "no-store"
        return response

    async def end(self, request: Request) -> str:
        """Ends the session of the browser, if it has one. Its cookie stays.

        Returns:
            Issuer of the provider at which it was begun; empty if there is none.
        """
        token = self._cookie.read_from(request)
        address = self._authentication.proxies.address(peer_of(request.scope), metadata_of(request.scope))
        ended = await self._sessions.end(token, address) if token else None
        if ended is None:
            return ""
        self._principals.forget(ended.user_id)
        return ended.issuer

    def delete_cookie(self, request: Request, response: Response) -> None:
        """Deletes the cookie of the browser."""
        self._cookie.delete(request, response)


def browser_of(call: CallContext) -> Browser:
    """Returns the browser that sends an attempt to sign in."""
    return Browser(call.address, call.metadata["user-agent"])
