"""Access rules: who may see and do what.

All access decisions are made here: each rule is written once, and used as a Python check, as an SQL condition and as a
vector filter.
"""

from echomind_lib.access.principal import Principal
from echomind_lib.access.rules import (
    assistants,
    chat_sessions,
    connectors,
    connectors_by_name,
    connectors_of_scopes,
    evaluation_datasets,
    evaluation_runs,
    require_role,
    require_scope,
    runs,
    scope_name,
    scopes_of,
    webhooks,
)

__all__ = [
    "Principal",
    "assistants",
    "chat_sessions",
    "connectors",
    "connectors_by_name",
    "connectors_of_scopes",
    "evaluation_datasets",
    "evaluation_runs",
    "require_role",
    "require_scope",
    "runs",
    "scope_name",
    "scopes_of",
    "webhooks",
]
