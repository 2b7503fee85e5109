"""Texts of the pages of a sign-in at a provider, in the languages of the web UI."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from echomind_api.auth.provider_tests import Account
from echomind_lib.identity.failures import Failure


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderWords:
    """The texts of one language; `{provider}` is what people know the provider by."""

    signing_in: str
    proceed: str
    failed: str
    failures: Mapping[Failure, str]
    too_many: str
    back: str
    test_of: str
    test_succeeded: str
    test_only: str
    meaning: str
    claims: str
    account: str
    accounts: Mapping[Account, str]
    """What would happen to the account; `{name}` is its user name."""
    name: str
    email: str
    verified: str
    unverified: str
    groups: str
    roles: str
    none: str
    unknown: str


PROVIDER_WORDS: Final[Mapping[str, ProviderWords]] = {
    "en": ProviderWords(
        signing_in="Signing in",
        proceed="Continue to EchoMind",
        failed="You are not signed in",
        failures={
            Failure.ATTEMPT_OVER: "This sign-in has expired, was completed before, or was begun in another browser or "
            "window. Sign in again.",
            Failure.NOT_GRANTED: "{provider} did not complete the sign-in. Sign in again and accept, or use another "
            "account.",
            Failure.UNAVAILABLE: "{provider} does not answer at present, or not as it should. Try again in a minute; "
            "if it stays like this, tell the person who runs EchoMind for you.",
            Failure.NOT_PROVEN: "The answer of {provider} does not prove who you are. Sign in again; if it stays like "
            "this, tell the person who runs EchoMind for you.",
            Failure.NOT_ADMITTED: "Your account at {provider} may not use EchoMind. Ask the person who runs EchoMind "
            "for you.",
            Failure.ACCOUNT_EXISTS: "There is already an account of EchoMind with your e-mail address. Sign in to it "
            "as before, and connect it with {provider} under Settings, Account; for your safety, the address alone "
            "does not open it.",
            Failure.CONNECTED_OTHERWISE: "Nothing was connected: your account at {provider} opens another account of "
            "EchoMind, or yours of EchoMind is connected with another one at {provider}. Ask the person who runs "
            "EchoMind for you.",
            Failure.DEACTIVATED: "Your account of EchoMind is deactivated. Ask the person who runs EchoMind for you.",
        },
        too_many="Too many sign-ins have failed or begun from your network. Try again in a minute.",
        back="Back to the sign-in page",
        test_of="Test of {provider}",
        test_succeeded="{provider} has proven who you are.",
        test_only="This was a test: nobody was signed in and nothing was stored. You can close this window.",
        meaning="What it means for EchoMind",
        claims="What the provider sends",
        account="Account",
        accounts={
            "found": "{name} signs in",
            "deactivated": "{name} is deactivated and cannot sign in",
            "created": "a new one is created",
            "refused": "none: the provider creates no accounts",
            "taken": "refused: {name} has the same e-mail address",
        },
        name="Name",
        email="E-mail",
        verified="verified",
        unverified="not verified",
        groups="Groups",
        roles="Roles",
        none="none",
        unknown="not sent, because there are too many: nothing changes",
    ),
    "de": ProviderWords(
        signing_in="Anmeldung",
        proceed="Weiter zu EchoMind",
        failed="Sie sind nicht angemeldet",
        failures={
            Failure.ATTEMPT_OVER: "Diese Anmeldung ist abgelaufen, wurde schon abgeschlossen oder in einem anderen "
            "Browser oder Fenster begonnen. Melden Sie sich erneut an.",
            Failure.NOT_GRANTED: "{provider} hat die Anmeldung nicht abgeschlossen. Melden Sie sich erneut an und "
            "stimmen Sie zu, oder verwenden Sie ein anderes Konto.",
            Failure.UNAVAILABLE: "{provider} antwortet zurzeit nicht oder nicht wie erwartet. Versuchen Sie es in "
            "einer Minute erneut; bleibt es dabei, sagen Sie es der Person, die EchoMind für Sie betreibt.",
            Failure.NOT_PROVEN: "Die Antwort von {provider} beweist nicht, wer Sie sind. Melden Sie sich erneut an; "
            "bleibt es dabei, sagen Sie es der Person, die EchoMind für Sie betreibt.",
            Failure.NOT_ADMITTED: "Ihr Konto bei {provider} darf EchoMind nicht benutzen. Fragen Sie die Person, die "
            "EchoMind für Sie betreibt.",
            Failure.ACCOUNT_EXISTS: "Es gibt bereits ein EchoMind-Konto mit Ihrer E-Mail-Adresse. Melden Sie sich dort "
            "wie bisher an und verbinden Sie es unter Einstellungen, Konto mit {provider}; zu Ihrer Sicherheit öffnet "
            "die Adresse allein es nicht.",
            Failure.CONNECTED_OTHERWISE: "Es wurde nichts verbunden: Ihr Konto bei {provider} öffnet ein anderes "
            "EchoMind-Konto, oder Ihr EchoMind-Konto ist mit einem anderen bei {provider} verbunden. Fragen Sie die "
            "Person, die EchoMind für Sie betreibt.",
            Failure.DEACTIVATED: "Ihr EchoMind-Konto ist deaktiviert. Fragen Sie die Person, die EchoMind für Sie "
            "betreibt.",
        },
        too_many="Aus Ihrem Netz sind zu viele Anmeldungen gescheitert oder begonnen worden. Versuchen Sie es in einer "
        "Minute erneut.",
        back="Zurück zur Anmeldeseite",
        test_of="Test von {provider}",
        test_succeeded="{provider} hat bewiesen, wer Sie sind.",
        test_only="Das war ein Test: Niemand wurde angemeldet und nichts gespeichert. Sie können dieses Fenster "
        "schließen.",
        meaning="Was das für EchoMind bedeutet",
        claims="Was der Anbieter sendet",
        account="Konto",
        accounts={
            "found": "{name} meldet sich an",
            "deactivated": "{name} ist deaktiviert und kann sich nicht anmelden",
            "created": "ein neues wird angelegt",
            "refused": "keines: Der Anbieter legt keine Konten an",
            "taken": "abgelehnt: {name} hat dieselbe E-Mail-Adresse",
        },
        name="Name",
        email="E-Mail",
        verified="bestätigt",
        unverified="nicht bestätigt",
        groups="Gruppen",
        roles="Rollen",
        none="keine",
        unknown="nicht gesendet, weil es zu viele sind: Nichts ändert sich",
    ),
}
