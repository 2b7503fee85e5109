"""`echomind quotas`: limits of questions, tokens and cost for each day or month."""

from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import GROUPS, QUOTAS, USERS
from echomind.cli.rendering import last_change, moment
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Quotas: limits of questions, tokens and cost for each day or month.")


Id = Annotated[int, typer.Argument(metavar="ID", help="Id of a quota.", min=1, autocompletion=completion.quotas)]
Questions = Annotated[int | None, typer.Option("--questions", help="Maximum number of questions; 0: no limit.", min=0)]
Tokens = Annotated[
    int | None, typer.Option("--tokens", help="Maximum tokens of prompts and answers; 0: no limit.", min=0)
]
Cost = Annotated[float | None, typer.Option("--cost", help="Maximum cost in US dollars; 0: no limit.", min=0)]


@app.command("list")
async def list_quotas(api: Api) -> None:
    """List the quotas."""
    quotas = await QUOTAS.every(api.client)
    api.terminal.json({"quotas": quotas})
    api.terminal.table(
        ("ID", "FOR", "EACH", "QUESTIONS", "TOKENS", "COST"),
        ((quota.id, subject(quota), quota.period.word, *_limits(quota)) for quota in quotas),
        empty="There are no quotas; `echomind quotas add` adds one.",
    )


@app.command("show")
async def show_quota(api: Api, quota: Id) -> None:
    """Show a quota."""
    found = await api.client.call(public.QuotaService.get_quota, {"id": quota})
    questions, tokens, cost = _limits(found)
    api.terminal.json(found)
    api.terminal.fields(
        (
            ("Quota", found.id),
            ("For", subject(found)),
            ("Each", found.period.word),
            ("Questions", questions),
            ("Tokens", tokens),
            ("Cost", cost),
            ("Created", moment(found.creation_date)),
            ("Changed", last_change(found)),
        )
    )


@app.command("add")
async def add_quota(
    api: Api,
    each: Annotated[words.QuotaPeriod, typer.Option("--each", help="Day or month.")] = words.QuotaPeriod.MONTH,
    questions: Questions = None,
    tokens: Tokens = None,
    cost: Cost = None,
    user: Annotated[str, typer.Option("--user", help="For one person.", autocompletion=completion.users)] = "",
    group: Annotated[
        str, typer.Option("--group", help="For a group's members together.", autocompletion=completion.groups)
    ] = "",
    members_of: Annotated[
        str, typer.Option("--members-of", help="For each member of a group.", autocompletion=completion.groups)
    ] = "",
    each_person: Annotated[bool, typer.Option("--each-person", help="For each person.")] = False,
) -> None:
    """Add a quota: for everybody together, or as an option says."""
    if sum(map(bool, (user, group, members_of, each_person))) > 1:
        raise typer.BadParameter("Give one of --user, --group, --members-of and --each-person.")
    new: dict[str, Any] = {
        "scope": public.QuotaScope.ORGANIZATION,
        "period": public.QuotaPeriod.from_word(each.value),
    } | _given(questions, tokens, cost)
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
    api: Api, quota: Id, questions: Questions = None, tokens: Tokens = None, cost: Cost = None
) -> None:
    """Change the limits of a quota; what was used stays."""
    if not (changes := _given(questions, tokens, cost)):
        raise typer.BadParameter("Give --questions, --tokens or --cost.")
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


def _limits(quota: "public.Quota") -> tuple[str, str, str]:
    return (
        f"{quota.max_questions:,}" if quota.max_questions else "",
        f"{quota.max_tokens:,}" if quota.max_tokens else "",
        f"${quota.max_cost:,.2f}" if quota.max_cost else "",
    )


def _of(used: float, maximum: float, form: str = "{:,}") -> str:
    return f"{form.format(used)} of {form.format(maximum)}" if maximum else ""


def _given(questions: int | None, tokens: int | None, cost: float | None) -> dict[str, Any]:
    limits = {"max_questions": questions, "max_tokens": tokens, "max_cost": cost}
    return {name: value for name, value in limits.items() if value is not None}


_USAGE = Table(
    "QuotaService.list_quota_usage",
    "FOR EACH:period QUESTIONS TOKENS COST RENEWS:renews_at",
    "No limit applies.",
    {
        "FOR": _whose,
        "QUESTIONS": lambda each: _of(each.questions, each.max_questions),
        "TOKENS": lambda each: _of(each.tokens, each.max_tokens),
        "COST": lambda each: _of(each.cost, each.max_cost, "${:,.2f}"),
    },
)
