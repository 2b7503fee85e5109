"""Of runs, their steps, calls and todos, and of background jobs."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import true

from echomind_agent.execution import resume
from echomind_api.administration import usage
from echomind_api.conversations import run_rows
from echomind_lib.conversations import locks
from echomind_lib.conversations.questions.stored import FIND_BY_REQUEST
from echomind_lib.jobs import lease
from echomind_lib.plans import rows
from echomind_lib.runs import inputs, parents, queue, recovery, sub_runs
from echomind_lib.runs.claim import CLAIM
from tests.factories.frequent_queries.query import Query, issued, selected

_CLAIM = {"worker_id": "uuidv7()", "run_id": "uuidv7()", "limit": "8", "events": "'[]'"}
_EVERYBODY = {"reader_id": "1", "reader_is_superadmin": "TRUE", "before": "uuidv7()", "limit": "51"}

_DAY = datetime(2026, 11, 20, tzinfo=UTC)
_USAGE = usage.total_of(usage.calls_between(_DAY, _DAY + timedelta(1), ZoneInfo("UTC"), true(), true()))

RUNS: list[Query] = [
    issued(
        "steps_run_id_step_number_key",
        run_rows._STEPS,
        {"own": "TRUE", "run_id": "uuidv7()", "after": "7", "limit": "51"},
        sorted_by_index=True,
    ),
    issued("idx_tool_calls_status_count", resume._STEPS, {"run_id": "uuidv7()"}),
    issued("idx_runs_active", CLAIM, _CLAIM),
    issued("idx_runs_slot", CLAIM, _CLAIM),
    issued("runs_pkey", CLAIM, _CLAIM),
    issued("idx_runs_active", recovery._STRANDED, {"limit": "8", "age": "2.5"}),
    issued("idx_runs_active", recovery._HELD, {"worker_id": "uuidv7()", "age": "2.5"}),
    issued("idx_runs_active", queue._PROMOTE, {"seconds": "300"}),
    issued("idx_runs_active", parents._SETTLED, {"limit": "100"}),
    issued("idx_runs_active_root", locks._ACTIVE_ROOT, {"session_id": "1"}),
    issued(
        "idx_runs_chat_session_id",
        run_rows._page(frozenset({"before", "chat_session_id"}), "read"),
        _EVERYBODY | {"chat_session_id": "1"},
        sorted_by_index=True,
        is_page=True,
    ),
    issued(
        "idx_runs_user_id",
        run_rows._page(frozenset({"before"}), "manage"),
        _EVERYBODY,
        sorted_by_index=True,
        is_page=True,
    ),
    selected("idx_runs_creation_date", _USAGE, sorted_by_index=False),
    selected("idx_usage_daily_subject", _USAGE, sorted_by_index=False),
    issued("runs_pkey", run_rows._page(frozenset({"before"}), "read"), _EVERYBODY, sorted_by_index=True),
    issued("idx_runs_parent_run_id", sub_runs._ENDED, {"run_id": "uuidv7()"}),
    issued("idx_tool_calls_request_id", inputs._ANSWERED_WITH, {"user_id": "1", "request_id": "'r'"}),
    issued("idx_todos_run_id", rows.OF_RUN, {"run_id": "uuidv7()"}),
    issued("idx_todos_order", rows.OF_SESSION, {"session_id": "1"}, sorted_by_index=True),
    issued("idx_runs_request_id", FIND_BY_REQUEST, {"user_id": "1", "request_id": "'r'"}),
    issued(
        "idx_background_jobs_due",
        lease._CLAIM,
        {"kinds": "'{title}'", "worker": "uuidv7()", "lease_seconds": "60", "waits": "0"},
        sorted_by_index=True,
    ),
]
