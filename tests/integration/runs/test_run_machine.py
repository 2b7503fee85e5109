"""Invariants of the state machine of runs under workers, people, deaths and sweeps in any order."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from echomind_lib.db.words import RunStatus, StepAction
from echomind_lib.events.log import EventLog
from tests.drivers.run_system import WORKERS, RunSystem
from tests.factories.rows import Rows

T = TypeVar("T")

EXAMPLES = 12
STEPS = 40

numbers = st.integers(0, 7)


def machine(log: EventLog, rows: Rows, loop: asyncio.AbstractEventLoop) -> type[RuleBasedStateMachine]:
    """Returns what Hypothesis does, in a thread of its own; all that is done happens in the loop."""

    def done(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(60)

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.system = RunSystem(log, rows.user_id)
            done(self.system.begin())
            done(self.system.check())

        def _act(self, work: Coroutine[Any, Any, None]) -> None:
            done(work)
            done(self.system.check())

        @rule()
        def send(self) -> None:
            self._act(self.system.send())

        @rule(number=numbers, to=st.sampled_from(["cancelled", "paused", "paused", "queued", "queued"]))
        def move(self, number: int, to: RunStatus) -> None:
            self._act(self.system.move(number, to))

        @rule(number=numbers)
        def give_input(self, number: int) -> None:
            self._act(self.system.give_input(number))

        @rule(number=numbers, approved=st.booleans())
        def decide(self, number: int, approved: bool) -> None:
            self._act(self.system.decide(number, approved))

        @rule(number=numbers, worker=st.integers(0, WORKERS - 1))
        def take(self, number: int, worker: int) -> None:
            self._act(self.system.take(number, worker))

        @rule(number=numbers, action=st.sampled_from(["ask_user", "call_tool", "delegate", "delegate"]))
        def record(self, number: int, action: StepAction) -> None:
            self._act(self.system.record(number, action))

        @rule(number=numbers)
        def delegate(self, number: int) -> None:
            self._act(self.system.delegate(number))

        @rule(number=numbers)
        def settle(self, number: int) -> None:
            self._act(self.system.settle(number))

        @rule(number=numbers)
        def pause(self, number: int) -> None:
            self._act(self.system.pause(number))

        @rule(number=numbers)
        def retry(self, number: int) -> None:
            self._act(self.system.retry(number))

        @rule(number=numbers, status=st.sampled_from(["completed", "failed", "timeout"]))
        def finish(self, number: int, status: RunStatus) -> None:
            self._act(self.system.finish(number, status))

        @rule(worker=st.integers(0, WORKERS - 1))
        def die(self, worker: int) -> None:
            self._act(self.system.die(worker))

        @rule(worker=st.integers(0, WORKERS - 1))
        def come_back(self, worker: int) -> None:
            self._act(self.system.come_back(worker))

        @rule()
        def sweep(self) -> None:
            self._act(self.system.sweep())

        def teardown(self) -> None:
            if self.system.session_id is not None:
                done(self.system.to_the_end())

    return Machine


async def test_invariants(event_log: EventLog, rows: Rows) -> None:
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # shrinking takes longer than a test may
        suppress_health_check=list(HealthCheck),
    )
    await asyncio.to_thread(
        run_state_machine_as_test, machine(event_log, rows, asyncio.get_running_loop()), settings=chosen
    )
