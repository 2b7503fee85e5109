"""Settings and credentials of connectors: checked by their type, before anything is stored."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import msgspec

from echomind_lib.access import Principal
from echomind_lib.config import ConnectorSettings
from echomind_lib.connectors import (
    ConnectorDefinition,
    PermissionMode,
    SettingsError,
    definitions,
    find_definition,
)
from echomind_lib.connectors.oauth import OAuthGrant
from echomind_lib.db import models as rows
from echomind_lib.errors import ConnectorTypeUnavailableError, PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers import connectors
from echomind_lib.models.public import Connector, ConnectorType
from echomind_lib.network.origins import same_origin
from echomind_lib.secrets import Secrets, SecretUnreadableError

SIGN_IN_FIELD: Final = "oauth"
"""For credentials that come from a sign-in."""
_PLACES: Final = frozenset({"address", "endpoint", "host", "hostname", "port", "server", "url"})
"""Settings that name a host without the form of an address."""


def definition_of(connector: Connector) -> ConnectorDefinition:
    """Returns the type that a request names.

    Raises:
        ValidationFailedError: It names none, or two.
        ConnectorTypeUnavailableError: It is not installed.
    """
    name = connectors.type_name(connector)
    if not name:
        raise invalid("type", "is missing: name a type, see ListConnectorTypes")
    if connector.type not in (ConnectorType.UNSPECIFIED, connectors.known_type(name)):
        raise invalid("type_name", f"is {name!r}, and `type` is {connector.type.word!r}: name one type")
    return installed(name)


def installed(name: str) -> ConnectorDefinition:
    """Returns a type by its name.

    Raises:
        ConnectorTypeUnavailableError: It is not installed.
    """
    definition = find_definition(name)
    if definition is None:
        known = ", ".join(definitions())
        raise ConnectorTypeUnavailableError(f"There is no connector type {name!r} here. Installed: {known}.", type=name)
    return definition


def check_may_set(definition: ConnectorDefinition, principal: Principal, config: Mapping[str, Any]) -> None:
    """Raises an error unless a person may give a connector these settings.

    Raises:
        PermissionDeniedError: They need a higher role.
        ValidationFailedError: The settings do not fit the type.
    """
    role = definition.role_for(read_settings(definition, config))
    if not principal.has_role(role):
        what = f"{definition.title} with `{definition.synced_by}`" if definition.synced_by else definition.title
        raise PermissionDeniedError(
            f"Only people with the role {role} can set up {what}: ask one of them.", required=role
        )


def check_server(definition: ConnectorDefinition, config: Mapping[str, Any], server: ConnectorSettings) -> None:
    """Raises `ValidationFailedError` for settings that the server's own do not allow, with the name of that setting."""
    if definition.check_server:
        try:
            definition.check_server(read_settings(definition, config), server)
        except SettingsError as error:
            raise invalid(_field_path("config", error.field), error.rule) from None


def check_access(
    definition: ConnectorDefinition, config: Mapping[str, Any], credentials: msgspec.Struct | None, mode: str
) -> None:
    """Raises `ValidationFailedError` for settings, credentials and a permission mode that do not fit each other.

    Args:
        definition: The type.
        config: Settings.
        credentials: None when there are none, or none yet.
        mode: The permission mode, one of the type's.
    """
    try:
        definition.check(read_settings(definition, config), credentials, cast("PermissionMode", mode))
    except SettingsError as error:
        raise invalid(error.field, error.rule) from None


def check_columns(
    definition: ConnectorDefinition, columns: Mapping[str, Any], stored: rows.Connector | None = None
) -> None:
    """Raises an error for settings that are invalid for the type. Stored values are always accepted.

    Args:
        definition: The type.
        columns: The columns to store.
        stored: The stored connector; None for a new one.

    Raises:
        ValidationFailedError: A setting is invalid; the error names the field and what to do.
    """
    changed = {name for name, value in columns.items() if stored is None or getattr(stored, name) != value}
    if "config" in changed:
        read_settings(definition, columns["config"])
    if "refresh_freq_minutes" in changed and columns["refresh_freq_minutes"]:
        config = columns["config"] if "config" in columns or stored is None else stored.config
        if not is_synced(definition, config):
            raise invalid("refresh_freq_minutes", "must be 0: files are uploaded, and nothing is synced")
    mode = columns.get("permission_mode")
    if "permission_mode" in changed and mode not in definition.permission_modes:
        supported = ", ".join(definition.permission_modes)
        raise invalid("permission_mode", f"is {mode!r}; {definition.title} supports {supported}")


