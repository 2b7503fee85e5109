"""Tests of connectors, which the gateway asks for: each right that a source needs is tried by itself."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import asyncpg
import msgspec
import structlog
from nats.aio.msg import Msg

from echomind_ingestor.connectors.protocol import Check, Known, SourceContext, SourceError
from echomind_ingestor.sync.credentials import StoredCredentials
from echomind_lib.config import Settings
from echomind_lib.connectors import SettingsError, find_definition
from echomind_lib.network.fetching import AllowedHosts
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ConnectorTestReply, ConnectorTestRequest
from echomind_lib.pb.echomind.public.v1 import connector_pb2
from echomind_lib.secrets import Secrets, SecretUnreadableError
from echomind_lib.text import single_line

log = structlog.get_logger(__name__)

TEST_SECONDS: Final = 45.0
"""How long a source may take; sooner than the gateway gives up."""
_MOST_CHECKS: Final = 100
_STATUSES: Final = {
    "passed": connector_pb2.CHECK_STATUS_PASSED,
    "warning": connector_pb2.CHECK_STATUS_WARNING,
    "failed": connector_pb2.CHECK_STATUS_FAILED,
}


class SourceTests:
    """Answers `sources.test`."""

    def __init__(self, pool: asyncpg.Pool, secrets: Callable[[], Secrets], settings: Settings) -> None:
        self._pool = pool
        self._secrets = secrets
        self._server = settings.connectors
        self._allowed_hosts = AllowedHosts(settings.fetch.allowed_hosts)
        self._folders = settings.connectors.allowed_folders

    async def answer(self, message: Msg) -> None:
        """Replies with what was tried. What goes wrong is a failed check, and says what to do."""
        request = ConnectorTestRequest.FromString(message.data)
        checks = await self.run(request)
        reply = ConnectorTestReply(
            checks=[
                connector_pb2.ConnectorCheck(
                    name=single_line(check.name, 200),
                    status=_STATUSES[check.status],
                    message=single_line(check.message, 2000),
                )
                for check in checks[:_MOST_CHECKS]
            ]
        )
        await message.respond(reply.SerializeToString())

    async def run(self, request: ConnectorTestRequest) -> Sequence[Check]:
        """Returns what was tried."""
        definition = find_definition(request.type_name)
        if definition is None:
            return [_failed("Find the connector type", f"{request.type_name} is not installed where ingestors run.")]
        try:
            source = definition.load()
        except ImportError as error:
            missing = error.name or "a package"
            return [
                _failed("Load the connector", f"{definition.title} needs {missing}: install it where ingestors run.")
            ]
        try:
            context = self._context(request, definition)
            async with asyncio.timeout(TEST_SECONDS), source(context) as opened:
                return [*await opened.check()]
        except TimeoutError:
            return [
                _failed("Reach the source", f"It did not answer within {TEST_SECONDS:.0f} seconds: try again later.")
            ]
        except SecretUnreadableError:
            return [_failed("Read the credentials", "They were stored with another key: enter them again.")]
        except SettingsError as error:
            return [_failed("Read the settings", str(error))]
        except SourceError as error:
            return [_failed("Reach the source", error.message)]
        except Exception:
            log.exception("a connector's test failed", connector_type=request.type_name)
            return [
                _failed("Run the test", "The connector failed in a way that it should not. The log has the reason.")
            ]

    def _context(self, request: ConnectorTestRequest, definition: Any) -> SourceContext[Any]:
        stored = StoredCredentials(
            self._pool, self._secrets, definition, request.connector_id, request.encrypted_credentials or None
        )
        return SourceContext(
            connector_id=request.connector_id,
            settings=definition.read_settings(msgspec.json.decode(request.config)),
            credentials=stored.read(),
            syncs_permissions=request.syncs_permissions,
            save_credentials=stored.replace,
            read_credentials=stored.read_again,
            find_known=_nothing_known,
            find_children=_no_children,
            server=self._server,
            allowed_hosts=self._allowed_hosts,
            folders=self._folders,
        )


def _failed(name: str, message: str) -> Check:
    return Check(name=name, status="failed", message=message)


async def _nothing_known(ids: Iterable[str]) -> Mapping[str, Known]:  # noqa: ARG001 - a test compares nothing
    return {}


async def _no_children(folder_id: str) -> AsyncIterator[Sequence[str]]:  # noqa: ARG001 - a test compares nothing
    nothing: tuple[Sequence[str], ...] = ()
    for page in nothing:
        yield page
