"""Content security policies of responses, in one table by path.

Pages load nothing from other origins and run no inline code, so an answer's Markdown can neither load from other hosts
nor send data to them. Browsers resolve no names of linked hosts ahead, as data could be a part of them. Frames and
workers that need more have their own policies in the table; these do not apply to the page.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
SANDBOX: Final = "/sandbox/"
"""Path prefix of the pages that the web UI shows in frames with `sandbox="allow-scripts"`, and of their scripts, which
are not modules: such a page has an opaque origin, so modules would be cross-origin requests."""
PDF_WORKER: Final = "/assets/pdf.worker"
"""How the name of the worker begins that reads PDF files."""

_COMMON: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "X-DNS-Prefetch-Control": "off",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_PAGES: Final = MappingProxyType(_COMMON | {"Content-Security-Policy": CONTENT_SECURITY_POLICY})
_SHARED: Final = {
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
}
"""Headers of shared content: it is not indexed, archived or cached, and its URL is not sent as the referrer."""
_BY_PATH: Final[Mapping[str, Mapping[str, str]]] = {
    # Pages of share links, which anyone can open and which send nothing.
    "/shared/": _COMMON
    | _SHARED
    | {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
            "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
    },
    # The diagram library inserts <style> elements.
    SANDBOX: _COMMON
    | {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
        ),
        "X-Frame-Options": "SAMEORIGIN",
        "Cross-Origin-Resource-Policy": "cross-origin",
    },
    # The PDF worker decodes images with WebAssembly.
    PDF_WORKER: _COMMON
    | {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'self'"
        ),
    },
    "/api/v1/shared-sessions": _COMMON
    | _SHARED
    | {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"},
    # The API returns data, and files that set their own policy.
    "/api/": {
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    },
    # Only workers use the policy of a file that is not a page. The first page loads dozens of files, so headers are
    # short.
    "/assets/": {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
    },
}
"""Headers by the beginning of the path; the first one that fits."""


def headers_for(path: str) -> Mapping[str, str]:
    """Returns the headers of a response, which it may set otherwise itself.

    Args:
        path: The request's path, without the base path.
    """
    return next((headers for prefix, headers in _BY_PATH.items() if path.startswith(prefix)), _PAGES)
