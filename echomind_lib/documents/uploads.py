"""Which connectors take uploads: those of files that read no folder of the server, whose syncs remove what it lacks."""

from sqlalchemy import ColumnElement, func

from echomind_lib.db.models import Connector


def takes_uploads(connector: Connector) -> bool:
    """Returns whether files can be uploaded to a connector, and moved into and out of it."""
    return connector.type == "file" and not connector.config.get("folder")


def is_for_uploads() -> ColumnElement[bool]:
    """Returns the condition of `takes_uploads` on a statement's connectors."""
    return (Connector.type == "file") & (func.coalesce(Connector.config["folder"].as_string(), "") == "")
