"""Which programs the machine's settings permit as MCP servers."""

from collections.abc import Sequence

import pytest

from echomind_lib.assistants.mcp_programs import ProgramRefusedError, check_program
from echomind_lib.config import McpSettings
from tests.drivers.tables import for_each

LISTED = McpSettings(programs="files-mcp, uvx mcp-server-git, /opt/tools/my\\ tool")


@pytest.mark.parametrize(
    "words", [["files-mcp"], ["files-mcp", "/srv"], ["uvx", "mcp-server-git", "--quiet"], ["/opt/tools/my tool"]]
)
def test_a_listed_program_is_permitted(words: Sequence[str]) -> None:
    check_program(LISTED, words[0], words[1:], ["TOKEN", "NODE_ENV"])


@for_each(
    "words",
    [["sh"], ["uvx"], ["uvx", "other"], ["/tmp/files-mcp"], ["./files-mcp"], ["FILES-MCP"], [""], ["files-mcp /srv"]],
)
def test_all_other_programs_are_refused(words: Sequence[str]) -> None:
    with pytest.raises(ProgramRefusedError, match="not among those") as caught:
        check_program(LISTED, words[0], words[1:], [])
    assert "ECHOMIND_MCP__PROGRAMS" in caught.value.advice


def test_no_program_is_permitted_by_default() -> None:
    with pytest.raises(ProgramRefusedError, match="not among those"):
        check_program(McpSettings(), "files-mcp", [], [])


@pytest.mark.parametrize("name", ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PATH", "NODE_OPTIONS", "PYTHONPATH"])
def test_a_variable_that_loads_other_code_is_refused(name: str) -> None:
    with pytest.raises(ProgramRefusedError, match=name):
        check_program(LISTED, "files-mcp", [], ["TOKEN", name])


def test_programs_can_be_turned_off_and_all_be_permitted() -> None:
    with pytest.raises(ProgramRefusedError, match="turned off"):
        check_program(McpSettings(stdio="off", programs="files-mcp"), "files-mcp", [], [])
    check_program(McpSettings(stdio="any"), "/no/such", ["x"], ["LD_PRELOAD"])
