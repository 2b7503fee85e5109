"""EchoMind as a user starts it: `echomind up` in a folder of its own, and calls of its REST API."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from bench.children import Children
from echomind.local.data_folder import DataFolder
from echomind.local.embedded.process import LOOPBACK, ProcessSpec, free_port
from echomind.local.stack import EMBEDDING_URL, plan_servers
from echomind_lib.config import Settings

# Identifies the processes of the stack by the first of these texts in a command line.
_MARKS = {
    "echomind-api": "api",
    "echomind-agent": "agent",
    "echomind-ingestor embed": "embedding",
    "echomind-ingestor": "ingestor",
    "qdrant_server": "qdrant",
    "nats-server": "nats",
    "s3_server": "s3",
    "bin/postgres": "postgres",
    "watchdog": "watchdog",
}
_SETTLE_SECONDS = 120.0
_INGEST_SECONDS = 3600.0
WITHOUT_GUIDE = {"ECHOMIND_API__GUIDE": "false"}
"""Setting of an EchoMind that has no documents of its own."""
PROGRAM = Path(sys.executable).parent / "echomind"


class Product:
    """A running EchoMind.

    Attributes:
        url: Its address.
        grpc_address: Host and port of its gRPC.
        data_dir: Its data folder.
        seconds_to_start: From the command to ready.
        root: The process `echomind up`.
    """

    def __init__(
        self,
        children: Children,
        data_dir: Path,
        *,
        agents: int = 1,
        name: str = "echomind",
        environment: Mapping[str, str] | None = None,
        program: Path = PROGRAM,
    ) -> None:
        """Starts it and waits until it is ready.

        Args:
            children: Ends it with the rest.
            data_dir: Its data folder; made when it is missing.
            agents: Agent workers.
            name: Stem of the log of `echomind up`.
            environment: Settings beside those of this process's environment.
            program: What is started; that of another checkout to measure an earlier commit.
        """
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.data_dir = data_dir
        grpc_port = free_port()
        self.grpc_address = f"127.0.0.1:{grpc_port}"
        announced = data_dir / "run" / "url"
        options = ["--agents", str(agents), "--data-dir", str(data_dir)]
        options += ["--http-port", str(port), "--grpc-port", str(grpc_port)]
        spec = ProcessSpec(
            name=name,
            argv=[str(program), "up", "--no-browser", *options],
            # One person asks all questions, so raise the limit of active runs.
            env={**os.environ, "ECHOMIND_AGENT__RUNS_PER_PERSON": "10000", **(environment or {})},
            ready=lambda: announced.exists() and announced.read_text(encoding="utf-8").strip() == self.url,
            ready_timeout=180,
            stop_timeout=15,
        )
        began = time.perf_counter()
        self.root = children.start(spec)
        self.seconds_to_start = time.perf_counter() - began
        self.key = (data_dir / "owner-api-key").read_text(encoding="utf-8").strip()

    def processes(self) -> dict[str, psutil.Process]:
        """Returns what `echomind up` has started, by role, each to be counted with what descends from it."""
        found: dict[str, psutil.Process] = {}
        for child in self.root.children():
            command = " ".join(child.cmdline())
            role = next((role for mark, role in _MARKS.items() if mark in command), child.name())
            number = sum(name.partition("-")[0] == role for name in found)
            found[f"{role}-{number + 1}" if number else role] = child
        return found

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Calls its REST API.

        Args:
            method: HTTP method.
            path: Path under `/api/v1`, beginning with `/`.
            body: JSON to send.

        Raises:
            RuntimeError: It refused; the message has its answer.
        """
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                answer: dict[str, Any] = json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from error
        return answer

    def ingest(self, folder: Path, *options: str) -> dict[str, Any]:
        """Brings a folder in, as `echomind ingest` does it, and returns what that says.

        Raises:
            RuntimeError: The command failed, or a document did.
        """
        command = [str(PROGRAM), "ingest", str(folder), "--wait", "--json", "--url", self.url, "--api-key", self.key]
        done = subprocess.run(
            [*command, *options], capture_output=True, text=True, timeout=_INGEST_SECONDS, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"`echomind ingest` failed with status {done.returncode}:\n{done.stderr[-3000:]}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def settle(self) -> None:
        """Waits until no document waits or is being processed: a new EchoMind reads its own guide.

        Raises:
            RuntimeError: That takes more than two minutes.
        """
        deadline = time.monotonic() + _SETTLE_SECONDS
        while any(
            self.call("GET", f"/documents?pageSize=1&status=DOCUMENT_STATUS_{status}").get("documents")
            for status in ("PENDING", "PROCESSING")
        ):
            if time.monotonic() > deadline:
                raise RuntimeError("documents are still being processed")
            time.sleep(0.2)

    def settings(self) -> Settings:
        """Returns where its servers are, and the secrets that they ask for."""
        folder = DataFolder(self.data_dir)
        ports = folder.remembered_ports()
        _, environment = plan_servers(folder, ports, os.environ)
        environment |= {EMBEDDING_URL: f"{LOOPBACK}:{ports['embedding']}"}
        prefix = "ECHOMIND_"
        sections: dict[str, dict[str, str]] = {}
        for name, value in environment.items():
            section, _, setting = name.removeprefix(prefix).lower().partition("__")
            if name.startswith(prefix) and setting:
                sections.setdefault(section, {})[setting] = value
        return Settings.model_validate(sections)

    def use_model(self, stub_url: str, profile: str) -> None:
        """Makes a profile of the stub the default model, adding it when it is new."""
        known = {llm["name"]: llm["id"] for llm in self.call("GET", "/llms?pageSize=1000")["llms"]}
        if profile in known:
            # The stub's port is another one when the data folder is of an earlier run.
            self.call(
                "PATCH", f"/llms/{known[profile]}", {"isDefault": True, "endpoint": f"{stub_url}/v1", "apiKey": "none"}
            )
            return
        model = {
            "name": profile,
            "provider": "LLM_PROVIDER_OPENAI",
            "modelId": profile,
            "endpoint": f"{stub_url}/v1",
            "apiKey": "none",
            "isDefault": True,
        }
        self.call("POST", "/llms", model)
