"""`echomind connectors people`, `groups` and `alias`: people and groups of a connected system and their accounts."""

from typing import Annotated, Final

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.nouns import USERS
from echomind.cli.rendering import moment
from echomind.cli.sources.connectors import Name, find_connector
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

_MAPPINGS: Final = {
    "email": "by verified e-mail",
    "alias": "by alias",
    "no_account": "no account",
    "unverified": "e-mail not verified",
    "ambiguous": "several people have this e-mail",
    "account_deleted": "by alias, and its account was deleted",
}

_GROUPS = Table(
    "SourcePermissionService.list_source_groups",
    "KEY NAME E-MAIL:email MEMBERS ACCOUNTS MEMBERS_READ",
    "There are no groups. They come with the syncs of a connector whose permission mode is `source`.",
    {
        "MEMBERS_READ": lambda each: (
            (moment(each.members_read_at) or "never") + (", outdated" if each.is_outdated else "")
        )
    },
)
_ALIASES = Table(
    "SourcePermissionService.list_source_aliases",
    "KEY NAME E-MAIL:email ACCOUNT:user_name:(deleted) CONNECTORS",
    "There are no aliases. `echomind connectors alias KEY USER` says which account a person is.",
)


async def list_people(
    api: Api,
    name: Name,
    unmapped: Annotated[bool, typer.Option("--unmapped", help="Only people without an account here.")] = False,
    search: Annotated[str, typer.Option("--search", help="Only people whose name, e-mail or key contains this.")] = "",
    mapping: Annotated[
        words.SourcePersonMapping | None, typer.Option("--mapping", help="Only people who are mapped in this way.")
    ] = None,
) -> None:
    """List the people of a connector's system, and which accounts they are."""
    connector = await find_connector(api, name)
    request = {"connector_id": connector.id, "unmapped_only": unmapped, "query": search}
    if mapping:
        request["mapping"] = public.SourcePersonMapping.from_word(mapping).value
    await _PEOPLE.show(api, request)


async def list_groups(
    api: Api,
    name: Name,
    search: Annotated[str, typer.Option("--search", help="Only groups whose name, e-mail or key contains this.")] = "",
) -> None:
    """List the groups of a connector's system, and how many accounts are their members."""
    connector = await find_connector(api, name)
    await _GROUPS.show(api, {"connector_id": connector.id, "query": search})


async def set_alias(
    api: Api,
    principal: Annotated[
        str, typer.Argument(metavar="KEY", help="Key of a person, as `echomind connectors people` shows it.")
    ],
    user: Annotated[
        str, typer.Argument(help="Account that the person is; none removes the alias.", autocompletion=completion.users)
    ] = "",
) -> None:
    """Map a person of a connected system to an account, whatever their e-mail address is."""
    user_id = 0
    if user:
        user_id = (await USERS.find(api, user)).id
    await api.client.call(public.SourcePermissionService.set_source_alias, {"key": principal, "user_id": user_id})
    api.terminal.report(
        {"key": principal, "userId": str(user_id)},
        f"{principal} is {user} now." if user else f"Removed the alias of {principal}.",
    )


async def list_aliases(
    api: Api,
    search: Annotated[
        str, typer.Option("--search", help="Only aliases whose key, person or account contains this.")
    ] = "",
    unused: Annotated[
        bool, typer.Option("--unused", help="Only aliases of people whom no connector knows, or of deleted accounts.")
    ] = False,
) -> None:
    """List the aliases of all connectors: the accounts that superadmins have assigned to people."""
    await _ALIASES.show(api, {"query": search, "unused_only": unused})


def _account(person: "public.SourcePerson") -> str:
    return person.user_name if person.mapping.word in {"email", "alias"} else ""


def mapping_text(person: "public.SourcePerson | public.DocumentReader") -> str:
    """Returns a text about whether and how a person in a connected system is mapped to an account."""
    text = _MAPPINGS[person.mapping.word]
    return f"{text}: {person.user_name}" if person.mapping.word == "unverified" and person.user_name else text


_PEOPLE = Table(
    "SourcePermissionService.list_source_people",
    "KEY NAME E-MAIL:email ACCOUNT MAPPED",
    "There is nobody. People come with the syncs of a connector whose permission mode is `source`.",
    {"ACCOUNT": _account, "MAPPED": mapping_text},
)
