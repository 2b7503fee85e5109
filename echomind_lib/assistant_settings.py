"""An assistant's `config` as the services read it: the stored ProtoJSON, parsed once."""

from collections.abc import Mapping
from typing import Any

import msgspec

from echomind_lib.db.words import TeamMode, WaitStrategy

_WAIT_STRATEGIES: Mapping[str, WaitStrategy] = {"WAIT_STRATEGY_ANY": "any", "WAIT_STRATEGY_MAJORITY": "majority"}


_TEAM_MODES: Mapping[str, TeamMode] = {"TEAM_MODE_ROUTE": "route", "TEAM_MODE_COLLABORATE": "collaborate"}


class McpServerSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A server of the Model Context Protocol, as stored: the values of `env` and `headers` are encrypted."""

    name: str
    command: str = ""
    """The program to start; empty for a server at an address."""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = ""
    headers: dict[str, str] = {}
    allowed_tools: tuple[str, ...] = ()
    read_only_tools: tuple[str, ...] = ()
    timeout_seconds: int = 0
    """Timeout of one call in seconds; 0 for the default."""
    trust_read_only_hints: bool = False
    trusted_destination: bool = False


class AssistantSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The fields of `AssistantConfig` (assistant.proto) that a run uses.

    Limits of a root were copied into its run when it was asked; those of a member are read when it is given a task.
    Numbers that are 0 stand for a default, which whoever reads them knows.
    """

    tools: tuple[str, ...] = ()
    """Names of the tools that it has; empty for the usual ones."""
    approval_tools: tuple[str, ...] = ()
    """Names of the tools that are called only after a person has approved it."""
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
    """The contract's word; `default_wait_strategy` has the database's."""
    mcp_servers: tuple[McpServerSettings, ...] = ()
    team_mode: str = ""
    """The contract's word; `mode` has ours."""

    @property
    def mode(self) -> TeamMode:
        """Returns its team mode, if it has members."""
        return _TEAM_MODES.get(self.team_mode, "coordinate")

    @property
    def default_wait_strategy(self) -> WaitStrategy:
        """Returns which results a step with several calls waits for, unless the model chooses."""
        return _WAIT_STRATEGIES.get(self.wait_strategy, "all")


def read_settings(config: Mapping[str, Any] | None) -> AssistantSettings:
    """Returns the settings of a stored `assistants.config`; fields that are missing or null have their defaults.

    Raises:
        msgspec.ValidationError: It is not what the API stores.
    """
    # ProtoJSON writes 64-bit integers as strings.
    return msgspec.convert(_without_nulls(config or {}), AssistantSettings, strict=False)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value
