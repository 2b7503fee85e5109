"""`echomind feedback`: ratings of answers and their sources."""

from typing import Annotated

import typer

from echomind.cli.api import Api, api_command
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import moment, one_line
from echomind_lib.models import public

app = CommandGroup("Feedback: ratings of answers and their sources by all people, for superadmins.")


@app.command("list")
@api_command
async def list_feedback(
    api: Api,
    helpful: Annotated[bool | None, typer.Option("--helpful/--not-helpful", help="Only ratings of this kind.")] = None,
    with_reason: Annotated[bool, typer.Option("--with-reason", help="Only ratings with a reason.")] = False,
    limit: Annotated[int, typer.Option(help="Max ratings to list.", min=1, max=100_000)] = 50,
) -> None:
    """List the ratings of all people, of answers and of their sources, newest first."""
    filters = {"with_text": with_reason} | ({} if helpful is None else {"is_positive": helpful})
    answer = await api.client.collect(public.FeedbackService.list_feedback, filters, limit=limit)
    api.terminal.json(answer)
    api.terminal.table(
        ("GIVEN", "RATING", "USER", "QUESTION", "REASON", "SOURCE", "ASSISTANT", "MODEL", "MESSAGE"),
        (
            (
                moment(each.feedback.creation_date if each.feedback else None),
                "helpful" if each.feedback and each.feedback.is_positive else "not helpful",
                each.user_name,
                one_line(each.question, 50),
                one_line(each.feedback.feedback_text if each.feedback else "", 50),
                one_line(each.document_title, 30),
                each.assistant_name,
                each.llm_name,
                each.message_id,
            )
            for each in answer.feedback
        ),
        empty="No answers have been rated yet.",
    )


@app.command("rates")
@api_command
async def feedback_rates(api: Api) -> None:
    """Show how many answers and sources were rated helpful, by assistant, model and source."""
    rates = await api.client.call(public.FeedbackService.get_feedback_rates)
    api.terminal.json(rates)
    groups = (("assistant", rates.assistants), ("model", rates.llms), ("source", rates.sources))
    api.terminal.table(
        ("OF", "NAME", "ANSWERS", "HELPFUL ANSWERS", "HELPFUL SOURCES"),
        (
            (
                kind,
                rate.name or "not known",
                rate.answers,
                _share(rate.helpful_answers, rate.unhelpful_answers),
                _share(rate.helpful_passages, rate.unhelpful_passages),
            )
            for kind, group in groups
            for rate in group
        ),
        empty="There are no answers yet.",
    )


def _share(helpful: int, unhelpful: int) -> str:
    return f"{helpful} of {helpful + unhelpful}" if helpful + unhelpful else "-"
