"""Page tokens that only this installation can create.

A service's own token is the sort key of the last row of a page. Callers receive it with an HMAC over the method, the
reader and the filter in front, so that a service never sees a token that it did not issue for the same query.
"""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

from echomind_lib.contract.call import CallContext
from echomind_lib.contract.model import ProtoModel
from echomind_lib.errors import InvalidPageTokenError

_MAC_BYTES = 18


class PageTokens:
    """Signs and verifies the page tokens of all list methods.

    Args:
        keys: Secret keys; the first signs, all verify.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = list(keys)

    def open(self, call: CallContext, request: ProtoModel) -> ProtoModel:
        """Returns the request with the service's own token.

        Raises:
            InvalidPageTokenError: The token was not issued for this method, reader and filter.
        """
        sealed: str = getattr(request, "page_token")  # noqa: B009 - of a list method's request
        if not sealed:
            return request
        mac, separator, token = sealed.partition(".")
        known = [self._mac(key, call, request, token) for key in self._keys] if separator and mac.isascii() else []
        if not any(hmac.compare_digest(mac, each) for each in known):
            raise InvalidPageTokenError(
                "The page token is damaged, or belongs to another list or filter: start again without one."
            )
        return request.model_copy(update={"page_token": token})

    def seal(self, call: CallContext, request: ProtoModel, response: Any) -> None:
        """Replaces the service's page token in a response by the signed one."""
        if token := response.next_page_token:
            response.next_page_token = f"{self._mac(self._keys[0], call, request, token)}.{token}"

    def _mac(self, key: bytes, call: CallContext, request: ProtoModel, token: str) -> str:
        reader = call.principal.user_id if call.principal is not None else 0
        question = request.model_dump_json(exclude={"page_size", "page_token"})
        text = "\n".join((call.method, str(reader), token, question))
        return urlsafe_b64encode(hmac.digest(key, text.encode(), "sha256")[:_MAC_BYTES]).decode()
