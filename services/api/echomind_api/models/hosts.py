"""Hosts of models' servers that may not be used."""

from urllib.parse import urlsplit

from echomind_lib.errors import EndpointRefusedError
from echomind_lib.network.addresses import AddressRefusedError, refuse_host


def refuse_host_of(endpoint: str | None) -> None:
    """Raises an error for an endpoint whose host is not allowed; an invalid URL passes.

    Raises:
        EndpointRefusedError: It is a metadata service, or has a link-local or multicast address.
    """
    try:
        host = urlsplit((endpoint or "").strip()).hostname or ""
    except ValueError:
        return  # others check URLs
    try:
        refuse_host(host)
    except AddressRefusedError as error:
        raise EndpointRefusedError(f"{error}, where no model may be.", endpoint=endpoint) from None
