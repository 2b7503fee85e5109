"""The rules, one function a noun. The table that they implement is in docs/architecture.md, "Who may do what"."""

from dataclasses import replace
from typing import Final, Literal

from echomind_lib.access.principal import KeyScope, Principal, RoleWord
from echomind_lib.access.rule import Reader, Rule, Way
from echomind_lib.errors import PermissionDeniedError

Action = Literal["read", "manage", "cancel"]
"""What is wanted: to read something, to change it, or to cancel a run."""


_EVERYTHING: Final = Way({}, role="superadmin")
_OWN: Final = Way({"user_id": Reader.ID})
_OWN_CONNECTOR: Final = Way({"scope": "user", "user_id": Reader.ID})
_OF_GROUPS: Final = Way({"scope": "group", "scope_id": Reader.GROUPS})
_OF_ALL: Final = Way({"scope": "org"})

_CONNECTORS_READ: Final = Rule((_EVERYTHING, _OWN_CONNECTOR, _OF_GROUPS, _OF_ALL))
_CONNECTORS_MANAGE: Final = Rule((_EVERYTHING, _OWN_CONNECTOR, replace(_OF_GROUPS, role="admin")))
_CONNECTORS_SHARED: Final = Rule((_OWN_CONNECTOR, _OF_GROUPS, _OF_ALL))
_CONNECTORS_NAMED: Final = Rule((replace(_OWN, role="superadmin"), _OWN_CONNECTOR, _OF_GROUPS, _OF_ALL))
_ASSISTANTS_READ: Final = Rule((_EVERYTHING, Way({"is_visible": True})))
_ASSISTANTS_MANAGE: Final = Rule((_EVERYTHING,))
_SESSIONS_READ: Final = Rule((_EVERYTHING, _OWN))
_SESSIONS_MANAGE: Final = Rule((_OWN,))
_OWN_KNOWLEDGE: Final = Way({"level": "individual", "user_id": Reader.ID})
_KNOWLEDGE_OF_ALL: Final = (Way({"level": "organization"}), Way({"level": "public"}))
_KNOWLEDGE_READ: Final = Rule((_EVERYTHING, _OWN_KNOWLEDGE, *_KNOWLEDGE_OF_ALL))
_KNOWLEDGE_MANAGE: Final = Rule((_EVERYTHING, _OWN_KNOWLEDGE))
_KNOWLEDGE_SHARED: Final = Rule((_OWN_KNOWLEDGE, *_KNOWLEDGE_OF_ALL))
_MEMORIES: Final = Rule((_OWN,))


def connectors(action: Action) -> Rule:
    """Returns the rule of connectors, and with them of their documents.

    One's own are managed; a group's are read by its members and managed by those who are admins; the organization's are
    read by everyone; superadmins manage all.
    """
    return _CONNECTORS_MANAGE if action == "manage" else _CONNECTORS_READ


def connectors_of_scopes() -> Rule:
    """Returns the rule of connectors whose chunks answer the reader's own questions.

    A superadmin's searches, too, see only what was shared with them.
    """
    return _CONNECTORS_SHARED


def connectors_by_name() -> Rule:
    """Returns the rule of connectors that a name may stand for.

    These are one's own, one's groups' and the organization's, also for superadmins: so a name never leads into another
    person's connector; that takes its id. A superadmin's own may have any scope.
    """
    return _CONNECTORS_NAMED


def scope_name(scope: str, user_id: int, scope_id: str | None) -> str:
    """Returns how a connector's scope is written into each of its passages' payload."""
    return {"user": f"user_{user_id}", "group": f"group_{scope_id}", "org": "org"}[scope]


def scopes_of(principal: Principal) -> list[str]:
    """`connectors_of_scopes` as values of the payload field `scope`: the filter of every vector query."""
    return [f"user_{principal.user_id}", *(f"group_{name}" for name in sorted(principal.groups)), "org"]


def assistants(action: Action) -> Rule:
    """Returns the rule of assistants that are not removed.

    Everyone reads and uses the visible ones; superadmins read, use and manage all.
    """
    return _ASSISTANTS_READ if action == "read" else _ASSISTANTS_MANAGE


def chat_sessions(action: Action) -> Rule:
    """Returns the rule of sessions with their messages: one's own; superadmins read all, and cancel the runs of all."""
    return _SESSIONS_MANAGE if action == "manage" else _SESSIONS_READ


def runs(action: Action) -> Rule:
    """Returns the rule of runs with their steps: as their session."""
    return chat_sessions(action)


def knowledge_levels(action: Action) -> Rule:
    """Returns the rule of the levels of knowledge; `access/knowledge.py` has the rule of entities.

    One's own individual entities are managed; those of the organization and public ones are read by everyone;
    superadmins manage all.
    """
    return _KNOWLEDGE_MANAGE if action == "manage" else _KNOWLEDGE_READ


def knowledge_levels_shared() -> Rule:
    """Returns the rule of the levels that are listed and found: a superadmin's lists, too, have no other's notes."""
    return _KNOWLEDGE_SHARED


def require_role(principal: Principal, role: RoleWord) -> None:
    """Returns for whoever has the role.

    Raises:
        PermissionDeniedError: They do not have it; it names the role.
    """
    if not principal.has_role(role):
        raise PermissionDeniedError(f"This needs the role {role}.", required=role)


def require_scope(principal: Principal, scope: KeyScope) -> None:
    """Returns for a web session, and for an API key that has the scope.

    Raises:
        PermissionDeniedError: for every other key; it names the scope.
    """
    if not principal.has_scope(scope):
        raise PermissionDeniedError(
            f"This needs an API key with the scope {scope}. Sign in to the web UI instead, or create such a key with "
            f"`echomind keys add NAME --{scope}`.",
            required=scope,
        )


def memories() -> Rule:
    """Returns the rule of memories, for reading and managing alike: one's own. Nobody reads another person's."""
    return _MEMORIES
