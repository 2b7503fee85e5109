"""`echomind connectors types`, `add`, `update`, `test` and `sign-in`: settings and credentials of connectors."""

import json
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.nouns import CONNECTOR_TYPES
from echomind.cli.options import given
from echomind.cli.rendering import one_line
from echomind.cli.sources.connectors import (
    GroupOption,
    Name,
    ScopeOption,
    check_group,
    create_file_connector,
    find_connector,
    readers,
    type_word,
)
from echomind.cli.sources.setting_values import leaves, merge_settings, shown_value
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError, NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

_TYPES = Table(
    "ConnectorService.list_connector_types",
    "TYPE:name TITLE DESCRIPTION AVAILABLE:unavailable_reason:yes",
    "There is no type.",
)
_CHECKS = Table("ConnectorService.test_connector", "CHECK:name STATUS MESSAGE", "There is nothing to test.")


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """Options of a connector that is synced; None if not given."""

    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Setting of its type; repeatable, and repeated with the same key for a list. KEY= goes back to the "
            "default, GROUP.KEY=VALUE sets a part of a group.",
        ),
    ] = None
    credentials_file: Annotated[
        str | None,
        typer.Option(
            "--credentials-file",
            metavar="FILE",
            help="JSON file of what it signs in with; - for standard input, and {} in it for none.",
        ),
    ] = None
    permission_mode: Annotated[
        words.PermissionMode | None,
        typer.Option(help="Who may read: all to whom it is visible, or of these only who may in the connected system."),
    ] = None
    refresh: Annotated[int | None, typer.Option(help="Minutes between syncs; 0: by hand only.", min=0, max=525_600)] = (
        None
    )

    @property
    def is_empty(self) -> bool:
        """Returns whether no option is given."""
        return self == SourceOptions()

    def fields(self) -> dict[str, Any]:
        """Returns the given fields except the settings, by the contract's names.

        Raises:
            CommandError: The file of credentials cannot be read.
        """
        mode = public.PermissionMode.from_word(self.permission_mode) if self.permission_mode else None
        credentials = read_credentials(self.credentials_file) if self.credentials_file else None
        return given(credentials=credentials, permission_mode=mode, refresh_freq_minutes=self.refresh)


async def list_types(
    api: Api,
    type_name: Annotated[
        str,
        typer.Argument(
            metavar="TYPE", help="Only this type, with its settings.", autocompletion=completion.connector_types
        ),
    ] = "",
) -> None:
    """List the types of connectors, or the settings and credentials of one."""
    types = await CONNECTOR_TYPES.every(api.client)
    if not type_name:
        _TYPES.write(api.terminal, types)
        return
    kind = find(types, type_name, "connector type")
    api.terminal.json(kind)
    api.terminal.fields(
        (
            ("Type", f"{kind.name} ({kind.title})"),
            ("Description", kind.description),
            ("Permission modes", ", ".join(mode.word for mode in kind.permission_modes)),
            ("Sign-in", kind.sign_in and kind.sign_in + ("" if kind.sign_in_configured else ", not configured here")),
            ("Not available", kind.unavailable_reason),
        )
    )
    for heading, fields in (("Settings", kind.settings), ("Credentials", kind.credentials)):
        if fields:
            api.terminal.line(f"\n{heading}")
            _show_fields(api, fields)


