"""Errors of a client's call in transit; errors that EchoMind itself returns are `EchoMindError`."""


class CallError(Exception):
    """No answer of EchoMind has arrived."""


class AddressError(CallError):
    """The address cannot be used: it is malformed, names no host, or its certificate is refused."""


class NotRunningError(CallError):
    """Nothing listens at the address."""


class ConnectionLostError(CallError):
    """The connection broke before the answer was whole; the call may have been carried out."""


class ForeignServerError(CallError):
    """The server is not EchoMind."""


class AnswerError(CallError):
    """The answer is not understood: client and server may be of different versions."""
