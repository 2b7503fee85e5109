"""The variables that pages of the guide set: a shell reads them, and EchoMind starts with what they say."""

import os
import subprocess
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from echomind_lib.config import Settings
from tests.drivers.snippets import Snippet, to_run
from tests.drivers.tables import for_each


def _given(snippets: list[Snippet]) -> dict[str, str]:
    """Returns the variables that a shell has after it has read the snippets, whether they export them or not."""
    script = "set -a\n" + "".join(snippet.text for snippet in snippets) + "env -0"
    found = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, check=True, env={"PATH": "/bin"})
    pairs = (line.partition("=") for line in found.stdout.split("\0"))
    return {name: value for name, _, value in pairs if name.startswith("ECHOMIND_")}


def _at(settings: BaseModel, variable: str) -> Any:
    """Returns the value of a setting by its variable."""
    value: Any = settings
    for name in variable.removeprefix("ECHOMIND_").lower().split("__"):
        value = value[name] if isinstance(value, dict) else getattr(value, name)
    return value.get_secret_value() if isinstance(value, SecretStr) else value


@for_each(
    "found",
    [
        to_run("folders-and-stores.md", "sh"),
        to_run("mcp-servers.md", "sh"),
        to_run("single-sign-on.md", "sh"),
        to_run("tools.md", "sh"),
        to_run("traces.md", "sh"),
    ],
    ids=lambda found: str(found[0].page),
)
def test_settings_are_what_a_page_says(found: list[Snippet], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("ECHOMIND_")]:
        monkeypatch.delenv(name)
    variables = _given([snippet for snippet in found if snippet.sets_variables])
    assert variables
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    for name, value in variables.items():
        read = _at(settings, name)
        assert read == value if isinstance(read, str) else str(read) in (value, value.replace('"', "'")), name
