"""

Generated from echomind/public/v1/device_sign_in_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.api_key import ApiKey, ApiKeyScope
from echomind_lib.models.public.device_sign_in import DeviceSignIn, DeviceSignInState
from echomind_lib.pb.echomind.public.v1 import device_sign_in_service_pb2 as pb


class StartDeviceSignInRequest(ProtoModel):
    """Request of StartDeviceSignIn."""

    __proto__: ClassVar = pb.StartDeviceSignInRequest
    __enums__: ClassVar = {
        "scopes": ApiKeyScope,
    }

    client_name: Annotated[str, Field(min_length=1, max_length=100), _r.NAME] = Field(
        description="Name of the machine, which the person sees."
    )
    scopes: Annotated[
        list[Annotated[ApiKeyScope, _r.none_of(ApiKeyScope.UNSPECIFIED)]], Field(max_length=10), _r.UNIQUE
    ] = Field(default_factory=list, description="Scopes of the API key; empty means read, ask, ingest and manage.")
    days: Annotated[_t.Int32, Field(le=365, ge=0)] = Field(
        default=0, description="Days until the API key expires; 0 means 90."
    )

    @classmethod
    def read_pb(cls, message: pb.StartDeviceSignInRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "client_name": message.client_name,
            "scopes": [ApiKeyScope.numbers.get(each, each) for each in message.scopes],
            "days": message.days,
        }
        return data

    def to_pb(self) -> pb.StartDeviceSignInRequest:
        """Makes a protobuf message."""
        return pb.StartDeviceSignInRequest(
            client_name=self.client_name,
            scopes=[each.number for each in self.scopes],
            days=self.days,
        )


class StartDeviceSignInResponse(ProtoModel):
    """Response of StartDeviceSignIn."""

    __proto__: ClassVar = pb.StartDeviceSignInResponse

    device_code: str = Field(default="", description="The program's secret, with which it completes the sign-in.")
    user_code: str = Field(default="", description="What the person types: 8 consonants, as `BCDF-GHJK`.")
    verification_url: str = Field(default="", description="The page on which they type it.")
    expires_in_seconds: _t.Int32 = Field(default=0, description="Seconds until both codes stop working.")
    interval_seconds: _t.Int32 = Field(
        default=0, description="Seconds to wait between two calls of CompleteDeviceSignIn."
    )

    @classmethod
    def read_pb(cls, message: pb.StartDeviceSignInResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "device_code": message.device_code,
            "user_code": message.user_code,
            "verification_url": message.verification_url,
            "expires_in_seconds": message.expires_in_seconds,
            "interval_seconds": message.interval_seconds,
        }
        return data

    def to_pb(self) -> pb.StartDeviceSignInResponse:
        """Makes a protobuf message."""
        return pb.StartDeviceSignInResponse(
            device_code=self.device_code,
            user_code=self.user_code,
            verification_url=self.verification_url,
            expires_in_seconds=self.expires_in_seconds,
            interval_seconds=self.interval_seconds,
        )


class CompleteDeviceSignInRequest(ProtoModel):
    """Request of CompleteDeviceSignIn."""

    __proto__: ClassVar = pb.CompleteDeviceSignInRequest

    device_code: Annotated[str, Field(min_length=1, max_length=100)] = Field(description="`device_code` of the start.")

    @classmethod
    def read_pb(cls, message: pb.CompleteDeviceSignInRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "device_code": message.device_code,
        }
        return data

    def to_pb(self) -> pb.CompleteDeviceSignInRequest:
        """Makes a protobuf message."""
        return pb.CompleteDeviceSignInRequest(
            device_code=self.device_code,
        )


class CompleteDeviceSignInResponse(ProtoModel):
    """Response of CompleteDeviceSignIn."""

    __proto__: ClassVar = pb.CompleteDeviceSignInResponse
    __enums__: ClassVar = {
        "state": DeviceSignInState,
    }

    state: DeviceSignInState = Field(default=DeviceSignInState.UNSPECIFIED, description="Whether it was approved.")
    interval_seconds: _t.Int32 = Field(
        default=0, description="Seconds to wait before the next call, while nobody has decided."
    )
    api_key: ApiKey | None = Field(default=None, description="The API key, if it was approved.")
    secret: str = Field(default="", description="The API key's secret; returned only once.")

    @classmethod
    def read_pb(cls, message: pb.CompleteDeviceSignInResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "state": DeviceSignInState.numbers.get(message.state, message.state),
            "interval_seconds": message.interval_seconds,
            "secret": message.secret,
        }
        if message.HasField("api_key"):
            data["api_key"] = ApiKey.read_pb(message.api_key)
        return data

    def to_pb(self) -> pb.CompleteDeviceSignInResponse:
        """Makes a protobuf message."""
        return pb.CompleteDeviceSignInResponse(
            state=self.state.number,
            interval_seconds=self.interval_seconds,
            api_key=None if self.api_key is None else self.api_key.to_pb(),
            secret=self.secret,
        )


class FindDeviceSignInRequest(ProtoModel):
    """Request of FindDeviceSignIn."""

    __proto__: ClassVar = pb.FindDeviceSignInRequest

    user_code: Annotated[str, Field(min_length=1, max_length=100)] = Field(
        description="The code that the program shows; case, spaces and hyphens do not matter."
    )

    @classmethod
    def read_pb(cls, message: pb.FindDeviceSignInRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_code": message.user_code,
        }
        return data

    def to_pb(self) -> pb.FindDeviceSignInRequest:
        """Makes a protobuf message."""
        return pb.FindDeviceSignInRequest(
            user_code=self.user_code,
        )


class DecideDeviceSignInRequest(ProtoModel):
    """Request of DecideDeviceSignIn."""

    __proto__: ClassVar = pb.DecideDeviceSignInRequest

    user_code: Annotated[str, Field(min_length=1, max_length=100)] = Field(
        description="The code that the program shows, as in FindDeviceSignIn."
    )
    approved: bool = Field(default=False, description="Whether the program gets its API key.")

    @classmethod
    def read_pb(cls, message: pb.DecideDeviceSignInRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_code": message.user_code,
            "approved": message.approved,
        }
        return data

    def to_pb(self) -> pb.DecideDeviceSignInRequest:
        """Makes a protobuf message."""
        return pb.DecideDeviceSignInRequest(
            user_code=self.user_code,
            approved=self.approved,
        )


class DeviceSignInService(ABC):
    """Sign-in of programs without a browser, such as the command line, in the manner of OAuth's device grant (RFC 8628): the
    program shows a code, which a person types in a browser where they are signed in, by whatever means. It ends in an API
    key of that person.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["DeviceSignInService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("StartDeviceSignIn", "start_device_sign_in", StartDeviceSignInRequest, StartDeviceSignInResponse),
        Method(
            "CompleteDeviceSignIn", "complete_device_sign_in", CompleteDeviceSignInRequest, CompleteDeviceSignInResponse
        ),
        Method("FindDeviceSignIn", "find_device_sign_in", FindDeviceSignInRequest, DeviceSignIn),
        Method("DecideDeviceSignIn", "decide_device_sign_in", DecideDeviceSignInRequest, DeviceSignIn),
    )

    @abstractmethod
    async def start_device_sign_in(
        self, request: StartDeviceSignInRequest, call: CallContext
    ) -> StartDeviceSignInResponse:
        """Starts a sign-in. Requires no authentication. Errors: OVERLOADED."""

    @abstractmethod
    async def complete_device_sign_in(
        self, request: CompleteDeviceSignInRequest, call: CallContext
    ) -> CompleteDeviceSignInResponse:
        """Returns whether a sign-in was approved, and then its API key, once. Requires no authentication but the device code.
        Errors: OVERLOADED, UNAUTHENTICATED (the device code is unknown, used or expired).
        """

    @abstractmethod
    async def find_device_sign_in(self, request: FindDeviceSignInRequest, call: CallContext) -> DeviceSignIn:
        """Returns the sign-in whose code the caller has typed. Only in a web session. After 5 wrong codes, here and in
        DecideDeviceSignIn, the account can enter none for 10 minutes. Errors: NOT_FOUND, OVERLOADED, PERMISSION_DENIED
        (metadata `required`: `web_session`).
        """

    @abstractmethod
    async def decide_device_sign_in(self, request: DecideDeviceSignInRequest, call: CallContext) -> DeviceSignIn:
        """Approves or denies a sign-in; the code is then used up. If the scope `administer` is requested, the web session must
        have been signed in within the last 10 minutes. Errors: as FindDeviceSignIn, and PERMISSION_DENIED (metadata
        `required`: `recent_sign_in`).
        """
