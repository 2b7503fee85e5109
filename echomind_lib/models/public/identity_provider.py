"""

Generated from echomind/public/v1/identity_provider.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import identity_provider_pb2 as pb


class EmailTrust(ProtoEnum):
    """Which e-mail addresses of a provider count as verified."""

    UNSPECIFIED = "EMAIL_TRUST_UNSPECIFIED", 0
    """Unspecified."""
    CLAIM = "EMAIL_TRUST_CLAIM", 1
    """Those with the claim `email_verified`."""
    DOMAINS = "EMAIL_TRUST_DOMAINS", 2
    """Those of `email_domains`."""
    NEVER = "EMAIL_TRUST_NEVER", 3
    """None."""


class ClaimMapping(ProtoModel):
    """What the claims of a person at a provider mean. Names of claims with dots go into objects: `realm_access.roles`."""

    __proto__: ClassVar = pb.ClaimMapping

    groups_claim: Annotated[str, Field(max_length=200)] = Field(
        default="", description="The claim with a person's groups at the provider; empty means `groups`."
    )
    groups: Annotated[dict[str, Annotated[str, Field(min_length=1, max_length=255)]], Field(max_length=1000)] = Field(
        default_factory=dict, description="Groups of EchoMind by the provider's groups; others are ignored."
    )
    roles: Annotated[dict[str, str], Field(max_length=1000)] = Field(
        default_factory=dict, description="Roles by the provider's groups: `admin` or `superadmin`."
    )
    required_claims: Annotated[dict[str, str], Field(max_length=100)] = Field(
        default_factory=dict,
        description="Claims that a person must have to sign in, with their values; of a list, one entry must be the value.",
    )
    scim_claim: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="The claim that is the `externalId` of a person whom a SCIM client of this provider maintains: a first sign-in opens that account. Empty means `sub`; of Entra it is `oid`.",
    )

    @classmethod
    def read_pb(cls, message: pb.ClaimMapping) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "groups_claim": message.groups_claim,
            "groups": dict(message.groups),
            "roles": dict(message.roles),
            "required_claims": dict(message.required_claims),
            "scim_claim": message.scim_claim,
        }
        return data

    def to_pb(self) -> pb.ClaimMapping:
        """Makes a protobuf message."""
        return pb.ClaimMapping(
            groups_claim=self.groups_claim,
            groups=self.groups,
            roles=self.roles,
            required_claims=self.required_claims,
            scim_claim=self.scim_claim,
        )


class IdentityProvider(ProtoModel):
    """An OpenID provider that people sign in at, by opening `/auth/oidc/{name}` in a browser."""

    __proto__: ClassVar = pb.IdentityProvider
    __enums__: ClassVar = {
        "email_trust": EmailTrust,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; 0 for a provider of the settings. Set by the server.")
    name: Annotated[str, Field(max_length=40, pattern="^([a-z][a-z0-9_]*)?$"), _r.SET_TEXT, _r.NAME] = Field(
        description="Unique name, part of its addresses; it never changes: small letters, digits and `_`."
    )
    title: Annotated[str, Field(max_length=100), _r.NAME] = Field(
        default="", description="What the sign-in page calls it; empty means its name."
    )
    issuer: Annotated[str, Field(max_length=500), _r.SET_TEXT] = Field(
        description="Its issuer, exactly as `issuer` in its discovery document: an `https` address, or `http` on loopback. Required."
    )
    client_id: Annotated[str, Field(max_length=500), _r.SET_TEXT] = Field(
        description="Client id that it has given EchoMind. Required."
    )
    client_secret: Annotated[str, Field(max_length=4000)] = Field(
        default="",
        description="Its secret, stored encrypted and never returned; empty for a public client. An update to an issuer on another server needs it again.",
    )
    has_client_secret: bool = Field(default=False, description="Whether a secret is stored; set by the server.")
    scopes: Annotated[str, Field(max_length=1000)] = Field(
        default="",
        description="Scopes to request, separated by blanks, with `openid`; empty means `openid profile email`.",
    )
    algorithms: Annotated[list[str], Field(max_length=10), _r.UNIQUE] = Field(
        default_factory=list,
        description="Signatures of tokens that are accepted, such as `RS256`; empty means RS256 and ES256.",
    )
    email_trust: EmailTrust = Field(
        default=EmailTrust.UNSPECIFIED,
        description="Which e-mail addresses count as verified; unspecified means `EMAIL_TRUST_CLAIM`.",
    )
    email_domains: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=255)]], Field(max_length=100), _r.UNIQUE
    ] = Field(
        default_factory=list,
        description="Domains whose addresses the provider may be trusted with, for `EMAIL_TRUST_DOMAINS`.",
    )
    create_accounts: bool | None = Field(
        default=None, description="Whether somebody without an account gets one at the first sign-in; unset means true."
    )
    mapping: ClaimMapping | None = Field(default=None, description="What the claims of a person mean here.")
    is_active: bool | None = Field(
        default=None, description="If false, people cannot sign in with it; superadmins can test it. Unset means true."
    )
    is_managed: bool = Field(
        default=False, description="Whether it comes from the settings, which the API cannot change; set by the server."
    )
    audience: Annotated[str, Field(max_length=500)] = Field(
        default="",
        description="Audience of its access tokens that programs may send as bearer tokens, another one than the client id; empty accepts none. Bearer tokens need an account and do not have the scope `administer`.",
    )
    creation_date: _t.Timestamp | None = Field(
        default=None, description="Creation time; empty for a provider of the settings."
    )
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    updated_by: _t.Int32 = Field(
        default=0, description="ID of the person who made the last change; 0 if nobody did. Set by the server."
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.IdentityProvider) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "title": message.title,
            "issuer": message.issuer,
            "client_id": message.client_id,
            "client_secret": message.client_secret,
            "has_client_secret": message.has_client_secret,
            "scopes": message.scopes,
            "algorithms": list(message.algorithms),
            "email_trust": EmailTrust.numbers.get(message.email_trust, message.email_trust),
            "email_domains": list(message.email_domains),
            "is_managed": message.is_managed,
            "audience": message.audience,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
        }
        if message.HasField("create_accounts"):
            data["create_accounts"] = message.create_accounts
        if message.HasField("mapping"):
            data["mapping"] = ClaimMapping.read_pb(message.mapping)
        if message.HasField("is_active"):
            data["is_active"] = message.is_active
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.IdentityProvider:
        """Makes a protobuf message."""
        return pb.IdentityProvider(
            id=self.id,
            name=self.name,
            title=self.title,
            issuer=self.issuer,
            client_id=self.client_id,
            client_secret=self.client_secret,
            has_client_secret=self.has_client_secret,
            scopes=self.scopes,
            algorithms=self.algorithms,
            email_trust=self.email_trust.number,
            email_domains=self.email_domains,
            create_accounts=self.create_accounts,
            mapping=None if self.mapping is None else self.mapping.to_pb(),
            is_active=self.is_active,
            is_managed=self.is_managed,
            audience=self.audience,
            creation_date=self.creation_date,
            last_update=self.last_update,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
        )


class IdentityProviderPatch(PatchModel, IdentityProvider):
    """New values of IdentityProvider: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(max_length=40, pattern="^([a-z][a-z0-9_]*)?$"), _r.SET_TEXT, _r.NAME] = Field(
        default="", description="Unique name, part of its addresses; it never changes: small letters, digits and `_`."
    )
    issuer: Annotated[str, Field(max_length=500), _r.SET_TEXT] = Field(
        default="",
        description="Its issuer, exactly as `issuer` in its discovery document: an `https` address, or `http` on loopback. Required.",
    )
    client_id: Annotated[str, Field(max_length=500), _r.SET_TEXT] = Field(
        default="", description="Client id that it has given EchoMind. Required."
    )
