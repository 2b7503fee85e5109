"""Exceptions of sources, which determine how a sync continues."""


class SourceError(Exception):
    """The source cannot be read. The message is for users: what is wrong and what to do, without secrets."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SourceUnavailableError(SourceError):
    """It does not respond, or limits requests: the sync is retried later, from its last page.

    Attributes:
        retry_after: Seconds to wait as requested by the source; 0 if unspecified.
    """

    def __init__(self, message: str, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CredentialsRejectedError(SourceError):
    """The credentials are revoked, expired or lack a right: no sync runs until the connector is connected again."""


class CursorExpiredError(SourceError):
    """The source has forgotten the cursor: the sync restarts once with a full listing."""


class ItemError(SourceError):
    """One item cannot be read; others are indexed.

    Attributes:
        retryable: Whether the next sync retries it although the source reports no change.
    """

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable
