"""The shared state of one attempt at a run: requested controls, and its initial values."""

from datetime import timedelta
from typing import Any, cast

import pytest

from echomind_agent.state.run import RunState
from echomind_agent.state.suspension import RunSuspended
from echomind_lib.runs.fence import RunLease
from tests.drivers.tables import for_each
from tests.factories.run_records import new_run


class _NoLog:
    """A log that nothing is written to."""

    bus = pool = cast("Any", None)


async def _state(**values: Any) -> RunState:
    return RunState.begin(cast("Any", _NoLog()), RunLease(new_run(**values)))


@for_each(
    ("asked", "status"),
    [
        ([], None),
        (["pause"], "paused"),
        (["pause", "resume"], None),
        (["pause", "cancel"], "cancelled"),
        (["cancel", "pause"], "cancelled"),
        (["cancel", "resume"], "cancelled"),
    ],
)
async def test_a_resume_takes_back_a_pause_and_nothing_a_cancel(asked: list[str], status: str | None) -> None:
    state = await _state()
    for expected in asked:
        state.request_control(expected)
    if status is None:
        state.check_control()
        return
    with pytest.raises(RunSuspended) as suspended:
        state.check_control()
    assert suspended.value.status == status


async def test_a_write_that_finds_no_control_clears_none() -> None:
    """The message about a control may come before its row is read, or the other way round."""
    state = await _state()
    state.request_control("pause")
    state.note_control(None)
    assert state.control == "pause"
    state.note_control("cancel")
    assert state.control == "cancel"


async def test_the_first_token_is_that_of_the_first_call_and_not_of_later_text() -> None:
    state = await _state()
    state.note_answer_begins(state.run.started_at + timedelta(milliseconds=250))
    state.note_answer_begins()
    assert state.first_token_ms == 250


async def test_an_attempt_begins_with_what_the_run_has() -> None:
    state = await _state(control_requested="pause", untrusted=True)
    assert (state.control, state.untrusted, state.ending) == ("pause", True, None)
    assert state.context is None
