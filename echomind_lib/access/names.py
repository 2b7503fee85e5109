"""Names that have a meaning of their own."""

from typing import Final

OWN_FILES: Final = "My files"
"""Of a person's own files."""
USUAL_NAMES: Final = {"user": OWN_FILES, "group": "Files of {group}", "org": "Files for everyone"}
"""Of the connectors that files go to when only a scope is named, by scope."""
DEFAULT_ASSISTANT: Final = "defaultAssistantId"
"""The key of a person's preferences that names the assistant of their new conversations."""
