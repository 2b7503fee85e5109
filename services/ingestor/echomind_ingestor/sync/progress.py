"""Progress of a sync, for open pages and command lines: notifies them to read the rows again."""

import time
from typing import Final

from echomind_lib.messaging import CONNECTOR_CHANGED, Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ConnectorChanged

_SECONDS: Final = 1.0
"""Minimum interval between messages about pages."""


class Progress:
    """Publishes the progress of a sync."""

    def __init__(self, bus: Bus, connector_id: int) -> None:
        self._bus = bus
        self._connector_id = connector_id
        self._published = 0.0

    async def publish(self, *, sometimes: bool = False) -> None:
        """Publishes that the connector or its sync has changed.

        Args:
            sometimes: Whether it may be omitted if there was a message just before.
        """
        now = time.monotonic()
        if sometimes and now - self._published < _SECONDS:
            return
        self._published = now
        await self._bus.publish(CONNECTOR_CHANGED, ConnectorChanged(connector_id=self._connector_id))
