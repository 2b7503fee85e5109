"""SeaweedFS, as the compose file starts it: `make images` brings the program."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import urllib3
import yaml
from urllib3.exceptions import HTTPError

from echomind.local.embedded.process import LOOPBACK, ProcessSpec, free_port
from tests.paths import ROOT

PROGRAM = ROOT / "build" / "seaweedfs" / "bin" / "weed"
PORT = 8333
"""Of S3 in the compose file."""


@dataclass(frozen=True)
class SeaweedServer:
    """A server with the compose file's command, on ports of its own of loopback."""

    folder: Path
    port: int
    secret_key: str

    access_key = "echomind"

    @property
    def endpoint(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def prepare(self) -> None:
        (self.folder / "data").mkdir(parents=True, exist_ok=True)

    def spec(self) -> ProcessSpec:
        """Returns the process."""
        service = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]["s3"]
        command = re.sub(r"\$\$", "$", service["command"][0])
        places = {"-dir=/data": f"-dir={self.folder}/data", f"-s3.port={PORT}": f"-s3.port={self.port}"}
        places |= {"/tmp/s3.json": f"{self.folder}/s3.json", "exec weed": f"exec {PROGRAM}"}
        for name, value in places.items():
            assert name in command, name
            command = command.replace(name, value)
        own = [f"-ip={LOOPBACK}", f"-ip.bind={LOOPBACK}"]
        for part in ("master", "volume", "filer"):
            own += [f"-{part}.port={free_port()}", f"-{part}.port.grpc={free_port()}"]
        own.append(f"-s3.port.grpc={free_port()}")
        return ProcessSpec(
            name="s3",
            argv=[*service["entrypoint"], f"cd {self.folder} && {command} {' '.join(own)}"],
            env=service["environment"]
            | {"PATH": os.environ["PATH"], "HOME": str(self.folder), "S3_SECRET_KEY": self.secret_key},
            ready=self._serves,
        )

    def _serves(self) -> bool:
        """Asks for the list of buckets, which is refused without a signature when S3 serves."""
        try:
            return urllib3.request("GET", self.endpoint, timeout=2, retries=False).status == 403
        except HTTPError:
            return False
