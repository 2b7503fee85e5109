"""A tool call, its step, and the events about both."""

from dataclasses import dataclass, field
from typing import Any

from echomind_agent.toolset.registry import FAILED, Tool, ToolResult
from echomind_lib.db.words import ToolApproval, ToolCallStatus, WaitStrategy
from echomind_lib.llms import ToolCall
from echomind_lib.pb.echomind.public.v1 import session_event_pb2, step_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.elicitation import Elicitation, Form
from echomind_lib.runs.prompts import read_omissions
from echomind_lib.runs.steps import NewStep
from echomind_lib.secret_text import redacted_tree
from echomind_lib.text import normalized

_RESULT_IN_EVENT = 4_000


@dataclass(slots=True)
class Call:
    """One tool call: the request and its progress."""

    request: ToolCall
    """The tool call as requested by the model."""
    tool: Tool | None
    given: Any = None
    """The checked arguments."""
    problem: str = ""
    """Why the call cannot be executed."""
    known: str = ""
    """Its result, if known without executing it: that of the same task given before."""
    side_effect: bool = False
    approval: ToolApproval | None = None
    status: ToolCallStatus = "running"
    comment: str = ""
    """The comment of the person who approved it."""
    reply: str | None = None
    """Its result for the model; None if there is none yet."""
    external_task_id: str = ""
    unknown: bool = False
    """Whether it was started and it is not known whether it took effect."""
    elicitation: Elicitation | None = None
    """What its MCP server asked the person, with the answers so far."""

    @property
    def answer(self) -> str:
        """Returns its result for the model, with the comment of the person who approved it."""
        reply = self.reply or ""
        return f"{reply}\n\nThe person approved this call: {self.comment}" if self.comment else reply

    @property
    def is_sub_run(self) -> bool:
        """Returns whether a sub-run provides its result."""
        is_known = bool(self.problem or self.known)
        return not is_known and self.tool is not None and self.tool.executor == "sub_run"

    @property
    def needs_person(self) -> bool:
        """Returns whether it waits for a person."""
        asks = self.tool is not None and self.tool.executor == "person" and not self.problem
        asks = asks or self.open_form is not None
        return self.reply is None and (asks or self.unknown or self.approval == "required")

    @property
    def begins_at_once(self) -> bool:
        """Returns whether this worker executes it as soon as it is stored."""
        is_decided = bool(self.problem or self.known) or self.reply is not None
        return not (is_decided or self.is_sub_run or self.needs_person or self.status != "running")

    @property
    def open_form(self) -> Form | None:
        """Returns what its MCP server asks the person; None for nothing."""
        return None if self.problem or self.elicitation is None else self.elicitation.open

    @property
    def is_effect_unknown(self) -> bool:
        """Returns whether it has begun to change something, and has no result; a task elsewhere is cancelled."""
        return self.side_effect and self.status == "running" and self.reply is None and not self.external_task_id

    @property
    def is_important(self) -> bool:
        """Returns whether to mention its result to later runs of the session.

        True if the call succeeded and had a side effect, asked a person, or started a sub-run, or if its tool declares
        it a milestone.
        """
        if self.status != "completed":
            return False
        if self.side_effect:
            return True
        tool = self.tool
        return tool is not None and (tool.executor != "worker" or tool.is_milestone(self.request.arguments))


def tool_message(status: str, result: str | None, error: str | None) -> str:
    """Returns the reply for the model about a call's end."""
    return result or "" if status == "completed" else f"{FAILED}{error or status}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The outcome of a call."""

    call: Call
    status: ToolCallStatus
    result: ToolResult = field(default_factory=lambda: ToolResult(""))
    error: str = ""
    """The error; empty for none."""
    retries: int = 0
    is_untrusted: bool = False
    """Whether its result or error text is untrusted."""


@dataclass(slots=True)
class OpenStep:
    """A recorded step whose calls are being settled."""

    id: int
    number: int
    strategy: WaitStrategy
    calls: list[Call]
    inherited: str = ""
    """The briefing on the conversation that the model wrote for the sub-runs of its calls; empty if made by rules."""
    is_closed: bool = False
    """Whether it is stored as completed."""

    @property
    def holds(self) -> bool:
        """Returns whether the current results satisfy the wait strategy; always True if none is missing."""
        succeeded = sum(call.reply is not None and call.status == "completed" for call in self.calls)
        if self.strategy == "any" and succeeded:
            return True
        if self.strategy == "majority" and succeeded * 2 > len(self.calls):
            return True
        return not self.open

    @property
    def open(self) -> list[Call]:
        """Returns the calls without a result."""
        return [call for call in self.calls if call.reply is None]


def begun_event(step: NewStep, number: int, calls: int) -> SessionEvent:
    """Returns the event of a step with several calls, or with omissions in its prompt."""
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Step {number}")
    event.step.step_number = number
    event.step.action = step_pb2.StepAction.Value(f"STEP_ACTION_{step.action.upper()}")
    event.step.status = step_pb2.StepStatus.Value(f"STEP_STATUS_{step.status.upper()}")
    if calls > 1:
        event.step.wait_strategy = step_pb2.WaitStrategy.Value(f"WAIT_STRATEGY_{step.wait_strategy.upper()}")
        event.step.parallel_status = step_pb2.PARALLEL_STATUS_WAITING
    if step.input_data:
        omissions = read_omissions(step.input_data)
        event.step.omissions.messages = omissions.messages
        event.step.omissions.summarized_messages = omissions.summarized_messages
        event.step.omissions.steps.extend(omissions.steps)
    return event


def call_event(call: Call, step_number: int, status: ToolCallStatus, text: str = "") -> SessionEvent:
    """Returns an event about a call in this status, to which the caller adds other changes."""
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=text)
    event.tool_call.step_number = step_number
    event.tool_call.tool_call_id = call.request.id
    event.tool_call.tool_name = call.request.name
    event.tool_call.status = step_pb2.StepStatus.Value(f"STEP_STATUS_{status.upper()}")
    return event


def requested_event(call: Call, step_number: int, parameters: dict[str, Any]) -> SessionEvent:
    """Returns the event of a recorded call that has not started yet."""
    event = call_event(call, step_number, call.status, progress_text(call))
    redacts = call.tool is not None and call.tool.redacts
    event.tool_call.parameters.update(redacted_tree(parameters) if redacts else parameters)
    event.tool_call.side_effect = call.side_effect
    if call.approval:
        event.tool_call.approval = step_pb2.TOOL_APPROVAL_REQUIRED
    return event


def ended_event(call: Call, step_number: int, status: ToolCallStatus, result: str, error: str) -> SessionEvent:
    """Returns the event of a call's end; a long result is truncated."""
    event = call_event(call, step_number, status)
    if error:
        event.tool_call.error_message = error
    else:
        event.tool_call.result = result[:_RESULT_IN_EVENT]
    return event


def progress_text(call: Call) -> str:
    """Returns the description of a call for display."""
    if call.tool is None or call.problem:
        return f"Calling {call.request.name}"
    return normalized(call.tool.doing(call.given))
