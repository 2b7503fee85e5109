"""What tests do with a gateway in this process."""

import os
import socket
import sys
from collections.abc import Awaitable, Callable

from echomind.local.embedded.process import ProcessSpec
from echomind_api.auth.failures import FailedCredentials
from echomind_api.main import Gateway
from tests.drivers.client import Client

NewUser = Callable[..., Awaitable[Client]]
Process = Callable[[int | str], Awaitable[None]]


def forget_failed_credentials(gateway: Gateway) -> None:
    """Lifts the limits that failed credentials have set."""
    vars(gateway.parts.dependencies.failures).update(vars(FailedCredentials()))


def forget_rates(gateway: Gateway) -> None:
    """Forgets what binds callers and what they have used of it, as a gateway that has just begun."""
    gateway.parts.dependencies.principals._known.clear()
    gateway.parts.limits._shared._batches.clear()


class EmbeddingProcess:
    """`echomind-ingestor embed` as a server of the tests."""

    def __init__(self, url: str) -> None:
        self._url = url

    def prepare(self) -> None:
        """Has nothing to prepare."""

    def spec(self) -> ProcessSpec:
        host, _, port = self._url.partition(":")

        def is_ready() -> bool:
            with socket.socket() as probe:
                probe.settimeout(0.5)
                return probe.connect_ex((host, int(port))) == 0

        return ProcessSpec(
            "embedding",
            [sys.executable, "-m", "echomind_ingestor.main", "embed"],
            os.environ | {"ECHOMIND_EMBEDDING__URL": self._url},
            is_ready,
        )
