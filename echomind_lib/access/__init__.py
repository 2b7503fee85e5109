"""Who may see and do what.

The one place that decides: each rule is written once and used as a yes/no check, as a SQL filter and as a vector
filter.
"""

from echomind_lib.access.principal import Principal
from echomind_lib.access.rules import (
    assistants,
    chat_sessions,
    connectors,
    connectors_by_name,
    connectors_of_scopes,
    require_role,
    require_scope,
    runs,
    scope_name,
    scopes_of,
)

__all__ = [
    "Principal",
    "assistants",
    "chat_sessions",
    "connectors",
    "connectors_by_name",
    "connectors_of_scopes",
    "require_role",
    "require_scope",
    "runs",
    "scope_name",
    "scopes_of",
]
