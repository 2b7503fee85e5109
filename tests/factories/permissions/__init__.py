"""Who may do what: every method of the contract, what it is tried on, and what each role is answered."""

from echomind_lib.contract.http_call import http_rule
from tests.drivers.client import METHODS, Transport
from tests.factories.permissions import (
    accounts,
    administration,
    assistants,
    conversations,
    evaluation,
    knowledge,
    notebooks,
    sources,
    webhooks,
)
from tests.factories.permissions.rows import Row

TABLE: dict[str, Row] = {
    **accounts.ROWS,
    **administration.ROWS,
    **assistants.ROWS,
    **conversations.ROWS,
    **evaluation.ROWS,
    **knowledge.ROWS,
    **notebooks.ROWS,
    **sources.ROWS,
    **webhooks.ROWS,
}
"""By service and method."""


def reachable(method: str, via: Transport) -> bool:
    """Returns whether a transport has a method."""
    return via == "grpc" or http_rule(METHODS[method]) is not None
