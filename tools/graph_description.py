"""Writes `third_party/microsoft-graph/description.json`: what tests use of Microsoft Graph's official description.

    python tools/graph_description.py MSGRAPH_SDK_WHEEL CLEAN_METADATA_XML

Paths and their query options come from the request builders of Microsoft's SDK (`msgraph-sdk`), properties and bound
functions from the metadata of microsoftgraph/msgraph-metadata (`clean_v10_metadata/cleanMetadata.xml`). Both are under
the MIT licence. The tests refuse a request or an answer that is not in the extract.
"""

import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

TARGET = Path(__file__).parents[1] / "third_party" / "microsoft-graph" / "description.json"
_EDM = "{http://docs.oasis-open.org/odata/ns/edm}"
_TEMPLATE = re.compile(r'super\(\).__init__\(request_adapter, "([^"]+)"')
_PATHS = (
    "/chats/{}",
    "/chats/{}/members",
    "/chats/{}/messages",
    "/drives/{}",
    "/drives/{}/items/{}",
    "/drives/{}/items/{}/content",
    "/drives/{}/items/{}/delta()",
    "/drives/{}/items/{}/permissions",
    "/drives/{}/root",
    "/groups/{}",
    "/groups/{}/transitiveMembers",
    "/organization",
    "/sites",
    "/sites/{}",
    "/sites/{}/drives",
    "/teams",
    "/teams/{}",
    "/teams/{}/channels",
    "/teams/{}/channels/{}",
    "/teams/{}/channels/{}/allMembers",
    "/teams/{}/channels/{}/messages",
    "/teams/{}/channels/{}/messages/delta()",
    "/teams/{}/channels/{}/messages/{}",
    "/teams/{}/channels/{}/messages/{}/replies",
    "/users",
    "/users/{}",
    "/users/{}/chats",
    "/users/{}/drives",
)
_TYPES = (
    "aadUserConversationMember",
    "channel",
    "chat",
    "chatMessage",
    "drive",
    "driveItem",
    "group",
    "organization",
    "permission",
    "site",
    "team",
    "user",
)


def paths(wheel: Path) -> dict[str, list[str]]:
    """Returns the query options of each path, `{}` standing for an id.

    Raises:
        SystemExit: The SDK does not know one of the paths.
    """
    found: dict[str, list[str]] = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.endswith("request_builder.py"):
                continue
            template = _TEMPLATE.search(archive.read(name).decode())
            if template is None:
                continue
            path, _, query = template[1].removeprefix("{+baseurl}").partition("{?")
            path = re.sub(r"\{[^}]+\}", "{}", path)
            if path in _PATHS:
                options = query.rstrip("}").replace("%24", "$").replace("*", "")
                found[path] = sorted(filter(None, options.split(",")))
    if missing := [path for path in _PATHS if path not in found]:
        raise SystemExit(f"The SDK does not know: {', '.join(missing)}")
    return dict(sorted(found.items()))


def types(metadata: ET.Element) -> dict[str, Any]:
    """Returns the properties of the types, and of all types that these are made of, by name."""
    known = {
        element.get("Name", ""): element
        for kind in ("EntityType", "ComplexType", "EnumType")
        for schema in metadata.iter(f"{_EDM}Schema")
        if schema.get("Namespace") == "microsoft.graph"
        for element in schema.findall(_EDM + kind)
    }
    found: dict[str, Any] = {}
    waiting = list(_TYPES)
    while waiting:
        name = waiting.pop()
        if name in found or (element := known.get(name)) is None:
            continue
        if element.tag == f"{_EDM}EnumType":
            found[name] = {"values": [member.get("Name") for member in element.findall(f"{_EDM}Member")]}
            continue
        properties = {item.get("Name", ""): _short(item.get("Type", "")) for item in element.findall(f"{_EDM}Property")}
        links = {
            item.get("Name", ""): _short(item.get("Type", "")) for item in element.findall(f"{_EDM}NavigationProperty")
        }
        base = _short(element.get("BaseType", ""))
        found[name] = {"base": base, "properties": properties, "links": links}
        waiting += [_inner(type_) for type_ in properties.values()]
        waiting += [base]
    return dict(sorted(found.items()))


def bound_functions(metadata: ET.Element) -> list[str]:
    """Returns the types that have a function `delta`, with its parameters: `driveItem(token)`."""
    found = set()
    for function in metadata.iter(f"{_EDM}Function"):
        if function.get("Name") == "delta" and function.get("IsBound") == "true":
            bound, *rest = function.findall(f"{_EDM}Parameter")
            names = ", ".join(parameter.get("Name", "") for parameter in rest)
            found.add(f"{_inner(_short(bound.get('Type', '')))}({names})")
    return sorted(found)


def _short(type_: str) -> str:
    return type_.replace("microsoft.graph.", "").replace("graph.", "")


def _inner(type_: str) -> str:
    return type_.removeprefix("Collection(").removesuffix(")")


def main() -> None:
    """Writes the extract."""
    wheel, metadata = map(Path, sys.argv[1:])
    root = ET.parse(metadata).getroot()
    description = {
        "sources": [wheel.name.split("-py3")[0], "microsoftgraph/msgraph-metadata, clean_v10_metadata"],
        "paths": paths(wheel),
        "delta": [name for name in bound_functions(root) if name.startswith(("driveItem(", "chatMessage("))],
        "types": types(root),
    }
    TARGET.write_text(json.dumps(description, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
