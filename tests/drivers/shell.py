"""A way to run commands of the command line."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from typer import testing
from typer.testing import CliRunner, Result

from echomind.cli.app import app
from tests.drivers.api_server import ApiServer

# Otherwise each call builds all commands again, which takes longer than running most of them.
testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]


@dataclass
class Shell:
    """Runs commands against the server."""

    api: ApiServer
    data_dir: Path

    def run(self, *arguments: str, key: str = "secret", code: int = 0, typed: str = "") -> Result:
        """Runs a command, with what a person types, and expects its exit code."""
        environment = {"ECHOMIND_URL": self.api.url, "ECHOMIND_API_KEY": key, "ECHOMIND_DATA_DIR": str(self.data_dir)}
        result = CliRunner().invoke(app, list(arguments), input=typed, env=environment)
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Runs a command with `--json` and gives the one object that it printed."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)
