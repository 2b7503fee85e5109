"""The settings of the environment, checked before anything is started."""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_settings import SettingsError

from echomind.local.embedded.process import StartError
from echomind_lib.config import Settings
from echomind_lib.errors.wording import broken_rule

_PREFIX: Final = "ECHOMIND_"
_BETWEEN: Final = "__"
_ALIKE: Final = 0.9
"""How alike a name is to one that may be meant, from 0 to 1."""


def checked_settings() -> Settings:
    """Returns the settings.

    Raises:
        StartError: A variable of the environment has a value that no service would start with; the message names each
            such variable, and none of their values that may be secret.
    """
    try:
        settings = Settings()
    except ValidationError as error:
        problems = [f"{_variable(each['loc'])}: {broken_rule(each)}" for each in error.errors(include_url=False)]
        raise StartError("; ".join(problems)) from None
    except SettingsError as error:
        raise StartError(f"a setting is not valid: {error}") from None
    for check in (_hosts, _keys, _proxies, _public_url):
        check(settings)
    return settings


def unknown_settings(environment: Mapping[str, str]) -> Iterator[str]:
    """Yields a warning for each variable that looks like a setting and is none.

    Args:
        environment: The environment.
    """
    known, open_names = set[str](), set[str]()
    _collect(Settings, _PREFIX, known, open_names)
    by_letters = {name.replace("_", ""): name for name in known}
    for name in sorted(environment):
        upper = name.upper()
        if not upper.startswith(_PREFIX) or upper in known or upper.startswith(tuple(open_names)):
            continue
        meant = by_letters.get(upper.replace("_", ""))
        if meant is None and _BETWEEN not in upper:  # variables of the command line
            continue
        close: Sequence[str] = [meant] if meant else difflib.get_close_matches(upper, known, 1, _ALIKE)
        yield f"{name} is no setting of EchoMind{f': is {close[0]} meant?' if close else ''}"


def _collect(model: type[BaseModel], prefix: str, known: set[str], open_names: set[str]) -> None:
    for field, info in model.model_fields.items():
        name = f"{prefix}{field.upper()}"
        known.add(name)
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            _collect(kind, f"{name}{_BETWEEN}", known, open_names)
        elif get_origin(kind) is dict:
            open_names.add(f"{name}{_BETWEEN}")


def _variable(location: Sequence[Any]) -> str:
    return _PREFIX + _BETWEEN.join(str(part).upper() for part in location)


def _refusing(name: str, check: Callable[[], Any]) -> None:
    try:
        check()
    except ValueError as error:
        message = str(error)
        raise StartError(message if message.startswith(name) else f"{name}: {message}") from None


# Imported for settings that most installations do not have.
def _hosts(settings: Settings) -> None:
    if given := settings.fetch.allowed_hosts:
        from echomind_lib.network.fetching import AllowedHosts

        _refusing("ECHOMIND_FETCH__ALLOWED_HOSTS", lambda: AllowedHosts(given))


def _keys(settings: Settings) -> None:
    if given := settings.secrets.keys.get_secret_value():
        from echomind_lib.secret_key_file import split_keys
        from echomind_lib.secrets import Secrets

        _refusing("ECHOMIND_SECRETS__KEYS", lambda: Secrets(split_keys(given)))


def _proxies(settings: Settings) -> None:
    if given := settings.api.trusted_proxies:
        from echomind_api.auth.addresses import Proxies

        _refusing("ECHOMIND_API__TRUSTED_PROXIES", lambda: Proxies(given))


def _public_url(settings: Settings) -> None:
    if given := settings.api.public_url:
        from echomind_api.transports.http.base_path import base_path

        _refusing("ECHOMIND_API__PUBLIC_URL", lambda: base_path(given))
