"""What runs ask at MCP clients: the keys of questions, and sub-runs that wait for a person."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from echomind_api.transports.mcp.questions import answer_in, requests_of
from echomind_api.transports.mcp.services import McpServices
from echomind_lib.contract import CallContext
from echomind_lib.models.public import (
    InputField,
    InputFieldType,
    InputForm,
    PendingInput,
    PendingInputKind,
    PendingToolCall,
    Run,
    RunStatus,
)

ROOM = InputForm(server="rooms", message="Which?", fields=[InputField(name="room", type=InputFieldType.STRING)])
ROOT = "00000000-0000-7000-8000-000000000000"
CALL = cast("CallContext", None)


def asking(attempt: int) -> Run:
    """Returns a run in which a call of a tool asks by the same form, whenever it does."""
    calls = [PendingToolCall(tool_call_id="c")]
    pending = PendingInput(kind=PendingInputKind.CLARIFICATION, question="Which?", tool_calls=calls, form=ROOM)
    return Run(id="r", attempt=attempt, status=RunStatus.WAITING_FOR_INPUT, pending_input=pending)


def waiting(number: str, kind: PendingInputKind) -> Run:
    return Run(id=number, status=RunStatus.WAITING_FOR_INPUT, pending_input=PendingInput(kind=kind, question="Delete?"))


def services(*tree: Run) -> McpServices:
    """Returns the services where a run has sub-runs."""

    async def get_run_tree(*_: object) -> Any:
        return SimpleNamespace(runs=[*tree])

    given = dict.fromkeys(McpServices.__dataclass_fields__)
    return McpServices(**{**given, "runs": SimpleNamespace(get_run_tree=get_run_tree)})  # type: ignore[arg-type]


def test_the_same_question_again_has_another_key() -> None:
    """Or a response that is sent twice would answer both."""
    (first,), (second,) = requests_of(asking(1)), requests_of(asking(2))
    assert first != second
    responses = {first: {"action": "accept", "content": {"room": "blue"}}}
    assert answer_in(responses, asking(1)) == '{"room": "blue"}'
    assert answer_in(responses, asking(2)) is None
    assert list(requests_of(asking(1))) == [first]


@pytest.mark.parametrize(
    ("child", "says"),
    [
        (waiting("child", PendingInputKind.APPROVAL), "The run waits for a person, in EchoMind: Delete?"),
        (Run(id="child", status=RunStatus.PAUSED), "The run is paused."),
    ],
)
async def test_a_call_ends_when_a_sub_run_waits_for_what_is_given_in_echomind(child: Run, says: str) -> None:
    root = Run(id=ROOT, status=RunStatus.WAITING_FOR_CHILDREN)
    made = services(root, Run(id="other", status=RunStatus.RUNNING), child)

    async def report(_text: str) -> None:
        raise AssertionError

    async with asyncio.timeout(5):
        settled = await made.settled(root, CALL, report)
    found = await made.waiting(settled, CALL)
    assert (settled.id, found.id) == (ROOT, "child")
    assert requests_of(found) == {}
    assert made.failure_of(found) == says


async def test_a_sub_run_that_asks_comes_before_others_that_wait() -> None:
    root = Run(id=ROOT, status=RunStatus.WAITING_FOR_CHILDREN)
    kinds = {"first": PendingInputKind.APPROVAL, "second": PendingInputKind.CLARIFICATION}
    made = services(root, *(waiting(number, kind) for number, kind in kinds.items()))
    assert (await made.waiting(root, CALL)).id == "second"
