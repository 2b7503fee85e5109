"""The pages of sign-in links: plain HTML without scripts, as mail programs and scanners open links too."""

import base64
import hashlib
import html
from typing import Final

from starlette.responses import HTMLResponse

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 30rem; margin: 15vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; }
button { font: inherit; font-weight: 600; padding: .5rem 1.2rem; border: 0; border-radius: .5rem; cursor: pointer;
  background: #1c6657; color: #fff; }
button:focus-visible { outline: 3px solid #6fb5a6; outline-offset: 2px; }
code { background: #8883; padding: .1em .3em; border-radius: .2em; }
.quiet { color: #5c6470; font-size: .9rem; }
@media (prefers-color-scheme: dark) {
  body { background: #16181d; color: #e6e6e6; } a { color: #8ab4f8; } .quiet { color: #a0a7b2; }
  button { background: #2b7f6e; }
}
"""
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS: Final = {
    "Cache-Control": "no-store",
    # The page's address holds the token: of it a browser may tell the origin alone, which its form must tell.
    "Referrer-Policy": "strict-origin",
    "X-Robots-Tag": "noindex",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · EchoMind</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""
_FORM_PATH: Final = "link"
"""Relative to the page, whatever base path the browser sees before it."""
_FORM: Final = """<form method="post" action="{action}">
<input type="hidden" name="token" value="{token}">
<input type="hidden" name="replace" value="{replace}">
<button type="submit" autofocus>{label}</button>
</form>"""


def sign_in_page(token: str, user_name: str) -> HTMLResponse:
    """Returns the page that asks whether to sign in; nothing has happened yet."""
    text = (
        f"<p>This link signs this browser in as <b>{html.escape(user_name)}</b>. It works once.</p>"
        f"{_form(token, '', f'Sign in as {user_name}')}"
        '<p class="quiet">If you do not know this account, or did not expect this link, close the page.</p>'
    )
    return _page("Sign in to EchoMind", text)


def replace_page(token: str, user_name: str, present_name: str, present_id: int, status: int = 200) -> HTMLResponse:
    """Returns the page that asks whether to end another account's session in this browser."""
    present, name = html.escape(present_name), html.escape(user_name)
    text = (
        f"<p>This browser is signed in as <b>{present}</b>. The link is for another account, <b>{name}</b>: signing in "
        f"with it signs {present} out here.</p>"
        f"{_form(token, str(present_id), f'Sign out {present_name} and sign in as {user_name}')}"
        f'<p><a href="../">Stay signed in as {present}</a></p>'
        '<p class="quiet">If somebody else has sent you this link, stay: whoever signs you in to an account of theirs '
        "can read what you write there.</p>"
    )
    return _page("You are signed in already", text, status)


def failure_page(title: str, text: str, status: int) -> HTMLResponse:
    """Returns the page of a link that does not sign in: why, and how to get another one."""
    body = (
        f"<p>{html.escape(text)}</p>"
        "<p>A new link is in the file <code>run/sign-in-link</code> of the data folder after each start of EchoMind, "
        "and an administrator can make one. If your account has a password, you can "
        '<a href="../">sign in with it</a>.</p>'
    )
    return _page(title, body, status)


def _form(token: str, replace: str, label: str) -> str:
    values = {"action": _FORM_PATH, "token": token, "replace": replace, "label": label}
    return _FORM.format_map({name: html.escape(value) for name, value in values.items()})


def _page(title: str, body: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(title=html.escape(title), style=_STYLE, body=body), status, _HEADERS)
