"""Every column and every field has its place: mapped, or named with the reason why not."""

import pkgutil
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import inspect

from echomind_lib import mappers
from echomind_lib.assistants import mcp_servers
from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import assistants, connectors, documents, llms, users
from echomind_lib.mappers.columns import pick
from echomind_lib.models import public
from echomind_lib.secrets import Secrets
from tests.drivers.tables import for_each
from tests.factories.mapped import MAPPED
from tests.factories.mapped.base import Mapped
from tests.paths import ROOT

BEYOND = {
    "ClaimMapping",
    "ConnectedAccount",
    "ConnectorSyncFailure",
    "FeedbackRate",
    "KnowledgeFeedback",
    "ReceivedShare",
    "SearchHit",
    "SourceAlias",
    "SourceGroup",
    "Step",
}
"""Models of some columns of a row, of several rows, or of what is no row."""
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SECRETS = Secrets([Fernet.generate_key().decode()])


def columns_of(noun: Mapped) -> set[str]:
    return {attribute.key for attribute in inspect(noun.row).column_attrs}


def test_all_nouns_are_here() -> None:
    modules = {info.name for info in pkgutil.iter_modules(mappers.__path__)}
    assert modules <= MAPPED.keys() | {"columns", "differences"}
    files = [path for folder in ("echomind_lib", "services") for path in (ROOT / folder).rglob("*.py")]
    read = {name for path in files for name in re.findall(r"(\w+)\.from_row\(", path.read_text("utf-8"))}
    assert read - {noun.model.__name__ for noun in MAPPED.values()} == BEYOND
    assert {MAPPED[name].model.__name__ for name in MAPPED.keys() - modules} <= read


@for_each("noun", MAPPED.values(), ids=MAPPED.keys())
def test_every_column_is_mapped_or_internal(noun: Mapped) -> None:
    assert columns_of(noun) == (noun.model.model_fields.keys() - noun.derived.keys()) | noun.internal.keys()
    assert not noun.model.model_fields.keys() & noun.internal.keys()


@for_each("noun", MAPPED.values(), ids=MAPPED.keys())
def test_every_field_is_mapped_or_derived(noun: Mapped) -> None:
    assert noun.model.model_fields.keys() == (columns_of(noun) - noun.internal.keys()) | noun.derived.keys()
    assert all(reason.strip() for reason in [*noun.internal.values(), *noun.derived.values()])


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
filled = text.filter(bool)


@given(
    st.fixed_dictionaries(
        {
            "user_name": st.from_regex("[a-zä][a-z@.]{0,9}", fullmatch=True),
            "email": st.from_regex("[a-zä]{1,9}@[a-z.]{1,9}", fullmatch=True),
            "first_name": filled | st.none(),
            "last_name": filled | st.none(),
            "roles": st.sampled_from([["user"], ["user", "admin"], ["user", "admin", "superadmin"]]),
            "groups": st.lists(filled, unique=True, max_size=3).map(sorted),
            "preferences": st.builds(
                public.Preferences,
                default_assistant_id=st.integers(0, 2**31 - 1),
                theme=st.sampled_from(public.Theme),
                follow_answers=st.booleans() | st.none(),
            ).map(lambda given: given.model_dump(mode="json", exclude_none=True)),
            "is_active": st.booleans(),
        }
    )
)
def test_users_go_there_and_back(columns: dict[str, Any]) -> None:
    row = rows.User(id=3, creation_date=NOW, last_login=NOW, is_email_verified=True, **columns)
    user = users.to_model(row)
    assert (user.id, user.creation_date, user.last_login, user.last_update) == (3, NOW, NOW, None)
    assert users.to_columns(user, public.User.model_fields) == columns
    assert public.User.model_validate_json(user.to_json()) == user


def test_everyone_has_the_role_user() -> None:
    assert users.to_columns(
        public.User(user_name="kim", email="kim@example.org", roles=[public.Role.ADMIN]), ["roles"]
    ) == {"roles": ["user", "admin"]}


