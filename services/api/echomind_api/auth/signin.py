"""Sign-in as the part of the chain around every call: finds the principal, or refuses."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import cookie_parser

from echomind_api.auth.principals import Principals
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware, Proceed
from echomind_lib.contract.model import ProtoModel
from echomind_lib.errors import UnauthenticatedError

SESSION_COOKIE: Final = "echomind_session"
CSRF_HEADER: Final = "x-echomind-csrf"
PUBLIC_METHODS: Final = frozenset({"echomind.public.v1.AuthService/GetSignInOptions"})
"""What can be called without a credential."""


def sign_in(principals: Principals) -> Middleware:
    """The middleware that sets `call.principal`."""

    async def middleware(call: CallContext, proceed: Proceed) -> ProtoModel | None:
        if call.method not in PUBLIC_METHODS:
            call.principal = await principal_of(call, principals)
        return await proceed()

    return middleware


async def principal_of(call: CallContext, principals: Principals) -> Principal:
    """Who sends a call: by the bearer credential, or over HTTP by the session cookie.

    Raises:
        UnauthenticatedError: There is no credential, or it is not valid.
    """
    if authorization := call.metadata.get("authorization"):
        scheme, _, credential = authorization.partition(" ")
        if scheme.lower() != "bearer" or not credential.strip():
            raise UnauthenticatedError("The header must be `Authorization: Bearer <API key>`.")
        return await principals.of_api_key(credential.strip())
    if call.transport == "http" and (token := session_token(call.metadata)):
        return await principals.of_web_session(token)
    raise UnauthenticatedError("Sign in first: send `Authorization: Bearer <API key>`.")


def session_token(headers: Mapping[str, str]) -> str | None:
    """The session cookie's value, if it was sent."""
    header = headers.get("cookie", "")
    return cookie_parser(header).get(SESSION_COOKIE) if SESSION_COOKIE in header else None
