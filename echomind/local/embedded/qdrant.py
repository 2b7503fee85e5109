"""The Qdrant-compatible server as a process: see `qdrant_server`."""

from dataclasses import dataclass
from pathlib import Path

from echomind.local.embedded.process import (
    LOOPBACK,
    EntryPoint,
    ProcessSpec,
    accepts_connections,
    inherited_environment,
    python_module,
)


@dataclass(frozen=True)
class QdrantServer:
    """One Qdrant-compatible server with its collections in `data_dir`; it speaks gRPC only."""

    data_dir: Path
    port: int
    api_key: str

    @property
    def url(self) -> str:
        """URL of the gRPC port."""
        return f"http://{LOOPBACK}:{self.port}"

    def prepare(self) -> None:
        """Create the data folder."""
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)

    def spec(self) -> ProcessSpec:
        """Returns the server process. It opens its port when all collections are loaded."""
        arguments = ["--data-dir", str(self.data_dir), "--port", str(self.port)]
        return ProcessSpec(
            name="qdrant",
            argv=python_module("echomind.local.embedded.qdrant_server", *arguments),
            entry=EntryPoint("echomind.local.embedded.qdrant_server:main", arguments),
            env=inherited_environment() | {"QDRANT__SERVICE__API_KEY": self.api_key},
            ready=lambda: accepts_connections(self.port),
            # Loading may replay a long write-ahead log.
            ready_timeout=300,
        )
