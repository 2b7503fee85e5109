"""Parses settings of connectors on the command line: `key=value`, by the type's definition of the key."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from echomind.cli.terminal import CommandError
from echomind_lib.models import public

_YES_AND_NO = {"true": True, "yes": True, "false": False, "no": False}


def merge_settings(
    fields: "Sequence[public.SettingField]", pairs: Iterable[str], stored: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Returns settings with the changes of `--set`.

    A list has the values of all pairs with its key. An empty value resets the setting to its default.

    Args:
        fields: The settings of the connector's type.
        pairs: Each `key=value`; keys of a group are written `group.key`.
        stored: The stored settings, which are not modified.

    Raises:
        CommandError: A key is unknown or repeated, or a value is invalid.
    """
    known = dict(leaves(fields))
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise CommandError(f"--set {pair!r} has no value: write it as key=value.")
        if key not in known:
            raise CommandError(f"There is no setting {key!r}. Known: {', '.join(known) or 'none'}.")
        is_list = known[key].kind.word == "list"
        if key in values and not is_list:
            raise CommandError(f"The setting {key} is given twice, and it is no list.")
        value = _read(known[key], key, text)
        values[key] = [*values.get(key, []), *value] if is_list else value
    merged = dict(stored or {})
    for key, value in values.items():
        _put(merged, key.split("."), value)
    return merged


def leaves(fields: "Iterable[public.SettingField]", prefix: str = "") -> "Iterator[tuple[str, public.SettingField]]":
    """Yields each field that is not a group with its key; those of a group as `group.key`."""
    for field in fields:
        if field.kind.word == "group":
            yield from leaves(field.fields, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", field


def shown_settings(settings: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yields `key=value` of each stored setting, for people."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from shown_settings(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}={shown_value(value)}"


def shown_value(value: Any) -> str:
    """Returns a value as `--set` reads it; a list with commas."""
    if isinstance(value, list):
        return ", ".join(map(shown_value, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def _read(field: "public.SettingField", key: str, text: str) -> Any:
    """Returns a value in the type of its field; None, or an empty list, for an empty one."""
    kind = field.kind.word
    if kind == "list":
        if text and field.choices and text not in field.choices:
            raise CommandError(f"{key}: {text!r} is not one of {', '.join(field.choices)}.")
        return [text] if text else []
    if not text:
        return None
    if kind == "boolean":
        if text.lower() not in _YES_AND_NO:
            raise CommandError(f"{key}: {text!r} must be yes or no.")
        return _YES_AND_NO[text.lower()]
    if kind == "choice" and text not in field.choices:
        raise CommandError(f"{key}: {text!r} is not one of {', '.join(field.choices)}.")
    if kind in {"integer", "number"}:
        try:
            return int(text) if kind == "integer" else float(text)
        except ValueError:
            raise CommandError(f"{key}: {text!r} must be a {'whole ' * (kind == 'integer')}number.") from None
    return text


def _put(settings: dict[str, Any], path: list[str], value: Any) -> None:
    """Sets the value at a path, or removes it if empty; a group without values is removed too."""
    name, *below = path
    if below:
        group = dict(settings.get(name) or {})
        _put(group, below, value)
        value = group
    if value in (None, [], {}):
        settings.pop(name, None)
    else:
        settings[name] = value
