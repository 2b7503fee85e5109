"""The calls about accounts, groups, and what signs in."""

from tests.factories.permissions.rows import (
    ADMINS,
    ANYTHING,
    EVERYONE,
    FORBIDDEN,
    HIDDEN,
    IN_BROWSER,
    OK,
    PERSONAL,
    SUPERADMINS,
    Row,
    by_id,
    empty,
    patch,
)
from tests.factories.world import UNMAINTAINED, World, name

MATRIX_PASSWORD = "a password of the matrix"

GROUPS_READ = {"": (HIDDEN, OK, OK), "administered": EVERYONE}
GROUPS_MANAGED = {"": (HIDDEN, FORBIDDEN, OK), "administered": EVERYONE}

ROWS: dict[str, Row] = {
    "ApiKeyService/ListApiKeys": Row(World.nothing, empty, ANYTHING),
    "ApiKeyService/CreateApiKey": Row(World.nothing, lambda _: {"name": name()}, ANYTHING),
    "ApiKeyService/RotateApiKey": Row(World.api_key, by_id, PERSONAL),
    "ApiKeyService/SetApiKeyQuotas": Row(World.api_key, by_id, PERSONAL),
    "ApiKeyService/DeleteApiKey": Row(World.api_key, by_id, PERSONAL),
    "DeviceSignInService/StartDeviceSignIn": Row(World.nothing, lambda _: {"clientName": name()}, ANYTHING),
    "DeviceSignInService/CompleteDeviceSignIn": Row(
        World.device_sign_in, lambda code: {"deviceCode": str(code)}, ANYTHING
    ),
    "DeviceSignInService/FindDeviceSignIn": Row(
        World.device_sign_in, lambda code: {"userCode": str(code)}, {"": IN_BROWSER}
    ),
    "DeviceSignInService/DecideDeviceSignIn": Row(
        World.device_sign_in, lambda code: {"userCode": str(code)}, {"": IN_BROWSER}
    ),
    "AuthService/GetSignInOptions": Row(World.nothing, empty, ANYTHING),
    "AuthService/CreateSignInLink": Row(
        World.user, lambda user: {"userId": user}, {"own": EVERYONE, "foreign": (HIDDEN, FORBIDDEN, OK)}
    ),
    "AuthService/CreatePasswordLink": Row(
        World.user,
        lambda user: {"userId": user},
        {"own": SUPERADMINS, "foreign": (HIDDEN, FORBIDDEN, OK)},
    ),
    "AuthService/SetPassword": Row(
        World.nothing, lambda _: {"password": MATRIX_PASSWORD, "currentPassword": MATRIX_PASSWORD}, ANYTHING
    ),
    "DirectoryService/SearchDirectory": Row(World.nothing, lambda _: {"query": name()}, ANYTHING),
    "GroupService/ListGroups": Row(World.nothing, empty, ANYTHING),
    "GroupService/GetGroup": Row(World.group, by_id, GROUPS_READ),
    "GroupService/ListGroupMembers": Row(World.group, by_id, GROUPS_READ),
    "GroupService/CreateGroup": Row(World.nothing, lambda _: {"group": {"name": name()}}, {"": SUPERADMINS}),
    "GroupService/UpdateGroup": Row(World.group, patch("group", "description", name), {"": SUPERADMINS}),
    "GroupService/DeleteGroup": Row(World.group, by_id, {"": SUPERADMINS}),
    "GroupService/AddGroupMembers": Row(World.group, lambda group: {"id": group, "userIds": [1]}, GROUPS_MANAGED),
    "GroupService/RemoveGroupMembers": Row(World.group, lambda group: {"id": group, "userIds": [1]}, GROUPS_MANAGED),
    "GroupService/SetGroupAdmin": Row(
        World.group, lambda group: {"id": group, "userId": 1, "isAdmin": True}, {"with a member": SUPERADMINS}
    ),
    "IdentityProviderService/ListIdentityProviders": Row(World.nothing, empty, {"": SUPERADMINS}),
    "IdentityProviderService/GetIdentityProvider": Row(World.identity_provider, by_id, {"": SUPERADMINS}),
    "IdentityProviderService/CreateIdentityProvider": Row(
        World.nothing,
        lambda _: {
            "identityProvider": {
                "name": f"p{name()}",
                "issuer": f"https://{name()}.example.org",
                "clientId": "echomind",
            }
        },
        {"": SUPERADMINS},
    ),
    "IdentityProviderService/UpdateIdentityProvider": Row(
        World.identity_provider, patch("identityProvider", "title", name), {"": SUPERADMINS}
    ),
    "IdentityProviderService/DeleteIdentityProvider": Row(World.identity_provider, by_id, {"": SUPERADMINS}),
    "IdentityProviderService/TestIdentityProvider": Row(
        World.named_identity_provider, lambda provider: {"name": str(provider)}, {"": SUPERADMINS}
    ),
    "InvitationService/ListInvitations": Row(World.nothing, empty, {"": ADMINS}),
    "InvitationService/CreateInvitation": Row(World.nothing, lambda _: {"invitation": {}}, {"": SUPERADMINS}),
    "InvitationService/DeleteInvitation": Row(World.invitation, by_id, {"": SUPERADMINS}),
    "ScimClientService/ListScimClients": Row(World.nothing, empty, {"": SUPERADMINS}),
    "ScimClientService/GetScimClient": Row(World.scim_client, by_id, {"": SUPERADMINS}),
    "ScimClientService/CreateScimClient": Row(
        World.nothing, lambda _: {"scimClient": {"name": f"c{name()}"}}, {"": SUPERADMINS}
    ),
    "ScimClientService/DeleteScimClient": Row(World.scim_client, by_id, {"": SUPERADMINS}),
    "ScimClientService/CreateScimToken": Row(World.scim_client, by_id, {"": SUPERADMINS}),
    "ScimClientService/DeleteScimToken": Row(
        World.scim_client, lambda client: {"id": client, "tokenId": client}, {"": SUPERADMINS}
    ),
    "ScimClientService/GiveUserToScimClient": Row(
        World.scim_client, lambda client: {"id": client, "userId": client - UNMAINTAINED}, {"": SUPERADMINS}
    ),
    "ServiceAccountService/ListServiceAccounts": Row(World.nothing, empty, ANYTHING),
    "ServiceAccountService/GetServiceAccount": Row(World.service_account, by_id, GROUPS_READ),
    "ServiceAccountService/CreateServiceAccount": Row(
        World.group, lambda group: {"serviceAccount": {"name": name(), "ownerGroupId": group}}, GROUPS_MANAGED
    ),
    "ServiceAccountService/UpdateServiceAccount": Row(
        World.service_account, patch("serviceAccount", "purpose", name), GROUPS_MANAGED
    ),
    "ServiceAccountService/DeleteServiceAccount": Row(World.service_account, by_id, GROUPS_MANAGED),
    "ServiceAccountService/ListServiceAccountKeys": Row(World.service_account, by_id, GROUPS_MANAGED),
    "ServiceAccountService/CreateServiceAccountKey": Row(
        World.service_account, lambda account: {"id": account, "name": name()}, GROUPS_MANAGED
    ),
    "ServiceAccountService/RotateServiceAccountKey": Row(
        World.service_account, lambda account: {"id": account, "keyId": account}, GROUPS_MANAGED
    ),
    "ServiceAccountService/SetServiceAccountKeyQuotas": Row(
        World.service_account, lambda account: {"id": account, "keyId": account}, GROUPS_MANAGED
    ),
    "ServiceAccountService/DeleteServiceAccountKey": Row(
        World.service_account, lambda account: {"id": account, "keyId": account}, GROUPS_MANAGED
    ),
    "UserService/GetCurrentUser": Row(World.nothing, empty, ANYTHING),
    "UserService/StreamUserEvents": Row(World.nothing, empty, ANYTHING),
    "UserService/UpdateCurrentUser": Row(
        World.nothing, lambda _: {"user": {"firstName": "A"}, "updateMask": "firstName"}, ANYTHING
    ),
    "UserService/ListUsers": Row(World.nothing, empty, {"": ADMINS}),
    "UserService/GetUser": Row(World.user, by_id, {"own": EVERYONE, "foreign": (HIDDEN, OK, OK)}),
    "UserService/ListUserAccess": Row(
        World.user,
        lambda user: {"id": user, "kind": "ACCESS_KIND_CONNECTOR"},
        {"own": SUPERADMINS, "foreign": SUPERADMINS},
    ),
    "UserService/CreateUser": Row(
        World.nothing, lambda _: {"user": {"userName": name(), "email": f"{name()}@example.org"}}, {"": SUPERADMINS}
    ),
    "UserService/UpdateUser": Row(
        World.user, patch("user", "firstName", name), {"own": SUPERADMINS, "foreign": SUPERADMINS}
    ),
    "UserService/SetEmailVerified": Row(World.unneeded_user, by_id, {"foreign": SUPERADMINS}),
    "UserService/SignOutUser": Row(World.unneeded_user, by_id, {"foreign": SUPERADMINS}),
    "UserService/PurgeUser": Row(World.unneeded_user, by_id, {"foreign": SUPERADMINS}),
    "WebSessionService/ListWebSessions": Row(World.nothing, empty, ANYTHING),
    "WebSessionService/DeleteWebSession": Row(World.web_session, by_id, PERSONAL),
    "WebSessionService/DeleteOtherWebSessions": Row(World.nothing, empty, ANYTHING),
}
