"""`echomind quotas`: limits of questions, tokens and cost for each day or month, and of what is done at a time."""

from typing import Annotated, Any, Final

import typer

from echomind.cli import completion
from echomind.cli.accounts.key_options import Limits
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import GROUPS, QUOTAS, USERS
from echomind.cli.rendering import last_change, moment
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Quotas: limits of questions, tokens and cost for each day or month, and at a time.")

Id = Annotated[int, typer.Argument(metavar="ID", help="Id of a quota.", min=1, autocompletion=completion.quotas)]
_LIMITS: Final = {
    "QUESTIONS": ("max_questions", "{:,}"),
    "TOKENS": ("max_tokens", "{:,}"),
    "COST": ("max_cost", "${:,.2f}"),
    "REQUESTS": ("max_requests_per_minute", "{:,}"),
    "RUNS": ("max_concurrent_runs", "{:,}"),
    "STREAMS": ("max_concurrent_streams", "{:,}"),
}
"""The limits of a quota by the title of their column: field and form."""


@app.command("list")
async def list_quotas(api: Api) -> None:
    """List the quotas."""
    quotas = await QUOTAS.every(api.client)
    api.terminal.json({"quotas": quotas})
    api.terminal.table(
        ("ID", "FOR", "EACH", *_LIMITS),
        ((quota.id, subject(quota), quota.period.word, *_limits(quota).values()) for quota in quotas),
        empty="There are no quotas; `echomind quotas add` adds one.",
    )


@app.command("show")
async def show_quota(api: Api, quota: Id) -> None:
    """Show a quota."""
    found = await api.client.call(public.QuotaService.get_quota, {"id": quota})
    api.terminal.json(found)
    api.terminal.fields(
        (
            ("Quota", found.id),
            ("For", subject(found)),
            ("Each", found.period.word),
            *((name.capitalize(), limit) for name, limit in _limits(found).items()),
            ("Created", moment(found.creation_date)),
            ("Changed", last_change(found)),
        )
    )


@app.command("add")
async def add_quota(
    api: Api,
    each: Annotated[
        words.QuotaPeriod | None,
        typer.Option("--each", help="Day or month; minute for what is done at a time.", show_default="month"),
    ] = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    user: Annotated[str, typer.Option("--user", help="For one person.", autocompletion=completion.users)] = "",
    group: Annotated[
        str, typer.Option("--group", help="For a group's members together.", autocompletion=completion.groups)
    ] = "",
    members_of: Annotated[
        str, typer.Option("--members-of", help="For each member of a group.", autocompletion=completion.groups)
    ] = "",
    each_person: Annotated[bool, typer.Option("--each-person", help="For each person.")] = False,
) -> None:
    """Add a quota: for everybody together, or as an option says.

    --requests-per-minute, --runs and --streams limit what is done at a time, and make a quota of their own.
    """
    if sum(map(bool, (user, group, members_of, each_person))) > 1:
        raise typer.BadParameter("Give one of --user, --group, --members-of and --each-person.")
    if each is None:
        each = words.QuotaPeriod.MINUTE if limits.is_at_a_time else words.QuotaPeriod.MONTH
    new: dict[str, Any] = {
        "scope": public.QuotaScope.ORGANIZATION,
        "period": public.QuotaPeriod.from_word(each.value),
    } | limits.given()
    if user:
        new |= {"scope": public.QuotaScope.USER, "user_id": (await USERS.find(api, user)).id}
    elif group or members_of:
        found = await GROUPS.find(api, group or members_of)
        new |= {"scope": public.QuotaScope.GROUP if group else public.QuotaScope.MEMBER, "group_id": found.id}
    elif each_person:
        new["scope"] = public.QuotaScope.MEMBER
    quota = await api.client.call(public.QuotaService.create_quota, {"quota": new})
    api.terminal.report(quota, f"Added quota {quota.id}: {subject(quota)}, each {quota.period.word}.")


@app.command("update")
async def update_quota(
    api: Api,
    quota: Id,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> None:
    """Change the limits of a quota; what was used stays, and 0 removes a limit."""
    if not (changes := limits.given()):
        raise typer.BadParameter(
            "Give --questions, --tokens or --cost, or of a quota of each minute --requests-per-minute, --runs or "
            "--streams."
        )
    changed = await api.client.call(public.QuotaService.update_quota, {"id": quota, "quota": changes})
    api.terminal.report(changed, f"Changed quota {changed.id}.")


@app.command("remove")
async def remove_quota(api: Api, quota: Id, yes: Yes = False) -> None:
    """Remove a quota."""
    await confirm(api.terminal, f"Remove quota {quota}", yes=yes)
    await api.client.call(public.QuotaService.delete_quota, {"id": quota})
    api.terminal.report({"id": str(quota)}, f"Removed quota {quota}.")


@app.command("usage")
async def show_usage(
    api: Api,
    user: Annotated[
        str, typer.Argument(help="User name or id.", autocompletion=completion.users, show_default="yourself")
    ] = "",
) -> None:
    """Show what is used of the limits that bind you, or for admins another person."""
    user_id = (await USERS.find(api, user)).id if user else 0
    await _USAGE.show(api, {"user_id": user_id})


def subject(quota: "public.Quota") -> str:
    """Returns whom a quota binds."""
    if quota.scope is public.QuotaScope.USER:
        return quota.user_name
    if quota.scope is public.QuotaScope.GROUP:
        return f"group {quota.group_name} together"
    if quota.scope is public.QuotaScope.MEMBER:
        return f"each member of {quota.group_name}" if quota.group_name else "each person"
    return "everybody together"


def _whose(usage: "public.QuotaUsage") -> str:
    if usage.scope is public.QuotaScope.GROUP:
        return f"group {usage.group_name} together"
    if usage.scope is public.QuotaScope.KEY:
        return f"the API key {usage.api_key_name}"
    return "the person" if usage.scope is public.QuotaScope.USER else "everybody together"


def _limits(quota: "public.Quota") -> dict[str, str]:
    return {
        title: form.format(maximum) if (maximum := getattr(quota, field)) else ""
        for title, (field, form) in _LIMITS.items()
    }


def _of(used: float, maximum: float, form: str = "{:,}") -> str:
    return f"{form.format(used)} of {form.format(maximum)}" if maximum else ""


_USAGE = Table(
    "QuotaService.list_quota_usage",
    "FOR EACH:period QUESTIONS TOKENS COST REQUESTS RUNS STREAMS RENEWS:renews_at",
    "No limit applies.",
    {
        "FOR": _whose,
        "QUESTIONS": lambda each: _of(each.questions, each.max_questions),
        "TOKENS": lambda each: _of(each.tokens, each.max_tokens),
        "COST": lambda each: _of(each.cost, each.max_cost, "${:,.2f}"),
        "REQUESTS": lambda each: _of(each.requests, each.max_requests_per_minute),
        "RUNS": lambda each: _of(each.concurrent_runs, each.max_concurrent_runs),
        "STREAMS": lambda each: _of(each.concurrent_streams, each.max_concurrent_streams),
    },
)
