"""The services of the product as processes whose work is counted."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from pydantic import BaseModel, SecretStr

from echomind.local.embedded.process import ProcessSpec, answers_ok, python_module
from echomind_lib.config import Settings
from tests.drivers.counting import CountedService
from tests.drivers.servers import running


class Processes:
    """The services as processes."""

    def __init__(self, folder: Path, logs: Path) -> None:
        self._folder, self._logs = folder, logs
        self._running: dict[str, ExitStack] = {}

    def start(self, name: str, settings: Settings, *options: str) -> CountedService:
        """Starts a service and waits until it serves."""
        stack = self._running[name] = ExitStack()
        process = stack.enter_context(running(_Service(name, settings, self._folder, options), self._logs))
        return CountedService(process, self._folder, name)

    def stop(self, name: str) -> None:
        """Stops a service."""
        self._running.pop(name).close()

    def close(self) -> None:
        """Stops all of them."""
        for name in list(self._running):
            self.stop(name)


class _Service:
    """A service as a server of the tests."""

    def __init__(self, name: str, settings: Settings, folder: Path, options: Sequence[str]) -> None:
        self._name, self._settings, self._folder, self._options = name, settings, folder, options

    def prepare(self) -> None:
        """Has nothing to prepare."""

    def spec(self) -> ProcessSpec:
        port = getattr(self._settings, self._name).health_port
        return ProcessSpec(
            f"budget-{self._name}",
            python_module("tests.drivers.counted_service", self._name, str(self._folder), *self._options),
            {**os.environ, **environment(self._settings), "PYTHONPATH": str(Path(__file__).parents[2])},
            # The others are ready when embeddings are, which this process serves.
            lambda: answers_ok(port, "/readyz" if self._name == "agent" else "/healthz"),
        )


def environment(settings: Settings) -> dict[str, str]:
    """Returns the environment variables of settings."""
    found = {}
    for section, value in settings:
        if not isinstance(value, BaseModel):
            if value is not None:
                found[f"ECHOMIND_{section}".upper()] = str(value)
            continue
        for name, setting in value:
            if setting is not None:
                text = setting.get_secret_value() if isinstance(setting, SecretStr) else str(setting)
                found[f"ECHOMIND_{section}__{name}".upper()] = text
    return found
