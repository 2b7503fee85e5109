"""Reserved names."""

from typing import Final

OWN_FILES: Final = "My files"
"""Name of the connector of a user's own files."""
USUAL_NAMES: Final = {"user": OWN_FILES, "group": "Files of {group}", "org": "Files for everyone"}
"""Names of the connectors for uploads that specify only a scope, by scope."""
DEFAULT_ASSISTANT: Final = "defaultAssistantId"
"""The preference that selects the assistant of a user's new conversations."""
