"""Addresses of documents at their source, as they are stored."""

import pytest

from echomind_ingestor.sync.items import url_of


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("https://drive.example.org/file/d/1/view?usp=x#p2", "https://drive.example.org/file/d/1/view?usp=x#p2"),
        ("http://wiki.example.org:8080/Leave", "http://wiki.example.org:8080/Leave"),
        ("", None),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("data:text/html,x", None),
        ("/relative", None),
        ("https:///no-host", None),
        ("https://[broken", None),
        # What would give away how the connector signs in.
        ("https://anna:secret@dav.example.org/plan.pdf", None),
        (f"https://example.org/{'x' * 4000}", None),
    ],
)
def test_only_addresses_that_a_browser_may_open_are_kept(url: str, stored: str | None) -> None:
    assert url_of(url) == stored
