"""References of connectors, documents and searches."""

from tests.drivers.client import Client
from tests.factories import rows
from tests.factories.references.use import NOTHING, Use, about, asks
from tests.factories.world import World, name


async def group(world: World, ownership: str, somebody: Client) -> str:
    return "elsewhere"


async def connector_name(world: World, ownership: str, somebody: Client) -> str:
    made: str = await world.pool.fetchval(
        "SELECT name FROM connectors WHERE id = $1", await world.connector(ownership, somebody)
    )
    return made


async def archive(world: World, ownership: str, somebody: Client) -> int:
    """Returns a document that contains another one."""
    made = await world.document(ownership, somebody)
    connector = await world.pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", made)
    await rows.document(world.pool, connector_id=connector, parent_id=made)
    return made


SCOPE = {"scope": "SCOPE_GROUP"}


USES: dict[tuple[str, str], Use] = {
    ("ConnectorService/ListConnectors", "name"): Use(
        connector_name, asks(lambda item: {"name": item}), expected=NOTHING, role="superadmin"
    ),
    ("ConnectorService/CreateConnector", "connector.scope_id"): Use(
        group,
        asks(lambda item: {"connector": {"name": name(), "type": "CONNECTOR_TYPE_FILE", "scopeId": item} | SCOPE}),
        expected="GROUP_REQUIRED",
        role="admin",
    ),
    ("ConnectorService/UpdateConnector", "connector.scope_id"): Use(
        group,
        about(
            World.connector,
            lambda own, item: {"id": own, "connector": {"scopeId": item} | SCOPE, "updateMask": "scope,scopeId"},
        ),
        expected="GROUP_REQUIRED",
        role="admin",
    ),
    ("DocumentService/ListDocuments", "connector_id"): Use(
        World.connector, asks(lambda item: {"connectorId": item}), expected=NOTHING
    ),
    ("DocumentService/ListDocuments", "ids"): Use(World.document, asks(lambda one: {"ids": [one]}), expected=NOTHING),
    ("DocumentService/ListDocuments", "filter.connector_ids"): Use(
        World.connector, asks(lambda item: {"filter": {"connectorIds": [item]}}), expected=NOTHING
    ),
    ("DocumentService/CountDocuments", "filter.connector_ids"): Use(
        World.connector, asks(lambda item: {"filter": {"connectorIds": [item], "query": "\x01"}}), expected=NOTHING
    ),
    ("DocumentService/DeleteDocuments", "selection.filter.connector_ids"): Use(
        World.connector, asks(lambda item: {"selection": {"filter": {"connectorIds": [item]}}}), expected=NOTHING
    ),
    ("DocumentService/RetryDocuments", "selection.filter.connector_ids"): Use(
        World.connector, asks(lambda item: {"selection": {"filter": {"connectorIds": [item]}}}), expected=NOTHING
    ),
    ("DocumentService/MoveDocuments", "selection.ids"): Use(
        World.document,
        about(World.connector, lambda own, item: {"selection": {"ids": [item]}, "connectorId": own}),
    ),
    ("DocumentService/MoveDocuments", "selection.filter.connector_ids"): Use(
        World.connector,
        about(
            World.connector, lambda own, item: {"selection": {"filter": {"connectorIds": [item]}}, "connectorId": own}
        ),
        expected=NOTHING,
    ),
    ("DocumentService/ListDocuments", "filter.parent_id"): Use(
        archive, asks(lambda item: {"filter": {"parentId": item}}), expected=NOTHING
    ),
    ("DocumentService/CountDocuments", "filter.parent_id"): Use(
        archive, asks(lambda item: {"filter": {"parentId": item, "query": "\x01"}}), expected=NOTHING
    ),
    ("DocumentService/DeleteDocuments", "selection.filter.parent_id"): Use(
        archive, asks(lambda item: {"selection": {"filter": {"parentId": item}}}), expected=NOTHING
    ),
    ("DocumentService/RetryDocuments", "selection.filter.parent_id"): Use(
        archive, asks(lambda item: {"selection": {"filter": {"parentId": item}}}), expected=NOTHING
    ),
    ("DocumentService/MoveDocuments", "selection.filter.parent_id"): Use(
        archive,
        about(World.connector, lambda own, item: {"selection": {"filter": {"parentId": item}}, "connectorId": own}),
        expected=NOTHING,
    ),
    ("SearchService/Search", "notebook_id"): Use(
        World.notebook,
        asks(lambda item: {"query": "x", "mode": "SEARCH_MODE_LEXICAL", "notebookId": item}),
        role="superadmin",
    ),
    ("SearchService/Search", "connector_ids"): Use(
        World.connector,
        asks(lambda item: {"query": "x", "mode": "SEARCH_MODE_LEXICAL", "connectorIds": [item]}),
        expected=NOTHING,
        role="superadmin",
    ),
}