@given(
    st.fixed_dictionaries(
        {
            "name": filled,
            "type": st.sampled_from(
                [kind.word for kind in public.ConnectorType if kind is not public.ConnectorType.UNSPECIFIED]
            ),
            "config": st.dictionaries(text, text, max_size=3),
            "refresh_freq_minutes": st.integers(1, 525600) | st.none(),
            "permission_mode": st.sampled_from(["scope", "source"]),
            "scope": st.sampled_from(["user", "group", "org"]),
            "scope_id": filled | st.none(),
        }
    ),
    st.sampled_from(
        [status.word for status in public.ConnectorStatus if status is not public.ConnectorStatus.UNSPECIFIED]
    ),
)
def test_connectors_go_there_and_back(columns: dict[str, Any], status: str) -> None:
    row = rows.Connector(id=3, user_id=4, status=status, docs_analyzed=2**40, encrypted_credentials="x", **columns)
    connector = connectors.to_model(row)
    assert connectors.to_columns(connector, public.Connector.model_fields) == columns
    assert connector.status.word == status
    assert b"encrypted" not in connector.to_json()


def test_a_connector_without_scope_is_its_owners() -> None:
    connector = public.Connector(name="x", type=public.ConnectorType.FILE, scope=public.Scope.UNSPECIFIED)
    assert connectors.to_columns(connector, ["scope", "scope_id"]) == {"scope": "user", "scope_id": None}


@given(
    st.fixed_dictionaries(
        {
            "name": filled,
            "provider": st.sampled_from(["openai", "tgi", "vllm", "anthropic", "ollama", "extractive"]),
            "model_id": filled,
            "endpoint": st.just("http://localhost:1/v1") | st.none(),
            "max_tokens": st.integers(1, 10**6) | st.none(),
            "temperature": st.sampled_from([0.0, 0.7, 2.0]) | st.none(),
            "context_tokens": st.integers(1, 10**7) | st.none(),
            "input_price": st.sampled_from([0.0, 0.25]) | st.none(),
            "output_price": st.sampled_from([0.0, 1.5]) | st.none(),
            "is_default": st.booleans(),
            "is_active": st.booleans(),
        }
    ),
    st.booleans(),
)
def test_chat_models_go_there_and_back_without_their_key(columns: dict[str, Any], has_key: bool) -> None:
    key = SECRETS.encrypt("sk-" + "k" * 4000) if has_key else None
    llm = llms.to_model(rows.Llm(id=3, api_key=key, **columns))
    assert (llm.api_key, llm.has_api_key) == ("", has_key)
    assert llms.to_columns(llm, public.Llm.model_fields, SECRETS) == {"api_key": None} | columns


def test_keys_are_encrypted_on_the_way_in() -> None:
    llm = public.Llm(name="x", provider="LLM_PROVIDER_OPENAI", model_id="m", api_key="sk-1")  # type: ignore[arg-type]
    stored = llms.to_columns(llm, ["api_key"], SECRETS)["api_key"]
    assert "sk-1" not in stored
    assert SECRETS.decrypt(stored) == "sk-1"


UNSET_CONFIG = {
    "tools": [],
    "numHistoryRuns": 0,
    "maxSteps": 0,
    "timeoutSeconds": 0,
    "maxRunTokens": "0",
    "maxCost": 0.0,
    "askClarifications": False,
    "approvalTools": [],
    "waitStrategy": "WAIT_STRATEGY_UNSPECIFIED",
    "teamMode": "TEAM_MODE_UNSPECIFIED",
    "summarizeAfterTokens": 0,
    "mcpServers": [],
}


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "tools": st.lists(filled, unique=True, max_size=3),
            "addHistoryToContext": st.booleans(),
            "numHistoryRuns": st.integers(0, 100),
            "maxSteps": st.integers(0, 1000),
            "timeoutSeconds": st.integers(0, 86400),
            "maxRunTokens": st.integers(0, 2**40).map(str),
            "maxCost": st.floats(0, 10**6),
            "maxDepth": st.integers(0, 10),
            "askClarifications": st.booleans(),
            "approvalTools": st.lists(filled, unique=True, max_size=3),
            "waitStrategy": st.sampled_from(["WAIT_STRATEGY_ALL", "WAIT_STRATEGY_ANY", "WAIT_STRATEGY_MAJORITY"]),
            "summarizeAfterTokens": st.integers(0, 10**7),
        },
    )
)
def test_assistants_keep_their_config_as_protojson(config: dict[str, Any]) -> None:
    assistant = public.Assistant.model_validate({"name": "x", "llmId": 3, "config": config})
    columns = assistants.to_columns(assistant, public.Assistant.model_fields, SECRETS)
    assert columns["config"] == UNSET_CONFIG | config
    assert assistants.to_model(rows.Assistant(id=1, **columns)).config == assistant.config


