"""`echomind connectors`: where documents come from, and who may read them."""

from typing import Annotated, Final

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import last_change, moment
from echomind.cli.sources.setting_values import shown_settings
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Connectors: where documents come from, and who may read them.")

Name = Annotated[
    str, typer.Argument(metavar="NAME|ID", help="Name or id of a connector.", autocompletion=completion.connectors)
]


_MODES: Final = {"scope": "all to whom it is visible", "source": "of these, who may read it in the connected system"}


ScopeOption = Annotated[words.Scope, typer.Option("--scope", help="Visible to: you, one group, or everyone.")]
GroupOption = Annotated[
    str, typer.Option("--group", help="Group that may read, with --scope group.", autocompletion=completion.groups)
]


@app.command("list")
async def list_connectors(api: Api) -> None:
    """List the connectors that you may read."""
    await _CONNECTORS.show(api)


@app.command("show")
async def show_connector(api: Api, name: Name) -> None:
    """Show a connector."""
    connector = await find_connector(api, name)
    api.terminal.json(connector)
    sync = connector.sync
    api.terminal.fields(
        (
            ("Connector", f"{connector.name} (id {connector.id})"),
            ("Type", type_word(connector)),
            *(("Setting", setting) for setting in shown_settings(connector.config or {})),
            ("Credentials", "stored" if connector.has_credentials else ""),
            ("Connected account", connector.connected_account),
            ("Signed in by", connector.signed_in_by_name),
            ("Visible to", readers(connector)),
            ("Who may read", _MODES.get(connector.permission_mode.word, "")),
            ("Status", status_words(connector)),
            ("Message", connector.status_message),
            ("Documents processed", connector.docs_analyzed),
            ("Synced", _schedule(connector)),
            ("Paused since", moment(connector.paused_at)),
            ("Next sync", moment(connector.next_sync_at)),
            ("Last sync", moment(connector.last_sync_at)),
            ("Newest sync", f"{sync.id}, {sync.status.word.replace('_', ' ')}, {sync_counts(sync)}" if sync else ""),
            ("Added", moment(connector.creation_date)),
            ("Changed", last_change(connector)),
        )
    )
    if sync and sync.failures:
        api.terminal.note(failures_hint(connector))


@app.command("remove")
async def remove_connector(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove a connector and all its documents."""
    connector = await find_connector(api, name)
    loss = f"Remove the connector {connector.name} and all its documents"
    await confirm(api.terminal, loss, yes=yes, name=connector.name)
    await api.client.call(public.ConnectorService.delete_connector, {"id": connector.id})
    api.terminal.report({"id": str(connector.id), "name": connector.name}, f"Removed {connector.name}.")


async def find_connector(api: Api, reference: str) -> "public.Connector":
    """Returns the connector with this name or id, see `resolve_connector`.

    Raises:
        CommandError: There is none, or several have the name.
    """
    connector = await resolve_connector(api, reference)
    if connector is None:
        raise CommandError(
            f"There is no connector {reference!r} of yours, your groups' or the organization's. "
            "`echomind connectors list` shows names and ids; another person's connector is named by its id."
        )
    return connector


async def resolve_connector(api: Api, reference: str) -> "public.Connector | None":
    """Returns the connector that has this name among the caller's own, their groups' and the organization's.

    When no name is the same, the reference is an id, which may be that of any connector that the caller may read.

    Args:
        api: The connection.
        reference: A name, compared exactly, or an id in digits.

    Returns:
        The connector; None when nothing has the name, and it cannot be an id.

    Raises:
        CommandError: Several have the name; the message lists their ids.
        EchoMindError: It is an id, and there is no such connector that the caller may read.
    """
    if not reference:
        raise CommandError("The name of the connector is empty: `echomind connectors list` shows names and ids.")
    answer = await api.client.collect(public.ConnectorService.list_connectors, {"name": reference}, limit=1000)
    if len(answer.connectors) > 1:
        ids = ", ".join(f"{connector.id} (visible to {readers(connector)})" for connector in answer.connectors)
        raise CommandError(f"Several connectors have the name {reference!r}: use one of the ids {ids}.")
    if answer.connectors:
        return answer.connectors[0]
    if reference.isascii() and reference.isdecimal():
        return await api.client.call(public.ConnectorService.get_connector, {"id": int(reference)})
    return None


async def find_own_files(api: Api) -> "public.Connector | None":
    """Returns the connector of the caller's own files; None before the first upload."""
    from echomind_lib.access.names import OWN_FILES

    me = await api.client.call(public.UserService.get_current_user)
    answer = await api.client.collect(public.ConnectorService.list_connectors, {"name": OWN_FILES}, limit=1000)
    for connector in answer.connectors:
        if (
            connector.user_id == me.id
            and connector.type is public.ConnectorType.FILE
            and connector.scope is public.Scope.USER
        ):
            return connector
    return None


async def create_file_connector(api: Api, name: str, scope: words.Scope, group: str) -> "public.Connector":
    """Adds a connector for uploaded files.

    Raises:
        EchoMindError: The name exists, the caller is not in the group, or may not use the scope.
    """
    check_group(scope, group)
    connector = public.Connector(
        name=name, type=public.ConnectorType.FILE, scope=public.Scope.from_word(scope), scope_id=group
    )
    return await api.client.call(public.ConnectorService.create_connector, {"connector": connector})


def check_group(scope: words.Scope, group: str) -> None:
    """Raises an error if a group is given without the scope `group`, or the reverse.

    Raises:
        typer.BadParameter: They do not fit.
    """
    if group and scope is not words.Scope.GROUP:
        raise typer.BadParameter("it goes with --scope group", param_hint="--group")
    if scope is words.Scope.GROUP and not group:
        raise typer.BadParameter("name the group", param_hint="--group")


def readers(connector: "public.Connector") -> str:
    """Returns a text about who may read the connector's documents."""
    return {"org": "everyone", "group": f"group {connector.scope_id}"}.get(connector.scope.word, "owner")


def status_words(connector: "public.Connector") -> str:
    """Returns the status of a connector as text."""
    return connector.status.word.replace("_", " ")


def type_word(connector: "public.Connector") -> str:
    """Returns the name of a connector's type, also of one of another package."""
    return connector.type_name or connector.type.word


def failures_hint(connector: "public.Connector") -> str:
    """Returns a text about how to list what the syncs of a connector could not read."""
    return f"`echomind connectors failures {connector.id}` lists what could not be read."


def sync_counts(sync: "public.ConnectorSync") -> str:
    """Returns the counts of a sync as text: `12 seen, 3 added, 1 failed`."""
    counts = {
        "added": sync.documents_added,
        "updated": sync.documents_updated,
        "unchanged": sync.documents_unchanged,
        "removed": sync.documents_removed,
        "failed": sync.documents_failed,
    }
    return ", ".join([f"{sync.documents_seen} seen", *(f"{count} {word}" for word, count in counts.items() if count)])


def _schedule(connector: "public.Connector") -> str:
    if connector.refresh_freq_minutes:
        return f"every {connector.refresh_freq_minutes} minutes"
    return "by hand only" if connector.sync else ""


_CONNECTORS = Table(
    "ConnectorService.list_connectors",
    "ID NAME TYPE VISIBLE_TO STATUS MESSAGE:status_message ADDED:creation_date",
    "There is no connector yet; `echomind ingest PATH` makes one for your files.",
    {"TYPE": type_word, "VISIBLE_TO": readers, "STATUS": status_words},
)