def is_synced(definition: ConnectorDefinition | None, config: Mapping[str, Any]) -> bool:
    """Returns whether a stored connector is read by syncs; not so when its type is not installed."""
    if definition is None:
        return False
    try:
        return definition.is_synced(definition.read_settings(dict(config)))
    except SettingsError:  # stored by another version: its sync reports the error
        return not definition.synced_by


def read_settings(definition: ConnectorDefinition, config: Mapping[str, Any]) -> msgspec.Struct:
    """Returns typed settings.

    Raises:
        ValidationFailedError: They do not fit the type.
    """
    try:
        return definition.read_settings(dict(config))
    except SettingsError as error:
        raise invalid(_field_path("config", error.field), error.rule) from None


def read_credentials(definition: ConnectorDefinition, credentials: Mapping[str, Any]) -> msgspec.Struct | None:
    """Returns the typed credentials of a request.

    Raises:
        ValidationFailedError: They are invalid for the type, or contain a grant, which only a sign-in can set.
    """
    if SIGN_IN_FIELD in credentials and definition.sign_in:
        raise invalid(_field_path("credentials", SIGN_IN_FIELD), "comes from signing in: call StartConnectorSignIn")
    try:
        return definition.read_credentials(dict(credentials))
    except SettingsError as error:
        raise invalid(_field_path("credentials", error.field), error.rule) from None


def stored_credentials(
    definition: ConnectorDefinition, encrypted_credentials: str | None, secrets: Secrets
) -> msgspec.Struct | None:
    """Returns the stored credentials; None if there are none or they cannot be decrypted."""
    if encrypted_credentials is None:
        return None
    try:
        return definition.read_credentials(msgspec.json.decode(secrets.decrypt(encrypted_credentials)))
    except (SecretUnreadableError, SettingsError, msgspec.DecodeError):  # syncs and tests report the error
        return None


def encrypted(credentials: msgspec.Struct | None, secrets: Secrets) -> str | None:
    """Returns credentials as they are stored; None for none."""
    return None if credentials is None else secrets.encrypt(msgspec.json.encode(credentials).decode())


def signed_in(definition: ConnectorDefinition, grant: OAuthGrant) -> msgspec.Struct:
    """Returns a connector's credentials after a sign-in.

    Raises:
        TypeError: The type has a sign-in, and its credentials have no field for it.
    """
    if definition.credentials is None:
        raise TypeError(f"{definition.name} has a sign-in and no credentials.")
    return definition.credentials(**{SIGN_IN_FIELD: grant})


def needs_credentials(definition: ConnectorDefinition) -> bool:
    """Returns whether a type reads nothing without credentials."""
    if definition.credentials is None:
        return False
    try:
        definition.read_credentials({})
    except SettingsError:
        return True
    return bool(definition.sign_in)


def check_same_origin(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raises `ValidationFailedError` when settings name a host, scheme or port that stored credentials are not for."""
    old = dict(_places(before))
    for path, value in _places(after):
        is_known = any(
            each == value or ("://" in each and "://" in value and same_origin(each, value)) for each in old.values()
        )
        if not is_known:
            raise invalid("credentials", f"must be given again, as `{path}` names another place")


def _places(config: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in config.items():
        values = value if isinstance(value, list) else [value]
        for number, each in enumerate(values):
            field_path = f"{path}{key}[{number}]" if isinstance(value, list) else f"{path}{key}"
            if isinstance(each, dict):
                yield from _places(each, f"{field_path}.")
            elif (isinstance(each, str) and "://" in each) or (key in _PLACES and each not in ("", None)):
                yield field_path, str(each)


def invalid(field: str, rule: str) -> ValidationFailedError:
    """Returns the error for a field of a connector."""
    return ValidationFailedError.of(f"connector.{field}", rule)


def _field_path(root: str, field: str) -> str:
    return f"{root}.{field}" if field else root
