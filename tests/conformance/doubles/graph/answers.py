"""Refusals of Microsoft Graph, and options that its calls share."""

from tests.conformance.doubles.graph.tenant import Json


class RefusedError(Exception):
    """A request that the service refuses."""

    def __init__(self, status: int, code: str, message: str = "Refused by the double") -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def check_top(query: dict[str, str]) -> None:
    if int(query.get("$top", "20")) > 50:
        raise RefusedError(400, "BadRequest", "The limit of '50' for Top query has been exceeded")


def selected(value: Json, select: str) -> Json:
    """Documented: only what is selected, and what every answer has."""
    if not select:
        return value
    names = {*select.split(","), "id"}
    return {name: item for name, item in value.items() if name in names or "@" in name}
