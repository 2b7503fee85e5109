"""Why a sign-in at a provider fails."""

from enum import Enum


class Failure(Enum):
    """The message to a person."""

    ATTEMPT_OVER = "attempt_over"
    """The sign-in is unknown, was completed, has expired, or was begun in another browser."""
    NOT_GRANTED = "not_granted"
    """The person or the provider declined."""
    UNAVAILABLE = "unavailable"
    """The provider does not answer, or not as it should."""
    NOT_PROVEN = "not_proven"
    """The provider's answer does not prove who signs in."""
    NOT_ADMITTED = "not_admitted"
    """The person is not one of those who may have an account."""
    ACCOUNT_EXISTS = "account_exists"
    """Another account has the e-mail address."""
    CONNECTED_OTHERWISE = "connected_otherwise"
    """The person has another account here, or the account belongs to another person at the provider."""
    DEACTIVATED = "deactivated"
    """The account is deactivated."""


class SignInFailedError(Exception):
    """A sign-in at a provider failed; the message is for the log and the audit log, and contains no secret."""

    def __init__(self, failure: Failure, detail: str) -> None:
        """Initializes the error.

        Args:
            failure: The message to the person.
            detail: What happened.
        """
        super().__init__(detail)
        self.failure = failure
