"""Errors of a client's call in transit; errors that EchoMind itself returns are `EchoMindError`."""


class CallError(Exception):
    """The call failed without a response from EchoMind."""


class AddressError(CallError):
    """The address cannot be used: it is malformed, names no host, or its certificate is refused."""


class NotRunningError(CallError):
    """Nothing listens at the address."""


class ConnectionLostError(CallError):
    """The connection broke before the response was complete; the call may have been executed."""


class ForeignServerError(CallError):
    """The server is not EchoMind."""


class AnswerError(CallError):
    """The response cannot be parsed: client and server may have different versions."""
