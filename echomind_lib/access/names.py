"""Names of the connectors that files go to when only a scope is named."""

from typing import Final

OWN_FILES: Final = "My files"
"""Of a person's own files."""
USUAL_NAMES: Final = {"user": OWN_FILES, "group": "Files of {group}", "org": "Files for everyone"}
"""By scope."""
