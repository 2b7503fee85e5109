"""What Google refuses."""


class RefusedError(Exception):
    """A request that Google refuses."""

    def __init__(self, status: int, reason: str, message: str = "Refused by the double.", **headers: str) -> None:
        super().__init__(message)
        self.status, self.reason, self.message, self.headers = status, reason, message, headers
