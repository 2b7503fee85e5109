"""Writes a run while it is followed: activity to standard error, the streamed answer, then its sources."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from echomind.cli.answers.basis import basis_words, other_tools_words
from echomind.cli.answers.source_titles import source_title
from echomind.cli.conversations.activity import Activity, question_lines
from echomind.cli.markdown import MarkdownWriter
from echomind.cli.rendering import plain
from echomind.cli.terminal import CommandError, Terminal
from echomind_lib.models import public

if TYPE_CHECKING:
    from echomind.cli.conversations.following import RunFollower


class AnswerWriter:
    """Writes one run.

    Attributes:
        waiting_run_id: The run that waits for a person, itself or one below it; empty when none does.
    """

    def __init__(self, terminal: Terminal, follower: "RunFollower") -> None:
        self.waiting_run_id = ""
        self._terminal = terminal
        self._follower = follower
        self._activity = Activity(follower.depths)
        self._written = ""
        self._text = MarkdownWriter(terminal)

    async def write(
        self, events: "AsyncIterator[public.SessionEvent]", *, until_parked: bool = True
    ) -> "public.RunStatus":
        """Writes a run's events until it ends, or with `until_parked` until it needs input; returns its status."""
        self.waiting_run_id = ""
        async for event in events:
            # The caller that stops at a request for input prints its question itself.
            if not (until_parked and event.input_requested is not None):
                for line in self._activity.lines(event):
                    self._text.pause()
                    self._terminal.note(line)
            self._show(self._follower.text)
            if not until_parked or event.status is None:
                continue
            if event.status.status is public.RunStatus.WAITING_FOR_INPUT:
                self.waiting_run_id = event.run_id
                self._text.end()
                return event.status.status
            if event.status.status is public.RunStatus.PAUSED and event.run_id == self._follower.run_id:
                self._text.end()
                return event.status.status
        self._text.end()
        finished = self._follower.finished
        if finished is None:
            raise CommandError("The stream of events ended before the run did.")
        return finished.status

    def finish(self, status: "public.RunStatus", waiting: "public.Run | None" = None) -> None:
        """Writes the end of the output: sources, or why there is no answer.

        Args:
            status: Outcome of the run, or why it does not continue.
            waiting: The run that waits for input, with its question.
        """
        self._write_sources()
        self._explain(status, waiting)
        session_id = self._follower.session_id
        self._terminal.note(f"Session {session_id}: continue with --session {session_id}")
        self._terminal.json(self.result(status.word, waiting))
        if status.word != "completed":
            self._terminal.status = 1

    def result(self, status: str, waiting: "public.Run | None" = None) -> dict[str, Any]:
        """Returns the answer for `--json`; with `pendingInput` and `waitingRunId` if the run needs input.

        A run that has ended with an error has `error`, as a command that fails.
        """
        finished = self._follower.finished
        message = finished.message if finished else None
        asked: dict[str, Any] = {}
        if waiting is not None and waiting.pending_input is not None:
            asked = {"pendingInput": plain(waiting.pending_input), "waitingRunId": waiting.id}
        return {
            "answer": self._follower.text,
            "basis": _basis_word(message.basis) if message else "",
            "otherTools": list(message.other_tools) if message else [],
            "citations": _distinct([_citation(citation) for citation in message.citations] if message else []),
            "sessionId": str(self._follower.session_id),
            "runId": self._follower.run_id,
            "messageId": str(message.id if message else self._follower.message_id),
            "status": status,
            **asked,
            **({"error": _error(finished.error)} if finished and finished.error else {}),
        }

    def _write_sources(self) -> None:
        finished = self._follower.finished
        self._terminal.end_line()
        if finished and finished.message and finished.message.citations:
            self._terminal.line()
            for line in source_lines(finished.message.citations):
                self._terminal.line(line)
        elif finished and finished.message and (words := basis_words(finished.message.basis)):
            self._terminal.line()
            self._terminal.line(words)
        if finished and finished.message and (words := other_tools_words(finished.message.other_tools)):
            self._terminal.line(words)

    def _explain(self, status: "public.RunStatus", waiting: "public.Run | None") -> None:
        """Says why there is no answer, or what continues the run; nothing of a completed one."""
        terminal, finished = self._terminal, self._follower.finished
        if finished is not None and finished.error is not None:
            terminal.problem(f"{finished.error.message} [{finished.error.reason}]")
        elif status.word == "paused":
            terminal.note(f"The run is paused; `echomind runs resume {self._follower.run_id}` resumes it.")
        elif waiting is not None and waiting.pending_input is not None:
            terminal.note("The run waits for you:")
            for line in question_lines(waiting.id, waiting.pending_input):
                terminal.note(line)
        elif status.word != "completed":
            terminal.note(f"The run ended as {status.word}.")

    def _show(self, text: str) -> None:
        """Writes new text. If printed text was replaced, the whole new text follows it."""
        if not text.startswith(self._written):
            self._text.end()
            self._terminal.end_line()
            self._terminal.note("· The answer starts again.")
            self._written = ""
        self._text.write(text[len(self._written) :])
        self._written = text


def _basis_word(basis: "public.AnswerBasis") -> str:
    return "" if basis.number == 0 else basis.word


_RATED = {True: " (you rated it helpful)", False: " (you rated it not helpful)"}


def source_lines(citations: "list[public.Citation]") -> list[str]:
    """Returns one line a source, by number, with a note if a citation of it was not confirmed."""
    lines = {}
    for citation in sorted(citations, key=lambda citation: (citation.number, citation.supported)):
        if citation.number in lines:
            continue
        title = source_title(citation) or "(a document that you may not read, or that was removed)"
        page = f", page {citation.page}" if citation.page else ""
        doubt = "" if citation.supported else " (not confirmed by the source)"
        rated = "" if citation.feedback is None else _RATED[citation.feedback.is_positive]
        found = citation.url or citation.original_url
        address = f" {found}" if found else ""
        lines[citation.number] = f"[{citation.number}] {title}{page}{address}{doubt}{rated}"
    return list(lines.values())


def _error(error: "public.RunError") -> dict[str, Any]:
    from echomind_lib.errors import BY_REASON

    kind = BY_REASON.get(error.reason)
    return {
        "code": kind.code if kind else "",
        "reason": error.reason,
        "message": error.message,
        "metadata": {"retry_at": error.retry_at.isoformat()} if error.retry_at else {},
    }


def _citation(citation: "public.Citation") -> dict[str, Any]:
    return {
        "number": citation.number,
        "documentId": "" if citation.document_id is None else str(citation.document_id),
        "title": citation.title,
        "fileName": citation.file_name,
        "url": citation.url,
        "chunkId": citation.chunk_id,
        "snippet": citation.snippet,
        "score": citation.score,
        "supported": citation.supported,
        "verified": citation.verified,
    }


def _distinct(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the items in order without duplicates: a source may be cited by several sentences."""
    return [item for index, item in enumerate(items) if item not in items[:index]]
