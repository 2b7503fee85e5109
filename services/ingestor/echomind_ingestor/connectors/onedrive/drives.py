"""The drives of a connector: of people, of sites, or of the signed-in account."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from echomind_ingestor.connectors.graph import Graph, segment
from echomind_ingestor.connectors.protocol import Failure, SourceError
from echomind_ingestor.connectors.vendor_client import Json, RequestRefusedError
from echomind_lib.connectors.types.onedrive import MAX_DRIVES, OneDriveSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """A drive.

    Attributes:
        id: Its id.
        name: Its display name.
        url: Its URL in the browser.
        owner_id: The person whose OneDrive it is; empty for a library.
    """

    id: str
    name: str
    url: str
    owner_id: str


async def list_drives(graph: Graph, settings: OneDriveSettings) -> tuple[dict[str, Drive], list[Failure]]:
    """Returns the drives by id, and the people and sites that could not be read.

    Raises:
        SourceError: There are too many, or none can be read.
    """
    drives: dict[str, Drive] = {}
    failures: list[Failure] = []
    for kind, name, path in _places(settings):
        try:
            async for drive in _drives_of(graph, kind, path):
                drives[drive.id] = drive
        except RequestRefusedError as error:
            if error.status == 401:
                raise
            advice = "Check its address and whether it still exists." if error.status in (404, 410) else "Grant access."
            failures.append(Failure(source_id="", name=name, message=f"{error.message} {advice}"))
    if len(drives) > MAX_DRIVES:
        raise SourceError(
            f"These are {len(drives)} drives, and a connector reads {MAX_DRIVES} at most: split it into several."
        )
    return drives, failures


def _places(settings: OneDriveSettings) -> list[tuple[str, str, str]]:
    """Returns the configured places: kind, display name, and path."""
    found = [("person", name, f"users/{segment(name)}") for name in settings.people]
    for site in settings.sites:
        parts = urlsplit(site)
        path = parts.path.strip("/")
        address = f"{parts.hostname}:/{segment_path(path)}" if path else str(parts.hostname)
        found.append(("site", site, f"sites/{address}"))
    return found or [("person", "The account that signed in", "me")]


def segment_path(path: str) -> str:
    """Returns a path of several parts, each percent-encoded."""
    return "/".join(segment(part) for part in path.split("/"))


async def _drives_of(graph: Graph, kind: str, path: str) -> AsyncIterator[Drive]:
    select = {"$select": "id,name,webUrl,driveType,owner"}
    if kind == "person":
        async for drive in graph.values(f"{path}/drives", select):
            if drive.get("driveType") == "business":
                yield _drive(drive, "")
        return
    site = await graph.get(path, {"$select": "id,displayName,webUrl"})
    async for drive in graph.values(f"sites/{segment(site['id'])}/drives", select):
        yield _drive(drive, site.get("displayName") or "")


def _drive(drive: Json, site: str) -> Drive:
    owner = (drive.get("owner") or {}).get("user") or {}
    name = drive.get("name") or "Documents"
    return Drive(
        id=drive["id"],
        name=f"{site}: {name}" if site else f"{owner.get('displayName') or name}: OneDrive",
        url=drive.get("webUrl") or "",
        owner_id=(owner.get("id") or "") if not site else "",
    )
