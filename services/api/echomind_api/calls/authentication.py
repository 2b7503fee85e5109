"""Authentication of every call: finds its principal, or refuses it."""

from dataclasses import dataclass
from typing import Final

from echomind_api.auth.addresses import Proxies
from echomind_api.auth.bearer_tokens import is_bearer_token
from echomind_api.auth.cookies import SessionCookie
from echomind_api.auth.principals import Principals
from echomind_api.calls.current import current_call
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.errors import UnauthenticatedError

CSRF_HEADER: Final = "x-echomind-csrf"
PUBLIC_METHODS: Final = frozenset(
    {
        "echomind.public.v1.AuthService/GetSignInOptions",
        "echomind.public.v1.DeviceSignInService/CompleteDeviceSignIn",
        "echomind.public.v1.DeviceSignInService/StartDeviceSignIn",
    }
)
"""Methods that can be called without a credential."""
OPTIONAL_METHODS: Final = frozenset(
    {
        "echomind.public.v1.SessionShareService/OpenSharedPage",
        "echomind.public.v1.SessionShareService/ReadSharedSession",
    }
)
"""Methods that can be called without a credential, and use one if there is one."""


@dataclass(frozen=True, slots=True)
class Authentication:
    """The address and the principal of a call."""

    principals: Principals
    proxies: Proxies
    cookie: SessionCookie

    def locate(self, call: CallContext) -> None:
        """Sets `call.address`, and makes it the current call."""
        call.address = self.proxies.address(call.peer, call.metadata)
        current_call.set(call)

    async def authenticate(self, call: CallContext) -> None:
        """Sets `call.principal`.

        Raises:
            UnauthenticatedError: The call needs a credential, and has no valid one.
            OverloadedError: The address has sent too many invalid credentials.
        """
        if call.method in OPTIONAL_METHODS:
            call.principal = await self.sender_of(call)
        elif call.method not in PUBLIC_METHODS:
            call.principal = await self.principal_of(call, call.address)

    async def sender_of(self, call: CallContext) -> Principal | None:
        """Returns the principal of a call, or None without a valid credential.

        Raises:
            OverloadedError: The address has sent too many invalid credentials.
        """
        try:
            return await self.principal_of(call, call.address)
        except UnauthenticatedError:
            return None

    async def principal_of(self, call: CallContext, address: str | None = None) -> Principal:
        """Returns the principal of a call by its bearer credential, or over HTTP by the session cookie.

        Args:
            call: The call.
            address: IP address that a failure is charged to; None if the credential was valid when the call began.

        Raises:
            UnauthenticatedError: There is no credential, or it is not valid.
            OverloadedError: The address has sent too many invalid credentials.
        """
        if authorization := call.metadata.get("authorization"):
            scheme, _, credential = authorization.partition(" ")
            if scheme.lower() != "bearer" or not credential.strip():
                self.principals.reject(address, "The header must be `Authorization: Bearer <API key>`.")
            if is_bearer_token(credential := credential.strip()):
                return await self.principals.of_bearer_token(credential, address)
            return await self.principals.of_api_key(credential, address)
        if call.transport == "http" and (token := self.cookie.read(call.peer, call.metadata)):
            return await self.principals.of_web_session(token, address)
        raise UnauthenticatedError("Sign in first: send `Authorization: Bearer <API key>`.")