def test_an_assistant_without_config_keeps_none() -> None:
    columns = assistants.to_columns(public.Assistant(name="x"), ["config", "llm_id"], SECRETS)
    assert columns == {"config": {}, "llm_id": None}


def servers_of(assistant: public.Assistant) -> list[public.McpServer]:
    assert assistant.config is not None
    return assistant.config.mcp_servers


secrets_by_name = st.dictionaries(st.from_regex("[A-Z]{1,8}", fullmatch=True), filled, max_size=3)


@given(secrets_by_name, secrets_by_name)
def test_secrets_of_mcp_servers_are_sealed_and_kept(first: dict[str, str], second: dict[str, str]) -> None:
    """An empty value keeps the stored one, any other replaces it, and what is not named any more is gone."""

    def written(env: dict[str, str]) -> public.Assistant:
        server = {"name": "s", "transport": "MCP_TRANSPORT_STDIO", "command": "c", "env": env}
        return public.Assistant.model_validate({"name": "x", "config": {"mcpServers": [server]}})

    def opened(config: dict[str, Any]) -> dict[str, str]:
        return mcp_servers.decrypt(config["mcpServers"][0], "env", SECRETS)

    config = assistants.to_columns(written(first), ["config"], SECRETS)["config"]
    assert opened(config) == first
    again = second | dict.fromkeys(list(first)[:1], "")
    changed = assistants.to_columns(written(again), ["config"], SECRETS, config)["config"]
    assert opened(changed) == again | {name: first[name] for name in list(first)[:1]}
    row = rows.Assistant(id=1, name="x", config=changed)
    (shown,) = servers_of(assistants.to_model(row))
    assert shown.env == dict.fromkeys(again, "")
    (seen,) = servers_of(assistants.to_model(row, to_manage=False))
    assert (seen.name, seen.command, seen.env) == ("s", "", {})
    assert opened(row.config) == opened(changed)  # showing changes nothing


def test_an_empty_secret_needs_a_stored_one() -> None:
    server = {"name": "s", "transport": "MCP_TRANSPORT_STREAMABLE_HTTP", "url": "http://h", "headers": {"X": ""}}
    assistant = public.Assistant.model_validate({"name": "x", "config": {"mcpServers": [server]}})
    with pytest.raises(ValidationFailedError) as caught:
        assistants.to_columns(assistant, ["config"], SECRETS)
    assert caught.value.metadata.keys() == {"assistant.config.mcpServers.0.headers.X"}
    assert assistants.to_columns(assistant, ["name"], SECRETS) == {"name": "x"}


def test_a_document_does_not_reveal_where_it_is_stored() -> None:
    row = rows.Document(
        id=2**40, connector_id=1, source_id="a/b", url="minio:bucket:key", title="", status="failed", chunk_count=0
    )
    document = documents.to_model(row)
    assert document.status is public.DocumentStatus.FAILED
    assert document.parent_id is None
    assert b"minio" not in document.to_json()


def test_only_present_fields_are_written_and_others_refused() -> None:
    assert pick(public.Assistant, {"a": 1, "b": 2}, ["a", "id", "creation_date"]) == {"a": 1}
    assert pick(public.Assistant, {"a": 1}, ["version"]) == {}
    with pytest.raises(ValidationFailedError) as caught:
        pick(public.Assistant, {"a": 1}, ["a", "other"])
    assert caught.value.metadata == {"other": "cannot be changed here"}
