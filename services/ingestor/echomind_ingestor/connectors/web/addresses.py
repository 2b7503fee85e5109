"""Addresses of pages: normalization, membership in a crawl, and exclusion of useless ones."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from yarl import URL

from echomind_lib.connectors.types.patterns import matches
from echomind_lib.connectors.types.web import WebSettings

_TRACKERS: Final = re.compile(
    r"(?i)utm_.*|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|ref_src|phpsessid|jsessionid|sessionid|sid"
)
"""Tracking parameters, which do not affect the page."""
_SESSION: Final = re.compile(r"(?i);jsessionid=[^/?#;]*")
_NO_PAGES: Final = re.compile(
    r"(?i).*\.(css|m?js|map|json|xml|rss|atom|ico|png|jpe?g|gif|svg|webp|avif|bmp|tiff?|woff2?|ttf|otf|eot"
    r"|mp[34]|m4[av]|webm|ogg|wav|flac|avi|mov|mkv|zip|t?gz|tar|bz2|xz|7z|rar|exe|dmg|msi|deb|rpm|apk|iso|jar|whl)"
)
"""Extensions of files without searchable text."""
_MAX_BYTES: Final = 2000
_MAX_PARTS: Final = 30
_MAX_REPEATS: Final = 3
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def normalize(target: str, base: str | None = None) -> str | None:
    """Returns the normal form of an address: lower case host, no default port, no fragment, no trackers, dots resolved.

    Args:
        target: An address, or a reference on a page.
        base: The page.

    Returns:
        The normal form; None if it is not a web address.
    """
    target = _SESSION.sub("", target.strip())
    try:
        url = URL(base).join(URL(target)) if base else URL(target)
        host = (url.raw_host or "").rstrip(".").lower()
        if url.scheme not in _DEFAULT_PORTS or not host or url.raw_user is not None:
            return None
        if url.explicit_port == _DEFAULT_PORTS[url.scheme]:
            url = url.with_port(None)
        kept = [pair for pair in url.raw_query_string.split("&") if not _TRACKERS.fullmatch(pair.partition("=")[0])]
        query = "&".join(filter(None, kept))
        # An IPv6 address stands in brackets, or its last part would be read as a port.
        authority = f"[{host}]" if ":" in host else host
        if url.explicit_port is not None:
            authority += f":{url.explicit_port}"
        path = url.raw_path or "/"
        built = URL.build(scheme=url.scheme, authority=authority, path=path, query_string=query, encoded=True)
        text = str(URL(str(built)))
    except (ValueError, IndexError):  # yarl raises the latter for `http://[]@`
        return None
    return text if len(text.encode()) <= _MAX_BYTES else None


def site(url: str) -> str:
    """Returns the host and port of an address, without `www.`."""
    parsed = URL(url)
    return f"{(parsed.raw_host or '').removeprefix('www.')}:{parsed.port}"


def origin(url: str) -> str:
    """Returns an address without its path."""
    return str(URL(url).origin())


class Territory:
    """The pages that a crawl may read, by its settings."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        starts = [url for start in settings.start_urls if (url := normalize(start)) is not None]
        self.starts = tuple(dict.fromkeys(starts))
        hosts = {URL(url).raw_host or "" for url in starts}
        self._hosts = {host.removeprefix("www.") for host in hosts}
        self.origins = tuple(dict.fromkeys(map(origin, starts)))

    def holds(self, url: str) -> bool:
        """Returns whether an address is on one of the start pages' hosts."""
        parsed = URL(url)
        ports = {URL(start).port for start in self.starts} | {80, 443}
        return (parsed.raw_host or "").removeprefix("www.") in self._hosts and parsed.port in ports

    def selects(self, url: str) -> bool:
        """Returns whether the patterns select a page."""
        settings, parsed = self._settings, URL(url)
        plain = str(parsed.with_query(None).human_repr())
        forms = (parsed.path, parsed.path_qs if parsed.query_string else parsed.path)
        whole = (plain, parsed.human_repr())

        def found(patterns: Iterable[str]) -> bool:
            return any(
                matches([pattern], form)
                for pattern in patterns
                for form in (whole if "://" in pattern.partition("*")[0] else forms)
            )

        return (not settings.include or found(settings.include)) and not found(settings.exclude)

    def follows(self, url: str, depth: int) -> bool:
        """Returns whether a link is to be followed."""
        return depth <= self._settings.max_depth and self.holds(url) and not leads_nowhere(url) and self.selects(url)


def leads_nowhere(url: str) -> bool:
    """Returns whether an address is not a document's, or looks like one of a site's endless generated series."""
    path = URL(url).raw_path
    parts = [part for part in path.split("/") if part]
    repeats = max(Counter(parts).values(), default=0)
    return len(parts) > _MAX_PARTS or repeats > _MAX_REPEATS or _NO_PAGES.fullmatch(path) is not None
