"""The budget of a run: steps, tokens, cost, time. Its sub-runs use the same budget."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from echomind_lib.llms import Usage
from echomind_lib.runs import sub_runs
from echomind_lib.runs.record import RunRecord
from echomind_lib.runs.sub_runs import Spent

SUB_RUN_SECONDS = 300
"""Default time limit of a sub-run."""


class LimitError(Exception):
    """A run has reached one of its limits.

    Attributes:
        reason: `RunError.reason`.
        retry_at: When asking again can succeed; None if unknown.
    """

    def __init__(self, reason: str, message: str, retry_at: datetime | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_at = retry_at


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLimits:
    """Limits of a sub-run from the settings of its assistant, or from its parent's model; 0 means no limit."""

    steps: int = 0
    seconds: int = 0
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubRunBudget:
    """The budget of a sub-run; None means no limit."""

    max_steps: int
    timeout_seconds: int
    max_run_tokens: int | None
    max_cost: float | None


class Budget:
    """The used and remaining budget of a run."""

    def __init__(self, run: RunRecord) -> None:
        """Initializes the budget with the usage of earlier attempts."""
        self._run_id, self._limits = run.id, run.limits
        self.steps = run.usage.steps
        self.tokens = run.usage.prompt_tokens + run.usage.completion_tokens
        """Tokens of prompts and answers of this run, without its sub-runs."""
        self.cost = run.usage.cost
        """US dollars of this run, without its sub-runs."""
        self._saved_cost = self.cost
        self.below = Spent()
        self.free_steps = 0
        """Steps that are not counted: the search before the first model call."""
        self._spent = run.usage.seconds
        self._began = asyncio.get_running_loop().time()

    @property
    def seconds(self) -> float:
        """Returns the active seconds of the run, excluding waiting."""
        return round(self._spent + asyncio.get_running_loop().time() - self._began, 2)

    @property
    def seconds_left(self) -> float:
        """Returns the seconds until its time limit, at least 0."""
        return max(0.0, self._limits.seconds - self.seconds - self.below.seconds)

    @property
    def is_last_step(self) -> bool:
        """Returns whether the next step is the last one, in which the model must answer from its results so far."""
        return self._steps_taken + 1 >= self._limits.steps

    @property
    def steps_left(self) -> int:
        """Returns the remaining steps of it and its sub-runs, at least 0."""
        return max(0, self._limits.steps - self._steps_taken)

    @property
    def _steps_taken(self) -> int:
        return self.steps - self.free_steps + self.below.steps

    def spend(self, usage: Usage, cost: float) -> None:
        """Counts a step's model call."""
        self.steps += 1
        self.tokens += usage.prompt_tokens + usage.completion_tokens
        self.cost += cost

    def spend_beside(self, usage: Usage, cost: float) -> None:
        """Counts a model call that is part of a step."""
        self.tokens += usage.prompt_tokens + usage.completion_tokens
        self.cost += cost

    async def read_below(self, pool: asyncpg.Pool) -> None:
        """Reads the usage of its sub-runs."""
        self.below = await sub_runs.read_spent(pool, self._run_id)

    def unsaved_cost(self) -> float:
        """Returns the cost of model calls since the previous call, for storing."""
        unsaved, self._saved_cost = self.cost - self._saved_cost, self.cost
        return unsaved

    def check(self) -> None:
        """Checks the limits before a model call.

        Raises:
            LimitError: A limit is reached.
        """
        limits = self._limits
        # Own steps only: if sub-runs have used up the rest, this run can still answer from its results.
        if self.steps - self.free_steps >= limits.steps:
            raise LimitError("MAX_STEPS", f"The run took {self.steps} steps without an answer.")
        tokens = self.tokens + self.below.tokens
        if limits.tokens and tokens >= limits.tokens:
            raise LimitError("MAX_TOKENS", f"The run used {tokens} tokens; its limit is {limits.tokens}.")
        cost = self.cost + self.below.cost
        if limits.cost and cost >= limits.cost:
            raise LimitError("MAX_COST", f"The run cost {cost:.4f} US dollars; its limit is {limits.cost:.4f}.")

    def cut(self, sub_runs: int, own: OwnLimits) -> SubRunBudget:
        """Returns the budget of one of several sub-runs: the remaining budget is divided among them and this run.

        Unused parts return to this run, as only actual usage counts (`read_below`).

        Args:
            sub_runs: Number of sub-runs started together.
            own: Its own limits; at most its share of the remaining budget of this run.
        """
        limits, parts = self._limits, sub_runs + 1
        share = max(1, self.steps_left // parts)
        seconds = int(min(self.seconds_left / parts, own.seconds or SUB_RUN_SECONDS))
        tokens, cost = own.tokens or None, own.cost or None
        if limits.tokens:
            left = max(1, (limits.tokens - self.tokens - self.below.tokens) // parts)
            tokens = min(tokens or left, left)
        if limits.cost:
            rest = max(1e-8, (limits.cost - self.cost - self.below.cost) / parts)
            cost = min(cost or rest, rest)
        return SubRunBudget(
            max_steps=min(own.steps or share, share),
            timeout_seconds=max(1, seconds),
            max_run_tokens=tokens,
            max_cost=cost,
        )
