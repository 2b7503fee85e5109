"""The access rules, one function per noun. They implement the table "Who may do what" in docs/architecture.md."""

from dataclasses import replace
from typing import Final, Literal

from echomind_lib.access.principal import KeyScope, Principal, RoleWord
from echomind_lib.access.rule import Rule
from echomind_lib.access.ways import Limited, Reader, Way
from echomind_lib.errors import PermissionDeniedError

Action = Literal["read", "manage", "cancel"]
"""The requested action: read something, manage (change) it, or cancel a run."""


_EVERYTHING: Final = Way({}, role="superadmin")
_OWN: Final = Way({"user_id": Reader.ID})
_OWN_CONNECTOR: Final = Way({"scope": "user", "user_id": Reader.ID})
_OF_GROUPS: Final = Way({"scope": "group", "scope_id": Reader.GROUPS})
_OF_ALL: Final = Way({"scope": "org"})

_CONNECTORS_READ: Final = Rule((_EVERYTHING, _OWN_CONNECTOR, _OF_GROUPS, _OF_ALL), Limited.CONNECTORS)
_CONNECTORS_MANAGE: Final = Rule((_EVERYTHING, _OWN_CONNECTOR, replace(_OF_GROUPS, role="admin")), Limited.CONNECTORS)
_CONNECTORS_SHARED: Final = Rule((_OWN_CONNECTOR, _OF_GROUPS, _OF_ALL), Limited.CONNECTORS)
_CONNECTORS_NAMED: Final = Rule(
    (replace(_OWN, role="superadmin"), _OWN_CONNECTOR, _OF_GROUPS, _OF_ALL), Limited.CONNECTORS
)
_ASSISTANTS_READ: Final = Rule((_EVERYTHING, Way({"is_visible": True, "groups": Reader.AUDIENCE})), Limited.ASSISTANTS)
_ASSISTANTS_MANAGE: Final = Rule((_EVERYTHING,), Limited.ASSISTANTS)
_SESSIONS_READ: Final = Rule((_EVERYTHING, _OWN), Limited.SESSIONS)
_RUNS_READ: Final = Rule(_SESSIONS_READ.ways)
_SESSIONS_MANAGE: Final = Rule((_OWN,), Limited.SESSIONS)
_RUNS_MANAGE: Final = Rule(_SESSIONS_MANAGE.ways)
_OWN_KNOWLEDGE: Final = Way({"level": "individual", "user_id": Reader.ID})
_KNOWLEDGE_OF_ALL: Final = (Way({"level": "organization"}), Way({"level": "public"}))
_KNOWLEDGE_READ: Final = Rule((_EVERYTHING, _OWN_KNOWLEDGE, *_KNOWLEDGE_OF_ALL))
_KNOWLEDGE_MANAGE: Final = Rule((_EVERYTHING, _OWN_KNOWLEDGE))
_KNOWLEDGE_SHARED: Final = Rule((_OWN_KNOWLEDGE, *_KNOWLEDGE_OF_ALL))
_MEMORIES: Final = Rule((_OWN,))
_DATASETS_READ: Final = Rule((_OWN, Way({"is_shared": True, "groups": Reader.AUDIENCE})))
_DATASETS_MANAGE: Final = Rule((_OWN,))
_EVALUATIONS: Final = Rule((_OWN,))
_WEBHOOKS: Final = Rule(
    (Way({"is_installation": False, "user_id": Reader.ID}), Way({"is_installation": True}, role="superadmin"))
)


def connectors(action: Action) -> Rule:
    """Returns the rule for connectors, which also applies to their documents.

    Users manage their own; members of a group read the group's, and its admins manage them; everyone reads those of the
    organization; superadmins manage all.
    """
    return _CONNECTORS_MANAGE if action == "manage" else _CONNECTORS_READ


def connectors_of_scopes() -> Rule:
    """Returns the rule for connectors that are searched for the reader's own questions.

    Superadmins, too, search only what was shared with them.
    """
    return _CONNECTORS_SHARED


def connectors_by_name() -> Rule:
    """Returns the rule for connectors that can be selected by name.

    These are the user's own, their groups' and the organization's, also for superadmins: a name never selects another
    person's connector, which requires its id. A superadmin's own may have any scope.
    """
    return _CONNECTORS_NAMED


def scope_name(scope: str, user_id: int, scope_id: str | None) -> str:
    """Returns a connector's scope as a value of the payload field `scope`."""
    return {"user": f"user_{user_id}", "group": f"group_{scope_id}", "org": "org"}[scope]


def scopes_of(principal: Principal) -> list[str]:
    """Returns `connectors_of_scopes` as values of the payload field `scope`: the filter of every vector query."""
    return [f"user_{principal.user_id}", *(f"group_{name}" for name in sorted(principal.groups)), "org"]


def assistants(action: Action) -> Rule:
    """Returns the rule for assistants that are not removed.

    Everyone reads and uses visible ones, and of those that are for some groups only the members; superadmins read, use
    and manage all.
    """
    return _ASSISTANTS_READ if action == "read" else _ASSISTANTS_MANAGE


def chat_sessions(action: Action) -> Rule:
    """Returns the rule for sessions and messages: users access their own; superadmins read all, and cancel any run.

    API keys with limits access those that began with them.
    """
    return _SESSIONS_MANAGE if action == "manage" else _SESSIONS_READ


def runs(action: Action) -> Rule:
    """Returns the rule for lists of runs: that of their session, except the limits of API keys, which need its row.

    Whoever lists runs for a key with limits adds `conditions.within_limits` for the session.
    """
    return _RUNS_MANAGE if action == "manage" else _RUNS_READ


def knowledge_levels(action: Action) -> Rule:
    """Returns the rule for levels of knowledge; the rule for entities is in `access/knowledge.py`.

    Users manage their own individual entities; everyone reads organization and public ones; superadmins manage all.
    """
    return _KNOWLEDGE_MANAGE if action == "manage" else _KNOWLEDGE_READ


def knowledge_levels_shared() -> Rule:
    """Returns the rule for listing and searching levels: superadmins, too, do not see other people's entities."""
    return _KNOWLEDGE_SHARED


def require_role(principal: Principal, role: RoleWord) -> None:
    """Returns if the principal has the role.

    Raises:
        PermissionDeniedError: They do not have it; the error names the role.
    """
    if not principal.has_role(role):
        raise PermissionDeniedError(f"This needs the role {role}.", required=role)


def require_scope(principal: Principal, scope: KeyScope) -> None:
    """Returns if the principal's credential has the scope, as web sessions do.

    Raises:
        PermissionDeniedError: It does not have the scope; the error names it.
    """
    if not principal.has_scope(scope):
        raise PermissionDeniedError(
            f"This needs an API key with the scope {scope}. Sign in to the web UI instead, or create such a key with "
            f"`echomind keys add NAME --scope {scope}`.",
            required=scope,
        )


def memories() -> Rule:
    """Returns the rule for reading and managing memories: users access only their own."""
    return _MEMORIES


def evaluation_datasets(action: Action) -> Rule:
    """Returns the rule for datasets of questions: their owners manage them, and everyone reads shared ones.

    Of those that are shared with some groups only the members do.
    """
    return _DATASETS_MANAGE if action == "manage" else _DATASETS_READ


def evaluation_runs() -> Rule:
    """Returns the rule for evaluations: whoever started one reads and manages it, as it shows answers of theirs."""
    return _EVALUATIONS


def webhooks() -> Rule:
    """Returns the rule for webhooks: people read and manage their own, superadmins also those of the installation."""
    return _WEBHOOKS
