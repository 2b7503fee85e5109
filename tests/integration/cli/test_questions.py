"""What a person answers and interrupts at the terminal, with the command as a process of its own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.drivers.api_server import ApiServer, about, in_turn, stream
from tests.drivers.terminal import Terminal
from tests.factories.session_events import (
    APPROVAL,
    ASK,
    EVENTS,
    QUESTION,
    QUEUED,
    RUN,
    delta,
    finished,
    waiting_run,
    waits,
)


def test_a_person_at_the_terminal_is_asked(api: ApiServer, tmp_path: Path) -> None:
    api.on(ASK, stream(QUEUED, *waits(3, QUESTION)))
    api.on(EVENTS, in_turn(stream(waits(3, QUESTION)[1], *waits(5, APPROVAL)), stream(finished(9))))
    pending: list[dict[str, Any]] = [QUESTION, APPROVAL]
    api.on(about("RunService/GetRun", id=RUN), lambda call: waiting_run(pending=pending.pop(0)))
    api.on(about("RunService/(ProvideInput|ApproveToolCall)", id=RUN), waiting_run())
    terminal = Terminal(api, tmp_path, "ask", "How many?")
    terminal.until("Which year?")
    terminal.type("\n")
    terminal.until("Which year?")
    terminal.type("2\n")
    terminal.until("Send mail (to='all')? [y/N]")
    terminal.type("y\n")
    terminal.until("Delete file (name='x')? [y/N]")
    terminal.type("not that one\n")
    terminal.until("[1] Leave [leave.md], page 3")
    assert terminal.end() == 0
    assert [call.body for call in api.sent("RunService/(ProvideInput|ApproveToolCall)")] == [
        {"content": "2025"},
        {"toolCallId": "c1", "approved": True, "comment": ""},
        {"toolCallId": "c2", "approved": False, "comment": "not that one"},
    ]
    assert "  1) 2024" in terminal.shown


FORM: dict[str, Any] = {
    "kind": "PENDING_INPUT_KIND_CLARIFICATION",
    "question": "The MCP server rooms asks: Which room?",
    "form": {
        "server": "rooms",
        "message": "Which room?",
        "fields": [
            {"name": "room", "type": "INPUT_FIELD_TYPE_STRING", "title": "Room", "options": ["blue", "red"]},
            {"name": "people", "type": "INPUT_FIELD_TYPE_INTEGER", "defaultValues": ["2"], "minimum": 1},
        ],
    },
}


def test_a_form_of_a_server_is_filled_in_field_by_field(api: ApiServer, tmp_path: Path) -> None:
    api.on(ASK, stream(QUEUED, *waits(3, FORM)))
    api.on(EVENTS, stream(waits(3, FORM)[1], finished(9)))
    api.on(about("RunService/GetRun", id=RUN), waiting_run(pending=FORM))
    api.on(about("RunService/ProvideInput", id=RUN), waiting_run())
    terminal = Terminal(api, tmp_path, "ask", "Book a room")
    terminal.until("  2) red")
    terminal.type("2\n")
    terminal.until("people (integer, at least 1, otherwise 2)")
    terminal.type("\n")
    terminal.until("Session 7: continue")
    assert terminal.end() == 0
    assert [call.body for call in api.sent("RunService/ProvideInput")] == [{"content": '{"room": "red"}'}]
    assert "The MCP server rooms asks: Which room?" in terminal.shown
    assert "give it no password" in terminal.shown


def test_a_person_may_leave_the_question_open(api: ApiServer, tmp_path: Path) -> None:
    api.on(ASK, stream(QUEUED, *waits(3, QUESTION)))
    api.on(about("RunService/GetRun", id=RUN), waiting_run(pending=QUESTION))
    terminal = Terminal(api, tmp_path, "ask", "How many?")
    terminal.until("Which year?")
    terminal.type("\x04")
    terminal.until(f"runs input {RUN}")
    assert terminal.end() == 1
    assert not api.sent("RunService/ProvideInput")


def test_ctrl_c_at_the_question_cancels_the_run(api: ApiServer, tmp_path: Path) -> None:
    api.on(ASK, stream(QUEUED, *waits(3, QUESTION)))
    api.on(about("RunService/GetRun", id=RUN), waiting_run(pending=QUESTION))
    api.on(about("RunService/CancelRun", id=RUN), waiting_run())
    api.on(EVENTS, stream(finished(9, "CANCELLED", "")))
    terminal = Terminal(api, tmp_path, "ask", "How many?")
    terminal.until("Which year?")
    terminal.interrupt()
    terminal.until("cancelled")
    assert terminal.end() == 130


def test_ctrl_c_cancels_the_run_and_shows_what_there_is(api: ApiServer, tmp_path: Path) -> None:
    shown = threading.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for item in (QUEUED, delta(0, "You get")):
            await response.write(f"data: {json.dumps(item)}\n\n".encode())
        shown.set()
        await asyncio.Event().wait()
        return response

    api.on(ASK, answer)
    api.on(about("RunService/CancelRun", id=RUN), {"id": RUN, "chatSessionId": 7, "status": "RUN_STATUS_RUNNING"})
    api.on(EVENTS, stream(finished(status="CANCELLED", text="You get")))
    # Tests that a shell runs in the background ignore SIGINT, and their child processes would inherit that.
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    program += "from echomind.cli.app import main; main()"
    command = [sys.executable, "-c", program, "ask", "How many?", "--url", api.url]
    environment = os.environ | {"ECHOMIND_API_KEY": "secret", "ECHOMIND_DATA_DIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.read(7) == b"You get"
        process.send_signal(signal.SIGINT)
        rest, notes = process.communicate(timeout=30)
    assert process.returncode == 130
    assert rest.decode().startswith("\n")
    assert b"cancelled" in notes
    assert len(api.sent("RunService/CancelRun")) == 1
