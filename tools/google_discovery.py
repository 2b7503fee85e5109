"""Takes from Google's discovery documents what the tests of the Google Drive source need.

The documents come with the wheel of google-api-python-client, which is 17 MB, and 114 MB when installed; so an extract
of the methods that are used is kept in third_party/google-discovery, and made again by

    python tools/google_discovery.py google_api_python_client-2.202.0-py3-none-any.whl
"""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "third_party" / "google-discovery"
DOCUMENTS = "googleapiclient/discovery_cache/documents"
METHODS: dict[str, tuple[str, ...]] = {
    "drive.v3": (
        "changes.getStartPageToken",
        "changes.list",
        "drives.get",
        "drives.list",
        "files.export",
        "files.get",
        "files.list",
        "permissions.list",
    ),
    "admin.directory_v1": ("groups.get", "members.list", "users.list"),
}
KEPT = ("name", "version", "revision", "rootUrl", "servicePath", "parameters")


def extract(document: dict[str, Any], methods: tuple[str, ...]) -> dict[str, Any]:
    """Returns some methods of a document with the schemas of their answers."""
    found = {name: find_method(document["resources"], name) for name in methods}
    schemas: dict[str, Any] = {}
    waiting = [method["response"]["$ref"] for method in found.values() if "response" in method]
    while waiting:
        name = waiting.pop()
        if name not in schemas:
            schemas[name] = document["schemas"][name]
            waiting += references(schemas[name])
    return {
        **{key: document[key] for key in KEPT},
        "methods": found,
        "schemas": dict(sorted(schemas.items())),
    }


def find_method(resources: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns a method by its path, such as `files.list`."""
    *path, last = name.split(".")
    for part in path[:-1]:
        resources = resources[part]["resources"]
    method: dict[str, Any] = resources[path[-1]]["methods"][last]
    return method


def references(schema: Any) -> list[str]:
    """Returns the names of the schemas that one uses."""
    if isinstance(schema, list):
        return [name for part in schema for name in references(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    return own + [name for part in schema.values() for name in references(part)]


def main() -> None:
    """Writes the extracts."""
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        for name, methods in METHODS.items():
            document = json.loads(wheel.read(f"{DOCUMENTS}/{name}.json"))
            text = json.dumps(extract(document, methods), indent=1, ensure_ascii=False)
            (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        licence = next(entry for entry in wheel.namelist() if entry.endswith("/LICENSE"))
        (FOLDER / "LICENSE").write_bytes(wheel.read(licence))


if __name__ == "__main__":
    main()
