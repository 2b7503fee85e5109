"""The calls about connectors, their syncs and documents."""

from typing import Any

from tests.factories.permissions.rows import (
    ANYTHING,
    DISABLED,
    FORBIDDEN,
    MANAGED,
    OWNERSHIPS,
    PERSONAL,
    SHARED,
    SUPERADMINS,
    Row,
    by_id,
    empty,
    patch,
)
from tests.factories.world import World, name

FILE = {"sourceId": "matrix.txt", "content": "eA=="}


def selected(document: Any) -> dict[str, Any]:
    return {"selection": {"ids": [document]}}


ROWS: dict[str, Row] = {
    "ConnectorService/ListConnectors": Row(World.nothing, empty, ANYTHING),
    "ConnectorService/GetConnector": Row(World.connector, by_id, SHARED),
    "ConnectorService/CreateConnector": Row(
        World.nothing,
        lambda _: {"connector": {"name": name(), "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_ORG"}},
        {"": SUPERADMINS},
    ),
    "ConnectorService/UpdateConnector": Row(World.connector, patch("connector", "name", name), MANAGED),
    "ConnectorService/DeleteConnector": Row(World.connector, by_id, MANAGED),
    "ConnectorService/ReconcileDocuments": Row(World.connector, by_id, MANAGED),
    "ConnectorService/ListConnectorTypes": Row(World.nothing, empty, ANYTHING),
    "ConnectorService/TestConnector": Row(World.connector, by_id, MANAGED),
    "ConnectorService/PauseConnector": Row(World.synced, by_id, MANAGED),
    "ConnectorService/ResumeConnector": Row(World.synced, by_id, MANAGED),
    "ConnectorService/DisableConnector": Row(World.synced, by_id, DISABLED),
    "ConnectorService/EnableConnector": Row(World.synced, by_id, DISABLED),
    "ConnectorService/StartConnectorSignIn": Row(World.synced, by_id, MANAGED),
    # In a browser alone.
    "ConnectorService/CompleteConnectorSignIn": Row(
        World.nothing, lambda _: {"state": "x", "code": "x"}, {"": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
    ),
    "ConnectorService/ListConnectedAccounts": Row(World.nothing, empty, ANYTHING),
    "ConnectorService/DisconnectAccount": Row(World.signed_in, by_id, PERSONAL),
    "ConnectorSyncService/SyncConnector": Row(World.synced, by_id, MANAGED),
    "ConnectorSyncService/CancelConnectorSync": Row(World.synced, by_id, MANAGED),
    "ConnectorSyncService/ListConnectorSyncs": Row(World.synced, lambda connector: {"connectorId": connector}, SHARED),
    "ConnectorSyncService/GetConnectorSync": Row(World.connector_sync, by_id, SHARED),
    "ConnectorSyncService/ListConnectorSyncFailures": Row(World.connector_sync, by_id, MANAGED),
    "ConnectorSyncService/ListConnectorSyncRemovals": Row(World.connector_sync, by_id, MANAGED),
    "ConnectorSyncService/ConfirmConnectorSync": Row(World.connector_sync, by_id, MANAGED),
    "ConnectorSyncService/RejectConnectorSync": Row(World.connector_sync, by_id, MANAGED),
    "DocumentService/ListDocuments": Row(World.nothing, empty, ANYTHING),
    "DocumentService/CountDocuments": Row(World.nothing, empty, ANYTHING),
    "DocumentService/ListDocumentFolders": Row(World.connector, lambda connector: {"connectorId": connector}, SHARED),
    "DocumentService/UpdateDocument": Row(World.document, patch("document", "title", name), MANAGED),
    "DocumentService/DeleteDocuments": Row(World.document, selected, MANAGED),
    "DocumentService/RetryDocuments": Row(World.document, selected, MANAGED),
    "DocumentService/MoveDocuments": Row(
        World.connector,
        lambda connector: {"selection": {"filter": {"query": "\x01"}}, "connectorId": connector},
        MANAGED,
    ),
    "DocumentService/GetDocument": Row(World.document, by_id, SHARED),
    "DocumentService/UploadDocument": Row(
        World.connector, lambda connector: {"connectorId": connector} | FILE, MANAGED
    ),
    "DocumentService/DeleteDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/PurgeDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/RetryDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/GetDocumentText": Row(World.document, by_id, SHARED),
    "DocumentService/ListDocumentChunks": Row(World.document, by_id, SHARED),
    "SearchService/Search": Row(World.nothing, lambda _: {"query": "x", "mode": "SEARCH_MODE_LEXICAL"}, ANYTHING),
    "SourcePermissionService/ListSourcePeople": Row(
        World.connector, lambda connector: {"connectorId": connector}, dict.fromkeys(OWNERSHIPS, SUPERADMINS)
    ),
    "SourcePermissionService/ListSourceGroups": Row(
        World.connector, lambda connector: {"connectorId": connector}, dict.fromkeys(OWNERSHIPS, SUPERADMINS)
    ),
    "SourcePermissionService/SetSourceAlias": Row(
        World.user,
        lambda user: {"key": f"user:test:{name()}", "userId": user},
        {"own": SUPERADMINS, "foreign": SUPERADMINS},
    ),
    "SourcePermissionService/ListSourceAliases": Row(World.nothing, empty, {"": SUPERADMINS}),
    "SourcePermissionService/ListDocumentReaders": Row(
        World.document, lambda document: {"documentId": document}, MANAGED
    ),
}
