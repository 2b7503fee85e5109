"""Output at a terminal, and shell completion."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drivers.api_server import ApiServer, stream
from tests.drivers.shell import Shell
from tests.drivers.terminal import Terminal
from tests.factories.session_events import ASK, QUEUED, delta, finished

ANSWER = "Some **bold** words.\n\n- one\n- two\n\n```python\n\nx = 1\n```\n"


def answer(api: ApiServer) -> None:
    api.on(ASK, stream(QUEUED, delta(0, ANSWER[:30]), delta(30, ANSWER[30:]), finished(9, text=ANSWER)))


def test_an_answer_is_drawn_at_a_terminal(api: ApiServer, tmp_path: Path) -> None:
    answer(api)
    terminal = Terminal(api, tmp_path, "ask", "How many?")
    terminal.until("continue with --session")
    assert terminal.end() == 0
    assert "**" not in terminal.shown
    assert "```" not in terminal.shown
    assert "• " in terminal.shown


def test_an_answer_is_plain_where_it_is_piped(api: ApiServer, shell: Shell) -> None:
    answer(api)
    assert shell.run("ask", "How many?").stdout.startswith(ANSWER)


@pytest.mark.parametrize(("variables", "has_colours"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_off_where_they_are_not_wanted(
    api: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], has_colours: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    api.on(
        "DocumentService/ListDocuments",
        {"documents": [{"id": "3", "title": "Law", "status": "DOCUMENT_STATUS_FAILED"}]},
    )
    terminal = Terminal(api, tmp_path, "documents", "list")
    terminal.until("Law")
    assert terminal.end() == 0
    assert ("\x1b[31mfailed" in terminal.shown) == has_colours


# One process completes all lines, because most of its time is spent on imports.
_COMPLETE = """
import json, os, sys
from echomind.cli.app import main
for shell, line in json.loads(sys.argv[1]):
    os.environ |= {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_TYPER_COMPLETE_ARGS": line}
    os.environ |= {"_ECHOMIND_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    try:
        main()
    except SystemExit:
        print(end="\\0", flush=True)
"""


def complete(api: ApiServer, data_dir: Path, *lines: tuple[str, str]) -> list[str]:
    """Returns what a shell completes, for lines of shells."""
    environment = os.environ | {
        "ECHOMIND_URL": api.url,
        "ECHOMIND_API_KEY": "k",
        "ECHOMIND_DATA_DIR": str(data_dir),
    }
    program = [sys.executable, "-c", _COMPLETE, json.dumps(lines)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


def test_names_and_ids_are_completed(api: ApiServer, tmp_path: Path) -> None:
    names = [{"id": 1, "name": "Built in", "modelId": "x"}, {"id": 2, "name": "Small", "modelId": "qwen3"}]
    api.on("LlmService/ListLlms", {"llms": [name | {"provider": "LLM_PROVIDER_OLLAMA"} for name in names]})
    api.on(
        "ChatSessionService/ListChatSessions",
        {"chatSessions": [{"id": 17, "title": "Leave"}, {"id": 23, "title": "Pay"}]},
    )
    removed, shown, continued, fish, zsh = complete(
        api,
        tmp_path,
        ("bash", "echomind llms remove "),
        ("bash", "echomind llms show S"),
        ("bash", "echomind ask --session 1"),
        ("fish", "echomind llms show "),
        ("zsh", "echomind llms show "),
    )
    assert (removed, shown, continued) == ("Built\\ in\nSmall\n", "Small\n", "17\n")
    assert fish.splitlines() == ["Built in\tollama x", "Small\tollama qwen3"]
    assert '"Small":"ollama qwen3"' in zsh


def test_without_a_response_there_are_no_completions(api: ApiServer, tmp_path: Path) -> None:
    api.url = "http://127.0.0.1:1"
    assert [each.strip() for each in complete(api, tmp_path, ("bash", "echomind llms show "))] == [""]
