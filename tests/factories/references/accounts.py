"""References of people, their groups and preferences."""

from collections.abc import Callable
from typing import Any

from tests.drivers.client import Client
from tests.factories.permissions.rows import OK
from tests.factories.references.assistants import no_group
from tests.factories.references.use import NOTHING, Use, about, asks
from tests.factories.world import Make, World, name


async def no_user(world: World, ownership: str, somebody: Client) -> int:
    return 2**31 - 1


def preferred(make: Make, preferences: Callable[[Any], dict[str, Any]], hidden: str) -> dict[str, Use]:
    """Returns what a person prefers, by the method that says it."""

    def account(item: Any) -> dict[str, Any]:
        return {"user": {"userName": name(), "email": f"{name()}@example.org", "preferences": preferences(item)}}

    def change(item: Any) -> dict[str, Any]:
        return {"user": {"preferences": preferences(item)}, "updateMask": "preferences"}

    return {
        "UserService/CreateUser": Use(make, asks(account), hidden, role="superadmin"),
        "UserService/UpdateCurrentUser": Use(make, asks(change), hidden),
        "UserService/UpdateUser": Use(
            make, about(World.unneeded_user, lambda user, item: {"id": user} | change(item)), hidden, role="superadmin"
        ),
    }


def _limit(scope: str, field: str) -> Callable[[Any], dict[str, Any]]:
    """Returns the request of a quota for a group or a person."""
    given = {"scope": f"QUOTA_SCOPE_{scope}", "period": "QUOTA_PERIOD_MONTH", "maxTokens": 5}
    return lambda item: {"quota": given | {field: item}}


def _changed(key: str) -> Callable[[Any, Any], dict[str, Any]]:
    return lambda own, item: {"id": own, "quota": {key: item}, "updateMask": key}


def _service_account(key: str, *, many: bool = False) -> Any:
    """Returns a change of a service account that refers to something."""

    def change(own: Any, item: Any) -> dict[str, Any]:
        return {"id": own, "serviceAccount": {key: [item] if many else item}, "updateMask": key}

    return about(World.service_account, change)


USES: dict[tuple[str, str], Use] = {
    # What its owner has removed must be kept, too.
    ("LegalHoldService/CreateLegalHold", "legal_hold.chat_session_id"): Use(
        World.session, asks(lambda item: {"legalHold": {"chatSessionId": item, "reason": "Case 7"}}), "", OK
    ),
    **{
        ("QuotaService/UpdateQuota", f"quota.{field}"): Use(
            no_user,
            about(World.quota, _changed(key)),
            "",
            "INVALID_ARGUMENT",
            role="superadmin",
        )
        for field, key in (("group_id", "groupId"), ("user_id", "userId"))
    },
    ("QuotaService/CreateQuota", "quota.group_id"): Use(
        no_user, asks(_limit("GROUP", "groupId")), "", role="superadmin"
    ),
    ("QuotaService/CreateQuota", "quota.user_id"): Use(no_user, asks(_limit("USER", "userId")), "", role="superadmin"),
    ("ApiKeyService/CreateApiKey", "assistant_ids"): Use(
        World.assistant, asks(lambda item: {"name": name(), "assistantIds": [item]}), "hidden"
    ),
    ("ApiKeyService/CreateApiKey", "connector_ids"): Use(
        World.connector, asks(lambda item: {"name": name(), "connectorIds": [item]})
    ),
    ("ServiceAccountService/ListServiceAccounts", "owner_group_id"): Use(
        World.group, asks(lambda item: {"ownerGroupId": item}), "", NOTHING
    ),
    ("ServiceAccountService/CreateServiceAccount", "service_account.groups"): Use(
        no_group,
        about(
            World.group, lambda own, item: {"serviceAccount": {"name": name(), "ownerGroupId": own, "groups": [item]}}
        ),
        "",
        role="superadmin",
    ),
    ("ServiceAccountService/UpdateServiceAccount", "service_account.groups"): Use(
        no_group, _service_account("groups", many=True), "", role="superadmin"
    ),
    ("ServiceAccountService/UpdateServiceAccount", "service_account.owner_group_id"): Use(
        World.group, _service_account("ownerGroupId"), "", role="superadmin"
    ),
    ("ServiceAccountService/CreateServiceAccountKey", "assistant_ids"): Use(
        World.assistant,
        about(World.service_account, lambda own, item: {"id": own, "name": name(), "assistantIds": [item]}),
        "hidden",
        role="superadmin",
    ),
    ("ServiceAccountService/CreateServiceAccountKey", "connector_ids"): Use(
        World.connector,
        about(World.service_account, lambda own, item: {"id": own, "name": name(), "connectorIds": [item]}),
        role="superadmin",
    ),
    ("GroupService/AddGroupMembers", "user_ids"): Use(
        no_user, about(World.group, lambda own, item: {"id": own, "userIds": [item]}), "", role="superadmin"
    ),
    ("GroupService/RemoveGroupMembers", "user_ids"): Use(
        no_user, about(World.group, lambda own, item: {"id": own, "userIds": [item]}), "", role="superadmin"
    ),
    ("GroupService/SetGroupAdmin", "user_id"): Use(
        no_user,
        about(World.group, lambda own, item: {"id": own, "userId": item, "isAdmin": True}),
        "",
        role="superadmin",
    ),
    ("ScimClientService/GiveUserToScimClient", "user_id"): Use(
        no_user, about(World.scim_client, lambda own, item: {"id": own, "userId": item}), "", role="superadmin"
    ),
} | {
    (method, f"user.preferences.{field}"): use
    for field, make, preferences, hidden in (
        ("default_assistant_id", World.assistant, lambda item: {"defaultAssistantId": item}, "hidden"),
        ("run_options.llm_id", World.llm, lambda item: {"runOptions": {"llmId": item}}, ""),
    )
    for method, use in preferred(make, preferences, hidden).items()
}
