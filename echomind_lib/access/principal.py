"""The principal: the caller of a request."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, Self, get_args

RoleWord = Literal["user", "admin", "superadmin"]
KeyScope = Literal["read", "ask", "ingest", "manage", "administer"]
SCOPES: Final[tuple[KeyScope, ...]] = get_args(KeyScope)
"""All scopes, in display order."""
EVERYDAY_SCOPES: Final = frozenset(SCOPES) - {"administer"}
"""Scopes of a key that names none, and of bearer tokens of providers. `administer` includes them."""
_WHOSE: Final = {"key": "The API key's", "user": "Your", "group": "Your group's", "organization": "The organization's"}
_ORDER: tuple[RoleWord, ...] = ("user", "admin", "superadmin")


def roles_including(role: RoleWord) -> tuple[RoleWord, ...]:
    """Returns the role and those that include it."""
    return _ORDER[_ORDER.index(role) :]


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """All that an API key with limits may use, and the conversations that it began."""

    api_key_id: int
    """The key."""
    assistants: frozenset[int] | None = None
    """IDs of the assistants; None for all of its owner's. Removed ones stay, so that a limit is never lifted."""
    connectors: frozenset[int] | None = None
    """IDs of the connectors, as `assistants`."""

    def assistant_ids(self) -> list[int] | None:
        """Returns the ids of the assistants for a statement; None for all."""
        return None if self.assistants is None else sorted(self.assistants)

    def connector_ids(self) -> list[int] | None:
        """Returns the ids of the connectors for a statement; None for all."""
        return None if self.connectors is None else sorted(self.connectors)


@dataclass(frozen=True, slots=True)
class Rates:
    """How much a person, a group, everybody or an API key may do at a time; None does not limit."""

    subject: str
    """Whom it binds: `user:ID`, `group:ID`, `organization`, or `key:ID` for a key with those that were made with it."""
    requests_per_minute: int | None = None
    """Maximum number of requests a minute."""
    runs: int | None = None
    """Maximum number of questions that are being answered or wait for that."""
    streams: int | None = None
    """Maximum number of open streams."""

    @property
    def kind(self) -> str:
        """Returns `user`, `group`, `organization` or `key`."""
        return self.subject.partition(":")[0]

    @property
    def id(self) -> int:
        """Returns the ID of the person, group or key; 0 for everybody."""
        return int(self.subject.partition(":")[2] or 0)

    def __str__(self) -> str:
        """Returns whose limit it is, as the beginning of a sentence about it."""
        return _WHOSE[self.kind]


@dataclass(frozen=True, slots=True)
class Principal:
    """A signed-in user, or a program with one of their API keys or a bearer token of their provider."""

    user_id: int
    """The account."""
    roles: frozenset[str] = frozenset({"user"})
    """The account's roles, as stored."""
    groups: frozenset[str] = frozenset()
    """Names of the account's groups."""
    web_session_id: int | None = None
    """The web session of the request; None for API keys."""
    api_key_id: int | None = None
    """The API key of the request; None for web sessions."""
    key_scopes: frozenset[str] = frozenset()
    """Scopes of the API key. Not used for web sessions."""
    identity_id: int | None = None
    """The identity of the request's bearer token, which a provider has signed."""
    token_expires_at: datetime | None = None
    """When that token expires, or an API key's secret that has been replaced."""
    is_replaced: bool = False
    """Whether it is an API key's secret that has been replaced: it works until `token_expires_at`."""
    limits: KeyLimits | None = None
    """Limits of the API key, or of the conversation of a run; None for none."""
    rates: tuple[Rates, ...] = ()
    """Those that bind the person, and the API key with those that it was made with; in the order of their subjects."""

    def has_role(self, role: RoleWord) -> bool:
        """Returns whether the account has this role or one that includes it."""
        return any(word in self.roles for word in roles_including(role))

    def has_scope(self, scope: KeyScope) -> bool:
        """Returns whether the credential has this scope; web sessions have all, bearer tokens `EVERYDAY_SCOPES`."""
        if self.api_key_id is not None:
            return scope in self.key_scopes
        return self.identity_id is None or scope in EVERYDAY_SCOPES

    def within(self, connectors: Collection[int]) -> Self:
        """Returns the same person, who reads only what they may read in these connectors.

        They reach no conversation, as nothing began with a key of these limits, unless the principal has limits.
        """
        limits = self.limits or KeyLimits(0)
        allowed = frozenset(connectors)
        both = allowed if limits.connectors is None else allowed & limits.connectors
        return replace(self, limits=replace(limits, connectors=both))
