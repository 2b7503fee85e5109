"""A WebDAV server process on loopback, whose files lie in a folder."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from echomind.local.embedded.process import ProcessSpec, accepts_connections, free_port
from tests.drivers.servers import StartServer


@dataclass(frozen=True)
class WebdavServer:
    """A server with one account."""

    folder: Path
    port: int
    username: str = "anna"
    password: str = "secret"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def prepare(self) -> None:
        self.folder.mkdir(exist_ok=True)

    def spec(self) -> ProcessSpec:
        config = self.folder.parent / "wsgidav.json"
        values = {
            "host": "127.0.0.1",
            "port": self.port,
            "provider_mapping": {"/": str(self.folder)},
            "simple_dc": {"user_mapping": {"*": {self.username: {"password": self.password}}}},
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
        }
        config.write_text(json.dumps(values))
        return ProcessSpec(
            name="webdav",
            argv=[
                sys.executable,
                "-m",
                "wsgidav.server.server_cli",
                "--config",
                str(config),
                "--server",
                "wsgiref",
                "--quiet",
            ],
            env=dict(os.environ),
            ready=lambda: accepts_connections(self.port),
        )


@pytest.fixture(scope="session")
def webdav_server(tmp_path_factory: pytest.TempPathFactory, start_server: StartServer) -> WebdavServer:
    server = WebdavServer(tmp_path_factory.mktemp("webdav") / "files", free_port())
    start_server(server)
    return server
