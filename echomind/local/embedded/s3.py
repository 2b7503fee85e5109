"""An S3 server: `nanio`, which keeps objects as plain files."""

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
class S3Server:
    """An S3 server with its buckets in `data_dir`. A key cannot be a prefix folder of another (`a` and `a/b`)."""

    data_dir: Path
    port: int
    access_key: str
    secret_key: str

    @property
    def endpoint(self) -> str:
        """URL for clients, without the keys."""
        return f"http://{LOOPBACK}:{self.port}"

    def prepare(self) -> None:
        """Create the data folder."""
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)

    def spec(self) -> ProcessSpec:
        """Returns the server process. It opens its port when it can serve."""
        arguments = ["serve", "--data-dir", str(self.data_dir), "--host", LOOPBACK, "--port", str(self.port)]
        arguments += ["--no-access-log", "--log-level", "warning", "--gc-abandoned-uploads"]
        return ProcessSpec(
            name="s3",
            argv=python_module("echomind.local.embedded.s3_server", *arguments),
            entry=EntryPoint("echomind.local.embedded.s3_server:main", arguments),
            env=inherited_environment() | {"NANIO_ACCESS_KEY": self.access_key, "NANIO_SECRET_KEY": self.secret_key},
            ready=lambda: accepts_connections(self.port),
        )
