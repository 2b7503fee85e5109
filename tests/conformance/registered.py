"""The sources that the suite tries. A new one is a line here."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.conformance.double import SourceDouble
from tests.conformance.doubles.files import FileDouble
from tests.conformance.doubles.stores import S3Double, WebdavDouble
from tests.conformance.doubles.website import WebDouble
from tests.conformance.google import GoogleDriveDouble
from tests.conformance.memory import MemoryDouble
from tests.conformance.microsoft import OneDriveDouble, TeamsDouble

DOUBLES: Final[dict[str, Callable[[Path], SourceDouble]]] = {
    "memory": lambda _: MemoryDouble(),
    "google_drive": lambda _: GoogleDriveDouble(),
    "onedrive": lambda _: OneDriveDouble(),
    "teams": lambda _: TeamsDouble(),
    "file": FileDouble,
    "storage (S3)": S3Double,
    "storage (WebDAV)": WebdavDouble,
    "web": lambda _: WebDouble(),
}
"""What makes the double of each source, given a folder of the test's own."""
