"""The installed connector types, with descriptions for generated forms."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import inspect

from echomind_lib.access import Principal
from echomind_lib.config import ConnectorSettings
from echomind_lib.connectors import ConnectorDefinition, definitions
from echomind_lib.connectors.oauth import OAuthGrant, oauth_provider
from echomind_lib.mappers.connectors import known_type
from echomind_lib.models import public

_TEXT_KINDS: Final = {
    "text": public.SettingKind.TEXT,
    "multiline": public.SettingKind.MULTILINE,
    "secret": public.SettingKind.SECRET,
}
_LISTS: Final = (inspect.ListType, inspect.VarTupleType, inspect.SetType, inspect.FrozenSetType)


def type_infos(principal: Principal, settings: ConnectorSettings) -> list[public.ConnectorTypeInfo]:
    """Returns all installed types as the caller may see them."""
    return [_info(definition, principal, settings) for definition in definitions().values()]


def _info(
    definition: ConnectorDefinition, principal: Principal, settings: ConnectorSettings
) -> public.ConnectorTypeInfo:
    return public.ConnectorTypeInfo(
        name=definition.name,
        type=known_type(definition.name),
        title=definition.title,
        description=definition.description,
        settings=list(form_fields(definition.settings)),
        credentials=list(form_fields(definition.credentials, "secret")) if definition.credentials else [],
        permission_modes=[public.PermissionMode.from_word(mode) for mode in definition.permission_modes],
        synced_by=definition.synced_by,
        sign_in=definition.sign_in or "",
        sign_in_configured=definition.sign_in is not None
        and oauth_provider(settings, definition.sign_in).is_configured,
        role=public.Role.from_word(definition.role),
        unavailable_reason=unavailable_reason(definition, principal),
    )


def unavailable_reason(definition: ConnectorDefinition, principal: Principal) -> str:
    """Returns why a user cannot add a connector of a type, and what to do; empty if they can."""
    if definition.synced_by or principal.has_role(definition.role):
        return ""
    return f"Only people with the role {definition.role} can add {definition.title}: ask one of them."


def form_fields(type_: type[msgspec.Struct], text_kind: str = "text") -> Iterator[public.SettingField]:
    """Yields the fields of a struct.

    Args:
        type_: Settings or credentials of a type.
        text_kind: Input type of texts that do not define one.

    Raises:
        TypeError: A field is of a type that forms do not have.
    """
    described = inspect.type_info(type_)
    if not isinstance(described, inspect.StructType):  # pragma: no cover - what a definition holds is a struct
        raise TypeError(f"{type_} is no struct.")
    for field in described.fields:
        inner, words, extra = _unwrapped(field.type)
        if isinstance(inner, inspect.StructType) and inner.cls is OAuthGrant:
            continue  # the result of signing in, not entered by the user
        yield public.SettingField(
            name=field.encode_name,
            title=words.get("title") or field.encode_name.replace("_", " ").capitalize(),
            description=words.get("description", ""),
            required=field.required,
            default_value=_default(field),
            example=_text((words.get("examples") or [""])[0]),
            applies_when=_condition(extra.get("applies_when")),
            required_when=_condition(extra.get("required_when")),
            **_shape(inner, f"{type_.__name__}.{field.name}", extra, text_kind),
        )


def _unwrapped(type_: inspect.Type) -> tuple[inspect.Type, dict[str, Any], dict[str, Any]]:
    """Returns a type without its annotations and without None, and the annotations."""
    words: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    while True:
        if isinstance(type_, inspect.Metadata):
            words |= type_.extra_json_schema or {}
            extra |= type_.extra or {}
            type_ = type_.type
        elif isinstance(type_, inspect.UnionType):
            others = [each for each in type_.types if not isinstance(each, inspect.NoneType)]
            if len(others) != 1:
                return type_, words, extra
            type_ = others[0]
        else:
            return type_, words, extra


def _condition(values_of: dict[str, Sequence[str]] | None) -> public.SettingCondition | None:
    if not values_of:
        return None
    ((setting, values),) = values_of.items()
    return public.SettingCondition(setting=setting, values=list(values))


def _shape(type_: inspect.Type, field_name: str, extra: dict[str, Any], text_kind: str) -> dict[str, Any]:
    if isinstance(type_, inspect.StrType):
        bounds = {"minimum": type_.min_length, "maximum": type_.max_length, "pattern": type_.pattern or ""}
        return {"kind": _TEXT_KINDS[extra.get("kind", text_kind)]} | bounds
    if isinstance(type_, inspect.BoolType):
        return {"kind": public.SettingKind.BOOLEAN}
    if isinstance(type_, inspect.IntType | inspect.FloatType):
        is_whole = isinstance(type_, inspect.IntType)
        return {
            "kind": public.SettingKind.INTEGER if is_whole else public.SettingKind.NUMBER,
            "minimum": _bound(type_.ge, type_.gt, 1 if is_whole else 0),
            "maximum": _bound(type_.le, type_.lt, -1 if is_whole else 0),
        }
    if isinstance(type_, inspect.LiteralType):
        choices = [str(value) for value in type_.values]
        titles = extra.get("choice_titles")
        shown = [titles[choice] for choice in choices] if titles else []
        return {"kind": public.SettingKind.CHOICE, "choices": choices, "choice_titles": shown}
    if isinstance(type_, _LISTS):
        item, _, _ = _unwrapped(type_.item_type)
        choices = [str(value) for value in item.values] if isinstance(item, inspect.LiteralType) else []
        if choices or isinstance(item, inspect.StrType):
            bounds = {"minimum": type_.min_length, "maximum": type_.max_length}
            return {"kind": public.SettingKind.LIST, "choices": choices} | bounds
    if isinstance(type_, inspect.StructType):
        return {"kind": public.SettingKind.GROUP, "fields": list(form_fields(type_.cls, text_kind))}
    raise TypeError(f"{field_name} is of a type that forms do not have: {type_}.")


def _bound(inclusive: float | None, exclusive: float | None, step: int) -> float | None:
    return inclusive if inclusive is not None or exclusive is None else exclusive + step


def _default(field: inspect.Field) -> Any:
    if field.required:
        return None
    value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return msgspec.json.decode(msgspec.json.encode(value))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
