"""Limits and options of a run: from its request, the session's preferences, and its assistant."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomind_lib.db.database import Database
from tests.drivers.conversation import Conversation


async def _assistant(database: Database, **config: Any) -> None:
    await database.pool.execute("UPDATE assistants SET config = $1 WHERE is_default", config)


class TestOptions:
    async def test_without_any(self, conversation: Conversation) -> None:
        sent = await conversation.ask()
        assert (sent.max_steps, sent.timeout_seconds, sent.max_run_tokens, sent.max_cost, sent.max_depth) == (
            20,
            300,
            None,
            None,
            2,
        )
        assert (sent.auto_run, sent.ask_clarifications, sent.goal) == (False, False, None)
        assert (await conversation.session())["goal"] is None

    async def test_the_request_goes_before_preferences_before_the_assistant(
        self, conversation: Conversation, database: Database
    ) -> None:
        await _assistant(
            database, maxSteps=10, timeoutSeconds=100, maxRunTokens="1000", maxCost=2.5, maxDepth=3,
            askClarifications=True,
        )  # fmt: skip
        await conversation.ask()
        await database.pool.execute(
            "UPDATE chat_sessions SET preferences = $1", {"maxSteps": 5, "maxDepth": 0, "maxRunTokens": "0"}
        )
        sent = await conversation.ask(maxSteps=7, timeoutSeconds=500, maxCost=0.25, askClarifications=False)
        assert (sent.max_steps, sent.timeout_seconds, sent.max_run_tokens, sent.max_cost, sent.max_depth) == (
            7,
            100,
            1000,
            0.25,
            0,
        )
        assert not sent.ask_clarifications
        preferred = await conversation.ask()
        assert (preferred.max_steps, preferred.ask_clarifications) == (5, True)

    async def test_a_run_by_itself_has_the_question_as_its_goal(self, conversation: Conversation) -> None:
        sent = await conversation.ask("Write the report.", autoRun=True, askClarifications=True)
        assert (sent.goal, sent.auto_run, sent.ask_clarifications) == ("Write the report.", True, False)
        session = await conversation.session()
        assert (session["goal"], session["initial_goal"]) == ("Write the report.",) * 2
        await conversation.ask("And another.", autoRun=True)
        assert (await conversation.session())["goal"] == "Write the report."

    async def test_a_later_run_sets_the_goal_of_a_session(self, conversation: Conversation) -> None:
        await conversation.ask()
        await conversation.ask("Write the report.", autoRun=True)
        session = await conversation.session()
        assert (session["goal"], session["initial_goal"]) == ("Write the report.",) * 2


_BUDGET = st.none() | st.integers(0, 1000)
_OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "maxSteps": st.integers(0, 1000),
        "timeoutSeconds": st.integers(0, 86400),
        "maxRunTokens": st.integers(0, 2**63 - 1).map(str),
        "maxCost": st.floats(0, allow_infinity=False),
        "maxDepth": st.integers(0, 10),
        "askClarifications": st.booleans(),
        "autoRun": st.booleans(),
    },
)
_ZERO_IS_UNSET = {"maxSteps", "timeoutSeconds", "maxRunTokens", "maxCost"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_OPTIONS, _OPTIONS, _OPTIONS)
async def test_budgets_only_lower_what_the_assistant_allows(
    conversation: Conversation, asked: dict[str, Any], preferred: dict[str, Any], allowed: dict[str, Any]
) -> None:
    allowed.pop("autoRun", None)
    pool = conversation.pool
    if not conversation.session_id:
        await conversation.ask()
    await pool.execute("UPDATE assistants SET config = $1 WHERE is_default", allowed)
    await pool.execute("UPDATE chat_sessions SET preferences = $1", preferred)
    sent = await conversation.ask(**asked)
    # A limit of 0 in a request is ignored, like an omitted one.
    requested = preferred | {name: value for name, value in asked.items() if float(value) or name not in _ZERO_IS_UNSET}

    def expected(name: str, default: float | None) -> float | None:
        limits = [float(source[name]) for source in (requested, allowed | {}) if float(source.get(name, 0))]
        if default and not float(allowed.get(name, 0)):
            limits.append(default)
        return min(limits, default=None)

    assert sent.max_steps == expected("maxSteps", 20)
    assert sent.timeout_seconds == expected("timeoutSeconds", 300)
    assert float(sent.max_run_tokens or 0) == (expected("maxRunTokens", None) or 0)
    assert sent.max_depth == min(requested.get("maxDepth", 10), allowed.get("maxDepth", 2))
    assert sent.auto_run == requested.get("autoRun", False)
    assert sent.ask_clarifications == (
        not sent.auto_run and requested.get("askClarifications", allowed.get("askClarifications", False))
    )
    cost = expected("maxCost", None)
    if cost is None or cost >= 1e6:
        assert sent.max_cost is None
    else:
        assert sent.max_cost == pytest.approx(cost, abs=1e-8)
        assert sent.max_cost
