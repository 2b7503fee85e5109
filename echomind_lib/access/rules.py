"""The rules, one function a noun. The table that they implement is in docs/architecture.md, "Who may do what"."""

from collections.abc import Mapping
from typing import Literal

from echomind_lib.access.principal import KeyScope, Principal, RoleWord
from echomind_lib.access.rule import Rule, Value
from echomind_lib.errors import PermissionDeniedError

Action = Literal["read", "manage", "cancel"]
"""What is wanted: to read something, to change it, or to cancel a run."""


def connectors(principal: Principal, action: Action) -> Rule:
    """Connectors, and with them their documents.

    One's own are managed; a group's are read by its members and managed by those who are admins; the organisation's are
    read by everyone; superadmins manage all.
    """
    if principal.has_role("superadmin"):
        return Rule(({},))
    own: Mapping[str, Value] = {"scope": "user", "user_id": principal.user_id}
    group: Mapping[str, Value] = {"scope": "group", "scope_id": principal.groups}
    if action == "manage":
        return Rule((own, group) if principal.has_role("admin") else (own,))
    return Rule((own, group, {"scope": "org"}))


def connectors_of_scopes(principal: Principal) -> Rule:
    """Connectors whose passages answer the principal's own questions.

    A superadmin's searches, too, see only what was shared with them.
    """
    return Rule(
        (
            {"scope": "user", "user_id": principal.user_id},
            {"scope": "group", "scope_id": principal.groups},
            {"scope": "org"},
        )
    )


def connectors_by_name(principal: Principal) -> Rule:
    """Connectors that a name may stand for: one's own, one's groups' and the organisation's, also for superadmins.

    So a name never leads into another person's connector; that takes its id.
    """
    if not principal.has_role("superadmin"):
        return connectors(principal, "read")
    shared = connectors_of_scopes(principal).alternatives
    return Rule(({"user_id": principal.user_id}, *shared))


def scope_name(scope: str, user_id: int, scope_id: str | None) -> str:
    """How a connector's scope is written into each of its passages' payload."""
    return {"user": f"user_{user_id}", "group": f"group_{scope_id}", "org": "org"}[scope]


def scopes_of(principal: Principal) -> list[str]:
    """`connectors_of_scopes` as values of the payload field `scope`: the filter of every vector query."""
    return [f"user_{principal.user_id}", *(f"group_{name}" for name in sorted(principal.groups)), "org"]


def assistants(principal: Principal, action: Action) -> Rule:
    """Assistants that are not removed: everyone reads and uses the visible ones; superadmins read, use and manage all.

    `assistant_choice.USABLE` is the same rule beside a person's row.
    """
    if principal.has_role("superadmin"):
        return Rule(({},))
    return Rule(({"is_visible": True},) if action == "read" else ())


def chat_sessions(principal: Principal, action: Action) -> Rule:
    """Sessions with their messages and runs: one's own; superadmins read all, and cancel the runs of all."""
    if action != "manage" and principal.has_role("superadmin"):
        return Rule(({},))
    return Rule(({"user_id": principal.user_id},))


def runs(principal: Principal, action: Action) -> Rule:
    """Runs with their steps: as their session."""
    return chat_sessions(principal, action)


def require_role(principal: Principal, role: RoleWord) -> None:
    """Lets pass who has the role.

    Raises:
        PermissionDeniedError: for everyone else; it names the role.
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
