"""The pages of sign-in links and providers: plain HTML without scripts, because mail programs open links too."""

import base64
import hashlib
import html
from typing import Final

from starlette.responses import HTMLResponse

from echomind_api.transports.http.provider_words import PROVIDER_WORDS
from echomind_api.transports.http.sign_in_words import WORDS, LinkFailure
from echomind_lib.identity.failures import Failure

_STYLE: Final = """
:root { color-scheme: light dark; --paper: light-dark(#faf9f6, #171716); --surface: light-dark(#fff, #1f1f1d);
  --line: light-dark(#e3dfd7, #343330); --ink: light-dark(#1e1d1a, #ecebe6); --muted: light-dark(#6a665d, #a09d95);
  --accent: light-dark(#1b675c, #74c9b9); --on-accent: light-dark(#fff, #0c211d); }
body { display: grid; min-height: 100vh; margin: 0; place-items: center; font: 15px/1.5 ui-sans-serif, system-ui,
  sans-serif; background: var(--paper); color: var(--ink); }
main { box-sizing: border-box; width: min(27rem, 100% - 3rem); margin: 1.5rem; padding: 2rem;
  border: 1px solid var(--line); border-radius: 16px; background: var(--surface); }
h1 { margin-top: 0; font-size: 1.5rem; font-weight: 600; letter-spacing: -.015em; }
a { color: var(--accent); }
button { font: inherit; font-weight: 500; padding: .5rem 1.2rem; border: 0; border-radius: 6px; cursor: pointer;
  background: var(--accent); color: var(--on-accent); }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; font-weight: 600; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .35rem .5rem .35rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
th { width: 9rem; font-weight: 500; color: var(--muted); }
code { background: #8883; padding: .1em .3em; border-radius: .2em; }
.quiet { margin-bottom: 0; color: var(--muted); font-size: .9rem; }
"""
"""The colours and sizes of the web UI, `web/src/ui/tokens.css`."""
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS: Final = {
    "Cache-Control": "no-store",
    # The page's URL contains the token, so browsers may send only the origin, which the form's check requires.
    "Referrer-Policy": "strict-origin",
    "X-Robots-Tag": "noindex",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}
_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">{head}
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


def sign_in_page(language: str, token: str, user_name: str) -> HTMLResponse:
    """Returns the page that asks whether to sign in."""
    words, name = WORDS[language], html.escape(user_name)
    text = (
        f"<p>{words.about_link.format(name=name)}</p>"
        f"{_form(token, '', words.sign_in.format(name=user_name))}"
        f'<p class="quiet">{words.unexpected}</p>'
    )
    return page_of(language, words.title, text)


def replace_page(
    language: str, token: str, user_name: str, present_name: str, present_id: int, status: int = 200
) -> HTMLResponse:
    """Returns the page that asks whether to end another account's session in this browser."""
    words, present, name = WORDS[language], html.escape(present_name), html.escape(user_name)
    text = (
        f"<p>{words.about_other.format(present=present, name=name)}</p>"
        f"{_form(token, str(present_id), words.replace.format(present=present_name, name=user_name))}"
        f'<p><a href="../">{words.stay.format(present=present)}</a></p>'
        f'<p class="quiet">{words.caution}</p>'
    )
    return page_of(language, words.signed_in, text, status)


def failure_page(language: str, failure: LinkFailure, status: int) -> HTMLResponse:
    """Returns the page of a link that does not sign in: why, and how to get another one."""
    words = WORDS[language]
    title, text = words.failures[failure]
    return page_of(language, title, f"<p>{text}</p><p>{words.new_link}</p>", status)


def signed_in_page(language: str, address: str) -> HTMLResponse:
    """Returns the page after a sign-in at a provider, which opens another one at once.

    A redirect would not do: the session cookie does not come along with a request that another site's page has caused.

    Args:
        language: The page's language.
        address: Where the browser goes.
    """
    words, target = PROVIDER_WORDS[language], html.escape(address)
    refresh = f'\n<meta http-equiv="refresh" content="0; url={target}">'
    return page_of(language, words.signing_in, f'<p><a href="{target}">{words.proceed}</a></p>', head=refresh)


def provider_failure_page(
    language: str, failure: Failure | None, provider: str, home: str, status: int
) -> HTMLResponse:
    """Returns the page of a sign-in at a provider that failed: why, and what to do.

    Args:
        language: The page's language.
        failure: Why; None for too many attempts.
        provider: What people know the provider by.
        home: Path of the first page.
        status: HTTP status.
    """
    words = PROVIDER_WORDS[language]
    reason = words.failures[failure] if failure else words.too_many
    text = f'<p>{reason.format(provider=html.escape(provider))}</p><p><a href="{home}">{words.back}</a></p>'
    return page_of(language, words.failed, text, status)


def _form(token: str, replace: str, label: str) -> str:
    values = {"action": _FORM_PATH, "token": token, "replace": replace, "label": label}
    return _FORM.format_map({name: html.escape(value) for name, value in values.items()})


def page_of(language: str, title: str, body: str, status: int = 200, head: str = "") -> HTMLResponse:
    """Returns a page.

    Args:
        language: Its language.
        title: Its title, as HTML.
        body: What is below the title, as HTML.
        status: HTTP status.
        head: Further elements of the head.
    """
    page = _PAGE.format(language=language, title=title, style=_STYLE, body=body, head=head)
    return HTMLResponse(page, status, {**_HEADERS, "Content-Language": language, "Vary": "Accept-Language"})
