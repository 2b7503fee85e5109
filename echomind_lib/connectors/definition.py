"""A connector type: its typed settings and credentials, and the class that implements it.

Settings and credentials are msgspec structs with `forbid_unknown_fields=True`. A field's `msgspec.Meta` carries its
`title`, `description`, bounds and `examples`; the struct's docstring is its form's introduction. They define the
validation of requests, the command line's options and the web form.

Rules about several settings are checked in `__post_init__`, which raises `SettingsError` with the one to change.

Forms support texts, integers, numbers, booleans, choices (`Literal`), lists of texts, and groups: nested structs, which
are optional parts (`| None = None`). `Meta(extra={"kind": ...})` sets the input of a text: `text`, `multiline` or
`secret`; the default is `secret` for credentials and `text` otherwise. `choice_titles` has the display name of each
value of a choice, `form` says what a text with a `pattern` must be, `applies_when` the setting and its values with
which a field applies, `required_when` those with which it is required. If a setting is changed to another host (an
address, or a field such as `host` and `endpoint`), the credentials must be entered again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal

import msgspec

from echomind_lib.config import ConnectorSettings

ENTRY_POINTS: Final = "echomind.connectors"
"""The entry point group. Names are types, objects are `ConnectorDefinition`s."""

PermissionMode = Literal["scope", "source"]
"""Who may read a connector's documents: everyone in its scope, or only those of them with access at the source."""
Role = Literal["user", "superadmin"]
"""The minimum role to add a connector."""
SignIn = Literal["google", "microsoft"]
"""The provider at which a person signs in to give a connector their own access."""

_LOCATION = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_PATTERN = re.compile(r"Expected `str` matching regex (?P<pattern>.*)", re.DOTALL)
_FIELD = re.compile(r"Object (?P<what>contains unknown|missing required) field `(?P<name>[^`]*)`")


class SettingsError(Exception):
    """Settings or credentials are not valid for their type.

    Attributes:
        field: The field's path, such as `start_urls[0]`; empty for all of them.
        rule: The rule.
    """

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}" if field else rule)
        self.field = field
        self.rule = rule


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorDefinition:
    """One type of connector."""

    name: str
    """As in `connectors.type`: lower-case letters, digits and `_`."""
    title: str
    """Its display name, such as `Google Drive`."""
    description: str
    """Description in a sentence."""
    settings: type[msgspec.Struct]
    """Type of `connectors.config`."""
    credentials: type[msgspec.Struct] | None = None
    """Type of the credentials, which are stored encrypted and never shown; None if the source needs none. A choice is a
    struct with optional parts, whose `__post_init__` raises `ValueError` unless exactly one is given."""
    sign_in: SignIn | None = None
    """The provider through which a person may connect it with their own account."""
    sign_in_scopes: tuple[str, ...] = ()
    """The OAuth scopes that are requested; only with `sign_in`. The credentials then have the field `oauth`
    (`echomind_lib.connectors.oauth.OAuthGrant`)."""
    permission_modes: tuple[PermissionMode, ...] = ("scope",)
    """Supported permission modes, the default first."""
    role: Role = "user"
    """Minimum role to create one that is synced, for example `superadmin` for one that reads the server's own disk."""
    synced_by: str = ""
    """The setting that turns on syncs; without it the connector stores uploads, and every user may create it. Empty for
    a type whose connectors are always synced."""
    check_access: Callable[[Any, Any, PermissionMode], None] | None = None
    """Raises `SettingsError` for settings that require other credentials, or another permission mode; the field's path
    begins with `config`, `credentials` or `permission_mode`. Without credentials (None) it raises only if a sign-in
    cannot provide them later."""
    check_server: Callable[[Any, ConnectorSettings], None] | None = None
    """Raises `SettingsError` for settings that the server's configuration does not allow, before they are stored."""
    implementation: str = ""
    """`module:Class` of the ingestor's `SourceConnector`; imported at the start of a sync."""

    def read_settings(self, config: dict[str, Any]) -> msgspec.Struct:
        """Returns the settings of a connector.

        Raises:
            SettingsError: They are not valid for the type.
        """
        return _read(config, self.settings)

    def read_credentials(self, credentials: dict[str, Any]) -> msgspec.Struct | None:
        """Returns the credentials of a connector; None for a type without credentials.

        Raises:
            SettingsError: They are not valid for the type. The error contains no values.
        """
        if self.credentials is None:
            if credentials:
                raise SettingsError("", f"{self.title} takes no credentials")
            return None
        return _read(credentials, self.credentials)

    def check(self, settings: msgspec.Struct, credentials: msgspec.Struct | None, mode: PermissionMode) -> None:
        """Checks that settings, credentials and the permission mode match.

        Raises:
            SettingsError: They do not.
        """
        if self.check_access is not None:
            self.check_access(settings, credentials, mode)

    def is_synced(self, settings: msgspec.Struct) -> bool:
        """Returns whether a connector with these settings is synced; False for uploads."""
        return not self.synced_by or bool(getattr(settings, self.synced_by))

    def role_for(self, settings: msgspec.Struct) -> Role:
        """Returns the minimum role to store these settings."""
        return self.role if self.is_synced(settings) else "user"

    def load(self) -> Any:
        """Returns the class that implements it.

        Raises:
            ImportError: A dependency is not installed.
        """
        module, _, name = self.implementation.partition(":")
        return getattr(import_module(module), name)


def _with_integers(value: Any) -> Any:
    """Returns JSON values with whole numbers as integers, as `google.protobuf.Struct` has only floats."""
    match value:
        case dict():
            return {name: _with_integers(each) for name, each in value.items()}
        case list():
            return [_with_integers(each) for each in value]
        case float() if value.is_integer():
            return int(value)
    return value


def _read(values: dict[str, Any], type_: type[msgspec.Struct]) -> msgspec.Struct:
    try:
        return msgspec.convert(_with_integers(values), type_)
    except msgspec.ValidationError as error:
        message = str(error)
        location = _LOCATION.search(message)
        path, rule = (location["path"], message[: location.start()]) if location else ("", message)
        if field := _FIELD.fullmatch(rule):
            rule = "is missing" if field["what"] == "missing required" else "is no field that it has"
            path = ".".join(filter(None, (path, field["name"])))
        elif broken := _PATTERN.fullmatch(rule):
            rule = _form(type_, broken["pattern"]) or "is not in the expected form"
        raise SettingsError(path, rule[:1].lower() + rule[1:]) from None


def _form(type_: type[msgspec.Struct], pattern: str) -> str:
    """Returns the `form` of the fields with a pattern, as `repr` writes it; empty for none."""
    nodes: list[Any] = [msgspec.inspect.type_info(type_)]
    while nodes:
        match nodes.pop():
            case msgspec.inspect.Metadata(
                type=msgspec.inspect.StrType(pattern=str() as its), extra={"form": str() as form}
            ) if repr(its) == pattern:
                return form
            case msgspec.inspect.Metadata(type=inner):
                nodes.append(inner)
            case msgspec.inspect.StructType(fields=fields):
                nodes += [field.type for field in fields]
            case msgspec.inspect.VarTupleType(item_type=item):
                nodes.append(item)
            case msgspec.inspect.UnionType(types=types):
                nodes += types
    return ""
