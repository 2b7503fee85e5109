"""Microsoft 365 on loopback, and sources that read it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec

from echomind_ingestor.connectors.protocol import SourceConnector, SourceContext
from echomind_lib.config.settings import ConnectorSettings
from echomind_lib.connectors.types.microsoft import MicrosoftApplication, MicrosoftCredentials
from echomind_lib.network.fetching import AllowedHosts
from tests.conformance.doubles.graph.server import CLIENT_ID, CLIENT_SECRET, GraphServer
from tests.conformance.doubles.graph.tenant import TENANT_ID, Tenant
from tests.conformance.doubles.stored import Stored
from tests.drivers.serving import serving

Source = TypeVar("Source", bound=SourceConnector[Any])

APPLICATION = MicrosoftCredentials(
    application=MicrosoftApplication(tenant_id=TENANT_ID, client_id=CLIENT_ID, client_secret=CLIENT_SECRET)
)


class Organization:
    """A tenant with its server, and what a connector has stored of it."""

    def __init__(self, server: GraphServer) -> None:
        self.server = server
        self.tenant = server.tenant
        self.stored = Stored()
        self.saved: list[Any] = []

    def source(
        self,
        type_: type[Source],
        settings: msgspec.Struct,
        *,
        syncs_permissions: bool = True,
        credentials: MicrosoftCredentials = APPLICATION,
    ) -> Source:
        """Returns a source of a connector."""

        async def save(credentials: msgspec.Struct) -> None:
            self.saved.append(credentials)

        context = SourceContext(
            connector_id=1,
            settings=settings,
            credentials=credentials,
            syncs_permissions=syncs_permissions,
            save_credentials=save,
            find_known=self.stored.find_known,
            find_children=self.stored.find_children,
            server=ConnectorSettings(microsoft_graph_url=self.server.origin, microsoft_login_url=self.server.origin),
            allowed_hosts=AllowedHosts("localhost"),
        )
        return type_(context)


@asynccontextmanager
async def organization() -> AsyncIterator[Organization]:
    """Serves an organization; at its end, each request and answer was one that the official description knows."""
    server = GraphServer(Tenant())
    async with serving(server.app) as server.origin:
        yield Organization(server)
        assert server.violations == []
