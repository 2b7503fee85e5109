"""Hosts of models' servers that may not be used."""

from urllib.parse import urlsplit

from echomind_lib.errors import EndpointRefusedError
from echomind_lib.network.addresses import METADATA_HOSTS, AddressRefusedError, refuse_address


def refuse_host_of(endpoint: str | None) -> None:
    """Raises an error for an endpoint whose host is not allowed; an invalid URL passes.

    Raises:
        EndpointRefusedError: It is a metadata service, or has a link-local or multicast address.
    """
    try:
        host = urlsplit((endpoint or "").strip()).hostname or ""
        if host.rstrip(".").lower() in METADATA_HOSTS:
            raise EndpointRefusedError(f"{host} is a metadata service, where no model may be.", endpoint=endpoint)
        refuse_address(host)
    except AddressRefusedError as error:
        raise EndpointRefusedError(f"{error}, where no model may be.", endpoint=endpoint) from None
    except ValueError:
        pass  # a host name, whose addresses are checked at each connection, or an invalid URL, which others check
