"""Paths of folders of sources, as people see them."""

from typing import Final

PATH_SEPARATOR: Final = " / "
"""What is between the names in `source_folders.path`."""