async def add_connector(
    api: Api,
    name: Annotated[str, typer.Argument(help="Name of the connector.")],
    type_name: Annotated[
        str,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="What it connects to; `echomind connectors types` lists them.",
            autocompletion=completion.connector_types,
            show_default="uploaded files",
        ),
    ] = "",
    source: SourceOptions = SourceOptions(),
    scope: ScopeOption = words.Scope.USER,
    group: GroupOption = "",
    test: Annotated[
        bool, typer.Option("--test", help="Test the connector first, and ask before adding it if something fails.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Add a connector, for uploaded files or for a connected system that is synced.

    `echomind ingest --connector NAME` puts files into one without --type. A source is synced at once when the connector
    has the credentials that it needs.
    """
    if type_name:
        connector = await _create(api, name, type_name, source, scope, group, test=test, yes=yes)
    elif source.is_empty:
        connector = await create_file_connector(api, name, scope, group)
    else:
        raise CommandError("Settings need a type: give one of `echomind connectors types` with --type.")
    api.terminal.json(connector)
    api.terminal.line(f"Added {connector.name} (id {connector.id}), visible to {readers(connector)}.")
    if connector.next_sync_at:
        api.terminal.note(f"It is synced at once: `echomind connectors sync {connector.id} --wait` waits for that.")
    elif connector.status_message:
        api.terminal.note(
            f"{connector.status_message} See `echomind connectors update --credentials-file` and "
            f"`echomind connectors sign-in {connector.id}`."
        )


async def update_connector(
    api: Api,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="New name.")] = None,
    source: SourceOptions = SourceOptions(),
    scope: Annotated[
        words.Scope | None, typer.Option("--scope", help="Visible to: you, one group, or everyone.")
    ] = None,
    group: GroupOption = "",
) -> None:
    """Change a connector; options that are not given stay unchanged.

    A changed --scope applies to all of its documents immediately. After a change of settings, the next sync lists
    everything.
    """
    if scope or group:
        check_group(scope or words.Scope.USER, group)
    change = given(name=new_name) | source.fields()
    if scope:
        change |= {"scope": public.Scope.from_word(scope), "scope_id": group}
    if not change and not source.settings:
        raise NothingToChangeError(
            "Say what to change: --name, --set, --credentials-file, --permission-mode, --refresh or --scope."
        )
    connector = await find_connector(api, name)
    if source.settings:
        kind = await CONNECTOR_TYPES.find(api, type_word(connector))
        change["config"] = merge_settings(kind.settings, source.settings, connector.config)
    changed = await api.client.call(public.ConnectorService.update_connector, {"id": connector.id, "connector": change})
    api.terminal.report(changed, f"Changed {changed.name} (id {changed.id}), visible to {readers(changed)}.")


async def test_connector(api: Api, name: Name) -> None:
    """Test whether a connector can read the connected system. Nothing is stored.

    The exit code is 1 when something does not work that syncs need.
    """
    connector = await find_connector(api, name)
    tested = await api.client.call(public.ConnectorService.test_connector, {"id": connector.id})
    api.terminal.json(tested)
    if _show_checks(api, tested.checks):
        api.terminal.status = 1


async def sign_in(api: Api, name: Name) -> None:
    """Print the address at which you connect a connector with your own account."""
    connector = await find_connector(api, name)
    started = await api.client.call(public.ConnectorService.start_connector_sign_in, {"id": connector.id})
    api.terminal.json(started)
    api.terminal.note("Open this address in a browser in which you are signed in:")
    api.terminal.line(started.url)


def read_credentials(path: str) -> dict[str, Any]:
    """Returns the JSON object of a file, or of standard input for `-`. Messages repeat nothing of it.

    Raises:
        CommandError: It cannot be read, or is no JSON object.
    """
    try:
        credentials = json.loads(sys.stdin.read() if path == "-" else Path(path).read_text())
    except OSError as error:
        raise CommandError(f"{path} cannot be read ({error.strerror}).") from error
    except ValueError:
        raise CommandError(f"{path} is no JSON.") from None
    if not isinstance(credentials, dict):
        raise CommandError(f"{path} must hold one JSON object; `echomind connectors types TYPE` shows its keys.")
    return credentials


async def _create(
    api: Api, name: str, type_name: str, source: SourceOptions, scope: words.Scope, group: str, *, test: bool, yes: bool
) -> "public.Connector":
    """Adds a connector of a type; with `test` after a test, of which a failure has to be confirmed.

    Raises:
        CommandError: There is no such type or setting, a value does not fit, or a failed test was not confirmed.
        EchoMindError: The server refused.
    """
    check_group(scope, group)
    kind = await CONNECTOR_TYPES.find(api, type_name)
    config = merge_settings(kind.settings, source.settings or ())
    missing = [field.name for field in kind.settings if field.required and field.name not in config]
    if missing:
        raise CommandError(f"The type {kind.name} needs {', '.join(missing)}: give each with --set KEY=VALUE.")
    fields = source.fields() | {"config": config}
    if test:
        tried = given(**{key: fields.get(key) for key in ("config", "credentials", "permission_mode")})
        request = {"type_name": kind.name} | tried
        tested = await api.client.call(public.ConnectorService.test_connector, request)
        if _show_checks(api, tested.checks):
            await confirm(api.terminal, f"Add {name} although its test failed", yes=yes)
    readable = {"scope": public.Scope.from_word(scope), "scope_id": group}
    connector = {"name": name, "type_name": kind.name} | readable | fields
    return await api.client.call(public.ConnectorService.create_connector, {"connector": connector})


def _show_checks(api: Api, checks: "list[public.ConnectorCheck]") -> bool:
    """Shows the checks of a test; returns whether one that syncs need failed."""
    _CHECKS.write_rows(api.terminal, checks)
    return any(check.status is public.CheckStatus.FAILED for check in checks)


def _show_fields(api: Api, fields: "list[public.SettingField]") -> None:
    api.terminal.table(
        ("KEY", "VALUE", "DEFAULT", "DESCRIPTION"),
        (
            (key, _kind(field), "required" if field.required else shown_value(field.default_value), _about(field))
            for key, field in leaves(fields)
        ),
        empty="none",
    )


def _kind(field: "public.SettingField") -> str:
    choices = "|".join(field.choices)
    if field.kind.word == "list":
        return f"list of {choices}" if choices else "list"
    return choices or field.kind.word


def _about(field: "public.SettingField") -> str:
    example = field.example
    if field.kind.word == "list":
        with suppress(ValueError):  # a package's example may not be JSON
            example = shown_value(json.loads(example))
    conditions = (("Only", field.applies_when), ("Required", field.required_when))
    notes = (f"{word} with {each.setting}={'|'.join(each.values)}." for word, each in conditions if each)
    return " ".join(filter(None, (field.description, *notes, example and f"Example: {one_line(example, 80)}")))
