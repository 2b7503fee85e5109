"""`echomind ask`: one question, its answer as it is written, and where it comes from."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echomind.commands.api import INTERRUPTED, Api, api_command
from echomind.terminal import CommandError, Terminal

if TYPE_CHECKING:
    from echomind.following import RunFollower
    from echomind_lib.models.public import Citation, RunEvent, RunStatus

_CANCEL_SECONDS = 5.0
"""How long Ctrl-C waits for the run to end; a second Ctrl-C does not wait."""


@api_command
async def ask(
    api: Api,
    question: Annotated[str, typer.Argument(help="The question.")],
    session: Annotated[
        int | None, typer.Option(help="Go on with this session.", min=1, show_default="a new one")
    ] = None,
    assistant: Annotated[str, typer.Option(help="Name of the assistant that answers.", show_default="default")] = "",
) -> None:
    """Ask a question; the answer is streamed, then its sources are listed by number.

    Ctrl-C cancels the run. The exit code is 0 only when the question was answered.
    """
    from echomind.following import RunFollower
    from echomind_lib.models.public import SendMessageRequest

    if session and assistant:
        raise typer.BadParameter("a session has its assistant already", param_hint="--assistant")
    if not question.strip():
        raise typer.BadParameter("it is empty", param_hint="QUESTION")
    request = SendMessageRequest(
        chat_session_id=str(session or "-"),
        content=question,
        assistant_id=await _assistant_id(api, assistant) if assistant else 0,
        request_id=str(uuid.uuid4()),
    )
    follower = RunFollower(api.client)
    writer = AnswerWriter(api.terminal, follower)
    interrupted = False
    try:
        async with aclosing(follower.ask(request)) as events:
            status = await writer.write(events)
    except asyncio.CancelledError:
        if not follower.run_id:
            raise
        interrupted = True
        status = await _cancel(api, follower, writer)
    writer.finish(status)
    if interrupted:
        api.terminal.status = INTERRUPTED


class AnswerWriter:
    """Writes what happens in a run: progress on standard error, the text as it comes, the sources at the end."""

    def __init__(self, terminal: Terminal, follower: "RunFollower") -> None:
        self._terminal = terminal
        self._follower = follower
        self._written = ""

    async def write(self, events: "AsyncIterator[RunEvent]", *, until_parked: bool = True) -> "RunStatus":
        """Writes a run's events until it ends, or with `until_parked` until it waits for a person; gives its status."""
        from echomind_lib.models.public import RunStatus

        parked = {RunStatus.PAUSED, RunStatus.WAITING_FOR_INPUT} if until_parked else set()
        async for event in events:
            self._note(event)
            self._show(self._follower.text)
            if event.status is not None and event.status.status in parked:
                return event.status.status
        finished = self._follower.finished
        if finished is None:
            raise CommandError("The stream of events ended before the run did.")
        return finished.status

    def finish(self, status: "RunStatus") -> None:
        """Writes what comes after the text: sources, or why there is no answer."""
        terminal, finished = self._terminal, self._follower.finished
        citations = finished.message.citations if finished and finished.message else []
        terminal.end_line()
        if citations:
            terminal.line()
            for line in source_lines(citations):
                terminal.line(line)
        word = status.word
        if finished is not None and finished.error is not None:
            terminal.note(f"error: {finished.error.message} [{finished.error.reason}]")
        elif word in {"paused", "waiting_for_input"}:
            resume = f"`echomind runs resume {self._follower.run_id}` lets it go on."
            terminal.note(f"The run is {word.replace('_', ' ')}; {resume}")
        elif word != "completed":
            terminal.note(f"The run ended as {word}.")
        terminal.note(f"Session {self._follower.session_id}: go on with --session {self._follower.session_id}")
        if terminal.as_json:
            terminal.json(self.result(word))
        if word != "completed":
            terminal.status = 1

    def result(self, status: str) -> dict[str, Any]:
        """The answer as `--json` gives it."""
        finished = self._follower.finished
        message = finished.message if finished else None
        return {
            "answer": self._follower.text,
            "citations": _distinct([_citation(citation) for citation in message.citations] if message else []),
            "sessionId": self._follower.session_id,
            "runId": self._follower.run_id,
            "messageId": str(message.id if message else self._follower.message_id),
            "status": status,
        }

    def _note(self, event: "RunEvent") -> None:
        """Tells what is being done. That a run is queued, at work and done can be seen."""
        from echomind_lib.models.public import RunEventKind

        if event.text and event.kind in {RunEventKind.PROGRESS, RunEventKind.WARNING, RunEventKind.ERROR}:
            self._terminal.note(f"· {event.text}")

    def _show(self, text: str) -> None:
        """Writes what is new. Text that a terminal cannot take back is followed by the whole new text."""
        if not text.startswith(self._written):
            self._terminal.end_line()
            self._terminal.note("· The answer begins anew.")
            self._written = ""
        self._terminal.text(text[len(self._written) :])
        self._written = text


def source_lines(citations: "list[Citation]") -> list[str]:
    """One line a source, by number; it says when a citation of it was not confirmed."""
    lines = {}
    for citation in sorted(citations, key=lambda citation: (citation.number, citation.supported)):
        if citation.number in lines:
            continue
        title = citation.title or "(a document that you may not read, or that is gone)"
        page = f", page {citation.page}" if citation.page else ""
        doubt = "" if citation.supported else " (not confirmed by the source)"
        lines[citation.number] = f"[{citation.number}] {title}{page}{doubt}"
    return list(lines.values())


async def _cancel(api: Api, follower: "RunFollower", writer: AnswerWriter) -> "RunStatus":
    """Cancels the run and waits for its last event."""
    from echomind_lib.models.public import CancelRunRequest, Run

    api.terminal.note("· Cancelling.")
    run = await api.client.call("POST", "/runs/{id}:cancel", Run, body=CancelRunRequest(id=follower.run_id))
    try:
        async with asyncio.timeout(_CANCEL_SECONDS), aclosing(follower.watch()) as events:
            return await writer.write(events)
    except TimeoutError:
        return run.status


async def _assistant_id(api: Api, name: str) -> int:
    from echomind.commands.find import find
    from echomind_lib.models.public import ListAssistantsResponse

    answer = await api.client.collect("/assistants", ListAssistantsResponse, 1000)
    return find(answer.assistants, name, "assistant").id


def _citation(citation: "Citation") -> dict[str, Any]:
    return {
        "number": citation.number,
        "documentId": "" if citation.document_id is None else str(citation.document_id),
        "title": citation.title,
        "chunkId": citation.chunk_id,
        "snippet": citation.snippet,
        "score": citation.score,
        "supported": citation.supported,
    }


def _distinct(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items in order without repetitions: one source may stand behind several sentences."""
    return [item for place, item in enumerate(items) if item not in items[:place]]
