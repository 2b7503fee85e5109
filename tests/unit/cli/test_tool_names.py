"""Display names of tools: those of the web UI, and the question for an approval."""

import re
from pathlib import Path

import pytest

from echomind.cli.answers.tool_names import TOOL_NAMES, approval_question, tool_label
from echomind_lib.models.public import PendingToolCall

_WEB = Path(__file__).parents[3] / "web" / "src" / "features" / "chat" / "tools.ts"


def test_the_command_line_and_the_web_ui_have_the_same_names() -> None:
    assert dict(re.findall(r"^  (\w+): msg`([^`]+)`,$", _WEB.read_text(), re.MULTILINE)) == TOOL_NAMES


@pytest.mark.parametrize(
    ("name", "label"),
    [("hub__list_files", "List files (hub)"), ("__private", "Private"), ("look-up", "Look up"), ("forget", "Forget")],
)
def test_a_tool_without_a_name_has_its_own_in_words(name: str, label: str) -> None:
    assert tool_label(name) == label


def test_an_approval_describes_the_effect() -> None:
    def asked(name: str, **parameters: str) -> PendingToolCall:
        return PendingToolCall(tool_name=name, parameters=dict(parameters))

    page = asked("fetch_web_page", url="https://example.com:8443/a?b")
    assert approval_question([page]) == "Read a web page from example.com?"
    assert approval_question([asked("fetch_web_page", url="nowhere")]) == "Read a web page?"
    assert approval_question([asked("remember", fact="Tea.")]) == "Use “Remember”?"
    assert approval_question([asked("hub__delete-file")]) == "Use “Delete file” of hub?"
    assert approval_question([page, asked("remember")]) == "May the assistant do this?"
