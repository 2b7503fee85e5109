"""Checks of requests and answers against the official description of Microsoft Graph.

`third_party/microsoft-graph/description.json` has the paths with their query options, and the properties of the types.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from tests.paths import ROOT

DESCRIPTION: Final = ROOT / "third_party" / "microsoft-graph" / "description.json"
_ALIASES: Final = {
    # The request builders reach a drive's root only by its id. The metadata has `delta` bound to every driveItem, the
    # documentation of driveItem: delta has this form.
    "/drives/{}/root/delta": "/drives/{}/items/{}/delta()",
    # Documentation of chatMessage: delta; the metadata allows the parentheses to be left out.
    "/teams/{}/channels/{}/messages/delta": "/teams/{}/channels/{}/messages/delta()",
    # Documentation of site: get, by its address.
    "/sites/{}:/{}": "/sites/{}",
    # Documentation of drive: get, for the person who has signed in.
    "/me": "/users/{}",
    "/me/drives": "/users/{}/drives",
    "/me/chats": "/users/{}/chats",
}
_TOKENS: Final = frozenset({"$skiptoken", "$deltatoken", "token"})
"""Of links that the service has made itself."""
_ANNOTATION: Final = re.compile(r"@(odata|microsoft\.graph)\.")
_OPEN_IDENTITIES: Final = frozenset({"email", "loginName", "@odata.type", "userIdentityType", "tenantId"})
"""Properties that the documentation shows on identities, which are open types."""


class UndescribedError(AssertionError):
    """A request or an answer that the official description does not know."""


@cache
def description() -> dict[str, Any]:
    """Returns the extract."""
    found: dict[str, Any] = json.loads(DESCRIPTION.read_text())
    return found


def check_request(path: str, query: Mapping[str, str]) -> None:
    """Checks a path, with `{}` for ids, and the names of its query options.

    Raises:
        UndescribedError: The description does not know one of them.
    """
    paths = description()["paths"]
    known = paths.get(_ALIASES.get(path, path))
    if known is None:
        raise UndescribedError(f"Microsoft Graph has no path {path}")
    if unknown := sorted(set(query) - set(known) - _TOKENS):
        raise UndescribedError(f"{path} has no query options {unknown}")


def check_select(type_: str, names: str) -> None:
    """Checks the names of a `$select`.

    Raises:
        UndescribedError: The type does not have one of them.
    """
    known = _properties(type_)
    if unknown := sorted({name for name in names.split(",") if name not in known}):
        raise UndescribedError(f"{type_} has no properties {unknown}")


def check_answer(type_: str, value: Mapping[str, Any], path: str = "") -> None:
    """Checks the names of all properties of an answer, and the kinds of its values.

    Raises:
        UndescribedError: One of them is not what the type has.
    """
    known = _properties(type_)
    for name, item in value.items():
        if _ANNOTATION.search(name) or (name in _OPEN_IDENTITIES and "dentity" in type_):
            continue
        where = f"{path}/{name}"
        if name not in known:
            raise UndescribedError(f"{type_} has no property {where}")
        _check_value(known[name], item, where)


def _check_value(type_: str, value: Any, where: str) -> None:
    if value is None:
        return
    if type_.startswith("Collection("):
        if not isinstance(value, list):
            raise UndescribedError(f"{where} is a list, not {value!r}")
        for item in value:
            _check_value(type_.removeprefix("Collection(").removesuffix(")"), item, where)
        return
    expected = {"Edm.String": str, "Edm.DateTimeOffset": str, "Edm.Boolean": bool, "Edm.Int32": int, "Edm.Int64": int}
    if type_.startswith("Edm."):
        if not isinstance(value, expected.get(type_, object)):
            raise UndescribedError(f"{where} is of {type_}, not {value!r}")
        return
    known = description()["types"].get(type_)
    if known is None:
        return  # a type that no test uses
    if "values" in known:
        if value not in known["values"]:
            raise UndescribedError(f"{where} is one of {known['values']}, not {value!r}")
        return
    if not isinstance(value, Mapping):
        raise UndescribedError(f"{where} is a {type_}, not {value!r}")
    check_answer(type_, value, where)


@cache
def _properties(type_: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = type_
    while name:
        known = description()["types"][name]
        found = {**known["properties"], **known["links"], **found}
        name = known["base"]
    return found
