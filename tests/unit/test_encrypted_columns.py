"""The registry of encrypted columns: what rotates with a new key, and that nothing encrypted is outside of it."""

import ast
import re

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import LargeBinary

from echomind_lib.db.models import Base
from echomind_lib.encrypted_columns import ENCRYPTED, replaced, tokens
from tests.factories.secret_columns import SECRET_NAME
from tests.paths import ROOT

NOT_ENCRYPTED: dict[str, str] = {
    "audit_log.credential": "the path of a key, such as `api-keys/12`",
    "credentials.password_hash": "an argon2 hash",
}
"""Columns with such a name that hold no token, and why."""
WRITERS = {
    "echomind_lib/assistants/mcp_servers.py": {"assistants.config", "assistant_versions.config"},
    "echomind_lib/mappers/embedding_models.py": {"embedding_models.api_key"},
    "echomind_lib/mappers/identity_providers.py": {"identity_providers.encrypted_client_secret"},
    "echomind_lib/mappers/llms.py": {"llms.api_key"},
    "echomind_lib/mappers/rerankers.py": {"rerankers.api_key"},
    "services/api/echomind_api/administration/secret_keys.py": set(),
    "services/api/echomind_api/auth/provider_sign_in.py": {"sign_in_attempts.encrypted_verifier"},
    "services/api/echomind_api/sources/connector_settings.py": {"connectors.encrypted_credentials"},
    "services/api/echomind_api/sources/connector_sign_ins.py": {"connector_sign_ins.encrypted_verifier"},
    "services/api/echomind_api/webhooks/webhooks.py": {
        "webhooks.encrypted_secret",
        "webhooks.encrypted_previous_secret",
    },
    "services/ingestor/echomind_ingestor/sync/credentials.py": {"connectors.encrypted_credentials"},
}
"""The modules that encrypt, each with the columns in which its tokens are stored."""
REGISTERED = {each.name for group in ENCRYPTED for each in group}


def test_columns_with_the_name_of_a_secret_are_registered() -> None:
    named = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.tables.values()
        for column in table.columns
        if SECRET_NAME.search(column.name) and not isinstance(column.type, LargeBinary) and not column.foreign_keys
    }
    text = {name for name in named if not name.endswith(("_count", "_id", "_at", "_until"))}
    assert text - REGISTERED == set(NOT_ENCRYPTED)


def test_each_module_that_encrypts_stores_into_registered_columns() -> None:
    found = set()
    for folder in ("services", "echomind_lib"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.name == "secrets.py" or "Secrets" not in (source := path.read_text()):
                continue
            calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
            if any(isinstance(call, ast.Attribute) and call.attr == "encrypt" for call in calls) and re.search(
                r"secrets(\(\))?\.encrypt\(", source
            ):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == set(WRITERS)
    assert set().union(*WRITERS.values()) == REGISTERED


SERVERS = [{"name": "files", "url": "x", "env": {"A": "token 1", "B": "token 2"}, "headers": {}}, {"name": "bare"}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("token 0", ["token 0"]),
        ({}, []),
        ({"maxSteps": 3, "mcpServers": SERVERS}, ["token 1", "token 2"]),
        ({"name": "x", "config": {"mcpServers": SERVERS}}, ["token 1", "token 2"]),
        ({"name": "x", "config": None}, []),
    ],
)
def test_every_token_of_a_value_is_replaced_and_nothing_else(value: object, expected: list[str]) -> None:
    assert list(tokens(value)) == expected
    new = replaced(value, lambda token: f"{token}!")
    assert list(tokens(new)) == [f"{token}!" for token in expected]
    assert replaced(new, lambda token: token.rstrip("!")) == value


def test_a_key_is_fernet() -> None:
    from echomind_lib.secret_key_file import new_key

    Fernet(new_key())
