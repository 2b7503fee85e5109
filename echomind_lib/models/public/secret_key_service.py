"""

Generated from echomind/public/v1/secret_key_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.secret_key import SecretKey, SecretKeySource
from echomind_lib.pb.echomind.public.v1 import secret_key_service_pb2 as pb


class ListSecretKeysResponse(ProtoModel):
    """Response of ListSecretKeys."""

    __proto__: ClassVar = pb.ListSecretKeysResponse
    __enums__: ClassVar = {
        "source": SecretKeySource,
    }

    secret_keys: list[SecretKey] = Field(default_factory=list, description="The keys, the primary one first.")
    unreadable_count: _t.Int32 = Field(
        default=0,
        description="Number of stored secrets that none of the keys decrypts: they must be entered again, or their key be given back.",
    )
    source: SecretKeySource = Field(default=SecretKeySource.UNSPECIFIED, description="Where the keys come from.")

    @classmethod
    def read_pb(cls, message: pb.ListSecretKeysResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret_keys": [SecretKey.read_pb(each) for each in message.secret_keys],
            "unreadable_count": message.unreadable_count,
            "source": SecretKeySource.numbers.get(message.source, message.source),
        }
        return data

    def to_pb(self) -> pb.ListSecretKeysResponse:
        """Makes a protobuf message."""
        return pb.ListSecretKeysResponse(
            secret_keys=[each.to_pb() for each in self.secret_keys],
            unreadable_count=self.unreadable_count,
            source=self.source.number,
        )


class ReencryptSecretsResponse(ProtoModel):
    """Response of ReencryptSecrets."""

    __proto__: ClassVar = pb.ReencryptSecretsResponse

    reencrypted_count: _t.Int32 = Field(default=0, description="Number of secrets that this call encrypted again.")
    is_complete: bool = Field(
        default=False, description="Whether every readable secret is now encrypted with the primary key."
    )

    @classmethod
    def read_pb(cls, message: pb.ReencryptSecretsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "reencrypted_count": message.reencrypted_count,
            "is_complete": message.is_complete,
        }
        return data

    def to_pb(self) -> pb.ReencryptSecretsResponse:
        """Makes a protobuf message."""
        return pb.ReencryptSecretsResponse(
            reencrypted_count=self.reencrypted_count,
            is_complete=self.is_complete,
        )


class RetireSecretKeysResponse(ProtoModel):
    """Response of RetireSecretKeys."""

    __proto__: ClassVar = pb.RetireSecretKeysResponse

    secret_keys: list[SecretKey] = Field(
        default_factory=list, description="The removed keys; empty if there was none to remove."
    )

    @classmethod
    def read_pb(cls, message: pb.RetireSecretKeysResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret_keys": [SecretKey.read_pb(each) for each in message.secret_keys],
        }
        return data

    def to_pb(self) -> pb.RetireSecretKeysResponse:
        """Makes a protobuf message."""
        return pb.RetireSecretKeysResponse(
            secret_keys=[each.to_pb() for each in self.secret_keys],
        )


class SecretKeyService(ABC):
    """The keys that encrypt stored secrets. Needs `superadmin`. A rotation is CreateSecretKey, then ReencryptSecrets until it
    is complete, and later RetireSecretKeys. It can be interrupted anywhere: secrets stay readable, and it continues with
    ReencryptSecrets.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["SecretKeyService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListSecretKeys", "list_secret_keys", Empty, ListSecretKeysResponse),
        Method("CreateSecretKey", "create_secret_key", Empty, SecretKey),
        Method("ReencryptSecrets", "reencrypt_secrets", Empty, ReencryptSecretsResponse),
        Method("RetireSecretKeys", "retire_secret_keys", Empty, RetireSecretKeysResponse),
    )

    @abstractmethod
    async def list_secret_keys(self, request: Empty, call: CallContext) -> ListSecretKeysResponse:
        """Lists the keys, the primary one first, and how many stored secrets are encrypted with each. Needs `superadmin`."""

    @abstractmethod
    async def create_secret_key(self, request: Empty, call: CallContext) -> SecretKey:
        """Creates a key that is the primary one from now on. The others still decrypt; services read the new key when they need
        it. Needs `superadmin`; audited. Errors: VALIDATION_FAILED (the keys come from the environment),
        DEPENDENCY_UNAVAILABLE (a backup is being made).
        """

    @abstractmethod
    async def reencrypt_secrets(self, request: Empty, call: CallContext) -> ReencryptSecretsResponse:
        """Encrypts stored secrets with the primary key that are encrypted with others, for at most some seconds: repeat it until
        it is complete. Needs `superadmin`; audited when it changes something.
        """

    @abstractmethod
    async def retire_secret_keys(self, request: Empty, call: CallContext) -> RetireSecretKeysResponse:
        """Removes the keys with which no stored secret is encrypted any more, except the primary one; in the first minute after
        a key was created or removed, none. Backups that were made before contain the keys that they need. Needs `superadmin`;
        audited when it changes something. Errors: VALIDATION_FAILED (the keys come from the environment).
        """
