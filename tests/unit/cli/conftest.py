"""What the tests of the command line share: a small HTTP server in the API's place, and a way to run commands."""

import pytest

from tests.drivers.api_server import ApiServer
from tests.drivers.document_store import Store
from tests.drivers.shell import api, shell

__all__ = ["api", "shell", "store"]


@pytest.fixture
def store(api: ApiServer) -> Store:
    store = Store()
    api.on("GET /api/v1/users/me", {"id": 1, "userName": "owner", "email": "owner@localhost"})
    api.on("GET /api/v1/connectors", store.list_connectors)
    api.on("POST /api/v1/documents:upload", store.upload)
    api.on(r"POST /api/v1/connectors/\d+:reconcile", store.reconcile)
    api.on("GET /api/v1/documents", store.list_documents)
    api.on(r"GET /api/v1/documents/\d+", store.get)
    return store
