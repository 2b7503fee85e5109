"""Code that reads tables with owners uses `echomind_lib.access`, or is listed here with the reason.

An owned table has a `user_id`, or rows that must refer to one that has. A module asks `access` when it uses one of its
rules, or one of the functions that look something up as the caller.
"""

import ast

from tests.drivers.sql_statements import TABLES
from tests.drivers.sql_uses import modules, uses_by_module
from tests.factories.allowed_reads import ALLOWED

RULES = {
    "echomind_lib.access": {
        "assistants",
        "chat_sessions",
        "connectors",
        "connectors_by_name",
        "connectors_of_scopes",
        "evaluation_datasets",
        "evaluation_runs",
        "memories",
        "runs",
        "webhooks",
    },
    "echomind_lib.access.documents": {"documents", "documents_cited", "documents_of_scopes", "is_source_reader"},
    "echomind_lib.access.shares": {"is_shared_with"},
    "echomind_lib.access.sources": {
        "asker_may_read_sources",
        "may_read_sources",
        "sources_publishable",
        "sources_readable",
    },
    "echomind_lib.access.knowledge": {"knowledge", "knowledge_listed", "knowledge_of_scopes"},
    "echomind_lib.access.assistant_choice": {"choose_assistant", "chosen", "usable"},
    "echomind_lib.access.notebooks": {"in_notebook", "is_member_of", "may_ask_in", "notebooks", "require_may_ask"},
    "echomind_api.conversations.access": {"require_session"},
    "echomind_api.notebooks.access": {"find_notebook", "require_notebook"},
    "echomind_api.sources.connector_rows": {"find_connector"},
}
"""The rules, and what looks something up by them as the caller."""


def owned_tables() -> set[str]:
    owned = {table.name for table in TABLES.values() if "user_id" in table.columns}
    while (
        more := {
            table.name
            for table in TABLES.values()
            for column in table.columns
            for key in column.foreign_keys
            if not column.nullable and key.column.table.name in owned - {table.name}
        }
        - owned
    ):
        owned |= more
    return owned


def asks(source: str) -> bool:
    """Returns whether a module uses a rule."""
    tree = ast.parse(source)
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.name in RULES.get(node.module or "", ())
    }
    return any(isinstance(node, ast.Name) and node.id in imported for node in ast.walk(tree))


def allowed(module: str) -> frozenset[str]:
    return frozenset().union(*(entry.tables for name, entry in ALLOWED.items() if is_in(module, name)))


def is_in(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def reads_without_asking() -> dict[str, set[str]]:
    """Returns the owned tables that modules read without asking, by module. Mappers read rows, not tables."""
    owned, uses = owned_tables(), uses_by_module()
    return {
        name: read
        for name, path in modules()
        if not name.startswith("echomind_lib.mappers.")
        and (read := uses[name].tables & owned)
        and not asks(path.read_text("utf-8"))
    }


def test_tables_of_owners_are_known() -> None:
    assert owned_tables() >= {"connectors", "documents", "chat_sessions", "chat_messages", "steps", "api_keys"}
    assert not owned_tables() & {"users", "groups", "assistants", "llms", "embedding_models", "workers"}


def test_no_table_with_an_owner_is_read_without_asking() -> None:
    wrong = {name: sorted(read - allowed(name)) for name, read in reads_without_asking().items()}
    assert {name: tables for name, tables in wrong.items() if tables} == {}


def test_what_is_allowed_is_needed() -> None:
    found = reads_without_asking()
    for room, entry in ALLOWED.items():
        read = set().union(*(tables for name, tables in found.items() if is_in(name, room)))
        assert entry.tables & read, f"{room} reads none of {sorted(entry.tables)} without asking"


def test_a_module_asks_by_a_rule_and_not_by_a_name() -> None:
    assert asks("from echomind_lib.access import connectors as rule_of\nrule_of('read')")
    assert not asks("from echomind_lib.access import Principal\nPrincipal(1)")
    assert not asks("from echomind_lib.access import connectors")
