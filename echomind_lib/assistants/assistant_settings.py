"""An assistant's `config` for the services, parsed from the stored ProtoJSON."""

from collections.abc import Mapping
from typing import Any

import msgspec

from echomind_lib.db.words import TeamMode, WaitStrategy

_WAIT_STRATEGIES: Mapping[str, WaitStrategy] = {"WAIT_STRATEGY_ANY": "any", "WAIT_STRATEGY_MAJORITY": "majority"}


_TEAM_MODES: Mapping[str, TeamMode] = {"TEAM_MODE_ROUTE": "route", "TEAM_MODE_COLLABORATE": "collaborate"}


class McpServerSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A server of the Model Context Protocol, as stored: the values of `env`, `headers` and `oauth` are encrypted."""

    name: str
    command: str = ""
    """The program to start; empty for a server with a URL."""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = ""
    headers: dict[str, str] = {}
    oauth: dict[str, str] = {}
    """How EchoMind signs in at it; empty if it does not."""
    allowed_tools: tuple[str, ...] = ()
    read_only_tools: tuple[str, ...] = ()
    timeout_seconds: int = 0
    """Timeout of one call in seconds; 0 for the default."""
    trust_read_only_hints: bool = False
    trusted_destination: bool = False
    untrusted_descriptions: bool = False


class AssistantSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The fields of `AssistantConfig` (assistant.proto) that a run uses.

    A root run copies the limits when the question is asked; a member's limits are read when it is given a task. 0
    stands for a default, which depends on the reader.
    """

    tools: tuple[str, ...] = ()
    """Names of its tools; empty for the default set."""
    approval_tools: tuple[str, ...] = ()
    """Names of the tools that need a person's approval."""
    add_history_to_context: bool = True
    num_history_runs: int = 0
    summarize_after_tokens: int = 0
    ask_clarifications: bool = False
    max_steps: int = 0
    timeout_seconds: int = 0
    max_run_tokens: int = 0
    max_cost: float = 0.0
    max_depth: int | None = None
    """Maximum nesting depth of sub-agents; None for the default."""
    wait_strategy: str = ""
    """The API's enum name; `default_wait_strategy` returns the stored value."""
    mcp_servers: tuple[McpServerSettings, ...] = ()
    team_mode: str = ""
    """The API's enum name; `mode` returns the stored value."""

    @property
    def mode(self) -> TeamMode:
        """Returns its team mode, if it has members."""
        return _TEAM_MODES.get(self.team_mode, "coordinate")

    @property
    def default_wait_strategy(self) -> WaitStrategy:
        """Returns which results a step with several calls waits for, unless the model chooses."""
        return _WAIT_STRATEGIES.get(self.wait_strategy, "all")


def read_settings(config: Mapping[str, Any] | None) -> AssistantSettings:
    """Returns the settings of a stored `assistants.config`; missing and null fields have their defaults.

    Raises:
        msgspec.ValidationError: It was not stored by the API.
    """
    # ProtoJSON writes 64-bit integers as strings.
    return msgspec.convert(_without_nulls(config or {}), AssistantSettings, strict=False)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
