"""The browser is opened without the sign-in link in a command line, which everybody on the machine can read."""

import stat
from pathlib import Path
from urllib.parse import urlsplit

from echomind.local.data_folder import DataFolder
from echomind.local.up import _forwarding_page

LINK = "http://127.0.0.1:8080/auth/link?token=a_secret-token&x=\"'<"


def test_the_page_leads_to_the_link_and_is_private(tmp_path: Path) -> None:
    with DataFolder(tmp_path / "data") as folder:
        page = _forwarding_page(folder, LINK)
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        text = page.read_text()
        assert "http://127.0.0.1:8080/auth/link?token=a_secret-token&amp;x=&quot;&#x27;&lt;" in text
        address = urlsplit(page.as_uri())
        assert address.scheme == "file"
        assert "token" not in address.path + address.query
        # A page of an earlier start is replaced, whatever its permissions.
        page.chmod(0o644)
        again = _forwarding_page(folder, LINK)
        assert stat.S_IMODE(again.stat().st_mode) == 0o600
