"""`echomind usage`: questions, tokens and cost."""

import csv
import io
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated

import typer

from echomind.cli.api import Api, api_command
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

_COLUMNS = (
    "day", "id", "name", "kind", "questions", "failed_questions", "active_users", "prompt_tokens", "completion_tokens",
    "cost",
)  # fmt: skip

_HEADINGS = ("QUESTIONS", "FAILED", "PEOPLE", "PROMPT TOKENS", "ANSWER TOKENS", "COST (USD)")


class Grouping(StrEnum):
    """Grouping of usage."""

    DAY = "day"
    MODEL = "model"
    DAY_MODEL = "day-model"
    ASSISTANT = "assistant"
    USER = "user"
    KIND = "kind"


class Kind(StrEnum):
    """Kind of calls of models."""

    ANSWER = "answer"
    PLAIN_MODEL = "plain-model"
    TITLE = "title"
    SUMMARY = "summary"
    LEARNING = "learning"
    JUDGEMENT = "judgement"
    EMBEDDING = "embedding"


@api_command
async def usage(
    api: Api,
    by: Annotated[
        Grouping, typer.Option(help="Sum by day, model, day and model, assistant, user or kind of call.")
    ] = Grouping.DAY,
    days: Annotated[int, typer.Option(help="How many days back.", min=1, max=366)] = 30,
    kind: Annotated[Kind | None, typer.Option(help="Only calls of models of this kind.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
) -> None:
    """Show questions, tokens and cost; admins see those of everyone."""
    if as_csv and api.terminal.as_json:
        raise CommandError("Give --csv or --json, not both.")
    groupings = {
        Grouping.DAY: public.UsageGrouping.UNSPECIFIED,
        Grouping.MODEL: public.UsageGrouping.LLM,
        Grouping.DAY_MODEL: public.UsageGrouping.DAY_LLM,
        Grouping.ASSISTANT: public.UsageGrouping.ASSISTANT,
        Grouping.USER: public.UsageGrouping.USER,
        Grouping.KIND: public.UsageGrouping.KIND,
    }
    request = {
        "from_time": datetime.now(UTC) - timedelta(days=days),
        "group_by": groupings[by],
        "kind": public.UsageKind[kind.name] if kind else public.UsageKind.UNSPECIFIED,
    }
    answer = await api.client.call(public.UsageService.get_usage, request)
    api.terminal.json(answer)
    if as_csv:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(_COLUMNS)
        writer.writerows([_cell(row, column) for column in _COLUMNS] for row in answer.usage)
        api.terminal.line(text.getvalue().rstrip())
        return
    rows = [(_name(by, row), row) for row in answer.usage]
    if answer.total:
        rows.append(("total", answer.total))
    api.terminal.table(
        (by.upper().replace("-", " AND "), *_HEADINGS),
        (
            (
                name,
                row.questions,
                row.failed_questions,
                row.active_users,
                row.prompt_tokens,
                row.completion_tokens,
                "unknown" if not row.cost and row.prompt_tokens + row.completion_tokens else f"{row.cost:.4f}",
            )
            for name, row in rows
        ),
        empty="No questions in this period.",
    )


def _name(by: Grouping, row: "public.Usage") -> str:
    name = row.name or "none"
    if by is Grouping.KIND:
        return _kind(row)
    if by is Grouping.DAY_MODEL:
        return f"{row.day} {name}"
    return row.day or name


def _kind(row: "public.Usage") -> str:
    return row.kind.name.lower().replace("_", "-") if row.kind else ""


def _cell(row: "public.Usage", column: str) -> object:
    return _kind(row) if column == "kind" else getattr(row, column)
