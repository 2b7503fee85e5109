"""`echomind users`: accounts."""

from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.accounts.secret_prompt import ask_secret
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import USERS
from echomind.cli.rendering import counted, moment, plain
from echomind.cli.tables import Table
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Users: accounts of people.")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="User name or id of an account.", autocompletion=completion.users)
]


RoleOption = Annotated[words.Role | None, typer.Option("--role", help="Role.")]
GroupsOption = Annotated[
    list[str] | None, typer.Option("--group", help="Group; repeatable.", autocompletion=completion.groups)
]

_ACCESS = Table("UserService.list_user_access", "KIND ID NAME REASON")


@app.command("list")
async def list_users(api: Api) -> None:
    """List the accounts."""
    await _USERS.show(api)


def _described(user: "public.User") -> str:
    """Returns the name of an account, and what is special about it."""
    notes = [*(["service account"] if user.kind.word == "service" else []), *([] if user.is_active else ["inactive"])]
    return f"{user.user_name} ({', '.join(notes)})" if notes else user.user_name


@app.command("find")
async def find_in_directory(
    api: Api, text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of a name, or a whole e-mail address.")]
) -> None:
    """Find people and groups to share with."""
    found = await api.client.call(public.DirectoryService.search_directory, {"query": text})
    api.terminal.json(found)
    people = [("person", person.user_name, person.name, person.email) for person in found.people]
    groups = [("group", group.name, counted(group.member_count, "member"), "") for group in found.groups]
    api.terminal.table(
        ("KIND", "NAME", "FULL NAME", "E-MAIL"), people + groups, empty=f"Nobody whom you can find is named {text!r}."
    )
    if found.is_truncated:
        api.terminal.note("More match: give more of the name.")


@app.command("add")
async def add_user(
    api: Api,
    name: Annotated[str, typer.Argument(help="User name.")],
    email: Annotated[str, typer.Argument(help="E-mail address.", show_default="none")] = "",
    role: RoleOption = None,
    group: GroupsOption = None,
    first_name: Annotated[str, typer.Option(help="First name.")] = "",
    last_name: Annotated[str, typer.Option(help="Last name.")] = "",
) -> None:
    """Add an account and print its one-time sign-in link."""
    account = public.User(
        user_name=name,
        email=email,
        first_name=first_name,
        last_name=last_name,
        roles=[public.Role.from_word(role or words.Role.USER)],
        groups=group or [],
        is_active=True,
    )
    user = await api.client.call(public.UserService.create_user, {"user": account})
    link = await _link(api, user.id)
    api.terminal.report(
        plain(user) | {"signInLink": link}, f"Added {user.user_name} (id {user.id}). The first sign-in, once: {link}"
    )


@app.command("update")
async def update_user(
    api: Api,
    name: Name,
    role: RoleOption = None,
    group: GroupsOption = None,
    no_groups: Annotated[bool, typer.Option("--no-groups", help="Remove the account from all groups.")] = False,
    active: Annotated[bool | None, typer.Option("--active/--inactive", help="Whether the person can sign in.")] = None,
) -> None:
    """Change an account.

    --group replaces its groups.
    """
    if group and no_groups:
        raise typer.BadParameter("it contradicts --group", param_hint="--no-groups")
    changes: dict[str, Any] = {}
    if role:
        changes["roles"] = [public.Role.from_word(role)]
    if group or no_groups:
        changes["groups"] = group or []
    if active is not None:
        changes["is_active"] = active
    if not changes:
        raise NothingToChangeError("Say what to change: --role, --group, --no-groups, --active or --inactive.")
    user = await USERS.find(api, name)
    user = await api.client.call(public.UserService.update_user, {"id": user.id, "user": changes})
    api.terminal.json(user)
    roles, groups = ", ".join(role.word for role in user.roles), ", ".join(_sourced(user)) or "none"
    state = "active" if user.is_active else "inactive"
    api.terminal.line(f"{user.user_name}: {state}, roles {roles}, groups {groups}.")


def _sourced(user: "public.User") -> list[str]:
    """Returns the groups of an account, each with the sources other than administrators that give it."""
    sources: dict[str, list[str]] = {group: [] for group in user.groups}
    for membership in user.memberships:
        if membership.source != "manual":
            sources.setdefault(membership.group, []).append(membership.source)
    return [f"{group} (by {', '.join(given)})" if given else group for group, given in sources.items()]


@app.command("remove")
async def remove_user(api: Api, name: Name, yes: Yes = False) -> None:
    """Deactivate an account: the person can no longer sign in.

    Keys, web sessions and sign-in links are revoked permanently. The account's data stays: with `echomind users update
    --active` the person can sign in again, `echomind users purge` deletes everything.
    """
    user = await USERS.find(api, name)
    loss = f"Remove {user.user_name}, whose keys, web sessions and sign-in links end"
    await confirm(api.terminal, loss, yes=yes, name=user.user_name)
    user = await api.client.call(public.UserService.update_user, {"id": user.id, "user": {"is_active": False}})
    api.terminal.report(user, f"Removed {user.user_name}.")


