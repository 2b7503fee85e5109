"""What the tests of the command line share: a small HTTP server in the API's place, and a way to run commands."""

import pytest

from tests.drivers.api_server import UPLOAD, ApiServer
from tests.drivers.document_store import Store
from tests.drivers.shell import api, shell

__all__ = ["api", "shell", "store"]


@pytest.fixture
def store(api: ApiServer) -> Store:
    store = Store()
    api.on("UserService/GetCurrentUser", {"id": 1, "userName": "owner", "email": "owner@localhost"})
    api.on("ConnectorService/ListConnectors", store.list_connectors)
    api.on(UPLOAD, store.upload)
    api.on("ConnectorService/ReconcileDocuments", store.reconcile)
    api.on("DocumentService/ListDocuments", store.list_documents)
    return store
