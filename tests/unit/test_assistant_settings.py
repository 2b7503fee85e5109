"""The stored configuration of assistants as the services read it."""

import pytest

from echomind_lib.assistants.assistant_settings import AssistantSettings, McpServerSettings, read_settings
from echomind_lib.models.public import AssistantConfig, McpServer, McpTransport, WaitStrategy


def test_what_the_api_stores_is_read() -> None:
    server = McpServer(name="files", transport=McpTransport.STDIO, command="files", allowed_tools=["read*"])
    config = AssistantConfig(
        tools=["calculator"],
        add_history_to_context=False,
        num_history_runs=3,
        max_run_tokens=10**12,
        max_depth=0,
        ask_clarifications=True,
        approval_tools=["order"],
        wait_strategy=WaitStrategy.MAJORITY,
        summarize_after_tokens=500,
        mcp_servers=[server],
    )
    assert read_settings(config.model_dump(mode="json", exclude_none=True)) == AssistantSettings(
        tools=("calculator",),
        add_history_to_context=False,
        num_history_runs=3,
        max_run_tokens=10**12,
        max_depth=0,
        ask_clarifications=True,
        approval_tools=("order",),
        wait_strategy="WAIT_STRATEGY_MAJORITY",
        summarize_after_tokens=500,
        mcp_servers=(McpServerSettings(name="files", command="files", allowed_tools=("read*",)),),
        team_mode="TEAM_MODE_UNSPECIFIED",
    )


@pytest.mark.parametrize("config", [None, {}, {"tools": None, "addHistoryToContext": None, "mcpServers": None}])
def test_missing_and_null_fields_have_their_defaults(config: dict[str, object] | None) -> None:
    settings = read_settings(config)
    assert settings == AssistantSettings()
    assert settings.add_history_to_context
    assert settings.default_wait_strategy == "all"


@pytest.mark.parametrize(
    ("stored", "strategy"),
    [("WAIT_STRATEGY_ANY", "any"), ("WAIT_STRATEGY_MAJORITY", "majority"), ("WAIT_STRATEGY_UNSPECIFIED", "all")],
)
def test_the_wait_strategy_is_the_databases_word(stored: str, strategy: str) -> None:
    assert read_settings({"waitStrategy": stored}).default_wait_strategy == strategy
