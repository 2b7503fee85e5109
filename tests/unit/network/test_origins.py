"""Places of secrets."""

from echomind_lib.network.origins import same_origin
from tests.drivers.tables import for_each


@for_each(
    ("old", "new", "same"),
    [
        ("https://a.example/v1", "https://a.example/v2", True),
        ("https://a.example", "https://A.example.:443/", True),
        ("http://a.example:80/x", "http://a.example", True),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "https://a.example:8443", False),
        ("https://a.example", "https://a.example.evil.example", False),
        ("https://a.example", "https://b.example", False),
        ("https://a.example", "https://b.example@a.example", True),
        ("https://a.example", "https://a.example@b.example", False),
        ("http://[::1]:80/", "http://[::1]", True),
        ("https://a.example", "", False),
        ("https://a.example:99999", "https://b.example:99999", False),
    ],
)
def test_same_origin(old: str, new: str, same: bool) -> None:
    assert same_origin(old, new) is same
    assert same_origin(new, old) is same
