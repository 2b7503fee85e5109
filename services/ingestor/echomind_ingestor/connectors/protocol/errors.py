"""What a source raises. The engine knows what each means for a sync."""


class SourceError(Exception):
    """The source cannot be read. The message is for people: what is wrong, and what to do. It holds no secret."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SourceUnavailableError(SourceError):
    """It does not answer, or asks to be left alone: the sync is tried again later, from its last page.

    Attributes:
        retry_after: Seconds that it asks for; 0 when it does not say.
    """

    def __init__(self, message: str, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CredentialsRejectedError(SourceError):
    """The credentials are revoked, expired or lack a right: no sync runs until somebody connects it again."""


class CursorExpiredError(SourceError):
    """The source has forgotten the cursor: the sync starts over with a full listing, once."""


class ItemError(SourceError):
    """One item cannot be read; the others go into the index.

    Attributes:
        retryable: Whether the next sync retries it although the source reports no change.
    """

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable
