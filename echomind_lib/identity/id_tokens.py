"""Checks of the tokens that a provider signs: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation."""

import base64
import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import ClaimsOption

from echomind_lib.identity.failures import Failure, SignInFailedError

LEEWAY_SECONDS: Final = 30
"""How far the provider's clock may differ."""
OLDEST_SECONDS: Final = 600
"""How long ago an ID token may have been issued."""
_OLDEST_LOGOUT_SECONDS: Final = 300
_OLDEST_BEARER_SECONDS: Final = 86_400
_LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"
_SUBJECT_CHARACTERS: Final = 255
_DIGESTS: Final = {"256": hashlib.sha256, "384": hashlib.sha384, "512": hashlib.sha512, "DSA": hashlib.sha512}
"""The digest of `at_hash` by the end of the algorithm's name; Ed25519 has SHA-512."""

_ESSENTIAL: Final[ClaimsOption] = {"essential": True}
_NOT_BLANK: Final[ClaimsOption] = {"essential": True, "allow_blank": False}


class UnknownKeyError(Exception):
    """A token names a key that the provider has not published, or its signature fits none."""


def read_claims(token: str, keys: KeySet, algorithms: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Returns the claims of a token whose signature is right, and its algorithm.

    Args:
        token: The token.
        keys: The provider's public keys.
        algorithms: The algorithms that are accepted.

    Raises:
        UnknownKeyError: Its key is unknown, or its signature is wrong.
        SignInFailedError: It is not a signed token of these algorithms.
    """
    from joserfc.errors import BadSignatureError, InvalidKeyIdError, MissingKeyError

    try:
        decoded = jwt.decode(token, keys, algorithms=list(algorithms))
    except (BadSignatureError, InvalidKeyIdError, MissingKeyError) as error:
        raise UnknownKeyError(str(error)) from error
    except (JoseError, ValueError, TypeError) as error:
        raise not_proven(f"the ID token cannot be read: {error}") from error
    return decoded.claims, str(decoded.header["alg"])


def _validate(claims: dict[str, Any], refused: str, issuer: str, audience: str, **rules: ClaimsOption) -> None:
    """Checks that a token is of the issuer for the audience, and the rules of further claims."""
    registry = jwt.JWTClaimsRegistry(
        now=None,
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": audience},
        **rules,
    )
    try:
        registry.validate(claims)
    except (JoseError, ValueError, TypeError) as error:
        raise not_proven(f"{refused}{error}") from error


def check_id_token(
    claims: dict[str, Any], algorithm: str, *, issuer: str, client_id: str, nonce: str, access_token: str
) -> None:
    """Checks the claims of an ID token of a sign-in.

    Args:
        claims: Its claims.
        algorithm: Its algorithm.
        issuer: The configured issuer.
        client_id: The client id.
        nonce: The nonce of the sign-in.
        access_token: The access token beside it; empty if there is none.

    Raises:
        SignInFailedError: A claim is missing or wrong; the message names it.
    """
    _validate(
        claims,
        "the ID token is refused: ",
        issuer,
        client_id,
        exp=_ESSENTIAL,
        iat=_ESSENTIAL,
        nonce={"essential": True, "value": nonce},
        sub=_NOT_BLANK,
    )
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if claims.get("azp", client_id) != client_id or (len(audiences) > 1 and "azp" not in claims):
        raise not_proven("the ID token was issued for another client (azp)")
    if claims["iat"] < time.time() - OLDEST_SECONDS:
        raise not_proven("the ID token was issued too long ago (iat)")
    if len(claims["sub"]) > _SUBJECT_CHARACTERS or "\0" in claims["sub"]:
        raise not_proven(f"sub must have at most {_SUBJECT_CHARACTERS} characters, without U+0000")
    if "at_hash" in claims and claims["at_hash"] != _half_hash(access_token, algorithm):
        raise not_proven("the access token is not the one of the ID token (at_hash)")


def check_bearer_token(claims: dict[str, Any], *, issuer: str, audience: str) -> None:
    """Checks the claims of an access token that a program sends (RFC 9068).

    Args:
        claims: Its claims.
        issuer: The configured issuer.
        audience: The configured audience.

    Raises:
        SignInFailedError: A claim is missing or wrong; the message names it.
    """
    _validate(claims, "", issuer, audience, exp=_ESSENTIAL, iat=_ESSENTIAL, sub=_NOT_BLANK)
    if claims["iat"] < time.time() - _OLDEST_BEARER_SECONDS:
        raise not_proven("it was issued more than a day ago (iat)")
    if "nonce" in claims or "events" in claims:
        raise not_proven("it is an ID token or a logout token (nonce, events)")
    if not isinstance(claims["sub"], str) or len(claims["sub"]) > _SUBJECT_CHARACTERS or "\0" in claims["sub"]:
        raise not_proven(f"sub must be a text of at most {_SUBJECT_CHARACTERS} characters, without U+0000")


@dataclass(frozen=True, slots=True, kw_only=True)
class Logout:
    """Whose sessions a logout token ends."""

    token_id: str
    """The token's identifier (`jti`), which is accepted once."""
    subject: str
    """The person's identifier at the provider; empty if the token names only a session."""
    session: str
    """The session at the provider (`sid`); empty for all of the person."""


def check_logout_token(claims: dict[str, Any], *, issuer: str, client_id: str) -> Logout:
    """Returns whose sessions a logout token ends.

    https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation; `exp` may be absent, as some providers do
    not send it, so the age is limited by `iat`.

    Args:
        claims: Its claims.
        issuer: The configured issuer.
        client_id: The client id.

    Raises:
        SignInFailedError: A claim is missing or wrong; the message names it.
    """
    _validate(claims, "the logout token is refused: ", issuer, client_id, iat=_ESSENTIAL, jti=_NOT_BLANK)
    if claims["iat"] < time.time() - _OLDEST_LOGOUT_SECONDS:
        raise not_proven("the logout token was issued too long ago (iat)")
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(_LOGOUT_EVENT), dict):
        raise not_proven("the logout token does not say that somebody signs out (events)")
    if "nonce" in claims:
        raise not_proven("the logout token is an ID token (nonce)")
    texts = [claims.get(name, "") for name in ("jti", "sub", "sid")]
    if any(not isinstance(text, str) or len(text) > _SUBJECT_CHARACTERS or "\0" in text for text in texts):
        raise not_proven(f"jti, sub and sid must be texts of at most {_SUBJECT_CHARACTERS} characters")
    logout = Logout(token_id=texts[0], subject=texts[1], session=texts[2])
    if not logout.subject and not logout.session:
        raise not_proven("the logout token names nobody (sub, sid)")
    return logout


def not_proven(detail: str) -> SignInFailedError:
    """Returns the error for an answer that proves nothing."""
    return SignInFailedError(Failure.NOT_PROVEN, detail)


def _half_hash(text: str, algorithm: str) -> str:
    digest = _DIGESTS[algorithm[-3:]](text.encode()).digest()
    return base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()
