"""The names of the models that a provider's server offers."""

from contextlib import suppress
from typing import Final

import aiohttp
import msgspec

from echomind_lib.llms.config import LlmConfig
from echomind_lib.llms.endpoints import normalise_endpoint, open_model_session
from echomind_lib.llms.factory import wire_format
from echomind_lib.llms.faults import Faults
from echomind_lib.network.addresses import AddressRefusedError
from echomind_lib.network.bodies import read_at_most
from echomind_lib.text import NAME_CHARACTERS, single_line

MAX_MODELS: Final = 1000
"""Number of names that are returned; routers of many providers offer some hundreds."""
_MAX_BYTES: Final = 4 * 1024 * 1024
_TIMEOUT: Final = aiohttp.ClientTimeout(total=15, sock_connect=5)
_PARAMETERS: Final = {"anthropic": {"limit": str(MAX_MODELS)}}
"""What a provider must be asked for to return more than its first page."""


class _Offer(msgspec.Struct):
    id: str


class _Offers(msgspec.Struct):
    data: list[_Offer]


async def offered_models(config: LlmConfig) -> list[str]:
    """Returns the names of the models at a configuration's endpoint, sorted, without asking any of them.

    Args:
        config: The endpoint and its key; the name of the model is not used.

    Raises:
        LlmConfigInvalid: The endpoint cannot be used.
        LlmError: Its server cannot be reached, refuses the request, or answers something else.
    """
    endpoint = normalise_endpoint(config.provider, config.endpoint)
    faults = Faults(config, endpoint)
    headers = wire_format(config, endpoint).headers() | {"Accept": "application/json", "User-Agent": "echomind"}
    try:
        async with (
            open_model_session() as http,
            http.get(
                f"{endpoint}/models",
                params=_PARAMETERS.get(config.provider),
                headers=headers,
                timeout=_TIMEOUT,
                allow_redirects=False,
            ) as response,
        ):
            if response.status != 200:
                body = b""
                with suppress(aiohttp.ClientError, TimeoutError):  # the status alone is enough
                    body = await read_at_most(response, _MAX_BYTES) or b""
                raise faults.from_response(response.status, response.headers, body)
            listed = await read_at_most(response, _MAX_BYTES)
    except (aiohttp.ClientError, TimeoutError, OSError, AddressRefusedError) as error:
        raise faults.from_exception(error) from error
    if listed is None:
        raise faults.broken(f"its list of models is larger than {_MAX_BYTES} bytes")
    try:
        offers = msgspec.json.decode(listed, type=_Offers)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise faults.broken("its list of models cannot be read; enter the name by hand") from error
    names = {name for offer in offers.data if (name := single_line(offer.id, NAME_CHARACTERS))}
    return sorted(names, key=str.lower)[:MAX_MODELS]
