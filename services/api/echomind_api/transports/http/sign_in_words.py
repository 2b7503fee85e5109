"""Texts of the pages of sign-in links, in the languages of the web UI."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class LinkFailure(Enum):
    """Why a link does not sign in."""

    ENDED = auto()
    TOO_MANY_ATTEMPTS = auto()
    FOREIGN_PAGE = auto()


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """The texts of one language; `{name}` is the link's account, `{present}` the one that is signed in already."""

    title: str
    about_link: str
    sign_in: str
    unexpected: str
    signed_in: str
    about_other: str
    replace: str
    stay: str
    caution: str
    failures: Mapping[LinkFailure, tuple[str, str]]
    """For each page, its title and its text."""
    new_link: str


WORDS: Final[Mapping[str, Words]] = {
    "en": Words(
        title="Sign in to EchoMind",
        about_link="This link signs this browser in as <b>{name}</b>. It works once.",
        sign_in="Sign in as {name}",
        unexpected="If you do not know this account, or did not expect this link, close the page.",
        signed_in="You are signed in already",
        about_other="This browser is signed in as <b>{present}</b>. The link is for another account, <b>{name}</b>: "
        "signing in with it signs {present} out here.",
        replace="Sign out {present} and sign in as {name}",
        stay="Stay signed in as {present}",
        caution="If somebody else has sent you this link, stay: whoever signs you in to an account of theirs can read "
        "what you write there.",
        failures={
            LinkFailure.ENDED: ("This link no longer works", "This sign-in link has been used or has expired."),
            LinkFailure.TOO_MANY_ATTEMPTS: ("Too many attempts", "Try again in a minute."),
            LinkFailure.FOREIGN_PAGE: (
                "This did not come from the page of a sign-in link",
                "Open the sign-in link in your browser and sign in by its button.",
            ),
        },
        new_link="A new link is in the file <code>run/sign-in-link</code> of the data folder after each start of "
        "EchoMind, and an administrator can make one. If your account has a password, you can "
        '<a href="../">sign in with it</a>.',
    ),
    "de": Words(
        title="Bei EchoMind anmelden",
        about_link="Dieser Link meldet diesen Browser als <b>{name}</b> an. Er funktioniert einmal.",
        sign_in="Als {name} anmelden",
        unexpected="Wenn Sie dieses Konto nicht kennen oder den Link nicht erwartet haben, schließen Sie die Seite.",
        signed_in="Sie sind bereits angemeldet",
        about_other="Dieser Browser ist als <b>{present}</b> angemeldet. Der Link gehört zu einem anderen Konto, "
        "<b>{name}</b>: Wenn Sie sich damit anmelden, wird {present} hier abgemeldet.",
        replace="{present} abmelden und als {name} anmelden",
        stay="Als {present} angemeldet bleiben",
        caution="Wenn Ihnen jemand anders diesen Link geschickt hat, bleiben Sie angemeldet: Wer Sie in einem eigenen "
        "Konto anmeldet, kann lesen, was Sie dort schreiben.",
        failures={
            LinkFailure.ENDED: (
                "Dieser Link funktioniert nicht mehr",
                "Dieser Anmeldelink wurde schon benutzt oder ist abgelaufen.",
            ),
            LinkFailure.TOO_MANY_ATTEMPTS: ("Zu viele Versuche", "Versuchen Sie es in einer Minute erneut."),
            LinkFailure.FOREIGN_PAGE: (
                "Dies kam nicht von der Seite eines Anmeldelinks",
                "Öffnen Sie den Anmeldelink in Ihrem Browser und melden Sie sich mit seiner Schaltfläche an.",
            ),
        },
        new_link="Ein neuer Link steht nach jedem Start von EchoMind in der Datei <code>run/sign-in-link</code> des "
        "Datenordners, und ein Administrator kann einen erstellen. Hat Ihr Konto ein Passwort, können Sie sich "
        '<a href="../">damit anmelden</a>.',
    ),
}


def language_of(accepted: str) -> str:
    """Returns the language of a page for a browser's `Accept-Language`: the first supported one, or else English."""
    for tag in accepted.split(","):
        language = tag.partition(";")[0].strip().lower().partition("-")[0]
        if language in WORDS:
            return language
    return "en"
