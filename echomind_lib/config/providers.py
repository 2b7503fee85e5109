"""Settings of an OpenID provider."""

from typing import Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator, model_validator

LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts of providers that may be reached without TLS."""
SIGNATURES: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Algorithms that ID tokens may be signed with: those with a public key."""
OPEN_ISSUERS: Final = frozenset({"https://accounts.google.com"})
"""Issuers at which anybody can have an account."""


class ProviderSettings(BaseModel):
    """One OpenID provider that people sign in at."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(default="", max_length=100)
    """What the sign-in page calls it; empty means its name."""
    issuer: str = Field(max_length=500)
    """Its issuer, exactly as `issuer` in its discovery document: an `https` address, or `http` on loopback."""
    client_id: str = Field(min_length=1, max_length=500)
    """Client id that it has given EchoMind."""
    client_secret: SecretStr = SecretStr("")
    """Its secret; empty for a public client."""
    scopes: str = "openid profile email"
    """Scopes to request, separated by blanks; `openid` is required."""
    algorithms: str = "RS256, ES256"
    """Signatures of ID tokens that are accepted, separated by commas: `RS256`, `ES256`, `PS256`, `EdDSA` or their
    longer forms. Never what the provider's document says."""
    email_trust: Literal["claim", "domains", "never"] = "claim"
    """Which e-mail addresses count as verified: those with the claim `email_verified`, those of `email_domains`, or
    none."""
    email_domains: str = ""
    """Domains whose addresses the provider may be trusted with, separated by commas."""
    create_accounts: bool = True
    """Whether somebody without an account gets one at the first sign-in."""
    required_claims: dict[str, str] = {}
    """Claims that a person must have, as JSON: `{"hd": "example.org"}`. Of a list, one entry must be the value. Names
    with dots go into objects."""
    audience: str = Field(default="", max_length=500)
    """Audience of its access tokens that programs may send as bearer tokens; empty accepts none. Another one than the
    client id, whose ID tokens must not open the API."""
    groups_claim: str = "groups"
    """The claim that has a person's groups; dots go into objects, such as `realm_access.roles`."""
    scim_claim: str = Field(default="sub", min_length=1, max_length=200)
    """The claim that is the `externalId` of a person whom a SCIM client maintains: a first sign-in opens that account.
    Entra: `oid`."""
    groups: dict[str, str] = {}
    """Groups of EchoMind by the provider's, as JSON: `{"staff-research": "research"}`. Others are ignored."""
    roles: dict[str, Literal["admin", "superadmin"]] = {}
    """Roles by the provider's groups, as JSON: `{"echomind-admins": "superadmin"}`."""

    @field_validator("issuer")
    @classmethod
    def _is_safe(cls, issuer: str) -> str:
        parts = urlsplit(issuer)
        if not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS)):
            raise ValueError("must be an https address, or http on loopback")
        if not parts.hostname or parts.query or parts.fragment or parts.username is not None:
            raise ValueError("must be an address without user, query and fragment")
        return issuer

    @field_validator("scopes")
    @classmethod
    def _asks_who_it_is(cls, scopes: str) -> str:
        if "openid" not in scopes.split():
            raise ValueError("must contain openid")
        return scopes

    @field_validator("algorithms")
    @classmethod
    def _are_signatures(cls, algorithms: str) -> str:
        named = _listed(algorithms)
        if not named or not SIGNATURES.issuperset(named):
            raise ValueError(f"must be some of {', '.join(sorted(SIGNATURES))}, separated by commas")
        return algorithms

    @model_validator(mode="after")
    def _is_of_this_organization(self) -> "ProviderSettings":
        if self.issuer in OPEN_ISSUERS and self.create_accounts and not self.required_claims:
            raise ValueError(
                f"anybody can have an account at {self.issuer}: name the claims of your people in required_claims, "
                "such as the hd of your domain, or turn create_accounts off"
            )
        return self

    @field_validator("audience")
    @classmethod
    def _is_its_own(cls, audience: str, info: ValidationInfo) -> str:
        if audience and audience == info.data.get("client_id"):
            raise ValueError("must differ from the client id, whose ID tokens must not open the API")
        return audience

    @property
    def accepted_algorithms(self) -> list[str]:
        """Returns `algorithms` as a list."""
        return _listed(self.algorithms)

    @property
    def trusted_domains(self) -> frozenset[str]:
        """Returns `email_domains` in lower case."""
        return frozenset(domain.lower().removeprefix("@") for domain in _listed(self.email_domains))


def _listed(text: str) -> list[str]:
    return [part for part in (part.strip() for part in text.split(",")) if part]
