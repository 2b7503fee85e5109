"""State of one attempt at a run, shared by the loop, its steps and its end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from echomind_agent.evidence.sources import Sources
from echomind_agent.state.budget import Budget
from echomind_agent.state.call import OpenStep
from echomind_agent.state.consulted import Consulted
from echomind_agent.state.context import ModelContext
from echomind_agent.state.delegations import Delegations
from echomind_agent.state.delta_writer import DeltaWriter
from echomind_agent.state.suspension import RunSuspended
from echomind_lib.events.log import EventLog
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import lease as leases
from echomind_lib.runs.fence import RunLease
from echomind_lib.runs.finish import Ending
from echomind_lib.runs.record import RunRecord


@dataclass(slots=True, kw_only=True)
class RunState:
    """The state of one attempt at a run. Create it with `begin`."""

    log: EventLog
    lease: RunLease
    sources: Sources
    """The sources that the answer may cite."""
    budget: Budget
    writer: DeltaWriter
    """The text shown to users."""
    control: str | None
    """The requested control that is not applied yet: `pause` or `cancel`."""
    untrusted: bool
    """Whether the run has read untrusted text."""
    context: ModelContext | None = None
    """The context of the model; None until it is built."""
    turn_began: datetime = field(default_factory=lambda: datetime.now(UTC))
    """When the model was last called."""
    open_step: OpenStep | None = None
    """The step whose calls are settled, or were settled last."""
    has_sub_runs: bool = False
    """Whether the run has started sub-runs."""
    delegations: Delegations = field(default_factory=Delegations)
    """The tasks that it has given to members."""
    first_token_ms: int | None = None
    """Milliseconds from the run's first claim until its model began to answer; None while it has not."""
    searched: list[str] = field(default_factory=list)
    """The queries, in order."""
    consulted: Consulted = field(default_factory=Consulted)
    """What its calls have consulted."""
    memory_ids: Sequence[int] = ()
    """Memories in the prompt."""
    memories: Sequence[str] | None = None
    """Their texts; None in a resumed run, which has not read them."""
    run: RunRecord = field(init=False)
    """The run as it was claimed."""
    ending: Ending | None = None
    """How the run has ended, so that its text is in its message; None before."""

    @classmethod
    def begin(cls, log: EventLog, lease: RunLease) -> "RunState":
        """Returns the initial state of an attempt."""
        sources, run = Sources(), lease.run
        caller = run.caller
        return cls(
            log=log,
            lease=lease,
            sources=sources,
            budget=Budget(run),
            writer=DeltaWriter(log.bus, run, lambda number: sources.get(number) is not None),
            control=run.control_requested,
            untrusted=run.untrusted or (caller is not None and caller.is_untrusted),
            delegations=Delegations(max_in_step=1) if run.routes else Delegations(),
            first_token_ms=run.first_token_ms,
            memory_ids=run.memory.ids,
        )

    def __post_init__(self) -> None:
        self.run = self.lease.run

    def note_answer_begins(self, began_at: datetime | None = None) -> None:
        """Records the arrival of the model's first token: of its reasoning, its text or its calls.

        Args:
            began_at: When it was received, which for calls is before they are complete; None means now.
        """
        if self.first_token_ms is None:
            waited = (began_at or datetime.now(UTC)) - self.run.started_at
            self.first_token_ms = max(0, round(waited.total_seconds() * 1000))

    def request_control(self, control: str) -> None:
        """Records a requested control; a `resume` withdraws a pause; a cancel cannot be withdrawn."""
        if self.control != "cancel":
            self.control = None if control == "resume" else control

    def note_control(self, stored: str | None) -> None:
        """Records a control found in the run's row by a write, as its message may be late or lost."""
        self.control = stored or self.control

    def check_control(self) -> None:
        """Applies a requested control between steps.

        Raises:
            RunSuspended: A pause or cancel was requested.
        """
        if self.control == "cancel":
            raise RunSuspended("cancelled")
        if self.control == "pause":
            raise RunSuspended("paused")

    async def warn(self, warnings: Sequence[SessionEvent]) -> None:
        """Stores warnings among the run's events.

        Raises:
            LeaseLostError: The worker no longer holds the run.
        """
        await leases.record_events(self.log, self.lease, warnings)
