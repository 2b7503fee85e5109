"""Tests of connectors, requested by the gateway: each right that a source needs is checked separately."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import structlog
from nats.aio.msg import Msg

from echomind_ingestor.connectors.protocol import Check, CredentialsRejectedError, SourceError
from echomind_ingestor.sync.opening import Sources
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ConnectorTestReply, ConnectorTestRequest
from echomind_lib.pb.echomind.public.v1 import connector_pb2
from echomind_lib.text import single_line

log = structlog.get_logger(__name__)

TEST_SECONDS: Final = 45.0
"""Time-out of a source; shorter than the gateway's."""
_MAX_CHECKS: Final = 100
_STATUSES: Final = {
    "passed": connector_pb2.CHECK_STATUS_PASSED,
    "warning": connector_pb2.CHECK_STATUS_WARNING,
    "failed": connector_pb2.CHECK_STATUS_FAILED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tested:
    """The connector of a request."""

    connector_id: int
    type: str
    config: dict[str, Any]
    encrypted_credentials: str | None
    permission_mode: str


class SourceTests:
    """Serves the subject `sources.test`."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    async def answer(self, message: Msg) -> None:
        """Replies with the checks. Errors become a failed check, which says what to do."""
        request = ConnectorTestRequest.FromString(message.data)
        checks = await self.run(request)
        reply = ConnectorTestReply(
            checks=[
                connector_pb2.ConnectorCheck(
                    name=single_line(check.name, 200),
                    status=_STATUSES[check.status],
                    message=single_line(check.message, 2000),
                )
                for check in checks[:_MAX_CHECKS]
            ]
        )
        await message.respond(reply.SerializeToString())

    async def run(self, request: ConnectorTestRequest) -> Sequence[Check]:
        """Returns the results of the checks; a fault of EchoMind is a failed one, so that there is always an answer."""
        try:
            return await self._run(request)
        except Exception:
            log.exception("connector test failed", connector_type=request.type_name)
            return [
                _failed("Run the test", "The connector failed in a way that it should not. The log has the reason.")
            ]

    async def _run(self, request: ConnectorTestRequest) -> Sequence[Check]:
        tested = _Tested(
            connector_id=request.connector_id,
            type=request.type_name,
            config=msgspec.json.decode(request.config),
            encrypted_credentials=request.encrypted_credentials or None,
            permission_mode="source" if request.syncs_permissions else "scope",
        )
        try:
            source = self._sources.open(tested)
        except CredentialsRejectedError as error:
            return [_failed("Read the credentials", error.message)]
        except SourceError as error:
            return [_failed("Open the connector", error.message)]
        try:
            async with asyncio.timeout(TEST_SECONDS), source as opened:
                return [*await opened.check()]
        except TimeoutError:
            return [
                _failed(
                    "Reach the connected system",
                    f"It did not answer within {TEST_SECONDS:.0f} seconds: try again later.",
                )
            ]
        except SourceError as error:
            return [_failed("Reach the connected system", error.message)]


def _failed(name: str, message: str) -> Check:
    return Check(name=name, status="failed", message=message)
