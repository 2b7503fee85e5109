"""Checks of the tokens that a provider signs: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation."""

import base64
import hashlib
import time
from collections.abc import Sequence
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from echomind_lib.identity.failures import Failure, SignInFailedError

LEEWAY_SECONDS: Final = 30
"""How far the provider's clock may differ."""
OLDEST_SECONDS: Final = 600
"""How long ago an ID token may have been issued."""
_SUBJECT_CHARACTERS: Final = 255
_DIGESTS: Final = {"256": hashlib.sha256, "384": hashlib.sha384, "512": hashlib.sha512, "DSA": hashlib.sha512}
"""The digest of `at_hash` by the end of the algorithm's name; Ed25519 has SHA-512."""


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
    registry = jwt.JWTClaimsRegistry(
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
        sub={"essential": True, "allow_blank": False},
    )
    try:
        registry.validate(claims)
    except (JoseError, ValueError, TypeError) as error:
        raise not_proven(f"the ID token is refused: {error}") from error
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if claims.get("azp", client_id) != client_id or (len(audiences) > 1 and "azp" not in claims):
        raise not_proven("the ID token was issued for another client (azp)")
    if claims["iat"] < time.time() - OLDEST_SECONDS:
        raise not_proven("the ID token was issued too long ago (iat)")
    if len(claims["sub"]) > _SUBJECT_CHARACTERS or "\0" in claims["sub"]:
        raise not_proven(f"sub must have at most {_SUBJECT_CHARACTERS} characters, without U+0000")
    if "at_hash" in claims and claims["at_hash"] != _half_hash(access_token, algorithm):
        raise not_proven("the access token is not the one of the ID token (at_hash)")


def not_proven(detail: str) -> SignInFailedError:
    """Returns the error for an answer that proves nothing."""
    return SignInFailedError(Failure.NOT_PROVEN, detail)


def _half_hash(text: str, algorithm: str) -> str:
    digest = _DIGESTS[algorithm[-3:]](text.encode()).digest()
    return base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()
