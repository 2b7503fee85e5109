"""`echomind retention`: rules for what is deleted because of its age."""

from typing import Annotated

import typer

from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import counted, moment
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Retention: what is deleted because of its age, for superadmins.")
_MAX_DAYS = 36_500

Data = Annotated[words.RetentionData, typer.Argument(metavar="DATA", help="The kind of data, as in the list.")]
Days = Annotated[
    int, typer.Argument(metavar="DAYS", help="Days for which it is kept; 0: for ever.", min=0, max=_MAX_DAYS)
]


@app.command("list")
async def list_rules(api: Api) -> None:
    """List the rules, one for each kind of data."""
    await _RULES.show(api)


@app.command("preview")
async def preview_rule(api: Api, data: Data, days: Days) -> None:
    """Count what would be deleted now if data was kept for so many days."""
    found = await _preview(api, data, days)
    oldest = f" The oldest is of {moment(found.oldest_at)}." if found.oldest_at else ""
    api.terminal.report(found, f"Would be deleted now: {_number(found)}.{oldest}")


@app.command("set-days")
async def set_days(api: Api, data: Data, days: Days, yes: Yes = False) -> None:
    """Set for how many days data is kept. What is older is deleted permanently, within the hour."""
    await _set(api, data, days, yes=yes)


@app.command("reset")
async def reset_days(api: Api, data: Data, yes: Yes = False) -> None:
    """Keep data for the default number of days again."""
    await _set(api, data, None, yes=yes)


async def _set(api: Api, data: words.RetentionData, days: int | None, *, yes: bool) -> None:
    if not yes:
        kept = days
        if kept is None:
            kept = next(rule.default_days for rule in await _rules(api) if rule.data.word == data.value)
        loss = _number(await _preview(api, data, kept))
        action = f"Keep {data.value} for ever" if not kept else f"Keep {data.value} for {counted(kept, 'day')}"
        await confirm(api.terminal, f"{action}, and delete what is older (now: {loss})", yes=yes)
    request = {"data": public.RetentionData.from_word(data.value), "days": days}
    rule = await api.client.call(public.RetentionService.set_retention_rule, request)
    api.terminal.report(rule, f"{rule.data.word}: {_time(rule.days)}{'' if rule.is_set else ', the default'}.")


async def _rules(api: Api) -> "list[public.RetentionRule]":
    return list((await api.client.call(public.RetentionService.list_retention_rules, {})).rules)


async def _preview(api: Api, data: words.RetentionData, days: int) -> "public.PreviewRetentionRuleResponse":
    request = {"data": public.RetentionData.from_word(data.value), "days": days}
    return await api.client.call(public.RetentionService.preview_retention_rule, request)


def _number(found: "public.PreviewRetentionRuleResponse") -> str:
    return f"more than {found.count}" if found.has_more else str(found.count)


def _time(days: int) -> str:
    return counted(days, "day") if days else "for ever"


_RULES = Table(
    "RetentionService.list_retention_rules",
    "DATA KEPT_FOR DEFAULT SET:set_at BY:set_by_name",
    "There are no rules.",
    {"KEPT_FOR": lambda each: _time(each.days), "DEFAULT": lambda each: _time(each.default_days)},
)
