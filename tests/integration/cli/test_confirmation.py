"""Actions that cannot be undone require `--yes` or confirmation at the terminal."""

from pathlib import Path

import pytest

from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell
from tests.drivers.terminal import Terminal

RULES = {"id": 4, "name": "Rules", "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_USER"}


@pytest.fixture(autouse=True)
def things(api: ApiServer) -> None:
    api.on("ConnectorService/ListConnectors", {"connectors": [RULES]})
    api.on(about("ConnectorService/DeleteConnector", id=4), {})
    api.on("DocumentService/DeleteDocuments", {"documents": "1"})


def test_without_a_terminal_nothing_is_removed_and_the_option_is_named(api: ApiServer, shell: Shell) -> None:
    refused = shell.run("connectors", "remove", "Rules", code=1, typed="Rules\n")
    assert "Not confirmed: Remove the connector Rules and all its documents." in refused.stderr
    assert "--yes" in refused.stderr
    assert not api.changes()


def test_a_connector_is_removed_after_its_name_was_typed(api: ApiServer, tmp_path: Path) -> None:
    for typed, code in (("y\n", 1), ("Rules\n", 0)):
        terminal = Terminal(api, tmp_path, "connectors", "remove", "Rules")
        terminal.until("Remove the connector Rules and all its documents? Type Rules to confirm:")
        assert not api.changes()
        terminal.type(typed)
        terminal.until("Not confirmed" if code else "Removed Rules.")
        assert terminal.end() == code
    assert len(api.changes()) == 1


def test_a_document_is_removed_after_a_yes(api: ApiServer, tmp_path: Path) -> None:
    for typed, code in (("\n", 1), ("y\n", 0)):
        terminal = Terminal(api, tmp_path, "documents", "remove", "3")
        terminal.until("Remove document 3? [y/N]")
        terminal.type(typed)
        terminal.until("Not confirmed" if code else "Removed document 3.")
        assert terminal.end() == code
    assert len(api.changes()) == 1


def test_matching_documents_are_removed_after_confirming_their_number(api: ApiServer, tmp_path: Path) -> None:
    api.on("DocumentService/DeleteDocuments", {"documents": "2"})
    api.on("DocumentService/CountDocuments", {"total": "12"})
    for typed, code in (("\n", 1), ("y\n", 0)):
        terminal = Terminal(api, tmp_path, "documents", "remove", "--matching", "--status", "failed")
        terminal.until("Remove 12 documents, all that match and that you may change? [y/N]")
        terminal.type(typed)
        terminal.until("Not confirmed" if code else "Removed 2 documents.")
        assert terminal.end() == code
    assert len(api.changes()) == 1
