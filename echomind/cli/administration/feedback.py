"""`echomind feedback`: ratings of answers and their sources."""

from typing import Annotated

import typer

from echomind.cli.api import Api
from echomind.cli.help_format import CommandGroup
from echomind.cli.lists import more
from echomind.cli.tables import Table
from echomind_lib.models import public

app = CommandGroup("Feedback: ratings of answers and their sources by all people, for superadmins.")

_FEEDBACK = Table(
    "FeedbackService.list_feedback",
    "GIVEN:feedback.creation_date RATING USER:user_name QUESTION::50 REASON:feedback.feedback_text:50 "
    "SOURCE:document_title:30 ASSISTANT:assistant_name MODEL:llm_name MESSAGE:message_id",
    "No answers have been rated yet.",
    {"RATING": lambda each: "helpful" if each.feedback and each.feedback.is_positive else "not helpful"},
)


@app.command("list")
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
    _FEEDBACK.write_rows(api.terminal, answer.feedback)
    more(api.terminal, answer.next_page_token, len(answer.feedback))


@app.command("rates")
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
