"""Events of a session as the API writes them."""

from typing import Any

RUN = "01926b3e-7c1a-7000-8000-5f0d3c2b1a09"
OTHER_RUN = "01926b3e-7c1a-7000-8000-5f0d3c2b1aff"
ASK = "ChatMessageService/StreamMessage"
EVENTS = "RunService/StreamSessionEvents"
ANSWER = "You get 30 days [1]. They carry over [2]."
Event = dict[str, Any]


def event(kind: str, event_id: int = 0, run: str = RUN, **detail: Any) -> Event:
    """Returns one event as the API writes it."""
    kind = f"SESSION_EVENT_KIND_{kind}"
    return {"id": str(event_id), "chatSessionId": 7, "runId": run, "kind": kind} | detail


def delta(offset: int, text: str, attempt: int = 1) -> Event:
    return event("DELTA", delta={"messageId": "12", "attempt": attempt, "offset": offset, "text": text})


def snapshot(text: str, attempt: int = 1) -> Event:
    return event("SNAPSHOT", snapshot={"messageId": "12", "attempt": attempt, "text": text})


def citation(number: int, title: str, **more: Any) -> Event:
    return {"number": number, "documentId": "5", "title": title, "chunkId": "c", "snippet": "s", "score": 0.5} | more


def finished(
    event_id: int = 9, status: str = "COMPLETED", text: str = ANSWER, basis: str = "ANSWER_BASIS_SOURCES", **more: Any
) -> Event:
    citations = [
        citation(1, "Leave", supported=True, page=3, fileName="leave.md"),
        citation(1, "Leave", supported=True, page=3, fileName="leave.md", sentenceStart=4),
        citation(2, "Rumours", supported=False),
    ]
    citations = citations if basis == "ANSWER_BASIS_SOURCES" else []
    message = {"id": "12", "chatSessionId": 7, "content": text, "citations": citations, "basis": basis}
    return event("FINAL", event_id, finished={"status": f"RUN_STATUS_{status}", "message": message} | more)


QUEUED = event("STATUS", 1, queued={"assistantMessageId": "12"})
SEARCHING = event("PROGRESS", 2, text="Searching for leave")


QUESTION = {"kind": "PENDING_INPUT_KIND_CLARIFICATION", "question": "Which year?", "options": ["2024", "2025"]}
CALLS = [
    {"toolCallId": "c1", "toolName": "send_mail", "parameters": {"to": "all"}},
    {"toolCallId": "c2", "toolName": "delete_file", "parameters": {"name": "x"}},
]
APPROVAL = {"kind": "PENDING_INPUT_KIND_APPROVAL", "question": "Allow these calls?", "toolCalls": CALLS}


def waits(event_id: int, pending: dict[str, Any], run: str = RUN) -> list[dict[str, Any]]:
    """Returns what a run tells when it begins to wait for a person."""
    return [
        event("STATUS", event_id, run, text="Waiting for you", status={"status": "RUN_STATUS_WAITING_FOR_INPUT"}),
        event("PROGRESS", event_id + 1, run, text="?", inputRequested={"pendingInput": pending}),
    ]


def waiting_run(run: str = RUN, pending: dict[str, Any] | None = None) -> dict[str, Any]:
    found = {"id": run, "chatSessionId": 7, "status": "RUN_STATUS_WAITING_FOR_INPUT"}
    return found | ({"pendingInput": pending} if pending else {})
