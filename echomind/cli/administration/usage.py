"""`echomind usage`: questions, tokens and cost."""

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from echomind.cli.api import Api
from echomind.cli.options import given, in_contract, word_of
from echomind.cli.terminal import CommandError
from echomind_lib.models import public
from echomind_lib.models.public import words

_COLUMNS = (
    "day", "id", "name", "kind", "questions", "failed_questions", "active_users", "prompt_tokens", "completion_tokens",
    "cost",
)  # fmt: skip

_HEADINGS = ("QUESTIONS", "FAILED", "PEOPLE", "PROMPT TOKENS", "ANSWER TOKENS", "COST (USD)")


async def usage(
    api: Api,
    by: Annotated[
        words.UsageGrouping, typer.Option(help="Sum by day, model, day and model, assistant, user or kind of call.")
    ] = words.UsageGrouping.UNSPECIFIED,
    days: Annotated[int, typer.Option(help="How many days back.", min=1, max=366)] = 30,
    kind: Annotated[words.UsageKind | None, typer.Option(help="Only calls of models of this kind.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
) -> None:
    """Show questions, tokens and cost; admins see those of everyone."""
    if as_csv and api.terminal.as_json:
        raise CommandError("Give --csv or --json, not both.")
    request = {
        "from_time": datetime.now(UTC) - timedelta(days=days),
        "group_by": in_contract(by),
    } | given(kind=in_contract(kind))
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


def _name(by: words.UsageGrouping, row: "public.Usage") -> str:
    name = row.name or "none"
    if by is words.UsageGrouping.KIND:
        return _kind(row)
    if by is words.UsageGrouping.DAY_LLM:
        return f"{row.day} {name}"
    return row.day or name


def _kind(row: "public.Usage") -> str:
    return word_of(row.kind) if row.kind else ""


def _cell(row: "public.Usage", column: str) -> object:
    value = _kind(row) if column == "kind" else getattr(row, column)
    # A name that a spreadsheet would calculate is quoted for it: other people choose names.
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if is_formula else value
