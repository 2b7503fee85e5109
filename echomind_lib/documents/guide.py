"""The guide to EchoMind among the documents of an installation."""

from typing import Final

from sqlalchemy import SQLColumnExpression

from echomind_lib.db.models.content import Connector

GUIDE_MARK: Final = {"builtin": "guide"}
"""Marks the configuration of the connector with the guide to EchoMind."""
IS_GUIDE: Final[SQLColumnExpression[bool]] = Connector.config.contains(GUIDE_MARK).label("is_guide")
"""Whether a document, by its connector, is a page of the guide."""
