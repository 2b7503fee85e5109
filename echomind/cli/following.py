"""Following one run to its end, or a session for ever, however often the connection breaks meanwhile."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from echomind.cli.client import ApiError, Client, ConnectionLostError, NotRunningError
from echomind.cli.retries import PATIENCE_SECONDS, RetryPolicy, is_passing
from echomind.cli.terminal import CommandError
from echomind_lib.models.public import MessageDelta, RunFinished, SendMessageRequest, SessionEvent


class AnswerText:
    """The text of an answer, put together from snapshots, deltas and the stored message.

    Attributes:
        text: The text so far.
    """

    def __init__(self) -> None:
        self.text = ""
        self._attempt = 0

    def apply(self, event: SessionEvent) -> bool:
        """Takes up what an event says of the text; false when a piece before it is missing."""
        if event.finished is not None and event.finished.message is not None:
            self.text = event.finished.message.content
        elif event.snapshot is not None and event.snapshot.attempt >= self._attempt:
            self._attempt = event.snapshot.attempt
            self.text = event.snapshot.text
        elif event.delta is not None:
            return self._append(event.delta)
        return True

    def _append(self, delta: MessageDelta) -> bool:
        if delta.attempt < self._attempt:
            return True
        if delta.attempt > self._attempt:
            self._attempt = delta.attempt
            self.text = ""
        if delta.offset > len(self.text):
            return False
        self.text += delta.text[len(self.text) - delta.offset :]
        return True


async def follow_session(client: Client, session_id: int, after: int = 0) -> AsyncGenerator[SessionEvent]:
    """Yields a session's events after `after`: stored ones in order and exactly once, and live ones; never ends.

    Raises:
        ApiError: The API refused, or the session was removed.
        NotRunningError, ConnectionLostError: Nothing has answered for the usual patience.
    """
    patience = RetryPolicy()
    while True:
        problem: CommandError = ConnectionLostError("The stream of events ended.")
        try:
            path = f"/chat-sessions/{session_id}/events"
            async with aclosing(client.events("GET", path, after=after)) as events:
                async for event in events:
                    patience.renew()
                    after = max(after, event.id)
                    yield event
        except (ApiError, ConnectionLostError, NotRunningError) as error:
            problem = error
        await patience.wait(problem)


class RunFollower:
    """One run with those below it, from its question or from anywhere in its session's events.

    Attributes:
        session_id: The run's session; 0 until it is known.
        run_id: The run; empty until it is known.
        depths: How deep each run is that is followed, by its id: 0 for the run itself.
        message_id: The answer's message; 0 until it is known.
        finished: How the run ended; None before.
    """

    def __init__(
        self, client: Client, *, session_id: int = 0, run_id: str = "", patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self.session_id = session_id
        self.run_id = run_id
        self.message_id = 0
        self.depths = {run_id: 0} if run_id else {}
        self.finished: RunFinished | None = None
        self._client = client
        self._patience_seconds = patience_seconds
        self._answer = AnswerText()
        self._last_id = 0

    @property
    def text(self) -> str:
        """The answer's text so far."""
        return self._answer.text

    def ask(self, request: SendMessageRequest) -> AsyncGenerator[SessionEvent]:
        """Asks, and yields the run's events, and those of the runs that it starts, to its end.

        The request must carry a `request_id`, so that it can be repeated.

        Raises:
            ApiError: The API refused.
            NotRunningError: Nothing listens at the address.
            ConnectionLostError: The API stayed away longer than the patience; the run may continue.
        """
        return self._follow(request)

    def watch(self) -> AsyncGenerator[SessionEvent]:
        """Yields the run's events from where the last call left off, or from the beginning, to its end.

        Raises:
            ApiError, NotRunningError, ConnectionLostError: As in `ask`.
        """
        return self._follow(None)

    async def _follow(self, request: SendMessageRequest | None) -> AsyncGenerator[SessionEvent]:
        patience = RetryPolicy(self._patience_seconds)
        is_known = request is None
        while True:
            try:
                async with aclosing(self._attach(request)) as events:
                    async for event in events:
                        patience.renew()
                        yield event
                if self.finished is not None:
                    return
                problem: CommandError = ConnectionLostError("The stream of events ended before the run did.")
            except (ApiError, ConnectionLostError, NotRunningError) as error:
                # A question that was refused, or never arrived, is not worth repeating.
                is_known = is_known or bool(self.run_id) or isinstance(error, ConnectionLostError)
                if not is_known:
                    raise
                problem = error
            try:
                await patience.wait(problem)
            except CommandError as error:
                raise self._lost() if is_passing(error) else error from None

    async def _attach(self, request: SendMessageRequest | None) -> AsyncGenerator[SessionEvent]:
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

    def _open(self, request: SendMessageRequest | None) -> AsyncGenerator[SessionEvent]:
        if self.run_id or request is None:
            return self._client.events("GET", f"/chat-sessions/{self.session_id}/events", after=self._last_id)
        return self._client.events("POST", "/chat-sessions/{chat_session_id}/messages:stream", body=request)

    def _lost(self) -> ConnectionLostError:
        if not self.run_id:
            return ConnectionLostError("EchoMind went away before it took the question: ask again.")
        return ConnectionLostError(
            f"EchoMind has not answered for {self._patience_seconds:.0f} s. The run continues by itself: "
            f"see it with `echomind runs watch {self.run_id}`."
        )
