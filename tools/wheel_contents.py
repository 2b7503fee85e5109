"""What a wheel has beside Python: the built web UI. Used by hatchling when it builds one."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGES = "web/dist"


class WheelContents(BuildHookInterface[Any]):
    """Adds the pages that `make web` has built to a wheel; an editable installation finds them in the checkout."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the pages.

        Raises:
            FileNotFoundError: They are not built.
        """
        if version == "editable":
            return
        pages = Path(self.root) / PAGES
        if not (pages / "index.html").is_file():
            raise FileNotFoundError(f"{pages} has no index.html: run `make web` first")
        build_data["force_include"][str(pages)] = "echomind_api/web_ui"
