"""Follows a run until it ends, or a session indefinitely, and reconnects when the connection is lost."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from echomind.cli.terminal import CommandError
from echomind_lib.contract.call_errors import CallError, ConnectionLostError
from echomind_lib.contract.client import RESTART, Client, is_transient
from echomind_lib.errors import EchoMindError
from echomind_lib.models import public
from echomind_lib.process.retries import RetryPolicy, retry_after


class AnswerText:
    """The text of an answer, put together from snapshots, deltas and the stored message.

    Attributes:
        text: The text so far.
    """

    def __init__(self) -> None:
        self.text = ""
        self._attempt = 0

    def apply(self, event: public.SessionEvent) -> bool:
        """Applies an event's text; returns false if text before it is missing."""
        if event.finished is not None and event.finished.message is not None:
            self.text = event.finished.message.content
        elif event.snapshot is not None and event.snapshot.attempt >= self._attempt:
            self._attempt = event.snapshot.attempt
            self.text = event.snapshot.text
        elif event.delta is not None:
            return self._append(event.delta)
        return True

    def _append(self, delta: public.MessageDelta) -> bool:
        if delta.attempt < self._attempt:
            return True
        if delta.attempt > self._attempt:
            self._attempt = delta.attempt
            self.text = ""
        if delta.offset > len(self.text):
            return False
        self.text += delta.text[len(self.text) - delta.offset :]
        return True


async def follow_session(client: Client, session_id: int, after: int = 0) -> AsyncGenerator[public.SessionEvent]:
    """Yields a session's events after `after`: stored ones in order and exactly once, and live ones; never ends.

    Raises:
        EchoMindError: The API refused, or the session was removed.
        CallError: Nothing has answered for a minute.
    """
    absence = _Absence(RESTART)
    while True:
        problem: EchoMindError | CallError = ConnectionLostError("The stream of events ended.")
        try:
            async with aclosing(_events(client, session_id, after)) as events:
                async for event in events:
                    absence.end()
                    after = max(after, event.id)
                    yield event
        except (EchoMindError, CallError) as error:
            problem = error
        await absence.wait(problem)


class _Absence:
    """How long a server has been unreachable; reconnecting is allowed within a limit."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self.end()

    def end(self) -> None:
        """The server is there."""
        self._since = 0.0
        self._attempts = 0

    async def wait(self, problem: EchoMindError | CallError) -> None:
        """Pauses before the next attempt.

        Raises:
            EchoMindError, CallError: The problem, when it does not pass by waiting or has lasted too long.
        """
        now = time.monotonic()
        self._since = self._since or now
        if not is_transient(problem) or now - self._since > (self._policy.seconds or 0.0):
            raise problem
        self._attempts += 1
        await asyncio.sleep(self._policy.delay(self._attempts, retry_after(problem)))


def _events(client: Client, session_id: int, after: int) -> AsyncGenerator[public.SessionEvent]:
    """Yields the events of a session over one connection."""
    return client.stream(public.RunService.stream_session_events, {"chat_session_id": session_id, "after": after})


class RunFollower:
    """A run with its sub-runs, from its question or from any position in its session's events.

    Attributes:
        session_id: The run's session; 0 until it is known.
        run_id: The run; empty until it is known.
        depths: Depth of each followed run, by its ID; 0 for the run itself.
        message_id: The answer's message; 0 until it is known.
        finished: Outcome of the run; None before its end.
    """

    def __init__(
        self, client: Client, *, session_id: int = 0, run_id: str = "", retries: RetryPolicy = RESTART
    ) -> None:
        self.session_id = session_id
        self.run_id = run_id
        self.message_id = 0
        self.depths = {run_id: 0} if run_id else {}
        self.finished: public.RunFinished | None = None
        self._client = client
        self._retries = retries
        self._answer = AnswerText()
        self._last_id = 0

    @property
    def text(self) -> str:
        """The answer's text so far."""
        return self._answer.text

    def ask(self, request: public.SendMessageRequest) -> AsyncGenerator[public.SessionEvent]:
        """Asks a question and yields the events of its run and sub-runs until it ends.

        The request must carry a `request_id`, so that it can be repeated.

        Raises:
            EchoMindError: The API refused.
            CallError: The question could not be sent.
            CommandError: The API was unreachable for too long; the run may continue.
        """
        return self._follow(request)

    def watch(self) -> AsyncGenerator[public.SessionEvent]:
        """Yields the run's events from where the last call left off, or from the beginning, to its end.

        Raises:
            EchoMindError, CallError, CommandError: As in `ask`.
        """
        return self._follow(None)

    async def _follow(self, request: public.SendMessageRequest | None) -> AsyncGenerator[public.SessionEvent]:
        absence = _Absence(self._retries)
        is_known = request is None
        while True:
            try:
                async with aclosing(self._attach(request)) as events:
                    async for event in events:
                        absence.end()
                        yield event
                if self.finished is not None:
                    return
                problem: EchoMindError | CallError = ConnectionLostError("The stream ended before the run did.")
            except (EchoMindError, CallError) as error:
                # Do not retry a question that the server refused or never received.
                is_known = is_known or bool(self.run_id) or isinstance(error, ConnectionLostError)
                if not is_known:
                    raise
                problem = error
            try:
                await absence.wait(problem)
            except (EchoMindError, CallError) as error:
                if not is_transient(error):
                    raise
                raise self._lost() from error

    async def _attach(self, request: public.SendMessageRequest | None) -> AsyncGenerator[public.SessionEvent]:
        """Yields events of one connection, until it ends, the run ends, or a piece of text is missing."""
        async with aclosing(self._open(request)) as events:
            async for event in events:
                self._last_id = max(self._last_id, event.id)
                if not self.run_id:
                    self.run_id, self.session_id = event.run_id, event.chat_session_id
                    self.depths[self.run_id] = 0
                if event.run_id not in self.depths:
                    continue
                if event.sub_run_started is not None:
                    self.depths[event.sub_run_started.run_id] = self.depths[event.run_id] + 1
                if event.run_id != self.run_id:
                    yield event
                    continue
                if event.queued is not None:
                    self.message_id = event.queued.assistant_message_id
                if not self._answer.apply(event):
                    return
                self.finished = event.finished
                yield event
                if self.finished is not None:
                    return

    def _open(self, request: public.SendMessageRequest | None) -> AsyncGenerator[public.SessionEvent]:
        if self.run_id or request is None:
            return _events(self._client, self.session_id, self._last_id)
        return self._client.stream(public.ChatMessageService.stream_message, request)

    def _lost(self) -> CommandError:
        if not self.run_id:
            return CommandError("EchoMind went away before it accepted the question: ask again.")
        return CommandError(
            f"EchoMind has not answered for {self._retries.seconds or 0:.0f} s. The run continues by itself: "
            f"see it with `echomind runs watch {self.run_id}`."
        )