@app.command("link")
async def make_sign_in_link(
    api: Api,
    name: Annotated[
        str, typer.Argument(help="User name or id.", autocompletion=completion.users, show_default="yourself")
    ] = "",
) -> None:
    """Create a one-time sign-in link and print it."""
    link = await _link(api, (await USERS.find(api, name)).id if name else 0)
    api.terminal.report({"signInLink": link}, link)


@app.command("password-link")
async def make_password_link(api: Api, name: Name) -> None:
    """Create a one-time link to set a new password, and print it.

    The current password works until then. EchoMind sends no e-mail: pass the link on to that person only.
    """
    user = await USERS.find(api, name)
    made = await api.client.call(public.AuthService.create_password_link, {"user_id": user.id})
    link = api.link_for_others(made.path)
    api.terminal.json({"passwordLink": link})
    api.terminal.note(f"The link sets the password of {user.user_name} once, until {moment(made.expires_at)}:")
    api.terminal.line(link)


@app.command("access")
async def list_access(
    api: Api,
    name: Name,
    kind: Annotated[
        words.AccessKind | None, typer.Option(help="What to list.", show_default="connectors, assistants and notebooks")
    ] = None,
    limit: Annotated[int, typer.Option(help="Most of each kind.", min=1, max=100_000)] = 1000,
) -> None:
    """List what a person sees in their own lists, by the same rules.

    Names and no contents. It is recorded in the audit log.
    """
    user = await USERS.find(api, name)
    kinds = (kind,) if kind else (words.AccessKind.CONNECTOR, words.AccessKind.ASSISTANT, words.AccessKind.NOTEBOOK)
    items = []
    for each in kinds:
        request = {"id": user.id, "kind": public.AccessKind.from_word(each)}
        items += (await api.client.collect(public.UserService.list_user_access, request, limit=limit)).items
    _ACCESS.write(api.terminal, items, empty=f"{user.user_name} sees nothing of this kind.")


@app.command("verify-email")
async def verify_email(
    api: Api, name: Name, undo: Annotated[bool, typer.Option("--undo", help="It is not verified.")] = False
) -> None:
    """Mark an account's e-mail address as verified.

    Connectors that sync permissions identify people only by verified addresses.
    """
    user = await USERS.find(api, name)
    user = await api.client.call(public.UserService.set_email_verified, {"id": user.id, "is_verified": not undo})
    api.terminal.report(user, f"{user.email} of {user.user_name} is {'not ' if undo else ''}verified.")


@app.command("sign-out")
async def sign_out_user(
    api: Api,
    name: Name,
    revoke_keys: Annotated[
        bool, typer.Option("--revoke-keys", help="Also revoke the API keys of the account, permanently.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Sign a person out of all browsers, and end their sign-in and password links.

    It takes up to a minute. API keys stay without --revoke-keys.
    """
    user = await USERS.find(api, name)
    keys = " and revoke all API keys of the account" if revoke_keys else ""
    await confirm(api.terminal, f"Sign {user.user_name} out of all browsers{keys}", yes=yes)
    await api.client.call(public.UserService.sign_out_user, {"id": user.id, "revoke_api_keys": revoke_keys})
    api.terminal.report(user, f"Signed {user.user_name} out of all browsers.")


@app.command("password")
async def set_password(
    api: Api,
    revoke_keys: Annotated[
        bool, typer.Option("--revoke-keys", help="Also revoke your API keys, all but the one of this command.")
    ] = False,
) -> None:
    """Set your own password, which is asked for in the terminal.

    Your web sessions and sign-in links are revoked.
    """
    user = await api.client.call(public.UserService.get_current_user)
    current = ask_secret(f"Current password of {user.user_name} (empty if there is none)", default="")
    password = ask_secret(f"New password of {user.user_name}", is_repeated=True)
    request = public.SetPasswordRequest(password=password, current_password=current, revoke_api_keys=revoke_keys)
    await api.client.call(public.AuthService.set_password, request)
    api.terminal.report({"userName": user.user_name}, f"The password of {user.user_name} is set.")


async def _link(api: Api, user_id: int) -> str:
    link = await api.client.call(public.AuthService.create_sign_in_link, {"user_id": user_id})
    return api.link(link.path)


_USERS = Table(
    "UserService.list_users",
    "ID NAME E-MAIL:email ROLES GROUPS LAST_SIGN-IN:last_login",
    "There is no account.",
    {"NAME": _described},
)
